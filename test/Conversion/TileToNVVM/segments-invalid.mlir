// RUN: wna16-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics=only-expected

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!x = !tile.global<?x64xf16, read>
!table = !tile.global<?x4xi32, read>
!slots = !tile.global<?x1xi32, read>

tile.kernel @rows_c5_counter(%x: !x, %segments: !table, %slots: !slots, %m: index, %s: index)
    attributes {arg_names = ["x", "segments", "slots", "M", "S"], warps = 1 : i64, shared_bytes = 0 : i64} {
  %xb = tile.bind %x rows %m : !x
  %table = tile.bind %segments rows %s : !table
  %map = tile.bind %slots rows %m : !slots
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 4 : i64} : !table
    %xs = tile.rows %xb from %first count %count map %map by 1 : !x, !slots
    // expected-error @+1 {{expected a constant row, and all warps of the block, where a map names rows: they are found in front of the loop [ROWS-C5]}}
    %v = tile.load %xs[%in, %in] : !x -> !tile.val<4x64xf16, #rows>
  }
}

// -----

!x = !tile.global<?x64xf16, read>
!table = !tile.global<?x4xi32, read>
!slots = !tile.global<?x1xi32, read>
!ring = !tile.ring<2, [<"x", !tile.val<8x64xf16>>]>

tile.kernel @fill_c8_map(%x: !x, %segments: !table, %slots: !slots, %m: index, %s: index)
    attributes {arg_names = ["x", "segments", "slots", "M", "S"], warps = 1 : i64, shared_bytes = 4096 : i64} {
  %xb = tile.bind %x rows %m : !x
  %table = tile.bind %segments rows %s : !table
  %map = tile.bind %slots rows %m : !slots
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64} : !table
    %xs = tile.rows %xb from %first count %count map %map by 1 : !x, !slots
    %c0 = arith.constant 0 : index
    %r = tile.ring {offset = 0 : i64, barriers_offset = 2048 : i64} : !ring
    tile.acquire %r[%c0] : !ring
    // expected-error @+1 {{expected rows that follow each other for a tensor copy, found rows that a map names [FILL-C8]}}
    tile.fill "x" of %r[%c0] = %xs[%c0, %in] engine tensor : !ring, !x
    tile.commit %r[%c0] : !ring
  }
}
