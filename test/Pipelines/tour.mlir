// The layer of docs/tour.md, as python/wna16/emit.py writes it, and the contract of
// each phase; for sm_80, whose kernels have the simplest structure.
// RUN: wna16-opt %s --wna16-import --wna16-schedule=target=sm_80 | FileCheck %s --check-prefix=SCHEDULE
// RUN: wna16-opt %s --wna16-import --wna16-schedule=target=sm_80 --wna16-tile | FileCheck %s --check-prefix=TILE
// RUN: wna16-opt %s --wna16-import --wna16-schedule=target=sm_80 --wna16-tile --wna16-pipeline=target=sm_80 | FileCheck %s --check-prefix=PIPELINE
// RUN: wna16-opt %s --wna16-import --wna16-schedule=target=sm_80 --wna16-tile --wna16-pipeline=target=sm_80 --wna16-lower=target=sm_80 | FileCheck %s --check-prefix=LOWER
// RUN: wna16-opt %s --wna16-compile=target=sm_80 -o %t.all
// RUN: wna16-opt %s --wna16-import --wna16-schedule=target=sm_80 --wna16-tile --wna16-pipeline=target=sm_80 --wna16-lower=target=sm_80 -o %t.steps
// RUN: diff %t.all %t.steps

// The product says how it is computed.
// SCHEDULE: wna16.gemm {{.*}}schedule = #wna16.schedule<tile = [64, 8, 128], warps = [1, 8], stages = 2,
// SCHEDULE-NOT: tile.kernel

// Tiles with layouts, plain loads, shares of the sum.
// TILE-NOT: wna16.gemm
// TILE-NOT: func.func
// TILE: tile.kernel @wna16_gemm_m8_n4096_k4096_g128
// TILE: tile.for_each_work ({{.*}}) tile [8, 64] of [%{{.*}}, 4096] parts 8 {
// TILE: tile.load %{{.*}} -> {{.*}}<128x64x!wna16.code<4, offset = 8>, #
// TILE: tile.combine
// TILE-NOT: tile.ring

// No load for a product in the loop; places and waits are known.
// PIPELINE: tile.kernel {{.*}}shared_bytes = 100096 : i64
// PIPELINE: tile.ring {offset = 0 : i64}
// PIPELINE: scf.for
// PIPELINE-NOT: tile.load %
// PIPELINE: tile.wait {{.*}} {pending = 1 : i64, scope = #tile.scope<warp>}
// PIPELINE: tile.read "w" {{.*}} [112, 0]
// PIPELINE: tile.release {{.*}} {scope = #tile.scope<warp>}
// PIPELINE: tile.combine {{.*}} {scratch_aliases, scratch_offset = 0 : i64}

// Nothing of ours is left but the launch record.
// LOWER-NOT: {{(tile|scf|arith|cf)\.}}
// LOWER: llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// LOWER: llvm.func @wna16_gemm_m8_n4096_k4096_g128({{.*}}nvvm.kernel, nvvm.reqntid = array<i32: 256>, wna16.launch = "
// LOWER-NOT: {{ (tile|scf|arith|cf)\.}}
// LOWER: nvvm.mma.sync
// LOWER-NOT: {{ (tile|scf|arith|cf)\.}}
// LOWER: llvm.return

func.func @wna16_gemm_m8_n4096_k4096_g128(
    %x: tensor<?x4096xf16>,
    %w: tensor<4096x4096x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<32x4096xf16, #wna16.layout<marlin_scales>>)
    -> tensor<?x4096xf16> {
  %y = wna16.gemm %x, %w, %s {max_m = 8 : i64}
      : (tensor<?x4096xf16>,
         tensor<4096x4096x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<32x4096xf16, #wna16.layout<marlin_scales>>)
      -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}
