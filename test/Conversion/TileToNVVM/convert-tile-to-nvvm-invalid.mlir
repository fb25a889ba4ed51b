// RUN: wna16-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics=only-expected

// What conversion needs from the passes before it, and from layouts written by hand. Each
// error of a pattern is followed by MLIR's own "failed to legalize", which is not ours.

// expected-error @+1 {{'tile.kernel' op expected shared_bytes; run allocate-shared first}}
tile.kernel @no_shared_bytes() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
  }
}

// -----

// expected-error @+1 {{'tile.kernel' op expected the rows of argument 'x' to be bound to an index argument}}
tile.kernel @rows_not_bound(%x: !tile.global<?x64xf16, read>) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %c0 = arith.constant 0 : index
  }
}

// -----

// expected-error @+1 {{'tile.kernel' op expected the rows of argument 'x' to be bound to an index argument}}
tile.kernel @rows_computed(%x: !tile.global<?x64xf16, read>, %m: index) attributes {arg_names = ["x", "M"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  %m2 = arith.addi %m, %m : index
  %xb = tile.bind %x rows %m2 : !tile.global<?x64xf16, read>
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
  }
}

// -----

// expected-error @+1 {{'tile.kernel' op expected the stride of argument 'x' to be an index argument}}
tile.kernel @stride_computed(%x: !tile.global<?x64xf16, read>, %m: index) attributes {arg_names = ["x", "M"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  %ldx = arith.constant 72 : index
  %xb = tile.bind %x rows %m stride %ldx : !tile.global<?x64xf16, read>
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
  }
}

// -----

tile.kernel @two_works() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
  }
  // expected-error @+1 {{'tile.for_each_work' op expected one tile.for_each_work per kernel}}
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
  }
}

// -----

// expected-error @+1 {{'tile.kernel' op expected a tile.for_each_work}}
tile.kernel @no_work() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

tile.kernel @work_rows_computed(%m: index) attributes {arg_names = ["M"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  %m2 = arith.addi %m, %m : index
  // expected-error @+1 {{'tile.for_each_work' op expected its rows to be an index argument}}
  tile.for_each_work (%im, %in) tile [4, 64] of [%m2, 64] {
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @no_pending() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring {offset = 0 : i64} : !ring
    // expected-error @+1 {{'tile.wait' op expected pending and scope; run assign-waits first}}
    tile.wait %ring[%i] {scope = #tile.scope<warp>} : !ring
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @no_scope() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring {offset = 0 : i64} : !ring
    // expected-error @+1 {{'tile.wait' op expected pending and scope; run assign-waits first}}
    tile.wait %ring[%i] {pending = 0 : i64} : !ring
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @no_scope_of_release() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring {offset = 0 : i64} : !ring
    // expected-error @+1 {{'tile.release' op expected a scope; run assign-waits first}}
    tile.release %ring[%i] : !ring
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @no_place_for_fill(%x: !tile.global<4x64xf16, read>) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring : !ring
    // expected-error @+1 {{'tile.fill' op expected a ring with a place in shared memory; run allocate-shared first}}
    tile.fill "x" of %ring[%i] = %x[%im, %in] threads(#rows) : !ring, !tile.global<4x64xf16, read>
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @no_place_for_read() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring : !ring
    // expected-error @+1 {{'tile.read' op expected a ring with a place in shared memory; run allocate-shared first}}
    %v = tile.read "x" of %ring[%i] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
  }
}

// -----

#columns = #tile.linear<register = [[1, 0], [2, 0], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @scattered_fill(%x: !tile.global<4x64xf16, read>) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %i = arith.constant 0 : index
    %ring = tile.ring {offset = 0 : i64} : !ring
    // expected-error @+1 {{'tile.fill' op expected runs of at least 4 bytes that are contiguous in global and shared memory, found 2}}
    tile.fill "x" of %ring[%i] = %x[%im, %in] threads(#columns) : !ring, !tile.global<4x64xf16, read>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]] : [16, 8]>
tile.kernel @no_place_for_scratch() attributes {arg_names = [], warps = 2 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 16] parts 2 {
    %share = tile.zero : !tile.val<16x8xf32, #acc, partial>
    // expected-error @+1 {{'tile.combine' op expected a place for scratch; run allocate-shared first}}
    %sum = tile.combine %share : !tile.val<16x8xf32, #acc, partial> -> !tile.val<16x8xf32, #acc>
  }
}

// -----

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
#a = #tile.linear<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [] : [4, 32]>
tile.kernel @slice_on_other_lanes() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %v = tile.zero : !tile.val<4x64xf16, #rows>
    // expected-error @+1 {{'tile.slice' op expected source and result on the same lanes}}
    %p = tile.slice %v [0, 0] : !tile.val<4x64xf16, #rows> -> !tile.val<4x32xf16, #a>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#d = #tile.linear<register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [] : [16, 8]>
tile.kernel @cast_to_another_layout() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %v = tile.zero : !tile.val<16x8xf32, #acc>
    // expected-error @+1 {{'tile.cast' op expected source and result in the same layout}}
    %h = tile.cast %v : !tile.val<16x8xf32, #acc> -> !tile.val<16x8xf16, #d>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[1, 0], [0, 4], [0, 2], [2, 0], [4, 0]], warp = [] : [8, 16]>
tile.kernel @product_on_other_lanes() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %w = tile.zero : !tile.val<16x16xf16, #weights>
    %x = tile.zero : !tile.val<8x16xf16, #acts>
    %zero = tile.zero : !tile.val<16x8xf32, #acc>
    // expected-error @+1 {{'tile.mma' op expected operands on the lanes of mma.m16n8k16; leave their layouts to assign-layouts}}
    %sum = tile.mma %w, %x, %zero : !tile.val<16x16xf16, #weights>, !tile.val<8x16xf16, #acts>, !tile.val<16x8xf32, #acc>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], warp = [] : [1, 16]>
tile.kernel @scales_of_sums_on_other_lanes() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %s = tile.zero : !tile.val<1x16xf16, #scales>
    %zero = tile.zero : !tile.val<16x8xf32, #acc>
    // expected-error @+1 {{'tile.scale_acc' op expected every lane to hold the scales of its columns}}
    %sum = tile.scale_acc %zero, %zero, %s : !tile.val<16x8xf32, #acc>, !tile.val<1x16xf16, #scales>
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[4, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
tile.kernel @codes_on_other_lanes(%w: !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %codes = tile.load %w[%im, %in] : !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>
    // expected-error @+1 {{'tile.dequant' op expected codes and result on the same lanes}}
    %v = tile.dequant %codes : !tile.val<16x64x!wna16.code<4, offset = 8>, #codes> -> !tile.val<16x64xf16, #weights>
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], warp = [] : [1, 64]>
tile.kernel @scales_of_weights_on_other_lanes(%w: !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %codes = tile.load %w[%im, %in] : !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>
    %s = tile.zero : !tile.val<1x64xf16, #scales>
    // expected-error @+1 {{'tile.dequant' op expected every lane to hold the scales of its columns}}
    %v = tile.dequant %codes scales %s : !tile.val<16x64x!wna16.code<4, offset = 8>, #codes> scales !tile.val<1x64xf16, #scales> -> !tile.val<16x64xf16, #weights>
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 32]>
tile.kernel @part_of_a_storage_tile(%w: !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [16, 32] of [16, 64] {
    // expected-error @+1 {{'tile.load' op expected a tile of whole storage tiles of 16x64, found 16x32}}
    %codes = tile.load %w[%im, %in] : !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<16x32x!wna16.code<4, offset = 8>, #codes>
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
tile.kernel @codes_of_gptq_in_fragments(%w: !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<gptq>>) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    // expected-error @+1 {{'tile.load' op expected whole words per lane; '!tile.val<16x64x!wna16.code<4, offset = 8>, #tile.linear<}}
    %codes = tile.load %w[%im, %in] : !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<gptq>> -> !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>
  }
}

// -----

#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
tile.kernel @no_place_for_shares() attributes {arg_names = [], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 16] blocks 2 {
    %share = tile.zero : !tile.val<16x8xf32, #rows, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op expected a place for the shares of other blocks; run allocate-shared first}}
    %sum = tile.combine %share over cluster : !tile.val<16x8xf32, #rows, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}

// -----

#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[0, 4]] : [16, 8]>
tile.kernel @rows_after_the_loop(%m: index) attributes {arg_names = ["M"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [%m, 16] blocks 2 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %m step %c1 {
    }
    %left = arith.subi %m, %im : index
    %share = tile.zero : !tile.val<16x8xf32, #rows, partial<blocks>>
    // expected-error @+1 {{'tile.combine' op expected its rows to be known before the first loop of the work}}
    %sum = tile.combine %share over cluster rows %left {barrier_offset = 768 : i64, scratch_offset = 0 : i64} : !tile.val<16x8xf32, #rows, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
}
