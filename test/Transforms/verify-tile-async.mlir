// RUN: wna16-opt %s --verify-tile --split-input-file --verify-diagnostics

// Right: the kernels below differ from this one in one thing, and are named after the
// rule of docs/spec.md that it breaks.
#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]] : [16, 64]>
!x = !tile.global<16x128xf16, read>
!w = !tile.global<128x64xf16, read>
!y = !tile.global<16x64xf16, write>
!r = !tile.ring<2, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!a = !tile.val<64x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>
!h = !tile.val<64x16xf16, #acc>
tile.kernel @right(%x: !x, %w: !w, %y: !y) attributes {arg_names = ["x", "w", "y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = tile.ring : !r
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.acquire %r[%c1] : !r
    tile.fill "x" of %r[%c1] = %x[%im, %c64] threads(#copy) : !r, !x
    tile.commit %r[%c1] : !r
    %a0 = tile.load %w[%c0, %in] : !w -> !a
    %a1 = tile.load %w[%c64, %in] : !w -> !a
    %zero = tile.zero : !s
    tile.wait %r[%c0] : !r
    %p0 = tile.mma_async %a0, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    tile.wait %r[%c1] : !r
    %p1 = tile.mma_async %a1, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    // One product may run on: the first has ended.
    %p2 = tile.mma_wait %p1 {pending = 1 : i64} : !s
    tile.release %r[%c0] : !r
    %sum = tile.mma_wait %p2 {pending = 0 : i64} : !s
    tile.release %r[%c1] : !r
    %h = tile.cast %sum : !s -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !y
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]] : [16, 64]>
!x = !tile.global<16x128xf16, read>
!w = !tile.global<128x64xf16, read>
!y = !tile.global<16x64xf16, write>
!r = !tile.ring<2, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!a = !tile.val<64x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>
!h = !tile.val<64x16xf16, #acc>
tile.kernel @async_v3(%x: !x, %w: !w, %y: !y) attributes {arg_names = ["x", "w", "y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = tile.ring : !r
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.acquire %r[%c1] : !r
    tile.fill "x" of %r[%c1] = %x[%im, %c64] threads(#copy) : !r, !x
    tile.commit %r[%c1] : !r
    %a0 = tile.load %w[%c0, %in] : !w -> !a
    %a1 = tile.load %w[%c64, %in] : !w -> !a
    %zero = tile.zero : !s
    tile.wait %r[%c0] : !r
    %p0 = tile.mma_async %a0, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    tile.wait %r[%c1] : !r
    %p1 = tile.mma_async %a1, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    %p2 = tile.mma_wait %p1 {pending = 2 : i64} : !s
    // expected-error @+1 {{'tile.release' op step 0 of part 0: is released while a product still reads it: tile.mma_wait comes first [ASYNC-V3]}}
    tile.release %r[%c0] : !r
    %sum = tile.mma_wait %p2 {pending = 0 : i64} : !s
    tile.release %r[%c1] : !r
    %h = tile.cast %sum : !s -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !y
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]] : [16, 64]>
!x = !tile.global<16x128xf16, read>
!w = !tile.global<128x64xf16, read>
!y = !tile.global<16x64xf16, write>
!r = !tile.ring<2, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!a = !tile.val<64x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>
!h = !tile.val<64x16xf16, #acc>
tile.kernel @ring_v6_product(%x: !x, %w: !w, %y: !y) attributes {arg_names = ["x", "w", "y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = tile.ring : !r
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.acquire %r[%c1] : !r
    tile.fill "x" of %r[%c1] = %x[%im, %c64] threads(#copy) : !r, !x
    tile.commit %r[%c1] : !r
    %a0 = tile.load %w[%c0, %in] : !w -> !a
    %a1 = tile.load %w[%c64, %in] : !w -> !a
    %zero = tile.zero : !s
    tile.wait %r[%c0] : !r
    %p0 = tile.mma_async %a0, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    // expected-error @+1 {{'tile.mma_async' op step 1 of part 0: expected a product between wait and release [RING-V6]}}
    %p1 = tile.mma_async %a1, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    // One product may run on: the first has ended.
    %p2 = tile.mma_wait %p1 {pending = 1 : i64} : !s
    tile.release %r[%c0] : !r
    %sum = tile.mma_wait %p2 {pending = 0 : i64} : !s
    tile.release %r[%c1] : !r
    %h = tile.cast %sum : !s -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !y
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]] : [16, 64]>
!x = !tile.global<16x128xf16, read>
!w = !tile.global<128x64xf16, read>
!y = !tile.global<16x64xf16, write>
!r = !tile.ring<2, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!a = !tile.val<64x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>
!h = !tile.val<64x16xf16, #acc>
tile.kernel @ring_v7_product(%x: !x, %w: !w, %y: !y) attributes {arg_names = ["x", "w", "y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = tile.ring : !r
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.acquire %r[%c1] : !r
    tile.commit %r[%c1] : !r
    %a0 = tile.load %w[%c0, %in] : !w -> !a
    %a1 = tile.load %w[%c64, %in] : !w -> !a
    %zero = tile.zero : !s
    tile.wait %r[%c0] : !r
    %p0 = tile.mma_async %a0, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    tile.wait %r[%c1] : !r
    // expected-error @+1 {{'tile.mma_async' op step 1 of part 0: field 'x' is read but was not filled [RING-V7]}}
    %p1 = tile.mma_async %a1, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    // One product may run on: the first has ended.
    %p2 = tile.mma_wait %p1 {pending = 1 : i64} : !s
    tile.release %r[%c0] : !r
    %sum = tile.mma_wait %p2 {pending = 0 : i64} : !s
    tile.release %r[%c1] : !r
    %h = tile.cast %sum : !s -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !y
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]] : [16, 64]>
!x = !tile.global<16x128xf16, read>
!w = !tile.global<128x64xf16, read>
!y = !tile.global<16x64xf16, write>
!r = !tile.ring<2, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!a = !tile.val<64x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>
!h = !tile.val<64x16xf16, #acc>
tile.kernel @async_v1(%x: !x, %w: !w, %y: !y) attributes {arg_names = ["x", "w", "y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = tile.ring : !r
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.acquire %r[%c1] : !r
    tile.fill "x" of %r[%c1] = %x[%im, %c64] threads(#copy) : !r, !x
    tile.commit %r[%c1] : !r
    %a0 = tile.load %w[%c0, %in] : !w -> !a
    %a1 = tile.load %w[%c64, %in] : !w -> !a
    %zero = tile.zero : !s
    tile.wait %r[%c0] : !r
    %p0 = tile.mma_async %a0, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    tile.wait %r[%c1] : !r
    %p1 = tile.mma_async %a1, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    // One product may run on: the first has ended.
    %p2 = tile.mma_wait %p1 {pending = 1 : i64} : !s
    tile.release %r[%c0] : !r
    // expected-error @+1 {{'tile.cast' op uses a sum that a product still adds to: tile.mma_wait comes first [ASYNC-V1]}}
    %early = tile.cast %p2 : !s -> !h
    %sum = tile.mma_wait %p2 {pending = 0 : i64} : !s
    tile.release %r[%c1] : !r
    %h = tile.cast %sum : !s -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !y
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]] : [16, 64]>
!x = !tile.global<16x128xf16, read>
!w = !tile.global<128x64xf16, read>
!y = !tile.global<16x64xf16, write>
!r = !tile.ring<2, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!a = !tile.val<64x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>
!h = !tile.val<64x16xf16, #acc>
tile.kernel @async_v2(%x: !x, %w: !w, %y: !y) attributes {arg_names = ["x", "w", "y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = tile.ring : !r
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.acquire %r[%c1] : !r
    tile.fill "x" of %r[%c1] = %x[%im, %c64] threads(#copy) : !r, !x
    tile.commit %r[%c1] : !r
    %a0 = tile.load %w[%c0, %in] : !w -> !a
    %a1 = tile.load %w[%c64, %in] : !w -> !a
    %zero = tile.zero : !s
    tile.wait %r[%c0] : !r
    %p0 = tile.mma_async %a0, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    tile.wait %r[%c1] : !r
    %p1 = tile.mma_async %a1, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    // expected-error @+1 {{'tile.mma_async' op adds to a sum in flight that another product has added to already [ASYNC-V2]}}
    %twice = tile.mma_async %a1, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    // One product may run on: the first has ended.
    %p2 = tile.mma_wait %p1 {pending = 1 : i64} : !s
    tile.release %r[%c0] : !r
    %sum = tile.mma_wait %p2 {pending = 0 : i64} : !s
    tile.release %r[%c1] : !r
    %h = tile.cast %sum : !s -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !y
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [18, 0], [36, 0]], warp = [[16, 0], [32, 0]] : [64, 16]>
#w = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 18], [0, 36]], warp = [[0, 16], [0, 32]] : [64, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]] : [16, 64]>
!x = !tile.global<16x128xf16, read>
!w = !tile.global<128x64xf16, read>
!y = !tile.global<16x64xf16, write>
!r = !tile.ring<2, [<"x", !tile.val<16x64xf16>, #tile.swizzle<128>>]>
!a = !tile.val<64x64xf16, #w>
!s = !tile.val<64x16xf32, #acc>
!h = !tile.val<64x16xf16, #acc>
tile.kernel @mma_v1_product(%x: !x, %w: !w, %y: !y) attributes {arg_names = ["x", "w", "y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = tile.ring : !r
    tile.acquire %r[%c0] : !r
    tile.fill "x" of %r[%c0] = %x[%im, %c0] threads(#copy) : !r, !x
    tile.commit %r[%c0] : !r
    tile.acquire %r[%c1] : !r
    tile.fill "x" of %r[%c1] = %x[%im, %c64] threads(#copy) : !r, !x
    tile.commit %r[%c1] : !r
    %a0 = tile.load %w[%c0, %in] : !w -> !a
    %a1 = tile.load %w[%c64, %in] : !w -> !a
    %zero = tile.zero : !s
    tile.wait %r[%c0] : !r
    %p0 = tile.mma_async %a0, "x" of %r[%c0] [0, 0], %zero : !a, !r, !s
    tile.wait %r[%c1] : !r
    // expected-error @+1 {{'tile.mma_async' op part 0: multiplies rows 0 to 63 of the weights by columns 64 to 127 of the activations [MMA-V1]}}
    %p1 = tile.mma_async %a0, "x" of %r[%c1] [0, 0], %p0 : !a, !r, !s
    // One product may run on: the first has ended.
    %p2 = tile.mma_wait %p1 {pending = 1 : i64} : !s
    tile.release %r[%c0] : !r
    %sum = tile.mma_wait %p2 {pending = 0 : i64} : !s
    tile.release %r[%c1] : !r
    %h = tile.cast %sum : !s -> !h
    tile.store %h, %y[%im, %in] transposed : !h, !y
  }
}
