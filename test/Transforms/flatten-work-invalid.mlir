// RUN: wna16-opt %s --flatten-work --split-input-file --verify-diagnostics

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [4, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer, persistent = 3>

tile.kernel @flatten_c1_no_roles(%m: index)
    attributes {arg_names = ["M"], warps = 1 : i64, schedule = #schedule} {
  // expected-error@+1 {{expected roles and one ring between them, found 0 and 0; run specialize-roles first [FLATTEN-C1]}}
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 128] {
  }
  tile.return
}

// -----

#schedule = #wna16.schedule<tile = [64, 8, 16], warps = [4, 1], stages = 2, copy = bulk,
  math = mma, scales = weights, split = none, roles = producer_consumer, persistent = 3>
!ring = !tile.ring<2, [<"x", !tile.val<8x16xf16>>]>
!x = !tile.global<?x256xf16, read>

tile.kernel @flatten_c2_parts(%xa: !x, %m: index)
    attributes {arg_names = ["x", "M"], warps = 3 : i64, schedule = #schedule} {
  %x = tile.bind %xa rows %m : !x
  tile.for_each_work (%im, %in) tile [8, 64] of [%m, 128] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %r = tile.ring : !ring
    tile.roles {
      // expected-error@+1 {{expected parts of K that share the 3 steps of a tile evenly, found 2 [FLATTEN-C2]}}
      tile.role "consumer" warps 2 parts 2 (%part) {
        scf.for %i = %part to %c3 step %c2 {
          tile.wait %r[%i] : !ring
          tile.release %r[%i] : !ring
        }
      }
      tile.role "producer" warps 1 single_thread {
        scf.for %i = %c0 to %c3 step %c1 {
          tile.acquire %r[%i] : !ring
          tile.fill "x" of %r[%i] = %x[%im, %c0] engine tensor : !ring, !x
          tile.commit %r[%i] : !ring
        }
      }
    }
  }
  tile.return
}
