// RUN: wna16-opt %s --convert-tile-to-nvvm --split-input-file | FileCheck %s

// Roles, and a ring of four stages (512 bytes of words, 256 of activations, 128 of scales)
// that two warps of each part read and one thread fills. Full barriers lie at 3584, empty
// ones 4 * 8 bytes behind them.

!ring = !tile.ring<4, [<"w", !tile.val<16x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>,
                       <"x", !tile.val<8x16xf16>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
!w = !tile.global<64x128x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!xa = !tile.global<?x64xf16, read>
!s = !tile.global<2x128xf16, read, #wna16.layout<marlin_scales>>
// The map is one more parameter, by value; the record says what it describes.
// CHECK: llvm.func @roles(%[[W:.*]]: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>, %{{.*}}: i32, %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160>,
// CHECK-SAME: \22name\22: \22x_map\22,\0A      \22kind\22: \22tensor_map\22,\0A      \22dtype\22: \22f16\22,\0A      \22buffer\22: \22x\22,\0A      \22dims\22: [64,\22M\22],\0A      \22strides\22: [64],\0A      \22box\22: [16,8],\0A      \22swizzle\22: 0,
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.*]] = llvm.and %[[TID]],
// CHECK: %[[WARP:.*]] = llvm.lshr %[[TID]],
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @dynamic_shared

// Eight threads initialise a barrier each: one arrival makes a stage full, those of two
// warps make it empty. Copy engines and all warps see that before anybody waits.
// CHECK: %[[BASE:.*]] = llvm.mul %[[WARP]],
// CHECK: %[[THREAD:.*]] = llvm.add %[[BASE]], %[[LANE]]
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[MINE:.*]] = llvm.icmp "ult" %[[THREAD]], %[[EIGHT]]
// CHECK: scf.if %[[MINE]] {
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[ISFULL:.*]] = llvm.icmp "ult" %[[THREAD]], %[[FOUR]]
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[COUNT:.*]] = llvm.select %[[ISFULL]], %[[ONE]], %[[TWO]]
// CHECK: llvm.mlir.constant(3584 : i32)
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[COUNT]]
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NEXT: nvvm.barrier{{$}}

// Warps 0 to 3: part and warp of the part, then the loop. A wait polls the full barrier of
// its stage for the parity of step / 4.
// CHECK: %[[LAST:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-NEXT: %[[ISCONSUMER:.*]] = llvm.icmp "ult" %[[WARP]], %[[LAST]]
// CHECK-NEXT: scf.if %[[ISCONSUMER]] {
// CHECK: %[[PER:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[PART:.*]] = llvm.udiv %[[WARP]], %[[PER]]
// CHECK: %[[PARTI:.*]] = arith.index_cast %[[PART]]
// CHECK: scf.for %[[I:.*]] = %[[PARTI]] to
// CHECK: %[[STAGES:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[ROUND:.*]] = arith.divui %[[I]], %[[STAGES]]
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[ODD:.*]] = arith.andi %[[ROUND]], %[[C1]]
// CHECK-NEXT: %[[PARITY:.*]] = arith.index_cast %[[ODD]] : index to i32
// CHECK: arith.remui %[[I]],
// CHECK: llvm.mlir.constant(3584 : i32)
// CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr
// CHECK-NEXT: scf.while
// CHECK-NEXT: %[[DONE:.*]] = nvvm.mbarrier.try_wait %[[FULL]], %[[PARITY]] :
// CHECK-NEXT: %[[TRUE:.*]] = llvm.mlir.constant(true)
// CHECK-NEXT: %[[AGAIN:.*]] = llvm.xor %[[DONE]], %[[TRUE]]
// CHECK-NEXT: scf.condition(%[[AGAIN]])

// Release: when all lanes have read, the first one arrives for its warp.
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[FIRST:.*]] = llvm.icmp "ult" %[[LANE]],
// CHECK: llvm.mlir.constant(3616 : i32)
// CHECK-NEXT: %[[EMPTY:.*]] = llvm.getelementptr
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]]
// CHECK-NEXT: }

// The last role needs no condition on the warp; lane 0 runs it.
// CHECK: } else {
// CHECK-NOT: llvm.icmp
// CHECK: %[[ISLANE:.*]] = llvm.icmp "eq" %[[LANE]],
// CHECK-NEXT: scf.if %[[ISLANE]] {
// CHECK-NEXT: scf.for %[[J:.*]] =
// CHECK-NEXT: %[[K:.*]] = arith.muli %[[J]],

// Acquire: the phase before, which is complete at the start.
// CHECK: %[[JP:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: %[[ONEJ:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT: %[[BEFORE:.*]] = llvm.xor %[[JP]], %[[ONEJ]]
// CHECK: llvm.mlir.constant(3616 : i32)
// CHECK-NEXT: %[[FREE:.*]] = llvm.getelementptr
// CHECK: nvvm.mbarrier.try_wait %[[FREE]], %[[BEFORE]] :

// One run of 512 bytes of words; one box, whose inner coordinate is the column; the row of
// scales of k / 32.
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[W]][
// CHECK: llvm.mlir.constant(3584 : i32)
// CHECK-NEXT: %[[BAR:.*]] = llvm.getelementptr
// CHECK-NEXT: %[[BYTES:.*]] = llvm.mlir.constant(512 : i32)
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %[[FROM]], %[[BAR]], %[[BYTES]] : !llvm.ptr<7>, <1>
// CHECK: %[[ROW:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[COL:.*]] = arith.index_cast %[[K]] : index to i32
// CHECK: %[[INNER:.*]] = llvm.add %[[COL]], %{{.*}} : i32
// CHECK: llvm.mlir.constant(512 : i32)
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%[[INNER]], %[[ROW]]] :
// CHECK: %[[GROUP:.*]] = arith.constant 32 : index
// CHECK-NEXT: arith.divui %[[K]], %[[GROUP]] : index
// CHECK: %[[FROMS:.*]] = llvm.getelementptr %[[S]][
// CHECK: %[[ROWBYTES:.*]] = llvm.mlir.constant(128 : i32)
// CHECK: llvm.mlir.constant(768 : i32)
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %[[FROMS]], %{{.*}}, %[[ROWBYTES]] :

// Commit: the bytes of all three, and the one arrival.
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(896 : i32)
// CHECK: llvm.mlir.constant(3584 : i32)
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[ALL]] :
// CHECK-NOT: nvvm.
tile.kernel @roles(%w: !w, %xa: !xa, %s: !s, %m: index)
    attributes {arg_names = ["w", "x", "s", "M"], warps = 5 : i64, shared_bytes = 3648 : i64} {
  %x = tile.bind %xa rows %m : !xa
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 3584 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 4 parts 2 (%part) {
        scf.for %i = %part to %c4 step %c2 {
          tile.wait %r[%i] : !ring
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c4 step %c1 {
          %k = arith.muli %i, %c16 : index
          tile.acquire %r[%i] : !ring
          tile.fill "w" of %r[%i] = %w[%k, %in] engine bulk : !ring, !w
          tile.fill "x" of %r[%i] = %x[%im, %k] engine tensor : !ring, !xa
          tile.fill_scales "s" of %r[%i] = %s[k = %k, n = %in] engine bulk {group = 32 : i64} : !ring, !s
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
}

// -----

// Registers move from the role of one thread to the others, which begin and end with it.
// CHECK: llvm.func @registers
// CHECK: scf.if
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: llvm.udiv
// CHECK: %[[LANE0:.*]] = llvm.icmp "eq" %[[LANE:.*]], %{{.*}} : i32
// CHECK: %[[WARP0:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
// CHECK: %[[ONE:.*]] = llvm.and %[[LANE0]], %[[WARP0]]
// CHECK: scf.if %[[ONE]] {
// CHECK: } else {
// CHECK: nvvm.setmaxregister increase 232
tile.kernel @registers() attributes {arg_names = [], warps = 8 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    tile.roles {
      tile.role "producer" warps 4 single_thread registers 40 {
      }
      tile.role "consumer" warps 4 registers 232 {
      }
    }
  }
}

// -----

// A row of storage tiles is not one run: two of 16 x 64 codes each. Boxes of packed words
// count in words of 64 bits and in rows of tiles: 16 x 64 codes are 64 words.
!ring = !tile.ring<1, [<"w", !tile.val<32x128x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>]>
!w = !tile.global<64x256x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
// CHECK: llvm.func @packed
// CHECK-SAME: \22name\22: \22w_map\22,{{.*}}\22dtype\22: \22u64\22,\0A      \22buffer\22: \22w\22,\0A      \22dims\22: [256,4],\0A      \22strides\22: [256],\0A      \22box\22: [128,2],
// CHECK: %[[FROM:.*]] = llvm.getelementptr %arg0[
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %[[FIRST:.*]], %{{.*}}, %{{.*}} :
// CHECK: %[[NEXT:.*]] = llvm.mlir.constant(2048 : i32)
// CHECK-NEXT: %[[SECOND:.*]] = llvm.getelementptr %[[FROM]][%[[NEXT]]]
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %[[SECOND]],
// CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-NEXT: %[[ROW:.*]] = llvm.udiv %{{.*}}, %[[SIXTEEN]]
// CHECK: %[[WORDS:.*]] = llvm.add %{{.*}}, %{{.*}} : i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%{{.*}}, %[[ROW]]]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(4096 : i32)
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]] :
tile.kernel @packed(%w: !w) attributes {arg_names = ["w"], warps = 1 : i64, shared_bytes = 2064 : i64} {
  tile.for_each_work (%im, %in) tile [8, 128] of [8, 256] {
    %c0 = arith.constant 0 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 2048 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%c0] : !ring
        tile.fill "w" of %r[%c0] = %w[%c0, %in] engine bulk : !ring, !w
        tile.fill "w" of %r[%c0] = %w[%c0, %in] engine tensor : !ring, !w
        tile.commit %r[%c0] : !ring
      }
    }
  }
}

// -----

// Panels of a swizzle are a box each; fills of one box of one matrix share a map.
!ring = !tile.ring<1, [<"x", !tile.val<8x128xf16>, #tile.swizzle<128>>, <"y", !tile.val<8x128xf16>, #tile.swizzle<128>>]>
!x = !tile.global<64x256xf16, read>
// CHECK: llvm.func @panels(%{{[^,]*}}: !llvm.ptr<1>, %[[MAP:[^,]*]]: !llvm.ptr {{{[^,]*}}, {{[^,]*}}, nvvm.grid_constant}) attributes
// CHECK-SAME: \22box\22: [64,8],\0A      \22swizzle\22: 128,
// CHECK-NOT: x_map2
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]],
// CHECK: %[[SIXTYFOUR:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-NEXT: %[[SECOND:.*]] = llvm.add %{{.*}}, %[[SIXTYFOUR]]
// CHECK: llvm.mlir.constant(1024 : i32)
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%[[SECOND]],
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]],
tile.kernel @panels(%x: !x) attributes {arg_names = ["x"], warps = 1 : i64, shared_bytes = 4112 : i64} {
  tile.for_each_work (%im, %in) tile [8, 128] of [8, 256] {
    %c0 = arith.constant 0 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 4096 : i64} : !ring
    tile.roles {
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%c0] : !ring
        tile.fill "x" of %r[%c0] = %x[%im, %c0] engine tensor : !ring, !x
        tile.fill "y" of %r[%c0] = %x[%im, %c0] engine tensor : !ring, !x
        tile.commit %r[%c0] : !ring
      }
    }
  }
}

// -----

// Two blocks of a cluster fill a stage together: each copies its share of the rows, 8 of 16,
// to both. A barrier of empty stages counts the one warp of both, so lane i of it tells block
// i. Where a warp has read, its loads come before what the engines do next. All blocks meet
// before the first copy and after the last.
!ring = !tile.ring<1, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!x = !tile.global<64x64xf16, read>
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [16, 64]>
// CHECK: llvm.func @multicast
// CHECK-SAME: \22box\22: [64,8],
// CHECK-SAME: \22cluster\22: [1,2,1]
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.y
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: nvvm.fence.proxy
// CHECK-NEXT: llvm.mlir.constant
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: llvm.icmp "ult"
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: %[[PEER:.*]] = nvvm.mapa {{.*}}, %[[LANE]]
// CHECK: nvvm.mbarrier.arrive %[[PEER]] : !llvm.ptr<7>
// CHECK: llvm.mul %[[RANK]], %{{.*}} : i32
// CHECK: %[[MASK:.*]] = llvm.mlir.constant(3 : i16)
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(2048 : i32)
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]] :
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: llvm.return
tile.kernel @multicast(%x: !x) attributes {arg_names = ["x"], warps = 2 : i64, shared_bytes = 2064 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [64, 128] {
    %c0 = arith.constant 0 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 2048 : i64} : !ring
    tile.roles {
      tile.role "consumer" warps 1 {
        tile.wait %r[%c0] : !ring
        %v = tile.read "x" of %r[%c0] [0, 0] : !ring -> !tile.val<16x64xf16, #rows>
        tile.release %r[%c0] : !ring
      }
      tile.role "producer" warps 1 single_thread {
        tile.acquire %r[%c0] : !ring
        tile.fill "x" of %r[%c0] = %x[%im, %c0] engine tensor multicast 2 : !ring, !x
        tile.commit %r[%c0] : !ring
      }
    }
  }
}
