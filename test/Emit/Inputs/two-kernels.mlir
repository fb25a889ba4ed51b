// Two lowered kernels, each with its launch record: the input of several tests.
gpu.module @first [#nvvm.target<chip = "sm_90a">] {
  llvm.func @first(%x: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>, wna16.launch = "{\"format\": \"wna16-launch\", \"version\": 2, \"kernel\": \"first\", \"target\": \"sm_90a\", \"ptx\": null, \"cubin\": null, \"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"access\": \"write\", \"dtype\": \"i32\", \"shape\": [\"n\"], \"alignment\": 4, \"layout\": \"row_major\"}, {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"i32\", \"value\": \"n\"}], \"symbols\": {\"n\": {\"min\": 0, \"max\": 4096}}, \"grid\": [{\"size\": \"n\", \"tile\": 64}, {\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}], \"block\": [64, 1, 1], \"cluster\": [1, 1, 1], \"shared_bytes\": 1024, \"workspace_bytes\": 0, \"problem\": null, \"schedule\": \"by hand\", \"resources\": null}"} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %at = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %n, %at : i32, !llvm.ptr<1>
    nvvm.barrier0
    llvm.return
  }
}

gpu.module @second [#nvvm.target<chip = "sm_90a">] {
  llvm.func @second(%x: !llvm.ptr<1>) attributes {nvvm.kernel, wna16.launch = "{\"format\": \"wna16-launch\", \"version\": 2, \"kernel\": \"second\", \"target\": \"sm_90a\", \"arguments\": [{\"name\": \"x\", \"kind\": \"buffer\", \"access\": \"write\", \"dtype\": \"i32\", \"shape\": [1], \"alignment\": 4, \"layout\": \"row_major\"}], \"symbols\": {}, \"grid\": [{\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}], \"block\": [32, 1, 1], \"cluster\": [1, 1, 1], \"shared_bytes\": 0, \"workspace_bytes\": 0, \"problem\": null, \"schedule\": \"\", \"resources\": null}"} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    llvm.store %zero, %x : i32, !llvm.ptr<1>
    llvm.return
  }
}
