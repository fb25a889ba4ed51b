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

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]] : [64, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 0]] : [64, 8]>
!plain = !tile.ring<1, [<"x", !tile.val<8x64xf16>>]>
!panels = !tile.ring<2, [<"t", !tile.val<8x8xf16>>, <"x", !tile.val<8x64xf16>, #tile.swizzle<128>>]>

// The pattern of a swizzle begins at a multiple of 1024, and so do a stage (1024 for t,
// 1024 for x) and the ring. Rows of 72 halves are scratch of the change of layout.
// CHECK: tile.kernel @swizzled() attributes {{.*}} shared_bytes = 6272 : i64
// CHECK: tile.ring {offset = 0 : i64} :
// CHECK: tile.ring {offset = 1024 : i64} :
// CHECK: tile.convert {{.*}} {scratch_offset = 5120 : i64} :
tile.kernel @swizzled() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %first = tile.ring : !plain
    %second = tile.ring : !panels
    %sum = tile.zero : !tile.val<64x8xf32, #acc>
    %h = tile.cast %sum : !tile.val<64x8xf32, #acc> -> !tile.val<64x8xf16, #acc>
    %r = tile.convert %h : !tile.val<64x8xf16, #acc> -> !tile.val<64x8xf16, #rows>
    tile.acquire %first[%im] : !plain
    tile.acquire %second[%im] : !panels
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4]] : [64, 8]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2]], block = [[0, 4]] : [64, 8]>
!ring = !tile.ring<2, [<"x", !tile.val<8x64xf16>, #tile.pitch<72>>]>

// Shares of other blocks come at any time: their place is nobody else's. The mbarrier
// lies behind it: after 2 * 8 * 68 * 4 bytes of scratch, more than the ring has, 8 * 68 * 4.
// CHECK: tile.kernel @received() attributes {{.*}} shared_bytes = 6536 : i64
// CHECK: tile.combine {{.*}} {scratch_aliases, scratch_offset = 0 : i64} :
// CHECK: tile.combine {{.*}} over cluster {barrier_offset = 6528 : i64, scratch_offset = 4352 : i64} :
tile.kernel @received() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 64] of [8, 64] parts 2 blocks 2 {
    %ring = tile.ring : !ring
    tile.acquire %ring[%part] : !ring
    %share = tile.zero : !tile.val<64x8xf32, #acc, partial<parts, blocks>>
    %local = tile.combine %share : !tile.val<64x8xf32, #acc, partial<parts, blocks>> -> !tile.val<64x8xf32, #rows, partial<blocks>>
    %sum = tile.combine %local over cluster : !tile.val<64x8xf32, #rows, partial<blocks>> -> !tile.val<64x8xf32, #owned>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4]] : [64, 8]>
!x = !tile.global<8x64xf16, read>
!ring = !tile.ring<3, [<"x", !tile.val<8x8xf16>>]>
!share = !tile.val<64x8xf32, #acc, partial>
!sum = !tile.val<64x8xf32, #rows>

// Barriers come last, each ring's full ones and its empty ones: 2 x 3 x 8 bytes. Scratch for
// the two parts of the role (4352 bytes) lies on both rings of 384 bytes, though another role
// fills them: the last wait has passed, and what was filled has landed. 4352 is a multiple
// of 16, and the barriers of the first ring end at 4400. Values from before do not matter.
// CHECK: tile.kernel @barriers(%{{.*}}) attributes {{.*}} shared_bytes = 4448 : i64
// CHECK: tile.ring {barriers_offset = 4352 : i64, offset = 0 : i64} :
// CHECK: tile.ring {barriers_offset = 4400 : i64, offset = 384 : i64} :
// CHECK: tile.combine {{.*}} {scratch_aliases, scratch_offset = 0 : i64} :
tile.kernel @barriers(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %first = tile.ring {barriers_offset = 8 : i64} : !ring
    %second = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        tile.wait %first[%part] : !ring
        tile.release %first[%part] : !ring
        tile.wait %second[%part] : !ring
        tile.release %second[%part] : !ring
        %share = tile.zero : !share
        %sum = tile.combine %share : !share -> !sum
      }
      tile.role "producer" warps 1 single_thread {
        tile.acquire %first[%c0] : !ring
        tile.fill "x" of %first[%c0] = %x[%c0, %c0] engine bulk : !ring, !x
        tile.commit %first[%c0] : !ring
        tile.acquire %second[%c0] : !ring
        tile.fill "x" of %second[%c0] = %x[%c0, %c0] engine tensor : !ring, !x
        tile.commit %second[%c0] : !ring
      }
    }
  }
}

// A wait that comes later keeps the ring alive. Its scratch is a multiple of 128 from the
// start, and the barriers follow it.
// CHECK: tile.kernel @barriers_read_afterwards(%{{.*}}) attributes {{.*}} shared_bytes = 4784 : i64
// CHECK: tile.ring {barriers_offset = 4736 : i64, offset = 0 : i64} :
// CHECK: tile.combine {{.*}} {scratch_offset = 384 : i64} :
tile.kernel @barriers_read_afterwards(%x: !x) attributes {arg_names = ["x"], warps = 3 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %r = tile.ring : !ring
    tile.roles {
      tile.role "consumer" warps 2 parts 2 (%part) {
        %share = tile.zero : !share
        %sum = tile.combine %share : !share -> !sum
        tile.wait %r[%part] : !ring
        tile.release %r[%part] : !ring
      }
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%c0] : !ring
        tile.fill "x" of %r[%c0] = %x[%c0, %c0] engine bulk : !ring, !x
        tile.commit %r[%c0] : !ring
      }
    }
  }
}

// A ring without barriers loses the place that it had for them.
// CHECK: tile.kernel @no_barriers() attributes {{.*}} shared_bytes = 384 : i64
// CHECK: tile.ring {offset = 0 : i64} :
tile.kernel @no_barriers() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %r = tile.ring {barriers_offset = 0 : i64} : !ring
  }
}
