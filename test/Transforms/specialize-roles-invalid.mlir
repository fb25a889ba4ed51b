// RUN: wna16-opt %s --specialize-roles --split-input-file --verify-diagnostics

// Loops that do not become two roles, named after the rules of docs/spec.md.

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [1, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!ring = !tile.ring<2, [<"w", !tile.val<16x64xf16>>]>
tile.kernel @roles_c1_commit_first() attributes {arg_names = [], warps = 1 : i64, schedule = #schedule} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tile.ring : !ring
    tile.acquire %r[%c0] : !ring
    // expected-error @+1 {{'scf.for' op expected to begin with the acquire of a ring of the same work [ROLES-C1]}}
    scf.for %i = %c0 to %c1 step %c1 {
      tile.commit %r[%i] : !ring
      tile.acquire %r[%i] : !ring
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [1, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!ring = !tile.ring<2, [<"w", !tile.val<16x64xf16>>]>
tile.kernel @roles_c1_ring_of_the_kernel() attributes {arg_names = [], warps = 1 : i64, schedule = #schedule} {
  %r = tile.ring : !ring
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'scf.for' op expected to begin with the acquire of a ring of the same work [ROLES-C1]}}
    scf.for %i = %c0 to %c1 step %c1 {
      tile.acquire %r[%i] : !ring
      tile.commit %r[%i] : !ring
    }
  }
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [1, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer>
!ring = !tile.ring<2, [<"w", !tile.val<16x64xf16>>]>
tile.kernel @roles_c2_two_loops() attributes {arg_names = [], warps = 1 : i64, schedule = #schedule} {
  // expected-error @+1 {{'tile.for_each_work' op expected one loop that fills a ring, found 2 [ROLES-C2]}}
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = tile.ring : !ring
    scf.for %i = %c0 to %c1 step %c1 {
      tile.acquire %r[%i] : !ring
      tile.commit %r[%i] : !ring
    }
    scf.for %i = %c0 to %c1 step %c1 {
      tile.acquire %r[%i] : !ring
      tile.commit %r[%i] : !ring
    }
  }
}
