// RUN: wna16-opt %s --verify-tile --split-input-file --verify-diagnostics

// Roles and rings with barriers. Right: the kernels below differ from this one in one
// thing, and are named after the rule of docs/spec.md that it breaks.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @right(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<3, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v1_stages(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1584 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1536 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          // expected-error @+1 {{'tile.wait' op step 0 of part 0: expected the stages (3) to be a multiple of the parts (2) [RING-V1]}}
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// Part 1 begins with step 0.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v1_part(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %c0 to %c4 step %c2 {
          // expected-error @+1 {{'tile.wait' op step 0 of part 1: is a step of another part [RING-V1]}}
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v2_twice(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          // expected-error @+1 {{'tile.acquire' op step 0 of part 0: was acquired before [RING-V2]}}
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v3_fill_after_commit(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.commit %r[%i] : !ring
          // expected-error @+1 {{'tile.fill' op step 0 of part 0: expected a fill between acquire and commit [RING-V3]}}
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v3_no_acquire(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          // expected-error @+1 {{'tile.fill' op step 0 of part 0: expected a fill between acquire and commit [RING-V3]}}
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v3_two_commits(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
          // expected-error @+1 {{'tile.commit' op step 0 of part 0: expected one commit after its acquire [RING-V3]}}
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v4_never_committed(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          // expected-error @+1 {{'tile.wait' op step 2 of part 0: is waited for but was never committed [RING-V4]}}
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c2 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v6_read_after_release(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          tile.release %r[%i] : !ring
          // expected-error @+1 {{'tile.read' op step 0 of part 0: expected a read between wait and release [RING-V6]}}
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v6_no_wait(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          // expected-error @+1 {{'tile.read' op step 0 of part 0: expected a read between wait and release [RING-V6]}}
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v6_two_releases(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
          // expected-error @+1 {{'tile.release' op step 0 of part 0: expected one release after its wait [RING-V6]}}
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// Without a copy there is no engine, but the roles of the ring still differ.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v7_not_filled(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          // expected-error @+1 {{'tile.read' op step 0 of part 0: field 'x' is read but was not filled [RING-V7]}}
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v9_all_threads(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          // expected-error @+1 {{'tile.acquire' op expected a role of a single thread to fill a ring that has barriers [RING-V9]}}
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v9_predicate(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          // expected-error @+1 {{'tile.fill' op expected a bulk or tensor copy without predicate in a ring that has barriers, which count its bytes [RING-V9]}}
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk if %true : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// The threads that copy are not those that read: there are barriers, and nobody would tell
// them of these copies.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v9_by_threads(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          // expected-error @+1 {{'tile.fill' op expected a bulk or tensor copy without predicate in a ring that has barriers, which count its bytes [RING-V9]}}
          tile.fill "x" of %r[%i] = %x[%k, %in] threads(#rows) : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v9_two_readers(%x: !x) attributes {arg_names = ["x"], warps = 4 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "other" warps 1 {
        // expected-error @+1 {{'tile.wait' op expected one role of all its threads to read a ring that has barriers [RING-V9]}}
        tile.wait %r[%c0] : !ring
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
tile.kernel @ring_v9_no_roles(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %r = tile.ring : !ring
    // expected-error @+1 {{'tile.acquire' op expected a role of a single thread to fill a ring that has barriers [RING-V9]}}
    tile.acquire %r[%im] : !ring
    tile.fill "x" of %r[%im] = %x[%im, %in] engine bulk : !ring, !x
    tile.commit %r[%im] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v9_reader_of_one_thread(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) single_thread {
        scf.for %i = %part to %c4 step %c2 {
          // expected-error @+1 {{'tile.wait' op expected one role of all its threads to read a ring that has barriers [RING-V9]}}
          tile.wait %r[%i] : !ring
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// Two stages hold two steps.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @ring_v10_not_released(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c4 : index
          // expected-error @+1 {{'tile.acquire' op step 2: waits for ever, because step 0 is never released [RING-V10]}}
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// Right: every pair of steps the other way round, which parts of the consumer do not see.
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @right_other_order(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1024 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          %v = tile.read "x" of %r[%i] [0, 0] : !ring -> !v
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %two = arith.divui %i, %c2 : index
          %odd = arith.remui %i, %c2 : index
          %base = arith.muli %two, %c2 : index
          %back = arith.subi %c1, %odd : index
          %j = arith.addi %base, %back : index
          %k = arith.muli %j, %c4 : index
          tile.acquire %r[%j] : !ring
          tile.fill "x" of %r[%j] = %x[%k, %in] engine bulk : !ring, !x
          tile.commit %r[%j] : !ring
        }
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
// The producer fills %a, %b, %a, %b; a consumer that begins with step 0 and 1 of %b would
// need them before %a, whose one stage it has not released.
tile.kernel @ring_v10_two_rings(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = tile.ring : !ring
    %b = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 1 {
        tile.wait %b[%c0] : !ring
        tile.release %b[%c0] : !ring
        tile.wait %b[%c1] : !ring
        tile.release %b[%c1] : !ring
        tile.wait %a[%c0] : !ring
        tile.release %a[%c0] : !ring
        tile.wait %a[%c1] : !ring
        tile.release %a[%c1] : !ring
      }
      tile.role "producer" warps 1 single_thread {
        tile.acquire %a[%c0] : !ring
        tile.fill "x" of %a[%c0] = %x[%c0, %in] engine bulk : !ring, !x
        tile.commit %a[%c0] : !ring
        tile.acquire %b[%c0] : !ring
        tile.fill "x" of %b[%c0] = %x[%c0, %in] engine bulk : !ring, !x
        tile.commit %b[%c0] : !ring
        // expected-error @+1 {{'tile.acquire' op step 1: waits for ever, because step 0 is never released [RING-V10]}}
        tile.acquire %a[%c1] : !ring
        tile.fill "x" of %a[%c1] = %x[%c0, %in] engine bulk : !ring, !x
        tile.commit %a[%c1] : !ring
        tile.acquire %b[%c1] : !ring
        tile.fill "x" of %b[%c1] = %x[%c0, %in] engine bulk : !ring, !x
        tile.commit %b[%c1] : !ring
      }
    }
  }
}

// -----

// The ring is filled for the next tile when this one is stored.
#held = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 8]>
tile.kernel @mem_v5_persistent() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 4096 : i64} {
  tile.for_each_work () tile [8, 16] of [8, 64] persistent 2 {
    tile.roles {
      tile.role "all" warps 1 {
        tile.for_each_tile (%im, %in, %first) steps 4 {
          %sum = tile.zero : !tile.val<16x8xf32, #held>
          %out = tile.cast %sum : !tile.val<16x8xf32, #held> -> !tile.val<16x8xf16, #held>
          // expected-error @+1 {{'tile.convert' op expected a place of its own in a persistent block, whose rings are filled for the next tile, found scratch_aliases [MEM-V5]}}
          %rows = tile.convert %out {scratch_aliases, scratch_offset = 1024 : i64} : !tile.val<16x8xf16, #held> -> !tile.val<16x8xf16, #rows>
        }
      }
    }
  }
}
