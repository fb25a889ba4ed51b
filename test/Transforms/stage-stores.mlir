// RUN: wna16-opt %s --stage-stores --split-input-file | FileCheck %s

// A lane holds two rows of the output, of 16 columns with none beside another: the tile
// is laid along the rows first, 16 bytes to a lane.
// CHECK-DAG: #[[ACC:.*]] = #tile.linear<register = {{\[}}[0, 1], [8, 0]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[16, 0], [32, 0]] : [64, 8]>
// CHECK-DAG: #[[ROWS:.*]] = #tile.linear<register = {{\[}}[1, 0], [2, 0], [4, 0]], lane = {{\[}}[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = {{\[}}[0, 4], [0, 0]] : [64, 8]>
// CHECK: tile.kernel @fragments
// CHECK: %[[H:.*]] = tile.cast
// CHECK: %[[R:.*]] = tile.convert %[[H]] : !tile.val<64x8xf16, #[[ACC]]> -> !tile.val<64x8xf16, #[[ROWS]]>
// CHECK: tile.store %[[R]], {{.*}} transposed : !tile.val<64x8xf16, #[[ROWS]]>
#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]] : [64, 8]>
tile.kernel @fragments(%y: !tile.global<8x64xf16, write>) attributes {arg_names = ["y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %sum = tile.zero : !tile.val<64x8xf32, #acc>
    %h = tile.cast %sum : !tile.val<64x8xf32, #acc> -> !tile.val<64x8xf16, #acc>
    tile.store %h, %y[%im, %in] transposed : !tile.val<64x8xf16, #acc>, !tile.global<8x64xf16, write>
  }
}

// -----

// Four columns beside each other are enough.
// CHECK: tile.kernel @rows
// CHECK-NOT: tile.convert
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]] : [64, 8]>
tile.kernel @rows(%y: !tile.global<8x64xf16, write>) attributes {arg_names = ["y"], warps = 4 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %sum = tile.zero : !tile.val<64x8xf32, #rows>
    %h = tile.cast %sum : !tile.val<64x8xf32, #rows> -> !tile.val<64x8xf16, #rows>
    tile.store %h, %y[%im, %in] transposed : !tile.val<64x8xf16, #rows>, !tile.global<8x64xf16, write>
  }
}
