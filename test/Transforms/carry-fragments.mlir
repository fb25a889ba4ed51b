// RUN: wna16-opt %s --carry-fragments --split-input-file | FileCheck %s

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 8]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [1, 64]>
!w = !tile.val<64x64x!wna16.code<4, offset = 8>, #codes>
!a = !tile.val<64x64xf16, #weights>
!s = !tile.val<1x64xf16, #scales>
!sum = !tile.val<64x8xf32, #acc>
!r = !tile.ring<3, [<"w", !tile.val<64x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>, <"s", !tile.val<1x64xf16>>, <"x", !tile.val<8x64xf16>, #tile.swizzle<128>>]>

// The fragment of step 0 is made before the loop; in it step i + 1 is read beside the
// product and converted when that has ended; the last product comes behind the loop.
// CHECK: tile.kernel @one_buffer
// CHECK: %[[R:.*]] = tile.ring
// CHECK: tile.wait %[[R]][%[[FIRST:.*]]] :
// CHECK: %[[W0:.*]] = tile.read "w" of %[[R]][%[[FIRST]]]
// CHECK: %[[A0:.*]] = tile.dequant %[[W0]]
// CHECK: %[[SUM:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[A:.*]] = %[[A0]])
// CHECK: %[[P:.*]] = tile.mma_async %[[A]], "x" of %[[R]][%[[I]]] [0, 0], %[[ACC]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]],
// CHECK: tile.wait %[[R]][%[[NEXT]]] :
// CHECK: %[[W:.*]] = tile.read "w" of %[[R]][%[[NEXT]]]
// CHECK: %[[S:.*]] = tile.read "s" of %[[R]][%[[NEXT]]]
// CHECK: %[[E:.*]] = tile.mma_wait %[[P]] {pending = 0 : i64}
// CHECK: tile.release %[[R]][%[[I]]]
// CHECK: %[[D:.*]] = tile.dequant %[[W]] scales %[[S]]
// CHECK: scf.yield %[[E]], %[[D]]
// CHECK: %[[LAST:.*]] = tile.mma_async %[[SUM]]#1, "x" of %[[R]][%[[N:.*]]] [0, 0], %[[SUM]]#0
// CHECK: tile.mma_wait %[[LAST]]
// CHECK: tile.release %[[R]][%[[N]]]
// CHECK-NOT: tile.
// CHECK: }
tile.kernel @one_buffer() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring : !r
    %zero = tile.zero : !sum
    %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!sum) {
      tile.wait %r[%i] : !r
      %w = tile.read "w" of %r[%i] [0, 0] : !r -> !w
      %s = tile.read "s" of %r[%i] [0, 0] : !r -> !s
      %a = tile.dequant %w scales %s : !w scales !s -> !a
      %p = tile.mma_async %a, "x" of %r[%i] [0, 0], %acc : !a, !r, !sum
      %e = tile.mma_wait %p {pending = 0 : i64} : !sum
      tile.release %r[%i] : !r
      scf.yield %e : !sum
    }
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 128]>
#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
!w = !tile.val<64x64x!wna16.code<4, offset = 8>, #codes>
!a = !tile.val<64x64xf16, #weights>
!sum = !tile.val<64x128xf32, #acc>
!r = !tile.ring<3, [<"w", !tile.val<64x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>, <"x", !tile.val<128x64xf16>, #tile.swizzle<128>>]>

// Products of 128 rows are long: two fragments, a wait that is one product late, and two
// steps in an iteration. A step is released when the product of the next one has begun.
// CHECK: tile.kernel @two_buffers
// CHECK: %[[P0:.*]] = tile.mma_async
// CHECK: %[[A1:.*]] = tile.dequant
// CHECK: %[[SUM:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[P:.*]] = %[[P0]], %[[A:.*]] = %[[A1]])
// CHECK: %[[Q:.*]] = tile.mma_async %[[A]], "x" of %{{.*}}[%[[I1:.*]]] [0, 0], %[[P]]
// CHECK: %[[V:.*]] = tile.mma_wait %[[Q]] {pending = 1 : i64}
// CHECK: tile.release %{{.*}}[%[[I]]]
// CHECK: %[[EVEN:.*]] = tile.dequant
// CHECK: %[[U:.*]] = tile.mma_async %[[EVEN]], "x" of %{{.*}}[%{{.*}}] [0, 0], %[[V]]
// CHECK: %[[T:.*]] = tile.mma_wait %[[U]] {pending = 1 : i64}
// CHECK: tile.release %{{.*}}[%[[I1]]]
// CHECK: %[[ODD:.*]] = tile.dequant
// CHECK: scf.yield %[[T]], %[[ODD]]
// CHECK: %[[LAST:.*]] = tile.mma_async %[[SUM]]#1, {{.*}}, %[[SUM]]#0
// CHECK: tile.mma_wait %[[LAST]] {pending = 0 : i64}
// CHECK: tile.release
// CHECK: tile.release
tile.kernel @two_buffers() attributes {arg_names = [], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [128, 64] of [128, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %r = tile.ring : !r
    %zero = tile.zero : !sum
    %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!sum) {
      tile.wait %r[%i] : !r
      %w = tile.read "w" of %r[%i] [0, 0] : !r -> !w
      %a = tile.dequant %w : !w -> !a
      %p = tile.mma_async %a, "x" of %r[%i] [0, 0], %acc : !a, !r, !sum
      %e = tile.mma_wait %p {pending = 0 : i64} : !sum
      tile.release %r[%i] : !r
      scf.yield %e : !sum
    }
  }
}
