// RUN: wna16-opt %s --cse --canonicalize | FileCheck %s

// Upstream passes leave the ring protocol as it is. With wrong effects two rings
// become one, a wait that nobody reads is dead, and equal reads before and after a
// refill are merged.

#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]],
                     lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
                     warp = [[4, 0]] : [8, 64]>
!ring = !tile.ring<1, [#tile.field<"x", !tile.val<8x64xf16>>]>

// CHECK-LABEL: tile.kernel @protocol
tile.kernel @protocol(%x: !tile.global<64x64xf16, read>, %y: !tile.global<64x64xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [64, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    // CHECK: %[[R:.*]] = tile.ring : !ring
    %r = tile.ring : !ring
    // CHECK-NEXT: %[[Q:.*]] = tile.ring : !ring
    %q = tile.ring : !ring
    // CHECK: tile.acquire %[[R]]
    // CHECK-NEXT: tile.fill "x" of %[[R]]
    // CHECK-NEXT: tile.commit %[[R]]
    // CHECK-NEXT: tile.wait %[[R]]
    // CHECK-NEXT: %[[A:.*]] = tile.read "x" of %[[R]]
    // CHECK-NEXT: tile.release %[[R]]
    tile.acquire %r[%c0] : !ring
    tile.fill "x" of %r[%c0] = %x[%im, %in] threads(#copy) : !ring, !tile.global<64x64xf16, read>
    tile.commit %r[%c0] : !ring
    tile.wait %r[%c0] : !ring
    %a = tile.read "x" of %r[%c0] [0, 0] : !ring -> !tile.val<8x64xf16, #copy>
    tile.release %r[%c0] : !ring
    // The same step in the other ring: nobody reads it, and it stays.
    // CHECK: tile.acquire %[[Q]]
    // CHECK-NEXT: tile.fill "x" of %[[Q]]
    // CHECK-NEXT: tile.commit %[[Q]]
    // CHECK-NEXT: tile.wait %[[Q]]
    // CHECK-NEXT: tile.release %[[Q]]
    tile.acquire %q[%c0] : !ring
    tile.fill "x" of %q[%c0] = %x[%im, %in] threads(#copy) : !ring, !tile.global<64x64xf16, read>
    tile.commit %q[%c0] : !ring
    tile.wait %q[%c0] : !ring
    tile.release %q[%c0] : !ring
    // The first ring again, at the same number: another tile.
    // CHECK: tile.fill "x" of %[[R]]
    // CHECK: tile.wait %[[R]]
    // CHECK-NEXT: %[[B:.*]] = tile.read "x" of %[[R]]
    // CHECK-NEXT: tile.release %[[R]]
    tile.acquire %r[%c0] : !ring
    tile.fill "x" of %r[%c0] = %x[%c8, %in] threads(#copy) : !ring, !tile.global<64x64xf16, read>
    tile.commit %r[%c0] : !ring
    tile.wait %r[%c0] : !ring
    %b = tile.read "x" of %r[%c0] [0, 0] : !ring -> !tile.val<8x64xf16, #copy>
    tile.release %r[%c0] : !ring
    // CHECK-NEXT: tile.store %[[A]],
    // CHECK-NEXT: tile.store %[[B]],
    tile.store %a, %y[%im, %in] : !tile.val<8x64xf16, #copy>, !tile.global<64x64xf16, write>
    tile.store %b, %y[%c8, %in] : !tile.val<8x64xf16, #copy>, !tile.global<64x64xf16, write>
  }
  tile.return
}

// Two reads of the same data are one, and a load that nobody needs goes.
// CHECK-LABEL: tile.kernel @merged
tile.kernel @merged(%x: !tile.global<64x64xf16, read>, %y: !tile.global<64x64xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 2 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [64, 64] {
    %c8 = arith.constant 8 : index
    // CHECK: %[[A:.*]] = tile.load
    // CHECK-NOT: tile.load
    %a = tile.load %x[%im, %in] : !tile.global<64x64xf16, read> -> !tile.val<8x64xf16>
    %b = tile.load %x[%im, %in] : !tile.global<64x64xf16, read> -> !tile.val<8x64xf16>
    %unused = tile.load %x[%c8, %in] : !tile.global<64x64xf16, read> -> !tile.val<8x64xf16>
    // CHECK: tile.store %[[A]],
    // CHECK-NEXT: tile.store %[[A]],
    tile.store %a, %y[%im, %in] : !tile.val<8x64xf16>, !tile.global<64x64xf16, write>
    tile.store %b, %y[%c8, %in] : !tile.val<8x64xf16>, !tile.global<64x64xf16, write>
  }
  tile.return
}
