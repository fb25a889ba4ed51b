// RUN: wna16-opt %s --assign-layouts --pipeline-loads --split-input-file | FileCheck %s

// Rings that copy engines fill. A tensor copy leaves no gaps between rows, but can put them
// into a swizzle; a row of scales is a field like others: nothing is carried from one step to
// the next.

#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 1], stages = 2, copy = bulk,
  math = mma, scales = accumulator, split = none, roles = producer_consumer>
!w = !tile.global<512x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!s = !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>>
!x = !tile.global<?x512xf16, read>
!y = !tile.global<?x64xf16, write>
!codes = !tile.val<128x64x!wna16.code<4, offset = 8>>
!acc = !tile.val<64x8xf32>

// Bulk copies do not check rows: activations, whose number is known at run time only, come
// by tensor copies.
// CHECK: !ring = !tile.ring<2, [<"w", !tile.val<128x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>, <"x", !tile.val<8x128xf16>, #tile.swizzle<128>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
// CHECK-LABEL: tile.kernel @bulk
// CHECK: %[[R:.*]] = tile.ring : !ring
// CHECK: tile.acquire %[[R]][%[[C0:.*]]] :
// CHECK: tile.fill "w" of %[[R]][%[[C0]]] = %w[%[[K0:.*]], %in] engine bulk if %[[IN0:.*]] :
// CHECK-NEXT: tile.fill "x" of %[[R]][%[[C0]]] = %{{.*}}[%im, %[[K0]]] engine tensor if %[[IN0]] :
// CHECK-NEXT: tile.fill_scales "s" of %[[R]][%[[C0]]] = %s[k = %[[K0]], n = %in] engine bulk if %[[IN0]] {group = 128 : i64} :
// CHECK-NEXT: tile.commit %[[R]][%[[C0]]] :
// CHECK-NOT: tile.load_scales
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) ->
// CHECK: tile.acquire %[[R]][%[[J:.*]]] :
// CHECK: %[[K:.*]] = arith.muli %[[J]],
// CHECK-NEXT: tile.fill "w" of %[[R]][%[[J]]] = %w[%[[K]], %in] engine bulk if %[[IN:.*]] :
// CHECK-NEXT: tile.fill "x" of %[[R]][%[[J]]] = %{{.*}}[%im, %[[K]]] engine tensor if %[[IN]] :
// CHECK-NEXT: tile.fill_scales "s" of %[[R]][%[[J]]] = %s[k = %[[K]], n = %in] engine bulk if %[[IN]] {group = 128 : i64} :
// CHECK-NEXT: tile.commit %[[R]][%[[J]]] :
// CHECK-NEXT: tile.wait %[[R]][%[[I]]] :
// CHECK-NOT: tile.load
// CHECK-DAG: %[[W:.*]] = tile.read "w" of %[[R]][%[[I]]] [0, 0]
// CHECK-DAG: %[[X:.*]] = tile.read "x" of %[[R]][%[[I]]] [0, 0]
// CHECK-DAG: %[[S:.*]] = tile.read "s" of %[[R]][%[[I]]] [0, 0] : !ring -> !tile.val<1x64xf16, #{{.*}}>
// CHECK: tile.scale_acc %{{.*}}, %{{.*}}, %[[S]] :
// CHECK-NEXT: tile.release %[[R]][%[[I]]] :
tile.kernel @bulk(%x: !x, %w: !w, %s: !s, %y: !y, %m: index)
    attributes {arg_names = ["x", "w", "s", "y", "M"], max_m = 8 : i64, warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  %yb = tile.bind %y rows %m : !y
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %init = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!acc) {
      %k = arith.muli %i, %c128 : index
      %codes = tile.load %w[%k, %in] : !w -> !codes
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x128xf16>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 128 : i64} : !s -> !tile.val<1x64xf16>
      %weights = tile.dequant %codes : !codes -> !tile.val<128x64xf16>
      %zero = tile.zero : !acc
      %product = tile.mma %weights, %acts, %zero : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !acc
      %next = tile.scale_acc %acc, %product, %scales : !acc, !tile.val<1x64xf16>
      scf.yield %next : !acc
    }
    %h = tile.cast %sum : !acc -> !tile.val<64x8xf16>
    tile.store %h, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !y
  }
}

// -----

// With copy = tensor all tiles are boxes; a row of scales is still one run of memory.
#schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 1], stages = 3, copy = tensor,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!w = !tile.global<512x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!s = !tile.global<4x64xf16, read, #wna16.layout<marlin_scales>>
!x = !tile.global<?x512xf16, read>
!codes = !tile.val<128x64x!wna16.code<4, offset = 8>>
!acc = !tile.val<64x8xf32>

// CHECK: !ring = !tile.ring<3, [<"w", !tile.val<128x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>, <"x", !tile.val<8x128xf16>, #tile.swizzle<128>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
// CHECK-LABEL: tile.kernel @tensor
// CHECK: tile.fill "w" {{.*}} engine tensor if
// CHECK-NEXT: tile.fill "x" {{.*}} engine tensor if
// CHECK-NEXT: tile.fill_scales "s" {{.*}} engine bulk if
// CHECK: scf.for
// CHECK: tile.fill "w" {{.*}} engine tensor if
// CHECK-NEXT: tile.fill "x" {{.*}} engine tensor if
// CHECK-NEXT: tile.fill_scales "s" {{.*}} engine bulk if
// CHECK: %[[S:.*]] = tile.read "s"
// CHECK: tile.dequant %{{.*}} scales %[[S]] :
tile.kernel @tensor(%x: !x, %w: !w, %s: !s, %m: index)
    attributes {arg_names = ["x", "w", "s", "M"], max_m = 8 : i64, warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %init = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!acc) {
      %k = arith.muli %i, %c128 : index
      %codes = tile.load %w[%k, %in] : !w -> !codes
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x128xf16>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 128 : i64} : !s -> !tile.val<1x64xf16>
      %weights = tile.dequant %codes scales %scales : !codes scales !tile.val<1x64xf16> -> !tile.val<128x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<128x64xf16>, !tile.val<8x128xf16>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

// Rows whose number is known come by bulk copies as well.
#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!w = !tile.global<256x64xf16, read>
!x = !tile.global<8x256xf16, read>
!acc = !tile.val<64x8xf32>
// CHECK-LABEL: tile.kernel @known_rows
// CHECK: tile.fill "w" {{.*}} engine bulk if
// CHECK: tile.fill "x" {{.*}} engine bulk if
tile.kernel @known_rows(%x: !x, %w: !w)
    attributes {arg_names = ["x", "w"], warps = 1 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %init = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!acc) {
      %k = arith.muli %i, %c64 : index
      %weights = tile.load %w[%k, %in] : !w -> !tile.val<64x64xf16>
      %acts = tile.load %x[%im, %k] : !x -> !tile.val<8x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

// What asynchronous products read where it lies is stored for them.
#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [4, 1], stages = 2, copy = tensor,
  math = wgmma, scales = weights, split = none, roles = producer_consumer>
!w = !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!x = !tile.global<?x256xf16, read>
!codes = !tile.val<64x64x!wna16.code<4, offset = 8>>
!acc = !tile.val<64x8xf32>
// CHECK: !ring = !tile.ring<2, [<"w", {{.*}}>, #wna16.layout<marlin>>, <"x", !tile.val<8x64xf16>, #tile.swizzle<128>>]>
// CHECK-LABEL: tile.kernel @products
// CHECK: tile.fill "x" {{.*}} engine tensor if
// CHECK-NOT: tile.read "x"
// CHECK: tile.mma_async %{{.*}}, "x" of
tile.kernel @products(%x: !x, %w: !w, %m: index)
    attributes {arg_names = ["x", "w", "M"], max_m = 8 : i64, warps = 4 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %init = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!acc) {
      %k = arith.muli %i, %c64 : index
      %codes = tile.load %w[%k, %in] : !w -> !codes
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x64xf16>
      %weights = tile.dequant %codes : !codes -> !tile.val<64x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

// Blocks side by side fetch together what does not depend on their columns. Rows that are no
// whole panels lie one after the other.
#schedule = #wna16.schedule<tile = [64, 16, 32], warps = [1, 1], stages = 2, copy = tensor,
  math = mma, scales = weights, split = none, roles = producer_consumer, multicast = 2>
!w = !tile.global<256x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!x = !tile.global<?x256xf16, read>
!codes = !tile.val<32x64x!wna16.code<4, offset = 8>>
!acc = !tile.val<64x16xf32>
// CHECK-NOT: swizzle
// CHECK-LABEL: tile.kernel @multicast
// CHECK: tile.fill "w" {{.*}} engine tensor if
// CHECK-NEXT: tile.fill "x" {{.*}} engine tensor multicast 2 if
tile.kernel @multicast(%x: !x, %w: !w, %m: index)
    attributes {arg_names = ["x", "w", "M"], max_m = 16 : i64, warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  tile.for_each_work (%im, %in) tile [16, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %init = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!acc) {
      %k = arith.muli %i, %c32 : index
      %codes = tile.load %w[%k, %in] : !w -> !codes
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<16x32xf16>
      %weights = tile.dequant %codes : !codes -> !tile.val<32x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<32x64xf16>, !tile.val<16x32xf16>, !acc
      scf.yield %next : !acc
    }
  }
}

// -----

// Planes are fields of their own, and zero points stay codes in the ring: numbers when read.
#schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!w = !tile.global<256x64x!wna16.code<3>, read, #wna16.layout<marlin>>
!w0 = !tile.global<256x64x!wna16.code<2>, read, #wna16.layout<marlin>>
!w1 = !tile.global<256x64x!wna16.code<1>, read, #wna16.layout<marlin>>
!s = !tile.global<8x64xf16, read, #wna16.layout<marlin_scales>>
!z = !tile.global<8x64x!wna16.code<4>, read, #wna16.layout<marlin_zeros>>
!x = !tile.global<?x256xf16, read>
!acc = !tile.val<64x8xf32>
// CHECK: !ring = !tile.ring<2, [<"w", !tile.val<64x64x!wna16.code<2>>, #wna16.layout<marlin>>, <"w1", !tile.val<64x64x!wna16.code<1>>, #wna16.layout<marlin>>, <"x", !tile.val<8x64xf16>, #tile.swizzle<128>>, <"s", !tile.val<2x64xf16>, #wna16.layout<marlin_scales>>, <"z", !tile.val<2x64x!wna16.code<4>>, #wna16.layout<marlin_zeros>>]>
// CHECK-LABEL: tile.kernel @planes_and_zeros
// CHECK: scf.for
// CHECK: %[[W:.*]] = tile.read "w" {{.*}} -> !tile.val<64x64x!wna16.code<2>,
// CHECK: %[[W1:.*]] = tile.read "w1" {{.*}} -> !tile.val<64x64x!wna16.code<1>,
// CHECK: %[[S:.*]] = tile.read "s" {{.*}} -> !tile.val<2x64xf16,
// CHECK: %[[Z:.*]] = tile.read "z" {{.*}} -> !tile.val<2x64xf16,
// CHECK: tile.dequant %[[W]], %[[W1]] zeros %[[Z]] scales %[[S]] :
tile.kernel @planes_and_zeros(%x: !x, %w: !w, %s: !s, %z: !z, %m: index)
    attributes {arg_names = ["x", "w", "s", "z", "M"], max_m = 8 : i64, warps = 1 : i64, schedule = #schedule} {
  %xb = tile.bind %x rows %m : !x
  %w0 = tile.plane %w 0 : !w -> !w0
  %w1 = tile.plane %w 1 : !w -> !w1
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %init = tile.zero : !acc
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (!acc) {
      %k = arith.muli %i, %c64 : index
      %low = tile.load %w0[%k, %in] : !w0 -> !tile.val<64x64x!wna16.code<2>>
      %high = tile.load %w1[%k, %in] : !w1 -> !tile.val<64x64x!wna16.code<1>>
      %acts = tile.load %xb[%im, %k] : !x -> !tile.val<8x64xf16>
      %scales = tile.load_scales %s[k = %k, n = %in] {group = 32 : i64} : !s -> !tile.val<2x64xf16>
      %zeros = tile.load_scales %z[k = %k, n = %in] {group = 32 : i64} : !z -> !tile.val<2x64xf16>
      %weights = tile.dequant %low, %high zeros %zeros scales %scales
          : !tile.val<64x64x!wna16.code<2>>, !tile.val<64x64x!wna16.code<1>> zeros !tile.val<2x64xf16> scales !tile.val<2x64xf16> -> !tile.val<64x64xf16>
      %next = tile.mma %weights, %acts, %acc : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !acc
      scf.yield %next : !acc
    }
  }
}
