// RUN: wna16-opt %s --assign-waits --split-input-file --verify-diagnostics

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @never_committed() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%c0] : !ring
    tile.commit %ring[%c0] : !ring
    // expected-error @+1 {{'tile.wait' op waits for step 1 that was never committed}}
    tile.wait %ring[%c1] : !ring
  }
}

// -----

!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
tile.kernel @committed_by_another_part() attributes {arg_names = [], warps = 2 : i64} {
  tile.for_each_work (%im, %in, %part) tile [16, 64] of [16, 64] parts 2 {
    %c0 = arith.constant 0 : index
    %ring = tile.ring : !ring
    tile.acquire %ring[%part] : !ring
    tile.commit %ring[%part] : !ring
    // expected-error @+1 {{'tile.wait' op waits for step 0 that was never committed}}
    tile.wait %ring[%c0] : !ring
  }
}

// -----

// What cannot be executed without data is refused where it stands.
tile.kernel @endless() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %step = arith.subi %c8, %c8 : index
    // expected-error @+1 {{'scf.for' op expected a positive step, found 0}}
    scf.for %i = %c0 to %c8 step %step {
    }
  }
}

// -----

tile.kernel @too_long() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %end = arith.constant 4000000 : index
    scf.for %i = %c0 to %end step %c1 {
      // expected-error @+1 {{'arith.addi' op expected the kernel to end within 4000000 executed ops}}
      %j = arith.addi %i, %c1 : index
    }
  }
}

// -----

tile.kernel @divides_by_zero() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c8 = arith.constant 8 : index
    // expected-error @+1 {{'arith.divui' op divides by zero}}
    %q = arith.divui %c8, %im : index
  }
}

// -----

tile.kernel @remainder_of_zero() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c8 = arith.constant 8 : index
    // expected-error @+1 {{'arith.remsi' op divides by zero}}
    %q = arith.remsi %c8, %im : index
  }
}

// -----

tile.kernel @floating_point() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    // expected-error @+1 {{'arith.constant' op expected an integer constant in a kernel}}
    %f = arith.constant 1.0 : f32
  }
}

// -----

tile.kernel @other_arithmetic() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    // expected-error @+1 {{'arith.ceildivsi' op is not supported in a tile kernel}}
    %q = arith.ceildivsi %in, %in : index
  }
}

// -----

tile.kernel @branch() attributes {arg_names = [], warps = 1 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %im, %c0 : index
    // expected-error @+1 {{'scf.if' op expected tile, arith and scf.for in a kernel}}
    scf.if %first {
    }
  }
}
