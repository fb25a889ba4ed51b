// Rule ORD5a where data choose an address by a branch.
// RUN: wna16-opt %s --verify-kernel-order --split-input-file --verify-diagnostics

// How often a loop runs, whether an access takes place, and what a branch on
// parameters chooses are no matter.
gpu.module @good {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %first = llvm.icmp "eq" %n, %c1 : i32
    llvm.cond_br %first, ^loop(%c0, %s : i32, !llvm.ptr<1>), ^loop(%c1, %g : i32, !llvm.ptr<1>)
  ^loop(%i: i32, %from: !llvm.ptr<1>):
    %at = llvm.getelementptr %from[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %value = llvm.load %at : !llvm.ptr<1> -> i32
    %is = llvm.icmp "eq" %value, %c0 : i32
    llvm.cond_br %is, ^store, ^next(%c1, %at : i32, !llvm.ptr<1>)
  ^store:
    llvm.store %value, %y : i32, !llvm.ptr<1>
    llvm.br ^next(%c0, %at : i32, !llvm.ptr<1>)
  ^next(%chosen: i32, %same: !llvm.ptr<1>):
    llvm.store %chosen, %same : i32, !llvm.ptr<1>
    // What lies behind the block in which the ways met is chosen by others.
    llvm.cond_br %first, ^last(%s : !llvm.ptr<1>), ^last(%g : !llvm.ptr<1>)
  ^last(%to: !llvm.ptr<1>):
    llvm.store %value, %to : i32, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %value : i32
    llvm.cond_br %more, ^loop(%j, %from : i32, !llvm.ptr<1>), ^end
  ^end:
    llvm.return
  }
}

// -----

// A loop that polls for a value, in a loop: addresses do not change in it.
gpu.module @polling {
  llvm.func @kernel(%flag: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %s[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.br ^poll
  ^poll:
    %to = llvm.getelementptr %at[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %seen = llvm.load volatile %flag : !llvm.ptr<1> -> i32
    %ready = llvm.icmp "sgt" %seen, %i : i32
    llvm.cond_br %ready, ^go, ^poll
  ^go:
    llvm.store %i, %to : i32, !llvm.ptr<1>
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// Tagged ids may choose by branches as well.
gpu.module @row_ids {
  llvm.func @kernel(%ids: !llvm.ptr<1>, %x: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %row = llvm.load %ids {wna16.row_ids} : !llvm.ptr<1> -> i32
    %valid = llvm.icmp "sge" %row, %c0 : i32
    llvm.cond_br %valid, ^take(%row : i32), ^take(%c0 : i32)
  ^take(%taken: i32):
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %from = llvm.getelementptr %x[%taken] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %value = llvm.load %from : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

gpu.module @chosen_index {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %g[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-note @below {{the value is loaded here; ids of rows or experts are loaded before the loop and carry 'wna16.row_ids'}}
    %group = llvm.load %at : !llvm.ptr<1> -> i32
    %is = llvm.icmp "eq" %group, %c1 : i32
    // expected-note @below {{this branch on it chooses the address}}
    llvm.cond_br %is, ^one, ^take(%c0 : i32)
  ^one:
    llvm.br ^take(%c1 : i32)
  ^take(%which: i32):
    %from = llvm.getelementptr %s[%which] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a); the order of K is static, addresses are functions of loop counters}}
    %scale = llvm.load %from : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// The pointer itself, by both edges of one branch, before the loop.
gpu.module @chosen_pointer {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %t: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    // expected-note @below {{the value is loaded here}}
    %flag = llvm.load %g : !llvm.ptr<1> -> i32
    %is = llvm.icmp "eq" %flag, %c1 : i32
    // expected-note @below {{this branch on it chooses the address}}
    llvm.cond_br %is, ^take(%s : !llvm.ptr<1>), ^take(%t : !llvm.ptr<1>)
  ^take(%from: !llvm.ptr<1>):
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %from[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a)}}
    %value = llvm.load %at : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

gpu.module @chosen_by_switch {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // expected-note @below {{the value is loaded here}}
    %group = llvm.load %g : !llvm.ptr<1> -> i32
    // expected-note @below {{this branch on it chooses the address}}
    llvm.switch %group : i32, ^take(%c0 : i32) [
      1: ^take(%c1 : i32),
      2: ^take(%c2 : i32)
    ]
  ^take(%which: i32):
    %from = llvm.getelementptr %s[%which] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a)}}
    %scale = llvm.load %from : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// A loop counts up to the loaded index; its counter is used behind it.
gpu.module @counted_up_to {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %at = llvm.getelementptr %g[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-note @below {{the value is loaded here}}
    %group = llvm.load %at : !llvm.ptr<1> -> i32
    llvm.br ^search(%c0 : i32)
  ^search(%k: i32):
    %is = llvm.icmp "eq" %group, %k : i32
    %up = llvm.add %k, %c1 : i32
    // expected-note @below {{this branch on it chooses the address}}
    llvm.cond_br %is, ^take, ^search(%up : i32)
  ^take:
    %from = llvm.getelementptr %s[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a)}}
    %scale = llvm.load %from : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// The same, taken along by the edge that leaves the loop.
gpu.module @taken_along {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // expected-note @below {{the value is loaded here}}
    %group = llvm.load %g : !llvm.ptr<1> -> i32
    llvm.br ^search(%s : !llvm.ptr<1>)
  ^search(%pointer: !llvm.ptr<1>):
    %address = llvm.ptrtoint %pointer : !llvm.ptr<1> to i32
    %is = llvm.icmp "eq" %group, %address : i32
    %up = llvm.getelementptr %pointer[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    // expected-note @below {{this branch on it chooses the address}}
    llvm.cond_br %is, ^take(%up : !llvm.ptr<1>), ^search(%up : !llvm.ptr<1>)
  ^take(%from: !llvm.ptr<1>):
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a)}}
    %scale = llvm.load %from : !llvm.ptr<1> -> i32
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// A round of the loop that skips the step: the next one reads elsewhere.
gpu.module @carried_choice {
  llvm.func @kernel(%g: !llvm.ptr<1>, %s: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^loop(%c0, %c0 : i32, i32)
  ^loop(%i: i32, %place: i32):
    // The counter is the same by both ways.
    %at = llvm.getelementptr %s[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %value = llvm.load %at : !llvm.ptr<1> -> i32
    %from = llvm.getelementptr %s[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // expected-error @below {{address in a loop depends on a loaded value (ORD5a)}}
    %scale = llvm.load %from : !llvm.ptr<1> -> i32
    // expected-note @below {{the value is loaded here}}
    %skip = llvm.load %g : !llvm.ptr<1> -> i32
    %is = llvm.icmp "eq" %skip, %c1 : i32
    %j = llvm.add %i, %c1 : i32
    %step = llvm.add %place, %c1 : i32
    %more = llvm.icmp "slt" %j, %n : i32
    llvm.cond_br %more, ^again, ^end
  ^again:
    // expected-note @below {{this branch on it chooses the address}}
    llvm.cond_br %is, ^loop(%j, %place : i32, i32), ^loop(%j, %step : i32, i32)
  ^end:
    llvm.return
  }
}
