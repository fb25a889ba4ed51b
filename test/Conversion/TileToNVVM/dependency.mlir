// RUN: wna16-opt %s --convert-tile-to-nvvm=target=sm_90a | FileCheck %s

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>

// A kernel that waits says so in its record, and which buffers it touches afterwards.
// Reads of these take the coherent path; scales are constants.
// CHECK: llvm.func @waits
// CHECK-SAME: \22name\22: \22x\22{{.*}}\22after_dependency\22: true{{.*}}\22name\22: \22s\22
// CHECK-SAME: \22dependent_launch\22: true
// CHECK: ld.global.nc.v4
// CHECK: nvvm.griddepcontrol wait
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: "ld.global.v4
// CHECK: st.global
tile.kernel @waits(%x: !tile.global<4x64xf16, read>, %s: !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>>,
                   %y: !tile.global<4x64xf16, write>)
    attributes {arg_names = ["x", "s", "y"], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %c0 = arith.constant 0 : index
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 64 : i64} : !tile.global<1x64xf16, read, #wna16.layout<marlin_scales>> -> !tile.val<1x64xf16, #scales>
    tile.dependency_wait
    tile.dependency_launch
    %v = tile.load %x[%im, %in] : !tile.global<4x64xf16, read> -> !tile.val<4x64xf16, #rows>
    tile.store %v, %y[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<4x64xf16, write>
  }
}

// CHECK: llvm.func @does_not_wait
// CHECK-NOT: dependen
// CHECK: ld.global.nc.v4
tile.kernel @does_not_wait(%x: !tile.global<4x64xf16, read>, %y: !tile.global<4x64xf16, write>)
    attributes {arg_names = ["x", "y"], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [4, 64] of [4, 64] {
    %v = tile.load %x[%im, %in] : !tile.global<4x64xf16, read> -> !tile.val<4x64xf16, #rows>
    tile.store %v, %y[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<4x64xf16, write>
  }
}
