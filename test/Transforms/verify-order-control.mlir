// RUN: wna16-opt %s --verify-order --split-input-file --verify-diagnostics -o /dev/null

// ORD3 where loaded data order K through control only: no index is read, but
// conditions and bounds are. Each function of the first part is accepted.

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// A mask: each element stays where it is.
func.func @mask(%x: !x, %mask: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : !x
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %mask : !x, tensor<128xi1>) outs(%init : !x) {
  ^bb0(%e: f16, %keep: i1, %out: f16):
    %1 = arith.select %keep, %e, %zero : f16
    linalg.yield %1 : f16
  } -> !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// A mask per group of 8: its own index is no place of x.
func.func @mask_of_groups(%x: !x, %mask: tensor<16xi1>, %w: !w, %s: !s) -> !y {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f16
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %g = arith.divui %k, %c8 : index
    %keep = tensor.extract %mask[%g] : tensor<16xi1>
    %e = tensor.extract %x[%m, %k] : !x
    %1 = arith.select %keep, %e, %zero : f16
    tensor.yield %1 : f16
  } : !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

func.func @mask_by_if(%x: !x, %mask: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %keep = tensor.extract %mask[%k] : tensor<128xi1>
    %1 = scf.if %keep -> !x {
      %column = tensor.extract_slice %x[0, %k] [8, 1] [1, 1] : !x to tensor<8xf16>
      %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8xf16> into !x
      scf.yield %next : !x
    } else {
      scf.yield %a : !x
    }
    scf.yield %1 : !x
  }
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// Rows that a mixture of experts routes, where there is one.
func.func @rows_if_valid(%x: tensor<32x128xf16>, %rows: tensor<8xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %init = tensor.empty() : !x
  %0 = scf.for %m = %c0 to %c8 step %c1 iter_args(%a = %init) -> !x {
    %row = tensor.extract %rows[%m] : tensor<8xindex>
    %valid = arith.cmpi ult, %row, %c32 : index
    %1 = scf.if %valid -> !x {
      %slice = tensor.extract_slice %x[%row, 0] [1, 128] [1, 1] : tensor<32x128xf16> to tensor<1x128xf16>
      %next = tensor.insert_slice %slice into %a[%m, 0] [1, 128] [1, 1] : tensor<1x128xf16> into !x
      scf.yield %next : !x
    } else {
      scf.yield %a : !x
    }
    scf.yield %1 : !x
  }
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// A routed row, element by element, masked along K.
func.func @routed_and_masked(%x: tensor<32x128xf16>, %rows: tensor<8xindex>, %mask: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %row = tensor.extract %rows[%m] : tensor<8xindex>
    %keep = tensor.extract %mask[%k] : tensor<128xi1>
    %e = tensor.extract %x[%row, %k] : tensor<32x128xf16>
    %1 = arith.select %keep, %e, %zero : f16
    tensor.yield %1 : f16
  } : !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// As many elements as data say, each at its place; rows of different lengths.
func.func @loaded_bounds(%x: !x, %lengths: tensor<8xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.extract %lengths[%c0] : tensor<8xindex>
  %init = tensor.empty() : !x
  %0 = scf.for %m = %c0 to %rows step %c1 iter_args(%a = %init) -> !x {
    %length = tensor.extract %lengths[%m] : tensor<8xindex>
    %1 = scf.for %k = %c0 to %length step %c1 iter_args(%b = %a) -> !x {
      %e = tensor.extract %x[%m, %k] : !x
      %next = tensor.insert %e into %b[%m, %k] : !x
      scf.yield %next : !x
    }
    scf.yield %1 : !x
  }
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// One piece of K, in order, from where data say.
func.func @loaded_start(%x: tensor<8x4096xf16>, %start: tensor<1xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %first = tensor.extract %start[%c0] : tensor<1xindex>
  %last = arith.addi %first, %c128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %first to %last step %c1 iter_args(%a = %init) -> !x {
    %column = tensor.extract_slice %x[0, %k] [8, 1] [1, 1] : tensor<8x4096xf16> to tensor<8x1xf16>
    %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8x1xf16> into !x
    scf.yield %next : !x
  }
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// The start is searched: still one piece.
func.func @searched_start(%x: tensor<8x4096xf16>, %marks: tensor<32xi1>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %first = scf.while (%i = %c0) : (index) -> index {
    %mark = tensor.extract %marks[%i] : tensor<32xi1>
    %more = arith.xori %mark, %true : i1
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  %0 = tensor.extract_slice %x[0, %first] [8, 128] [1, 1] : tensor<8x4096xf16> to !x
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// One choice for all of K.
func.func @choice_of_a_tensor(%x: !x, %other: !x, %flag: tensor<1xi1>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %flag[%c0] : tensor<1xi1>
  %0 = arith.select %first, %x, %other : !x
  cf.cond_br %first, ^one(%0 : !x), ^one(%x : !x)
^one(%1: !x):
  %y = wna16.gemm %1, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// A loop over blocks that data end.
func.func @branch_loop(%x: !x, %count: tensor<1xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = tensor.extract %count[%c0] : tensor<1xindex>
  %init = tensor.empty() : !x
  cf.br ^loop(%init, %c0 : !x, index)
^loop(%a: !x, %k: index):
  %more = arith.cmpi ult, %k, %end : index
  cf.cond_br %more, ^body, ^done
^body:
  %v = tensor.extract %x[%c0, %k] : !x
  %u = tensor.insert %v into %a[%c0, %k] : !x
  %next = arith.addi %k, %c1 : index
  cf.br ^loop(%u, %next : !x, index)
^done:
  %y = wna16.gemm %a, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func @ord3_index_by_select(%x: !x, %swap: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{reordered along K here, by 'tensor.generate', by indices that a branch or a bound on loaded data decides}}
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %other = arith.xori %k, %c1 : index
    %c = tensor.extract %swap[%k] : tensor<128xi1>
    %i = arith.select %c, %other, %k : index
    %e = tensor.extract %x[%m, %i] : !x
    tensor.yield %e : f16
  } : !x
  // expected-error@+1 {{'wna16.gemm' op operand #0 was reordered along K; the order of K is static, a scale belongs to consecutive rows of k; re-quantize with static ordering or desc_act=false [ORD3]}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

func.func @ord3_index_by_if(%x: !x, %swap: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %c = tensor.extract %swap[%k] : tensor<128xi1>
    %i = scf.if %c -> index {
      %other = arith.xori %k, %c1 : index
      scf.yield %other : index
    } else {
      scf.yield %k : index
    }
    // expected-note@+1 {{by 'tensor.extract_slice', by indices that a branch or a bound on loaded data decides}}
    %column = tensor.extract_slice %x[0, %i] [8, 1] [1, 1] : !x to tensor<8xf16>
    %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8xf16> into !x
    scf.yield %next : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// The k that says that it goes here is searched for.
func.func @ord3_index_by_while(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %i = scf.while (%j = %c0) : (index) -> index {
      %p = tensor.extract %perm[%j] : tensor<128xindex>
      %more = arith.cmpi ne, %p, %k : index
      scf.condition(%more) %j : index
    } do {
    ^bb0(%j: index):
      %next = arith.addi %j, %c1 : index
      scf.yield %next : index
    }
    // expected-note@+1 {{by 'tensor.extract_slice', by indices that a branch or a bound on loaded data decides}}
    %column = tensor.extract_slice %x[0, %i] [8, 1] [1, 1] : !x to tensor<8xf16>
    %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8xf16> into !x
    scf.yield %next : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// A loop counts up to the index.
func.func @ord3_index_by_bound(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %p = tensor.extract %perm[%k] : tensor<128xindex>
    %i = scf.for %j = %c0 to %p step %c1 iter_args(%n = %c0) -> index {
      %more = arith.addi %n, %c1 : index
      scf.yield %more : index
    }
    // expected-note@+1 {{by 'tensor.extract_slice', by indices that a branch or a bound on loaded data decides}}
    %column = tensor.extract_slice %x[0, %i] [8, 1] [1, 1] : !x to tensor<8xf16>
    %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8xf16> into !x
    scf.yield %next : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// The counter of a loop of one round is the index.
func.func @ord3_index_by_lower_bound(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %p = tensor.extract %perm[%k] : tensor<128xindex>
    %end = arith.addi %p, %c1 : index
    %1 = scf.for %j = %p to %end step %c1 iter_args(%b = %a) -> !x {
      // expected-note@+1 {{by 'tensor.extract_slice', slice by slice, at offsets read from memory}}
      %column = tensor.extract_slice %x[0, %j] [8, 1] [1, 1] : !x to tensor<8xf16>
      %next = tensor.insert_slice %column into %b[0, %k] [8, 1] [1, 1] : tensor<8xf16> into !x
      scf.yield %next : !x
    }
    scf.yield %1 : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// The last round of a loop wins.
func.func @ord3_last_round(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %p = tensor.extract %perm[%k] : tensor<128xindex>
    %1 = scf.for %j = %c0 to %p step %c1 iter_args(%b = %a) -> !x {
      // expected-note@+1 {{by 'tensor.extract_slice', by a choice that loaded data make between elements of K}}
      %column = tensor.extract_slice %x[0, %j] [8, 1] [1, 1] : !x to tensor<8xf16>
      %next = tensor.insert_slice %column into %b[0, %k] [8, 1] [1, 1] : tensor<8xf16> into !x
      scf.yield %next : !x
    }
    scf.yield %1 : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// All elements come by, one is taken.
func.func @ord3_write_under_if(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %p = tensor.extract %perm[%k] : tensor<128xindex>
    %1 = scf.for %j = %c0 to %c128 step %c1 iter_args(%b = %a) -> !x {
      %here = arith.cmpi eq, %p, %j : index
      %2 = scf.if %here -> !x {
        // expected-note@+1 {{by 'tensor.extract', by a choice that loaded data make between elements of K}}
        %e = tensor.extract %x[%c0, %j] : !x
        %next = tensor.insert %e into %b[%c0, %k] : !x
        scf.yield %next : !x
      } else {
        scf.yield %b : !x
      }
      scf.yield %2 : !x
    }
    scf.yield %1 : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// The place moves on where data say so: elements are packed.
func.func @ord3_place_by_if(%x: !x, %keep: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0, %last = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init, %at = %c0) -> (!x, index) {
    %e = tensor.extract %x[%c0, %k] : !x
    // expected-note@+1 {{by 'tensor.insert', by indices that a branch or a bound on loaded data decides}}
    %next = tensor.insert %e into %a[%c0, %at] : !x
    %c = tensor.extract %keep[%k] : tensor<128xi1>
    %to = scf.if %c -> index {
      %more = arith.addi %at, %c1 : index
      scf.yield %more : index
    } else {
      scf.yield %at : index
    }
    scf.yield %next, %to : !x, index
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// Two elements are read at fixed places, data choose one.
func.func @ord3_select_of_elements(%x: !x, %swap: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{by 'tensor.generate', by a choice that loaded data make between elements of K}}
  %0 = tensor.generate {
  ^bb0(%m: index, %k: index):
    %other = arith.xori %k, %c1 : index
    %c = tensor.extract %swap[%k] : tensor<128xi1>
    %here = tensor.extract %x[%m, %k] : !x
    %there = tensor.extract %x[%m, %other] : !x
    %e = arith.select %c, %there, %here : f16
    tensor.yield %e : f16
  } : !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// The same by the maps of a linalg op.
func.func @ord3_select_of_operands(%x: !x, %swap: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %init = tensor.empty() : !x
  // expected-note@+1 {{by 'linalg.generic', by a choice that loaded data make between elements of K}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 127 - k)>,
                       affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %x, %swap : !x, !x, tensor<128xi1>) outs(%init : !x) {
  ^bb0(%here: f16, %there: f16, %c: i1, %out: f16):
    %e = arith.select %c, %there, %here : f16
    linalg.yield %e : f16
  } -> !x
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// Two slices at constant places.
func.func @ord3_if_of_slices(%x: !x, %which: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  %0 = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %init) -> !x {
    %c = tensor.extract %which[%k] : tensor<128xi1>
    %column = scf.if %c -> tensor<8x1xf16> {
      %one = tensor.extract_slice %x[0, 5] [8, 1] [1, 1] : !x to tensor<8x1xf16>
      scf.yield %one : tensor<8x1xf16>
    } else {
      // expected-note@+1 {{by 'tensor.extract_slice', by a choice that loaded data make between elements of K}}
      %other = tensor.extract_slice %x[0, 7] [8, 1] [1, 1] : !x to tensor<8x1xf16>
      scf.yield %other : tensor<8x1xf16>
    }
    %next = tensor.insert_slice %column into %a[0, %k] [8, 1] [1, 1] : tensor<8x1xf16> into !x
    scf.yield %next : !x
  }
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %0, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// Branches between blocks that meet in an argument.
func.func @ord3_index_by_branch(%x: !x, %swap: tensor<128xi1>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  cf.br ^loop(%init, %c0 : !x, index)
^loop(%a: !x, %k: index):
  %c = tensor.extract %swap[%k] : tensor<128xi1>
  %other = arith.xori %k, %c1 : index
  cf.cond_br %c, ^meet(%other : index), ^straight
^straight:
  cf.br ^meet(%k : index)
^meet(%i: index):
  // expected-note@+1 {{by 'tensor.extract', by indices that a branch or a bound on loaded data decides}}
  %v = tensor.extract %x[%c0, %i] : !x
  %u = tensor.insert %v into %a[%c0, %k] : !x
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %c128 : index
  cf.cond_br %more, ^loop(%u, %next : !x, index), ^done
^done:
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %u, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// A loop of blocks is left when the index is found.
func.func @ord3_index_by_exit(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  cf.br ^loop(%init, %c0 : !x, index)
^loop(%a: !x, %k: index):
  cf.br ^search(%c0 : index)
^search(%j: index):
  %p = tensor.extract %perm[%j] : tensor<128xindex>
  %found = arith.cmpi eq, %p, %k : index
  %step = arith.addi %j, %c1 : index
  cf.cond_br %found, ^take, ^search(%step : index)
^take:
  // expected-note@+1 {{by 'tensor.extract', by indices that a branch or a bound on loaded data decides}}
  %v = tensor.extract %x[%c0, %j] : !x
  %u = tensor.insert %v into %a[%c0, %k] : !x
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %c128 : index
  cf.cond_br %more, ^loop(%u, %next : !x, index), ^done
^done:
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %u, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}

// -----

!w = tensor<128x64x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>
!x = tensor<8x128xf16>
!y = tensor<8x64xf16>

// Blocks that write, or not.
func.func @ord3_write_under_branch(%x: !x, %perm: tensor<128xindex>, %w: !w, %s: !s) -> !y {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %init = tensor.empty() : !x
  cf.br ^loop(%init, %c0, %c0 : !x, index, index)
^loop(%a: !x, %k: index, %j: index):
  %p = tensor.extract %perm[%k] : tensor<128xindex>
  %here = arith.cmpi eq, %p, %j : index
  cf.cond_br %here, ^write, ^meet(%a : !x)
^write:
  // expected-note@+1 {{by 'tensor.extract', by a choice that loaded data make between elements of K}}
  %v = tensor.extract %x[%c0, %j] : !x
  %u = tensor.insert %v into %a[%c0, %k] : !x
  cf.br ^meet(%u : !x)
^meet(%b: !x):
  %step = arith.addi %j, %c1 : index
  %again = arith.cmpi slt, %step, %c128 : index
  cf.cond_br %again, ^loop(%b, %k, %step : !x, index, index), ^next
^next:
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %c128 : index
  cf.cond_br %more, ^loop(%b, %next, %c0 : !x, index, index), ^done
^done:
  // expected-error@+1 {{operand #0 was reordered along K}}
  %y = wna16.gemm %b, %w, %s : (!x, !w, !s) -> !y
  return %y : !y
}
