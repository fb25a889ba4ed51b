// RUN: wna16-opt %s --verify-roundtrip -o /dev/null
// RUN: wna16-opt %s | FileCheck %s

// The spellings of roles, of fills by each engine, and of a ring with barriers.

!ring = !tile.ring<4, [<"w", !tile.val<64x64x!wna16.code<4, offset = 8>>, #wna16.layout<marlin>>,
                       <"x", !tile.val<8x64xf16>>, <"y", !tile.val<16x64xf16>>, <"s", !tile.val<1x64xf16>, #wna16.layout<marlin_scales>>]>
!w = !tile.global<128x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>
!x = !tile.global<?x128xf16, read>
!s = !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>
!small = !tile.ring<1, [<"s", !tile.val<1x64xf16>>]>
#copy = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [] : [1, 64]>

// A kernel with roles may have any number of warps; a role prints what is not the default.
// CHECK-LABEL: tile.kernel @roles
tile.kernel @roles(%w: !w, %xa: !x, %s: !s, %m: index)
    attributes {arg_names = ["w", "x", "s", "M"], warps = 12 : i64} {
  %x = tile.bind %xa rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    // CHECK: %[[R:.*]] = tile.ring {barriers_offset = 12800 : i64, offset = 0 : i64} : !ring
    %r = tile.ring {offset = 0 : i64, barriers_offset = 12800 : i64} : !ring
    // CHECK: tile.roles {
    tile.roles {
      // CHECK-NEXT: tile.role "consumer" warps 8 parts 2 (%[[PART:.*]]) registers 224 {
      tile.role "consumer" warps 8 parts 2 (%p) registers 224 {
        // CHECK-NEXT: tile.wait %[[R]][%[[PART]]] : !ring
        tile.wait %r[%p] : !ring
        // CHECK-NEXT: tile.release %[[R]][%[[PART]]] : !ring
        tile.release %r[%p] : !ring
      // CHECK-NEXT: }
      }
      // CHECK-NEXT: tile.role "producer" warps 4 single_thread registers 40 {
      tile.role "producer" warps 4 single_thread registers 40 {
        scf.for %i = %c0 to %c2 step %c1 {
          tile.acquire %r[%i] : !ring
          // CHECK: tile.fill "w" of %[[R]][%[[I:.*]]] = %{{.*}}[%{{.*}}, %{{.*}}] engine bulk : !ring
          tile.fill "w" of %r[%i] = %w[%c0, %in] engine bulk : !ring, !w
          // CHECK: tile.fill "x" of %[[R]][%[[I]]] = %{{.*}}[%{{.*}}, %{{.*}}] engine tensor if %true : !ring
          tile.fill "x" of %r[%i] = %x[%im, %c0] engine tensor if %true : !ring, !x
          // CHECK: tile.fill "y" of %[[R]][%[[I]]] = %{{.*}}[%{{.*}}, %{{.*}}] engine tensor multicast 2 : !ring
          tile.fill "y" of %r[%i] = %x[%im, %c0] engine tensor multicast 2 : !ring, !x
          // CHECK: tile.fill_scales "s" of %[[R]][%[[I]]] = %{{.*}}[k = %{{.*}}, n = %{{.*}}] engine bulk {group = 128 : i64} : !ring
          tile.fill_scales "s" of %r[%i] = %s[k = %c0, n = %in] engine bulk {group = 128 : i64} : !ring, !s
          tile.commit %r[%i] : !ring
        }
        tile.role_end
      }
      tile.role_end
    }
  }
}

// By threads, the engine that is not printed; and a role with the default written out.
// CHECK-LABEL: tile.kernel @scales_by_threads
tile.kernel @scales_by_threads(%s: !tile.global<1x64xf16, read>) attributes {arg_names = ["s"], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %true = arith.constant true
    %r = tile.ring : !small
    // CHECK: tile.fill_scales "s" of %{{.*}}[%{{.*}}] = %{{.*}}[k = %{{.*}}, n = %{{.*}}] threads(#linear) if %true {group = -1 : i64} :
    tile.fill_scales "s" of %r[%im] = %s[k = %im, n = %in] threads(#copy) engine cp_async if %true
        {group = -1 : i64} : !small, !tile.global<1x64xf16, read>
    // CHECK: tile.roles {
    // CHECK-NEXT: tile.role "all" warps 1 {
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    tile.roles {
      tile.role "all" warps 1 parts 1 () {
      }
    }
  }
}
