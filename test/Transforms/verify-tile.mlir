// RUN: wna16-opt %s --verify-tile --split-input-file --verify-diagnostics

// Right: the kernels below differ from this one in one thing, and are named after the
// rule of docs/spec.md that it breaks.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @right(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v2_acquired_twice(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    // expected-error @+1 {{'tile.acquire' op step 0 of part 0: was acquired before [RING-V2]}}
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<3, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v1_stages(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [4, 64] of [8, 64] parts 2 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    // expected-error @+1 {{'tile.acquire' op step 0 of part 0: expected the stages (3) to be a multiple of the parts (2) [RING-V1]}}
    tile.acquire %ring[%part] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v1_step_of_another_part(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [4, 64] of [8, 64] parts 2 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    // expected-error @+1 {{'tile.acquire' op step 0 of part 1: is a step of another part [RING-V1]}}
    tile.acquire %ring[%c0] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v2_not_released(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
    // expected-error @+1 {{'tile.acquire' op step 2 of part 0: its stage still holds step 0, which was not released [RING-V2]}}
    tile.acquire %ring[%c2] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v3_fill_before_acquire(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op step 0 of part 0: expected a fill between acquire and commit [RING-V3]}}
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.acquire %ring[%c0] : !ring
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v3_fill_after_commit(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.commit %ring[%c0] : !ring
    // expected-error @+1 {{'tile.fill' op step 0 of part 0: expected a fill between acquire and commit [RING-V3]}}
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v3_two_commits(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    // expected-error @+1 {{'tile.commit' op step 0 of part 0: expected one commit after its acquire [RING-V3]}}
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v3_commit_without_acquire(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    // expected-error @+1 {{'tile.commit' op step 0 of part 0: expected one commit after its acquire [RING-V3]}}
    tile.commit %ring[%c0] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v4(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.wait %ring[%c0] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    // expected-error @+1 {{'tile.wait' op step 1 of part 0: is waited for but was never committed [RING-V4]}}
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v5(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    // expected-error @+1 {{'tile.wait' op step 1 of part 0: its wait lets 1 commits be under way, but only 0 came after it, so the data may be missing [RING-V5]}}
    tile.wait %ring[%c1] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v6_read_before_wait(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    // expected-error @+1 {{'tile.read' op step 0 of part 0: expected a read between wait and release [RING-V6]}}
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v6_read_after_release(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    // expected-error @+1 {{'tile.read' op step 0 of part 0: expected a read between wait and release [RING-V6]}}
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v6_released_twice(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.acquire %ring[%c1] : !ring
    tile.fill "x" of %ring[%c1] = %x[%c4, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c1] : !ring
    tile.wait %ring[%c0] {pending = 1 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    // expected-error @+1 {{'tile.release' op step 0 of part 0: expected one release after its wait [RING-V6]}}
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
    tile.wait %ring[%c1] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v1 = tile.read "x" of %ring[%c1] [0, 0] : !ring -> !v
    tile.release %ring[%c1] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v6_released_before_wait(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    // expected-error @+1 {{'tile.release' op step 0 of part 0: expected one release after its wait [RING-V6]}}
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v7(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    %never = arith.cmpi slt, %c1, %c0 : index
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) if %never : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.wait %ring[%c0] : !ring
    // expected-error @+1 {{'tile.read' op step 0 of part 0: field 'x' is read but was not filled [RING-V7]}}
    %v = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
#lanes = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], warp = [] : [4, 64]>
!v = !tile.val<4x64xf16, #lanes>
tile.kernel @ring_v8_wait(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    // expected-error @+1 {{'tile.wait' op orders the threads of a lane, but a warp copies and reads this ring [RING-V8]}}
    tile.wait %ring[%c0] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    tile.release %ring[%c0] {scope = #tile.scope<block>} : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<8x64xf16, read>
#lanes = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], warp = [] : [4, 64]>
!v = !tile.val<4x64xf16, #lanes>
tile.kernel @ring_v8_release(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.fill "x" of %ring[%c0] = %x[%c0, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%c0] : !ring
    tile.wait %ring[%c0] {pending = 0 : i64, scope = #tile.scope<warp>} : !ring
    %v0 = tile.read "x" of %ring[%c0] [0, 0] : !ring -> !v
    // expected-error @+1 {{'tile.release' op orders the threads of a lane, but a warp copies and reads this ring [RING-V8]}}
    tile.release %ring[%c0] {scope = #tile.scope<lane>} : !ring
  }
}

// -----

tile.kernel @val_v1() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    // expected-error @+1 {{'tile.zero' op expected a layout on '!tile.val<64x8xf32>'; run assign-layouts first [VAL-V1]}}
    %zero = tile.zero : !tile.val<64x8xf32>
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @ring_v2_same_stage() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.commit %ring[%c0] : !ring
    // expected-error @+1 {{'tile.acquire' op step 4 of part 0: its stage still holds step 0, which was not released [RING-V2]}}
    tile.acquire %ring[%c4] : !ring
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v1_ring() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1000 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    // expected-error @+1 {{'tile.ring' op needs bytes 0 to 1023 of shared memory, but the kernel has 1000 [MEM-V1]}}
    %ring = tile.ring {offset = 0 : i64} : !ring
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#sum = #tile.linear<register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4]] : [16, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v2_scratch() attributes {arg_names = [], warps = 2 : i64, shared_bytes = 2048 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 64] parts 2 {
    %ring = tile.ring {offset = 0 : i64} : !ring
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial>
    // expected-error @+1 {{'tile.combine' op has its scratch where a ring lies; mark it scratch_aliases [MEM-V2]}}
    %sum = tile.combine %share {scratch_offset = 512 : i64} : !tile.val<16x8xf32, #acc, partial> -> !tile.val<16x8xf32, #sum>
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v2_rings() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 2048 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    %first = tile.ring {offset = 0 : i64} : !ring
    // expected-error @+1 {{'tile.ring' op lies where another ring does [MEM-V2]}}
    %second = tile.ring {offset = 512 : i64} : !ring
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>, #tile.pitch<72>>]>
tile.kernel @mem_v3() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 2048 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [8, 64] {
    // expected-error @+1 {{'tile.ring' op expected a place at a multiple of 16 bytes, found 8 [MEM-V3]}}
    %ring = tile.ring {offset = 8 : i64} : !ring
  }
}

// -----

#two = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]] : [16, 8]>
tile.kernel @val_v2() attributes {arg_names = [], warps = 8 : i64} {
  tile.for_each_work (%im, %in) tile [8, 16] of [8, 64] {
    // expected-error @+1 {{'tile.zero' op expected a layout of 8 warps, or of 8 in a part, found 2 [VAL-V2]}}
    %zero = tile.zero : !tile.val<16x8xf32, #two>
  }
}

// -----

!w = !tile.global<64x128x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
tile.kernel @bound_v2(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [64, 64] {
    %c32 = arith.constant 32 : index
    // expected-error @+1 {{'tile.load' op begins at row 0, column 32 inside of a storage tile of 16x64 [BOUND-V2]}}
    %codes = tile.load %w[%im, %c32] : !w -> !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v4_aliases() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 4096 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op expected a place of its own for what other blocks send, found scratch_aliases [MEM-V4]}}
    %sum = tile.combine %share over cluster {barrier_offset = 2048 : i64, scratch_aliases, scratch_offset = 1024 : i64} : !tile.val<16x8xf32, #acc, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v4_ring() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 4096 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %ring = tile.ring {offset = 1536 : i64} : !ring
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op receives what other blocks send where a ring lies [MEM-V4]}}
    %sum = tile.combine %share over cluster {barrier_offset = 2048 : i64, scratch_offset = 1024 : i64} : !tile.val<16x8xf32, #acc, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v4_barrier_in_ring() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 4096 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %ring = tile.ring {offset = 2048 : i64} : !ring
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op receives what other blocks send where a ring lies [MEM-V4]}}
    %sum = tile.combine %share over cluster {barrier_offset = 2048 : i64, scratch_offset = 1024 : i64} : !tile.val<16x8xf32, #acc, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v4_second_sum() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 4096 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op receives what other blocks send where scratch of another sum lies [MEM-V4]}}
    %sum = tile.combine %share over cluster {barrier_offset = 2048 : i64, scratch_offset = 1024 : i64} : !tile.val<16x8xf32, #acc, partial<blocks>> -> !tile.val<16x8xf32, #owned>
    %more = tile.combine %share over cluster {barrier_offset = 2056 : i64, scratch_offset = 1600 : i64} : !tile.val<16x8xf32, #acc, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v1_received() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1600 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op needs bytes 1024 to 1663 of shared memory, but the kernel has 1600 [MEM-V1]}}
    %sum = tile.combine %share over cluster {barrier_offset = 2048 : i64, scratch_offset = 1024 : i64} : !tile.val<16x8xf32, #acc, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @mem_v1_barrier() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 2048 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op needs bytes 2048 to 2055 of shared memory, but the kernel has 2048 [MEM-V1]}}
    %sum = tile.combine %share over cluster {barrier_offset = 2048 : i64, scratch_offset = 1024 : i64} : !tile.val<16x8xf32, #acc, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
tile.kernel @val_v3() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 4 {
    // expected-error @+1 {{'tile.zero' op expected a layout of 4 blocks, or one without blocks, found 2 [VAL-V3]}}
    %share = tile.zero : !tile.val<16x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
tile.kernel @store_v4(%y: !tile.global<8x64xf32, write>) attributes {arg_names = ["y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 2 {
    %zero = tile.zero : !tile.val<16x8xf32, #acc>
    // expected-error @+1 {{'tile.store' op expected a layout in which each of 2 blocks owns other elements; tile.combine over cluster makes one, and after tile.combine_by_ticket the last block stores [STORE-V4]}}
    tile.store %zero, %y[%im, %in] transposed : !tile.val<16x8xf32, #acc>, !tile.global<8x64xf32, write>
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
tile.kernel @dep_v1_load(%x: !tile.global<4x64xf16, read>) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    // expected-error @+1 {{'tile.load' op touches a matrix that the kernel in front may still use before tile.dependency_wait [DEP-V1]}}
    %v = tile.load %x[%im, %in] : !tile.global<4x64xf16, read> -> !tile.val<4x64xf16, #rows>
    tile.dependency_wait
  }
}

// -----

// The first step of the loop is not behind the wait.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
tile.kernel @dep_v1_loop(%y: !tile.global<4x64xf16, write>) attributes {arg_names = ["y"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %v = tile.zero : !tile.val<4x64xf16, #rows>
    scf.for %i = %c0 to %c2 step %c1 {
      // expected-error @+1 {{'tile.store' op touches a matrix that the kernel in front may still use before tile.dependency_wait [DEP-V1]}}
      tile.store %v, %y[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<4x64xf16, write>
      tile.dependency_wait
    }
  }
}

// -----

#low = #tile.linear<register = [[8, 0], [0, 8], [0, 16], [1, 0], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#high = #tile.linear<register = [[8, 0], [0, 8], [0, 16], [0, 32], [1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
!w = !tile.global<32x64x!wna16.code<3, offset = 4>, read, #wna16.layout<marlin>>
!w0 = !tile.global<32x64x!wna16.code<2, offset = 0>, read, #wna16.layout<marlin>>
!w1 = !tile.global<32x64x!wna16.code<1, offset = 1>, read, #wna16.layout<marlin>>
!c0 = !tile.val<16x64x!wna16.code<2, offset = 0>, #low>
!c1 = !tile.val<16x64x!wna16.code<1, offset = 1>, #high>
tile.kernel @dequant_v1(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 0 : i64} {
  %w0 = tile.plane %w 0 : !w -> !w0
  %w1 = tile.plane %w 1 : !w -> !w1
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %k = arith.constant 16 : index
    %low = tile.load %w0[%im, %in] : !w0 -> !c0
    %high = tile.load %w1[%k, %in] : !w1 -> !c1
    // expected-error @+1 {{'tile.dequant' op part 0: its planes are of other codes, rows 0 and 16, columns 0 and 0 [DEQUANT-V1]}}
    %d = tile.dequant %low, %high : !c0, !c1 -> !tile.val<16x64xf16, #weights>
  }
}
