// Rule ORD5a: in a loop, no address depends on loaded data.
// RUN: wna16-opt %s --verify-kernel-order --split-input-file --verify-diagnostics

// A copy ring, a scale load and a reduction through shared memory: addresses
// come from counters, data goes into arithmetic only.
gpu.module @good {
  llvm.func @kernel(%w: !llvm.ptr<1>, %s: !llvm.ptr<1>, %y: !llvm.ptr<1>,
                    %smem: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    llvm.br ^loop(%c0, %c0, %w : i32, i32, !llvm.ptr<1>)
  ^loop(%i: i32, %acc: i32, %advancing: !llvm.ptr<1>):
    %pinned = llvm.inline_asm "mov.b64 $0, $1;", "=l,l" %advancing : (!llvm.ptr<1>) -> !llvm.ptr<1>
    %to = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    nvvm.cp.async.shared.global %to, %pinned, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %code = llvm.load %to : !llvm.ptr<3> -> i32
    %at = llvm.getelementptr %s[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %scale = llvm.load %at : !llvm.ptr<1> -> i32
    %scaled = llvm.mul %code, %scale : i32
    %sum = llvm.add %acc, %scaled : i32
    llvm.store %sum, %to : i32, !llvm.ptr<3>
    %next = llvm.getelementptr %pinned[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %sum, %next : i32, i32, !llvm.ptr<1>), ^end
  ^end:
    llvm.store %sum, %y : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// The gather that rule ORD5a is about: scale[g_idx[k]].
gpu.module @group_index {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0, %c0 : i32, i32)
  ^loop(%i: i32, %acc: i32):
    %at = llvm.getelementptr %g[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-note @below {{the value is loaded here}}
    %group = llvm.load %at : !llvm.ptr<1> -> i32
    %from = llvm.getelementptr %s[%group] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a)}}
    %scale = llvm.load %from : !llvm.ptr<1> -> i32
    %sum = llvm.add %acc, %scale : i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j, %sum : i32, i32), ^end
  ^end:
    llvm.store %sum, %s : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Ids of rows, loaded before the loop and tagged, may be part of an address.
gpu.module @row_ids {
  llvm.func @kernel(%ids: !llvm.ptr<1>, %x: !llvm.ptr<1>, %smem: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %row = llvm.load %ids {wna16.row_ids} : !llvm.ptr<1> -> i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %from = llvm.getelementptr %x[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %smem, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// The same load without the tag.
gpu.module @untagged {
  llvm.func @kernel(%ids: !llvm.ptr<1>, %x: !llvm.ptr<1>, %smem: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    // expected-note @below {{ids of rows or experts are loaded before the loop and carry 'wna16.row_ids'}}
    %row = llvm.load %ids : !llvm.ptr<1> -> i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %from = llvm.getelementptr %x[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{'nvvm.cp.async.shared.global' op address in a loop}}
    nvvm.cp.async.shared.global %smem, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// The tag does not help inside a loop.
gpu.module @tagged_inside {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // expected-error @below {{carries 'wna16.row_ids' in a loop (ORD5a)}}
    %group = llvm.load %g {wna16.row_ids} : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// Through a block argument: loaded in one iteration, used in the next.
gpu.module @carried {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0, %s : i32, !llvm.ptr<1>)
  ^loop(%i: i32, %carried: !llvm.ptr<1>):
    // expected-error @below {{'llvm.store' op address in a loop}}
    llvm.store %i, %carried : i32, !llvm.ptr<1>
    // expected-note @below {{the value is loaded here}}
    %group = llvm.load %g : !llvm.ptr<1> -> i32
    %next = llvm.getelementptr %s[%group] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^body, ^end
  ^body:
    llvm.br ^loop(%j, %next : i32, !llvm.ptr<1>)
  ^end:
    llvm.return
  }
}

// -----

// Through a select whose condition was loaded, and integer arithmetic.
gpu.module @selected {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    // expected-note @below {{the value is loaded here}}
    %flag = llvm.load %g : !llvm.ptr<1> -> i32
    %is = llvm.icmp "eq" %flag, %c1 : i32
    %base = llvm.ptrtoint %s : !llvm.ptr<1> to i64
    %which = llvm.select %is, %c0, %c1 : i1, i32
    %wide = llvm.sext %which : i32 to i64
    %sum = llvm.add %base, %wide : i64
    %from = llvm.inttoptr %sum : i64 to !llvm.ptr<1>
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // expected-error @below {{'llvm.load' op address in a loop}}
    %value = llvm.load %from : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// Through shared memory: ids were tagged where they were loaded, but what comes
// back from shared memory in the loop is loaded data again.
gpu.module @round_trip {
  llvm.func @kernel(%ids: !llvm.ptr<1>, %x: !llvm.ptr<1>, %smem: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %row = llvm.load %ids {wna16.row_ids} : !llvm.ptr<1> -> i32
    llvm.store %row, %smem : i32, !llvm.ptr<3>
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // expected-note @below {{the value is loaded here}}
    %again = llvm.load %smem : !llvm.ptr<3> -> i32
    %from = llvm.getelementptr %x[%again] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{'llvm.inline_asm' op address in a loop}}
    llvm.inline_asm has_side_effects "cp.async.cg.shared.global.L2::256B [$0], [$1], 16;", "l,l,~{memory}" %smem, %from : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// Inline PTX: a read-only load is a source, arithmetic passes it on, the
// address operand of a predicated load is found behind its predicate.
gpu.module @inline_ptx {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %p: i1, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %mask = llvm.mlir.constant(255 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // expected-note @below {{the value is loaded here}}
    %loaded = llvm.inline_asm has_side_effects "ld.global.nc.b32 $0, [$1];", "=r,l,~{memory}" %g : (!llvm.ptr<1>) -> i32
    %group = llvm.inline_asm "lop3.b32 $0, $1, $2, $3, 0xEA;", "=r,r,n,n" %loaded, %mask, %c0 : (i32, i32, i32) -> i32
    %from = llvm.getelementptr %s[%group] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{'llvm.inline_asm' op address in a loop}}
    %value = llvm.inline_asm has_side_effects "@$1 ld.global.nc.b32 $0, [$2];", "=r,b,l,0,~{memory}" %p, %from, %c0 : (i1, !llvm.ptr<1>, i32) -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// A loaded predicate or value of inline PTX is no address.
gpu.module @inline_ptx_data {
  llvm.func @kernel(%g: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %value = llvm.load %g : !llvm.ptr<1> -> i32
    %flag = llvm.icmp "eq" %value, %c1 : i32
    llvm.inline_asm has_side_effects "@$0 st.global.b32 [$1], $2;", "b,l,r,~{memory}" %flag, %y, %value : (i1, !llvm.ptr<1>, i32) -> ()
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// Text that the table does not know is taken at its worst.
gpu.module @unknown_ptx {
  llvm.func @kernel(%g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // expected-note @below {{the value is loaded here}}
    %value = llvm.load %g : !llvm.ptr<1> -> i32
    // expected-error @below {{'llvm.inline_asm' op address in a loop}}
    llvm.inline_asm has_side_effects "foo $0;", "r,~{memory}" %value : (i32) -> ()
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// Outside loops, and for parameters passed by value, addresses are free.
gpu.module @no_loop {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>,
                    %param: !llvm.ptr {llvm.byval = !llvm.struct<(ptr<1>, i32)>},
                    %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %index = llvm.load %g : !llvm.ptr<1> -> i32
    %from = llvm.getelementptr %s[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %value = llvm.load %from : !llvm.ptr<1> -> i32
    %base = llvm.load %param : !llvm.ptr -> !llvm.ptr<1>
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    llvm.store %value, %base : i32, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// A kernel that reaches ids only sorts rows: there is no K in it.
gpu.module @only_ids {
  llvm.func @kernel(%ids: !llvm.ptr<1>, %slots: !llvm.ptr<1>) attributes {nvvm.kernel, wna16.launch = "{\"format\": \"wna16-launch\", \"version\": 2, \"kernel\": \"kernel\", \"target\": \"sm_90a\", \"arguments\": [{\"name\": \"ids\", \"kind\": \"buffer\", \"access\": \"read\", \"dtype\": \"i32\", \"shape\": [64], \"alignment\": 4, \"layout\": \"row_major\", \"ids\": \"expert\"}, {\"name\": \"slots\", \"kind\": \"buffer\", \"access\": \"write\", \"dtype\": \"i32\", \"shape\": [64], \"alignment\": 4, \"layout\": \"row_major\", \"ids\": \"row\"}], \"symbols\": {}, \"grid\": [{\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}], \"block\": [32, 1, 1], \"cluster\": [1, 1, 1], \"shared_bytes\": 0, \"workspace_bytes\": 0, \"problem\": null, \"schedule\": \"\", \"resources\": null}"} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(64 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %ids[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %id = llvm.load %at : !llvm.ptr<1> -> i32
    %to = llvm.getelementptr %slots[%id] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %i, %to : i32, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// One buffer that is anything else, and it is checked.
gpu.module @more_than_ids {
  llvm.func @kernel(%ids: !llvm.ptr<1>, %slots: !llvm.ptr<1>) attributes {nvvm.kernel, wna16.launch = "{\"format\": \"wna16-launch\", \"version\": 2, \"kernel\": \"kernel\", \"target\": \"sm_90a\", \"arguments\": [{\"name\": \"ids\", \"kind\": \"buffer\", \"access\": \"read\", \"dtype\": \"i32\", \"shape\": [64], \"alignment\": 4, \"layout\": \"row_major\", \"ids\": \"expert\"}, {\"name\": \"slots\", \"kind\": \"buffer\", \"access\": \"write\", \"dtype\": \"i32\", \"shape\": [64], \"alignment\": 4, \"layout\": \"row_major\"}], \"symbols\": {}, \"grid\": [{\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}, {\"size\": 1, \"tile\": 1}], \"block\": [32, 1, 1], \"cluster\": [1, 1, 1], \"shared_bytes\": 0, \"workspace_bytes\": 0, \"problem\": null, \"schedule\": \"\", \"resources\": null}"} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(64 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %ids[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-note @below {{the value is loaded here}}
    %id = llvm.load %at : !llvm.ptr<1> -> i32
    %to = llvm.getelementptr %slots[%id] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a)}}
    llvm.store %i, %to : i32, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}
