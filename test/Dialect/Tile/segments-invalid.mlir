// RUN: wna16-opt %s --split-input-file --verify-diagnostics

// One kernel per rule of docs/spec.md, named after the rule.

tile.kernel @segment_c1_columns(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x3xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x3xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    // expected-error @+1 {{expected a table of four columns of i32 to read, from tile.bind, found '!tile.global<?x3xi32, read>' [SEGMENT-C1]}}
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x3xi32, read>
  }
}

// -----

tile.kernel @segment_c2_height(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [8, 64] of [%s, 64] {
    // expected-error @+1 {{expected to stand in the work that it is about, one row of the table per tile [SEGMENT-C2]}}
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
  }
}

// -----

tile.kernel @segment_c2_row(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    // expected-error @+1 {{expected to stand in the work that it is about, one row of the table per tile [SEGMENT-C2]}}
    %e, %first, %count = tile.load_segment %table[%in] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
  }
}

// -----

tile.kernel @segment_c3_two(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    // expected-error @+1 {{expected one segment per tile of work [SEGMENT-C3]}}
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    %e2, %f2, %c2 = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
  }
}

// -----

tile.kernel @expert_c1_matrix(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    %we = tile.expert %w[%e] : !tile.global<3x64x64xf16, read> -> !tile.global<64x64xf16, read>
    // expected-error @+1 {{expected a stack of matrices, an argument of the kernel, found '!tile.global<64x64xf16, read>' [EXPERT-C1]}}
    %wf = tile.expert %we[%e] : !tile.global<64x64xf16, read> -> !tile.global<64x64xf16, read>
  }
}

// -----

tile.kernel @expert_c2_type(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected the result type '!tile.global<64x64xf16, read>', found '!tile.global<64x32xf16, read>' [EXPERT-C2]}}
    %we = tile.expert %w[%e] : !tile.global<3x64x64xf16, read> -> !tile.global<64x32xf16, read>
  }
}

// -----

tile.kernel @expert_c3_position(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected the expert of a tile.load_segment of at most 3 experts [EXPERT-C3]}}
    %we = tile.expert %w[%first] : !tile.global<3x64x64xf16, read> -> !tile.global<64x64xf16, read>
  }
}

// -----

tile.kernel @expert_c3_many(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 4 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected the expert of a tile.load_segment of at most 3 experts [EXPERT-C3]}}
    %we = tile.expert %w[%e] : !tile.global<3x64x64xf16, read> -> !tile.global<64x64xf16, read>
  }
}

// -----

tile.kernel @expert_c4_stack(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected a matrix, found a stack; tile.expert takes one of its matrices [EXPERT-C4]}}
    %t = tile.load %w[%c0, %c0] : !tile.global<3x64x64xf16, read> -> !tile.val<64x64xf16>
  }
}

// -----

tile.kernel @rows_c1_coordinate(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected first position and count of one tile.load_segment [ROWS-C1]}}
    %xs = tile.rows %xb from %im count %count : !tile.global<?x64xf16, read>
  }
}

// -----

tile.kernel @rows_c1_swapped(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected first position and count of one tile.load_segment [ROWS-C1]}}
    %xs = tile.rows %xb from %count count %first : !tile.global<?x64xf16, read>
  }
}

// -----

tile.kernel @rows_c2_argument(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected a matrix from tile.bind [ROWS-C2]}}
    %xs = tile.rows %x from %first count %count : !tile.global<?x64xf16, read>
  }
}

// -----

tile.kernel @rows_c3_columns(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected a map of one column of i32 to read, from tile.bind, found '!tile.global<?x4xi32, read>' [ROWS-C3]}}
    %xs = tile.rows %xb from %first count %count map %table by 1 : !tile.global<?x64xf16, read>, !tile.global<?x4xi32, read>
  }
}

// -----

tile.kernel @rows_c4_map(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected a map with a row for each position of the segment [ROWS-C4]}}
    %xs = tile.rows %xb from %first count %count map %other by 2 : !tile.global<?x64xf16, read>, !tile.global<?x1xi32, read>
  }
}

// -----

tile.kernel @rows_c4_matrix(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    // expected-error @+1 {{expected a matrix with a row for each position of the segment [ROWS-C4]}}
    %xs = tile.rows %xt from %first count %count : !tile.global<?x64xf16, read>
  }
}

// -----

tile.kernel @ord4_position(%x: !tile.global<?x64xf16, read>, %w: !tile.global<3x64x64xf16, read>,
    %segments: !tile.global<?x4xi32, read>, %slots: !tile.global<?x1xi32, read>,
    %m: index, %s: index)
    attributes {arg_names = ["x", "w", "segments", "slots", "M", "S"], warps = 1 : i64} {
  %xb = tile.bind %x rows %m : !tile.global<?x64xf16, read>
  %xt = tile.bind %x rows %s : !tile.global<?x64xf16, read>
  %table = tile.bind %segments rows %s : !tile.global<?x4xi32, read>
  %map = tile.bind %slots rows %m : !tile.global<?x1xi32, read>
  %other = tile.bind %slots rows %s : !tile.global<?x1xi32, read>
  tile.for_each_work (%im, %in) tile [1, 64] of [%s, 64] {
    // expected-note @+1 {{it depends on this value}}
    %e, %first, %count = tile.load_segment %table[%im] of %m {experts = 3 : i64, most = 8 : i64}
        : !tile.global<?x4xi32, read>
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected the row to be computed from loop counters, work coordinates and constants only}}
    %t = tile.load %xb[%first, %c0] : !tile.global<?x64xf16, read> -> !tile.val<8x64xf16>
  }
}
