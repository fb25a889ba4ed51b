// RUN: wna16-opt %s --allocate-shared --split-input-file | FileCheck %s

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4]] : [64, 8]>
!ring = !tile.ring<3, [<"x", !tile.val<8x64xf16>, #tile.pitch<72>>]>

// 3 stages of 1136 bytes (the last row has no padding) end at 3408; the next ring begins
// at a multiple of 128. Shares of two parts, 8 x 68 fp32 each, are written when no ring
// is used any more, over them.
// CHECK: tile.kernel @dead_rings() attributes {{.*}} shared_bytes = 6864 : i64
// CHECK: tile.ring {offset = 0 : i64} :
// CHECK: tile.ring {offset = 3456 : i64} :
// CHECK: tile.combine {{.*}} {scratch_aliases, scratch_offset = 0 : i64} :
tile.kernel @dead_rings() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [8, 64] parts 2 {
    %first = tile.ring : !ring
    %second = tile.ring : !ring
    tile.acquire %first[%part] : !ring
    tile.acquire %second[%part] : !ring
    %share = tile.zero : !tile.val<64x8xf32, #acc, partial>
    %sum = tile.combine %share : !tile.val<64x8xf32, #acc, partial> -> !tile.val<64x8xf32, #rows>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4]] : [64, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<8x64xf16>, #tile.pitch<72>>]>
!share = !tile.val<64x8xf32, #acc, partial>
!sum = !tile.val<64x8xf32, #rows>

// A ring that is used afterwards, also by a loop that began before, keeps its place.
// CHECK: tile.kernel @used_afterwards() attributes {{.*}} shared_bytes = 6656 : i64
// CHECK: tile.ring {offset = 0 : i64} :
// CHECK: tile.combine {{.*}} {scratch_offset = 2304 : i64} :
tile.kernel @used_afterwards() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [8, 64] parts 2 {
    %ring = tile.ring : !ring
    %share = tile.zero : !share
    %sum = tile.combine %share : !share -> !sum
    tile.acquire %ring[%part] : !ring
  }
}
// CHECK: tile.kernel @used_in_the_same_loop() attributes {{.*}} shared_bytes = 6656 : i64
// CHECK: tile.combine {{.*}} {scratch_offset = 2304 : i64} :
tile.kernel @used_in_the_same_loop() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [8, 64] parts 2 {
    %ring = tile.ring : !ring
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %share = tile.zero : !share
    scf.for %i = %part to %c2 step %c1 {
      %sum = tile.combine %share : !share -> !sum
      tile.acquire %ring[%i] : !ring
    }
  }
}

// Scratch larger than what lies under it; no ring under it; nothing at all.
// CHECK: tile.kernel @large_scratch() attributes {{.*}} shared_bytes = 4352 : i64
// CHECK: tile.combine {{.*}} {scratch_aliases, scratch_offset = 0 : i64} :
tile.kernel @large_scratch() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [8, 64] parts 2 {
    %ring = tile.ring : !ring
    tile.acquire %ring[%part] : !ring
    %share = tile.zero : !share
    %sum = tile.combine %share : !share -> !sum
  }
}
// CHECK: tile.kernel @no_ring() attributes {{.*}} shared_bytes = 4352 : i64
// CHECK: tile.combine {{.*}} {scratch_offset = 0 : i64} :
tile.kernel @no_ring() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [8, 64] parts 2 {
    %share = tile.zero : !share
    %sum = tile.combine %share : !share -> !sum
  }
}
// CHECK: tile.kernel @nothing() attributes {{.*}} shared_bytes = 0 : i64
tile.kernel @nothing() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
  }
}
