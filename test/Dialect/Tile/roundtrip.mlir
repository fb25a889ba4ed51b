// RUN: wna16-opt %s --verify-roundtrip -o /dev/null
// RUN: wna16-opt %s | FileCheck %s

// --verify-roundtrip checks every op, type and attribute of the dialect; the lines
// below hold the spellings that people write.

!codes = !wna16.code<4, offset = 8>

// CHECK: #[[$COPY:.*]] = #tile.linear<register = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = {{\[\[}}4, 0]] : [8, 64]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]],
                     lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
                     warp = [[4, 0]] : [8, 64]>
#owned = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 0]], block = [[0, 4]] : [16, 8]>
#acc = #tile.linear<register = [[0, 1], [8, 0]],
                    lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[0, 0]] : [16, 8]>
!ring = !tile.ring<4, [#tile.field<"w", !tile.val<64x64x!codes>, #wna16.layout<marlin>>,
                       #tile.field<"x", !tile.val<8x64xf16>, #tile.pitch<72>>,
                       #tile.field<"t", !tile.val<8x64xf16>>]>
!panels = !tile.ring<2, [#tile.field<"x", !tile.val<16x128xf16>, #tile.swizzle<128>>]>

// Attributes that ops of the dialect hold, and one that a printer must keep apart
// from its neighbour.
// CHECK: module attributes
// CHECK-SAME: #tile.pitch<72>
// CHECK-SAME: #tile.reference<gemm, group = 128>
// CHECK-SAME: #tile.scope<part>
// CHECK-SAME: #tile.swizzle<128>
module attributes {
    func.b = #tile.pitch<72>, func.c = #tile.reference<gemm, group = 128>, func.d = #tile.scope<part>,
    func.f = #tile.swizzle<128>,
    func.e = #tile.linear<register = [], lane = [], warp = [] : [1, 1]>} {

// CHECK-LABEL: func.func private @types
// CHECK-SAME:  !tile.global<?x64xf16, read>
// CHECK-SAME:  !tile.global<64x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
// CHECK-SAME:  !tile.global<8x64xbf16, write>
// CHECK-SAME:  !tile.val<1x65536xi32>
// CHECK-SAME:  !tile.val<16x8xf32, #linear{{[0-9]*}}, partial>
// CHECK-SAME:  !tile.val<16x8xf32, partial>
// CHECK-SAME:  !tile.val<16x8xf32, partial<blocks>>
// CHECK-SAME:  !tile.val<16x8xf32, #linear{{[0-9]*}}, partial<parts, blocks>>
// CHECK-SAME:  !tile.val<16x8xf32, partial>
func.func private @types(
    !tile.global<?x64xf16, read>,
    !tile.global<64x64x!codes, read, #wna16.layout<marlin>>,
    !tile.global<8x64xbf16, write>,
    !tile.val<1x65536xi32>, !tile.val<16x8xf32, #acc, partial>,
    !tile.val<16x8xf32, partial>, !tile.val<16x8xf32, partial<blocks>>,
    !tile.val<16x8xf32, #acc, partial<parts, blocks>>,
    !tile.val<16x8xf32, partial<parts>>, !ring)

// No schedule, no reference, no work: the least that a kernel is.
// CHECK-LABEL: tile.kernel @empty() attributes {arg_names = [], warps = 1 : i64} {
// CHECK-NEXT:    tile.return
tile.kernel @empty() attributes {arg_names = [], warps = 1 : i64} {
  tile.return
}

// Arithmetic, before layouts and rings.
// CHECK-LABEL: tile.kernel @gemm
tile.kernel @gemm(%x: !tile.global<?x128xf16, read>,
                  %w: !tile.global<128x64x!codes, read, #wna16.layout<marlin>>,
                  %s: !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>,
                  %y: !tile.global<?x64xf16, write>, %m: index, %ldx: index)
    attributes {arg_names = ["x", "w", "s", "y", "M", "ldx"], warps = 2 : i64,
                max_m = 8 : i64, reference = #tile.reference<gemm, group = 128>,
                schedule = #wna16.schedule<tile = [64, 8, 64], warps = [1, 2],
                  stages = 2, copy = cp_async, math = mma, scales = accumulator,
                  split = none, roles = uniform>, shared_bytes = 4096 : i64} {
  // CHECK: tile.bind %{{.*}} rows %{{.*}} stride %{{.*}} : !tile.global<?x128xf16, read>
  %xb = tile.bind %x rows %m stride %ldx : !tile.global<?x128xf16, read>
  // CHECK: tile.bind %{{.*}} rows %{{.*}} : !tile.global<?x64xf16, write>
  %yb = tile.bind %y rows %m : !tile.global<?x64xf16, write>
  // CHECK: tile.for_each_work (%[[IM:.*]], %[[IN:.*]], %[[PART:.*]]) tile [8, 64] of [%{{.*}}, 64] parts 2 {
  tile.for_each_work (%im, %in, %part) tile [8, 64] of [%m, 64] parts 2 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %init = tile.zero : !tile.val<64x8xf32, partial>
    %acc = scf.for %i = %part to %c2 step %c1 iter_args(%a = %init) -> (!tile.val<64x8xf32, partial>) {
      %k = arith.muli %i, %c64 : index
      // CHECK: tile.load %{{.*}}[%[[K:.*]], %[[IN]]] : !tile.global<128x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !tile.val<64x64x!wna16.code<4, offset = 8>>
      %wt = tile.load %w[%k, %in]
          : !tile.global<128x64x!codes, read, #wna16.layout<marlin>> -> !tile.val<64x64x!codes>
      %xt = tile.load %xb[%im, %k] : !tile.global<?x128xf16, read> -> !tile.val<8x64xf16>
      // CHECK: tile.load_scales %{{.*}}[k = %[[K]], n = %[[IN]]] {group = 128 : i64}
      %st = tile.load_scales %s[k = %k, n = %in] {group = 128 : i64}
          : !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16>
      // CHECK: tile.dequant %{{.*}} : !tile.val<64x64x!wna16.code<4, offset = 8>> -> !tile.val<64x64xf16>
      %d = tile.dequant %wt : !tile.val<64x64x!codes> -> !tile.val<64x64xf16>
      // CHECK: tile.dequant %{{.*}} scales %{{.*}} : !tile.val<64x64x!wna16.code<4, offset = 8>> scales !tile.val<1x64xf16> -> !tile.val<64x64xf16>
      %e = tile.dequant %wt scales %st
          : !tile.val<64x64x!codes> scales !tile.val<1x64xf16> -> !tile.val<64x64xf16>
      // CHECK: tile.slice %{{.*}} [0, 16] : !tile.val<8x64xf16> -> !tile.val<8x16xf16>
      %h = tile.slice %xt [0, 16] : !tile.val<8x64xf16> -> !tile.val<8x16xf16>
      %zero = tile.zero : !tile.val<64x8xf32, partial>
      // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32, partial>
      %p = tile.mma %d, %xt, %zero
          : !tile.val<64x64xf16>, !tile.val<8x64xf16>, !tile.val<64x8xf32, partial>
      // CHECK: tile.scale_acc %{{.*}}, %{{.*}}, %{{.*}} : !tile.val<64x8xf32, partial>, !tile.val<1x64xf16>
      %b = tile.scale_acc %a, %p, %st : !tile.val<64x8xf32, partial>, !tile.val<1x64xf16>
      scf.yield %b : !tile.val<64x8xf32, partial>
    }
    // CHECK: tile.combine %{{.*}} {scratch_aliases, scratch_offset = 128 : i64} : !tile.val<64x8xf32, partial> -> !tile.val<64x8xf32>
    %sum = tile.combine %acc {scratch_aliases, scratch_offset = 128 : i64}
        : !tile.val<64x8xf32, partial> -> !tile.val<64x8xf32>
    // CHECK: tile.cast %{{.*}} : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    %r = tile.cast %sum : !tile.val<64x8xf32> -> !tile.val<64x8xf16>
    // CHECK: tile.store %{{.*}}, %{{.*}}[%[[IM]], %[[IN]]] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
    tile.store %r, %yb[%im, %in] transposed : !tile.val<64x8xf16>, !tile.global<?x64xf16, write>
  }
  tile.return
}

// Blocks of a cluster that share K.
// CHECK-LABEL: tile.kernel @cluster
// CHECK: tile.for_each_work (%{{.*}}, %{{.*}}, %[[PART:.*]], %[[BLOCK:.*]]) tile [8, 16] of [8, 64] parts 2 blocks 2 {
// CHECK: %[[LOCAL:.*]] = tile.combine {{.*}} : !tile.val<16x8xf32, partial<parts, blocks>> -> !tile.val<16x8xf32, partial<blocks>>
// CHECK: tile.combine %[[LOCAL]] over cluster rows %{{.*}} {barrier_offset = 8 : i64, scratch_offset = 16 : i64} : !tile.val<16x8xf32, partial<blocks>> -> !tile.val<16x8xf32>
// CHECK: tile.combine %[[LOCAL]] over cluster : {{.*}} -> !tile.val<16x8xf32, #[[OWNED:.*]]>
// CHECK: tile.for_each_work (%{{.*}}, %{{.*}}, %{{.*}}) tile [8, 16] of [8, 64] blocks 8 {
tile.kernel @cluster() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part, %block) tile [8, 16] of [8, 64] parts 2 blocks 2 {
    %share = tile.zero : !tile.val<16x8xf32, partial<parts, blocks>>
    %local = tile.combine %share : !tile.val<16x8xf32, partial<parts, blocks>> -> !tile.val<16x8xf32, partial<blocks>>
    %sum = tile.combine %local over cluster rows %block {barrier_offset = 8 : i64, scratch_offset = 16 : i64}
        : !tile.val<16x8xf32, partial<blocks>> -> !tile.val<16x8xf32>
    %all = tile.combine %local over cluster
        : !tile.val<16x8xf32, partial<blocks>> -> !tile.val<16x8xf32, #owned>
  }
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [8, 64] blocks 8 {
  }
}

// CHECK-LABEL: tile.kernel @dependent
// CHECK: tile.dependency_wait
// CHECK: tile.dependency_launch
tile.kernel @dependent() attributes {arg_names = [], warps = 2 : i64} {
  tile.dependency_wait
  tile.dependency_launch
}

// Blocks that go on to the next tile.
// CHECK-LABEL: tile.kernel @persistent
tile.kernel @persistent() attributes {arg_names = [], warps = 2 : i64} {
  // CHECK: tile.for_each_work () tile [8, 64] of [64, 128] persistent 5 attributes {raster = 4 : i64} {
  tile.for_each_work () tile [8, 64] of [64, 128] persistent 5 attributes {raster = 4 : i64} {
    tile.roles {
      tile.role "all" warps 2 {
        // CHECK: tile.for_each_tile (%[[IM:.*]], %[[IN:.*]], %[[FIRST:.*]]) steps 32 {
        // CHECK-NEXT: arith.addi %[[FIRST]], %[[IM]]
        // CHECK-NEXT: }
        tile.for_each_tile (%im, %in, %first) steps 32 {
          %sum = arith.addi %first, %im : index
        }
      }
    }
  }
}

// The ring protocol, and work of static extent.
// CHECK-LABEL: tile.kernel @copy
tile.kernel @copy(%x: !tile.global<64x64xf16, read>, %y: !tile.global<64x64xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 2 : i64} {
  // CHECK: tile.for_each_work (%[[IM:.*]], %[[IN:.*]]) tile [8, 64] of [64, 64] attributes {raster = 8 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [64, 64] attributes {raster = 8 : i64} {
    %true = arith.constant true
    %c0 = arith.constant 0 : index
    // CHECK: tile.ring {offset = 128 : i64} : !ring
    %r = tile.ring {offset = 128 : i64} : !ring
    // CHECK: tile.acquire %[[R:.*]][%[[STEP:.*]]] : !ring
    tile.acquire %r[%c0] : !ring
    // CHECK: tile.fill "x" of %[[R]][%[[STEP]]] = %{{.*}}[%[[IM]], %[[IN]]] threads(#[[$COPY]]) : !ring, !tile.global<64x64xf16, read>
    tile.fill "x" of %r[%c0] = %x[%im, %in] threads(#copy) : !ring, !tile.global<64x64xf16, read>
    // CHECK: tile.fill "t" of %[[R]][%[[STEP]]] = %{{.*}}[%[[IM]], %[[IN]]] threads(#[[$COPY]]) if %{{.*}}
    tile.fill "t" of %r[%c0] = %x[%im, %in] threads(#copy) if %true
        : !ring, !tile.global<64x64xf16, read>
    // CHECK: tile.commit %[[R]][%[[STEP]]] : !ring
    tile.commit %r[%c0] : !ring
    // CHECK: tile.wait %[[R]][%[[STEP]]] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    tile.wait %r[%c0] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    // CHECK: %[[T:.*]] = tile.read "x" of %[[R]][%[[STEP]]] [0, 0] : !ring -> !tile.val<8x64xf16, #[[$COPY]]>
    %t = tile.read "x" of %r[%c0] [0, 0] : !ring -> !tile.val<8x64xf16, #copy>
    // CHECK: tile.release %[[R]][%[[STEP]]] {scope = #tile.scope<lane>} : !ring
    tile.release %r[%c0] {scope = #tile.scope<lane>} : !ring
    // CHECK: tile.store %[[T]], %{{.*}}[%[[IM]], %[[IN]]] : !tile.val<8x64xf16, #[[$COPY]]>, !tile.global<64x64xf16, write>
    tile.store %t, %y[%im, %in] : !tile.val<8x64xf16, #copy>, !tile.global<64x64xf16, write>
  }
  tile.return
}

// Asynchronous products, and a change of layout.
// CHECK-LABEL: func.func @products
func.func @products(%i: index, %a: !tile.val<64x64xf16>, %r: !panels, %s: !tile.val<64x16xf32>) -> !tile.val<64x16xf32> {
  // CHECK: %[[P:.*]] = tile.mma_async %{{.*}}, "x" of %{{.*}}[%{{.*}}] [0, 64], %{{.*}} : !tile.val<64x64xf16>, !ring1, !tile.val<64x16xf32>
  %p = tile.mma_async %a, "x" of %r[%i] [0, 64], %s : !tile.val<64x64xf16>, !panels, !tile.val<64x16xf32>
  // CHECK: %[[Q:.*]] = tile.mma_wait %[[P]] {pending = 1 : i64} : !tile.val<64x16xf32>
  %q = tile.mma_wait %p {pending = 1 : i64} : !tile.val<64x16xf32>
  // CHECK: tile.convert %[[Q]] {scratch_aliases, scratch_offset = 0 : i64} : !tile.val<64x16xf32> -> !tile.val<64x16xf32>
  %c = tile.convert %q {scratch_aliases, scratch_offset = 0 : i64} : !tile.val<64x16xf32> -> !tile.val<64x16xf32>
  return %c : !tile.val<64x16xf32>
}

}

// Blocks that take tickets: a workspace for their shares and a counter for each tile; the
// last block stores.
// CHECK-LABEL: tile.kernel @tickets
// CHECK: %[[SUM:.*]], %[[LAST:.*]] = tile.combine_by_ticket %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} rows %{{.*}} : !tile.val<16x8xf32, partial<blocks>>, !tile.global<12x128xf32, workspace>, !tile.global<2x4xi32, workspace> -> !tile.val<16x8xf32>
// CHECK: tile.store %[[SUM]], %{{.*}}[%{{.*}}, %{{.*}}] transposed if %[[LAST]] : !tile.val<16x8xf32>, !tile.global<12x64xf32, write>
tile.kernel @tickets(%y: !tile.global<12x64xf32, write>, %shares: !tile.global<12x128xf32, workspace>,
                     %tickets: !tile.global<2x4xi32, workspace>)
    attributes {arg_names = ["y", "shares", "tickets"], warps = 1 : i64} {
  tile.for_each_work (%im, %in, %block) tile [8, 16] of [12, 64] blocks 2 {
    %c12 = arith.constant 12 : index
    %left = arith.subi %c12, %im : index
    %share = tile.zero : !tile.val<16x8xf32, partial<blocks>>
    %sum, %last = tile.combine_by_ticket %share, %shares[%im, %in], %tickets rows %left
        : !tile.val<16x8xf32, partial<blocks>>, !tile.global<12x128xf32, workspace>, !tile.global<2x4xi32, workspace> -> !tile.val<16x8xf32>
    tile.store %sum, %y[%im, %in] transposed if %last : !tile.val<16x8xf32>, !tile.global<12x64xf32, write>
  }
}
