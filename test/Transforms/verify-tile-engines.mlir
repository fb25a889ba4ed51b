// RUN: wna16-opt %s --verify-tile --split-input-file --verify-diagnostics

// Rings with barriers: their places, layouts of roles, coordinates of copies by engines.
// verify-tile-roles.mlir has the kernel that these come from.

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @bound_v1(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
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
          %k = arith.muli %i, %c8 : index
          tile.acquire %r[%i] : !ring
          // expected-error @+1 {{'tile.fill' op reaches row 19, columns 0 to 63 of a matrix of 16 rows and 64 columns [BOUND-V1]}}
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
tile.kernel @mem_v1_barriers(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{'tile.ring' op needs bytes 1040 to 1071 of shared memory, but the kernel has 1056 [MEM-V1]}}
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1040 : i64} : !ring
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
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @mem_v3_barriers(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1088 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{'tile.ring' op expected a place at a multiple of 16 bytes, found 1032 [MEM-V3]}}
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1032 : i64} : !ring
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
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @mem_v2_barriers_in_a_stage(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{'tile.ring' op lies where barriers of a ring do [MEM-V2]}}
    %r = tile.ring {offset = 0 : i64, barriers_offset = 1008 : i64} : !ring
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

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#sum = #tile.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4]] : [64, 8]>
!ring = !tile.ring<1, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<4x64xf16, read>
// Scratch may lie on a ring that is done, but not on its barriers.
tile.kernel @mem_v2_scratch_on_barriers(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 4352 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 4336 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        %share = tile.zero : !tile.val<64x8xf32, #acc, partial>
        // expected-error @+1 {{'tile.combine' op has its scratch where barriers of a ring lie [MEM-V2]}}
        %whole = tile.combine %share {scratch_aliases, scratch_offset = 0 : i64} : !tile.val<64x8xf32, #acc, partial> -> !tile.val<64x8xf32, #sum>
      }
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%c0] : !ring
        tile.fill "x" of %r[%c0] = %x[%c0, %in] engine bulk : !ring, !x
        tile.commit %r[%c0] : !ring
      }
    }
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[0, 0], [0, 0]] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<16x64xf16, read>
!v = !tile.val<4x64xf16, #rows>
tile.kernel @val_v2_warps_of_the_role(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64, shared_bytes = 1056 : i64} {
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
          // expected-error @+1 {{'tile.read' op expected a layout of 2 warps, or of 1 in a part, found 4 [VAL-V2]}}
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

// Right: groups of 32 rows of K, two steps of 16 in each.
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#words = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#a = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!code = !wna16.code<4, offset = 8>
!ring = !tile.ring<2, [<"w", !tile.val<16x64x!code>, #wna16.layout<marlin>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
!w = !tile.global<64x128x!code, read, #wna16.layout<marlin>>
!s = !tile.global<2x128xf16, read, #wna16.layout<marlin_scales>>
tile.kernel @right_scales(%w: !w, %s: !s) attributes {arg_names = ["w", "s"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %r = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 1 {
        scf.for %i = %c0 to %c4 step %c1 {
          tile.wait %r[%i] : !ring
          %codes = tile.read "w" of %r[%i] [0, 0] : !ring -> !tile.val<16x64x!code, #words>
          %t = tile.read "s" of %r[%i] [0, 0] : !ring -> !tile.val<1x64xf16, #scales>
          %d = tile.dequant %codes scales %t : !tile.val<16x64x!code, #words> scales !tile.val<1x64xf16, #scales> -> !tile.val<16x64xf16, #a>
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c16 : index
          tile.acquire %r[%i] : !ring
          tile.fill "w" of %r[%i] = %w[%k, %in] engine bulk : !ring, !w
          tile.fill_scales "s" of %r[%i] = %s[k = %k, n = %in] engine bulk {group = 32 : i64} : !ring, !s
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// A wrong group: the scales cover half of a step.
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#words = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#a = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!code = !wna16.code<4, offset = 8>
!ring = !tile.ring<2, [<"w", !tile.val<16x64x!code>, #wna16.layout<marlin>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
!w = !tile.global<64x128x!code, read, #wna16.layout<marlin>>
!s = !tile.global<8x128xf16, read, #wna16.layout<marlin_scales>>
tile.kernel @ord4_group_of_a_fill(%w: !w, %s: !s) attributes {arg_names = ["w", "s"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %r = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 1 {
        scf.for %i = %c0 to %c4 step %c1 {
          tile.wait %r[%i] : !ring
          %codes = tile.read "w" of %r[%i] [0, 0] : !ring -> !tile.val<16x64x!code, #words>
          %t = tile.read "s" of %r[%i] [0, 0] : !ring -> !tile.val<1x64xf16, #scales>
          // expected-error @+1 {{'tile.dequant' op part 0: the weights are rows 0 to 15, columns 0 to 63, but their scales are for rows 0 to 7, columns 0 to 63 [ORD4]}}
          %d = tile.dequant %codes scales %t : !tile.val<16x64x!code, #words> scales !tile.val<1x64xf16, #scales> -> !tile.val<16x64xf16, #a>
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c16 : index
          tile.acquire %r[%i] : !ring
          tile.fill "w" of %r[%i] = %w[%k, %in] engine bulk : !ring, !w
          tile.fill_scales "s" of %r[%i] = %s[k = %k, n = %in] engine bulk {group = 8 : i64} : !ring, !s
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// Scales of the step that follows.
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#words = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#a = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!code = !wna16.code<4, offset = 8>
!ring = !tile.ring<2, [<"w", !tile.val<16x64x!code>, #wna16.layout<marlin>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
!w = !tile.global<64x128x!code, read, #wna16.layout<marlin>>
!s = !tile.global<2x128xf16, read, #wna16.layout<marlin_scales>>
tile.kernel @ord4_k_of_another_step(%w: !w, %s: !s) attributes {arg_names = ["w", "s"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c48 = arith.constant 48 : index
    %c16 = arith.constant 16 : index
    %r = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 1 {
        scf.for %i = %c0 to %c4 step %c1 {
          tile.wait %r[%i] : !ring
          %codes = tile.read "w" of %r[%i] [0, 0] : !ring -> !tile.val<16x64x!code, #words>
          %t = tile.read "s" of %r[%i] [0, 0] : !ring -> !tile.val<1x64xf16, #scales>
          // expected-error @+1 {{'tile.dequant' op part 0: the weights are rows 16 to 31, columns 0 to 63, but their scales are for rows 32 to 63, columns 0 to 63 [ORD4]}}
          %d = tile.dequant %codes scales %t : !tile.val<16x64x!code, #words> scales !tile.val<1x64xf16, #scales> -> !tile.val<16x64xf16, #a>
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c16 : index
          tile.acquire %r[%i] : !ring
          tile.fill "w" of %r[%i] = %w[%k, %in] engine bulk : !ring, !w
          %next = arith.addi %k, %c16 : index
          %last = arith.minsi %next, %c48 : index
          tile.fill_scales "s" of %r[%i] = %s[k = %last, n = %in] engine bulk {group = 32 : i64} : !ring, !s
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// Scales of the first columns, in every block.
#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#words = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#a = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
!code = !wna16.code<4, offset = 8>
!ring = !tile.ring<2, [<"w", !tile.val<16x64x!code>, #wna16.layout<marlin>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
!w = !tile.global<64x128x!code, read, #wna16.layout<marlin>>
!s = !tile.global<2x128xf16, read, #wna16.layout<marlin_scales>>
tile.kernel @ord4_columns_of_a_fill(%w: !w, %s: !s) attributes {arg_names = ["w", "s"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %r = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 1 {
        scf.for %i = %c0 to %c4 step %c1 {
          tile.wait %r[%i] : !ring
          %codes = tile.read "w" of %r[%i] [0, 0] : !ring -> !tile.val<16x64x!code, #words>
          %t = tile.read "s" of %r[%i] [0, 0] : !ring -> !tile.val<1x64xf16, #scales>
          // expected-error @+1 {{'tile.dequant' op part 0: the weights are rows 0 to 15, columns 64 to 127, but their scales are for rows 0 to 31, columns 0 to 63 [ORD4]}}
          %d = tile.dequant %codes scales %t : !tile.val<16x64x!code, #words> scales !tile.val<1x64xf16, #scales> -> !tile.val<16x64xf16, #a>
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c16 : index
          tile.acquire %r[%i] : !ring
          tile.fill "w" of %r[%i] = %w[%k, %in] engine bulk : !ring, !w
          tile.fill_scales "s" of %r[%i] = %s[k = %k, n = %c0] engine bulk {group = 32 : i64} : !ring, !s
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}
