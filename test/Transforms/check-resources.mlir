// Needs of a kernel against limits of the target.
// RUN: split-file %s %t
// RUN: wna16-opt %t/fits.mlir --check-resources | FileCheck %t/fits.mlir
// RUN: not wna16-opt %t/fits.mlir --check-resources=target=sm_86 2>&1 | FileCheck %t/fits.mlir --check-prefix=SM86
// RUN: not wna16-opt %t/fits.mlir --check-resources=target=sm_77 2>&1 | FileCheck %t/fits.mlir --check-prefix=SM77
// RUN: wna16-opt %t/errors.mlir --check-resources=target=sm_80 --split-input-file --verify-diagnostics

//--- fits.mlir
// CHECK: llvm.func @ring
// SM86: error: kernel 'ring' uses 150528 bytes of shared memory; target sm_86 has 101376 for one block; use fewer stages or a smaller tile [RES-C3]
// SM77: error: unknown target 'sm_77'; known targets: sm_80, sm_86,
gpu.module @fits {
  llvm.func @ring(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>, wna16.launch = "{\"format\": \"wna16-launch\", \"version\": 2, \"kernel\": \"ring\", \"target\": \"sm_90a\", \"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"access\": \"read\", \"dtype\": \"f16\", \"shape\": [64], \"alignment\": 16, \"layout\": \"row_major\"}], \"symbols\": {}, \"grid\": [{\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}], \"block\": [256, 1, 1], \"cluster\": [1, 1, 1], \"shared_bytes\": 150528, \"workspace_bytes\": 0, \"problem\": null, \"schedule\": \"\", \"resources\": null}"} {
    llvm.return
  }
}

//--- errors.mlir
gpu.module @res_c1_threads {
  // expected-error @below {{kernel 'k' uses 2048 threads per block; target sm_80 has 1024 [RES-C1]}}
  llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1024, 2>} {
    llvm.return
  }
}

// -----

gpu.module @res_c3_static_shared {
  llvm.mlir.global external @buffer() {addr_space = 3 : i32} : !llvm.array<200000 x i8>
  // expected-error @below {{kernel 'k' uses 200000 bytes of shared memory; target sm_80 has 166912 for one block; use fewer stages or a smaller tile [RES-C3]}}
  llvm.func @k() attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @res_c2_clusters {
  // expected-error @below {{kernel 'k' uses clusters of 2 blocks; target sm_80 has no clusters [RES-C2]}}
  llvm.func @k() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    llvm.return
  }
}

// -----

gpu.module @res_c4_registers {
  // expected-error @below {{asks for 256 registers per thread; target sm_80 has 255 [RES-C4]}}
  llvm.func @k() attributes {nvvm.kernel, nvvm.maxnreg = 256 : i32} {
    llvm.return
  }
}

// -----

gpu.module @res_c5_resident {
  // expected-error @below {{promises 3 resident blocks; a multiprocessor of target sm_80 holds 2 of them [RES-C5]}}
  llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1024>, nvvm.minctasm = 3 : i32} {
    llvm.return
  }
}

// -----

gpu.module @broken_record {
  // expected-error @below {{launch record: not JSON}}
  llvm.func @k() attributes {nvvm.kernel, wna16.launch = "{"} {
    llvm.return
  }
}
