// RUN: wna16-opt %s --convert-tile-to-nvvm --split-input-file | FileCheck %s
// RUN: wna16-opt %s --convert-tile-to-nvvm=target=sm_120a --split-input-file | FileCheck %s --check-prefix=TARGET

#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
!ring = !tile.ring<2, [<"x", !tile.val<4x64xf16>>]>
!x = !tile.global<?x64xf16, read>
!y = !tile.global<?x64xf16, write>

// The block index is the tile. Rows beyond M are neither copied nor stored: a predicate
// for every 16 bytes, no branch. A lane that reads what it copied waits for nobody.
// TARGET: wna16.launch = {{.*}}\22target\22: \22sm_120a\22
// CHECK: gpu.module @copy_module
// CHECK: llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @copy(%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>, %[[M:.*]]: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, wna16.launch = "
// CHECK-SAME: \22kernel\22: \22copy\22,{{.*}} \22target\22: \22sm_90a\22
// CHECK-SAME: \22grid\22:
// CHECK-SAME: \22size\22: \22M\22,\0A \22tile\22: 4\0A
// CHECK-SAME: \22size\22: 64,\0A \22tile\22: 64\0A
// CHECK-SAME: \22block\22: [32,1,1]
// CHECK-SAME: \22shared_bytes\22: 1024,
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.*]] = llvm.and %[[TID]],
// CHECK: %[[MI:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK: %[[ROWS:.*]] = arith.index_cast %[[MI]] : index to i32
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: nvvm.read.ptx.sreg.ctaid.y
// CHECK: %[[IM:.*]] = arith.muli
// CHECK: %[[IN:.*]] = arith.muli
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[X]][
// CHECK: %[[PIN:.*]] = llvm.inline_asm "mov{{.*}} %[[FROM]]
// CHECK: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.lshr %[[LANE]], %[[THREE]]
// CHECK: %[[LEFT:.*]] = llvm.sub %[[ROWS]], %{{.*}} : i32
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[INSIDE:.*]] = llvm.icmp "sgt" %[[LEFT]], %[[ZERO]]
// CHECK: llvm.inline_asm has_side_effects "@$2 cp.async.{{.*}}16;", {{.*}} %{{.*}}, %[[PIN]], %[[INSIDE]] :
// CHECK-NOT: cp.async
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NOT: {{barrier|bar\.}}
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[Y]][
// CHECK: %[[WRITE:.*]] = llvm.icmp "sgt"
// CHECK: llvm.inline_asm has_side_effects "@$0 st.global.v4.b32 {{.*}} %[[WRITE]], %[[TO]],
// CHECK-NEXT: llvm.return
tile.kernel @copy(%x: !x, %y: !y, %m: index)
    attributes {arg_names = ["x", "y", "M"], warps = 1 : i64, shared_bytes = 1024 : i64} {
  %xb = tile.bind %x rows %m : !x
  %yb = tile.bind %y rows %m : !y
  tile.for_each_work (%im, %in) tile [4, 64] of [%m, 64] {
    %i = arith.constant 1 : index
    %ring = tile.ring {offset = 0 : i64} : !ring
    tile.acquire %ring[%i] : !ring
    tile.fill "x" of %ring[%i] = %xb[%im, %in] threads(#rows) : !ring, !x
    tile.commit %ring[%i] : !ring
    tile.wait %ring[%i] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    %v = tile.read "x" of %ring[%i] [0, 0] : !ring -> !tile.val<4x64xf16, #rows>
    tile.release %ring[%i] {scope = #tile.scope<lane>} : !ring
    tile.store %v, %yb[%im, %in] : !tile.val<4x64xf16, #rows>, !y
  }
}

// -----

!ring = !tile.ring<4, [<"x", !tile.val<4x64xf16>>]>

// Scopes: a warp; the warps of a part, with a barrier of their own; the block.
// CHECK: llvm.func @scopes
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.*]] = llvm.lshr %[[TID]],
// CHECK: %[[PART:.*]] = llvm.udiv %[[WARP]],
// CHECK: nvvm.cp.async.wait.group 3
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK-NEXT: nvvm.bar.warp.sync %[[ALL]]
// CHECK: nvvm.cp.async.wait.group 2
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[ID:.*]] = llvm.add %[[PART]], %[[ONE]]
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-NEXT: nvvm.barrier id = %[[ID]] number_of_threads = %[[COUNT]]
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier{{$}}
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier{{$}}
// CHECK-NEXT: llvm.return
tile.kernel @scopes() attributes {arg_names = [], warps = 4 : i64, shared_bytes = 2048 : i64} {
  tile.for_each_work (%im, %in, %part) tile [4, 64] of [4, 64] parts 2 {
    %ring = tile.ring {offset = 0 : i64} : !ring
    tile.wait %ring[%part] {pending = 3 : i64, scope = #tile.scope<warp>} : !ring
    tile.wait %ring[%part] {pending = 2 : i64, scope = #tile.scope<part>} : !ring
    tile.wait %ring[%part] {pending = 1 : i64, scope = #tile.scope<block>} : !ring
    tile.wait %ring[%part] {pending = 0 : i64, scope = #tile.scope<lane>} : !ring
    tile.release %ring[%part] {scope = #tile.scope<block>} : !ring
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 16]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 16]>
!share = !tile.val<16x8xf32, #acc, partial>
!sum = !tile.val<16x8xf32, #rows>

// Registers of weights and activations in the order of the instruction; scaled sums with
// one fused operation; shares through shared memory, after all warps have met if a ring
// lies there; parts added in rising order.
// CHECK: llvm.func @product
// CHECK: %[[ZERO:.*]] = llvm.mlir.zero : f32
// CHECK: %[[D:.*]] = nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
// CHECK-NOT: nvvm.mma.sync
// CHECK: %[[D0:.*]] = llvm.extractvalue %[[D]][0]
// CHECK: %[[D3:.*]] = llvm.extractvalue %[[D]][3]
// CHECK: %[[S0:.*]] = llvm.fpext
// CHECK: %[[A0:.*]] = llvm.intr.fma(%[[S0]], %[[D0]], %[[ZERO]])
// CHECK: %[[S1:.*]] = llvm.fpext
// CHECK: %[[A3:.*]] = llvm.intr.fma(%[[S1]], %[[D3]], %[[ZERO]])
// CHECK-NOT: llvm.fpext
// CHECK: nvvm.barrier{{$}}
// CHECK-COUNT-4: st.shared
// CHECK-NOT: st.shared
// CHECK: nvvm.barrier{{$}}
// CHECK: %[[P0:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[P1:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[SUM:.*]] = llvm.fadd %[[P0]], %[[P1]] : vector<4xf32>
// CHECK-NOT: llvm.fadd
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.fptrunc {{.*}} : vector<2xf32> to vector<2xf16>
// CHECK: llvm.func @scratch_alone
// CHECK-NOT: nvvm.barrier
// CHECK: st.shared
// CHECK: nvvm.barrier{{$}}
// CHECK-NOT: nvvm.barrier
tile.kernel @product(%x: !tile.global<8x16xf16, read>, %w: !tile.global<16x16xf16, read>,
                     %s: !tile.global<1x16xf16, read>, %y: !tile.global<8x16xf16, write>)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 2 : i64, shared_bytes = 1280 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 16] parts 2 {
    %c0 = arith.constant 0 : index
    %weights = tile.load %w[%c0, %in] : !tile.global<16x16xf16, read> -> !tile.val<16x16xf16, #weights>
    %acts = tile.load %x[%im, %c0] : !tile.global<8x16xf16, read> -> !tile.val<8x16xf16, #acts>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 16 : i64} : !tile.global<1x16xf16, read> -> !tile.val<1x16xf16, #scales>
    %zero = tile.zero : !share
    %product = tile.mma %weights, %acts, %zero : !tile.val<16x16xf16, #weights>, !tile.val<8x16xf16, #acts>, !share
    %share = tile.scale_acc %zero, %product, %scales : !share, !tile.val<1x16xf16, #scales>
    %sum = tile.combine %share {scratch_aliases, scratch_offset = 0 : i64} : !share -> !sum
    %h = tile.cast %sum : !sum -> !tile.val<16x8xf16, #rows>
    tile.store %h, %y[%im, %in] transposed : !tile.val<16x8xf16, #rows>, !tile.global<8x16xf16, write>
  }
}
tile.kernel @scratch_alone() attributes {arg_names = [], warps = 2 : i64, shared_bytes = 1280 : i64} {
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [8, 16] parts 2 {
    %share = tile.zero : !share
    %sum = tile.combine %share {scratch_offset = 0 : i64} : !share -> !sum
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
!codes = !tile.val<16x64x!wna16.code<4, offset = 8>, #codes>

// Four words of eight codes each: one load; two codes at a time become f16 by one bit
// operation on mask and exponent and one subtraction; the lower nibble of a byte gives
// 1024 + c, the upper 64 + c. The words' second halves come by one shift each.
// CHECK: llvm.func @exact
// CHECK: %[[LOADED:.*]] = llvm.inline_asm {{.*}}ld.global{{.*}}.v4.b32
// CHECK: %[[WORD:.*]] = llvm.extractvalue %[[LOADED]][0]
// CHECK: %[[LOW:.*]] = llvm.inline_asm "lop3{{.*}} %[[WORD]], %{{.*}}, %{{.*}} :
// CHECK: %[[LOWF:.*]] = llvm.bitcast %[[LOW]] : i32 to vector<2xf16>
// CHECK: %[[BIASLOW:.*]] = llvm.mlir.constant(dense<1.032000e+03> : vector<2xf16>)
// CHECK-NEXT: llvm.fsub %[[LOWF]], %[[BIASLOW]]
// CHECK: %[[SHIFTED:.*]] = llvm.lshr %[[WORD]],
// CHECK: lop3{{.*}} %[[SHIFTED]],
// CHECK: %[[HIGH:.*]] = llvm.inline_asm "lop3{{.*}} %[[WORD]],
// CHECK: %[[HIGHF:.*]] = llvm.bitcast %[[HIGH]] : i32 to vector<2xf16>
// CHECK: %[[BIASHIGH:.*]] = llvm.mlir.constant(dense<7.200000e+01> : vector<2xf16>)
// CHECK-NEXT: llvm.fsub %[[HIGHF]], %[[BIASHIGH]]
// CHECK-NOT: llvm.fmul
// CHECK-COUNT-13: lop3
// CHECK-NOT: lop3
// CHECK: llvm.return
tile.kernel @exact(%w: !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>>,
                   %y: !tile.global<16x64xf16, write>)
    attributes {arg_names = ["w", "y"], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [16, 64] of [16, 64] {
    %codes = tile.load %w[%im, %in] : !tile.global<16x64x!wna16.code<4, offset = 8>, read, #wna16.layout<marlin>> -> !codes
    %weights = tile.dequant %codes : !codes -> !tile.val<16x64xf16, #weights>
    tile.store %weights, %y[%im, %in] : !tile.val<16x64xf16, #weights>, !tile.global<16x64xf16, write>
  }
}

// -----

#codes = #tile.linear<register = [[8, 0], [0, 8], [1, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#weights = #tile.linear<register = [[1, 0], [0, 8], [8, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [16, 64]>
#acts = #tile.linear<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [8, 16]>
#scales = #tile.linear<register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [] : [1, 64]>
#sum = #tile.linear<register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [64, 8]>
!code = !wna16.code<4, offset = 8>

// bf16: all eight codes of a word go to the last four of 7 mantissa bits, 128 + c, so
// three of four pairs are shifted there. The product takes plain registers.
// CHECK: llvm.func @brain
// CHECK: %[[LOADED:.*]] = llvm.inline_asm {{.*}}ld.global{{.*}}.v4.b32
// CHECK: %[[WORD:.*]] = llvm.extractvalue %[[LOADED]][0]
// CHECK: %[[MASK:.*]] = llvm.mlir.constant(983055 : i32)
// CHECK: %[[EXPONENT:.*]] = llvm.mlir.constant(1124090624 : i32)
// CHECK: %[[PAIR:.*]] = llvm.inline_asm "lop3{{.*}} %[[WORD]], %[[MASK]], %[[EXPONENT]] :
// CHECK: %[[PAIRF:.*]] = llvm.bitcast %[[PAIR]] : i32 to vector<2xbf16>
// CHECK: %[[BIAS:.*]] = llvm.mlir.constant(dense<1.360000e+02> : vector<2xbf16>)
// CHECK-NEXT: %[[EXACT:.*]] = llvm.fsub %[[PAIRF]], %[[BIAS]]
// CHECK: llvm.fmul %[[EXACT]], {{.*}} : vector<2xbf16>
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: llvm.lshr %[[WORD]], %[[EIGHT]]
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: llvm.lshr %[[WORD]], %[[FOUR]]
// CHECK: %[[TWELVE:.*]] = llvm.mlir.constant(12 : i32)
// CHECK: llvm.lshr %[[WORD]], %[[TWELVE]]
// CHECK: nvvm.mma.sync {{.*}} multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, {{.*}} : (i32, i32, f32) ->
// CHECK: llvm.fpext {{.*}} : bf16 to f32
// CHECK: llvm.fptrunc {{.*}} : vector<2xf32> to vector<2xbf16>
tile.kernel @brain(%x: !tile.global<8x16xbf16, read>, %w: !tile.global<16x64x!code, read, #wna16.layout<marlin>>,
                   %s: !tile.global<1x64xbf16, read>, %y: !tile.global<8x64xbf16, write>)
    attributes {arg_names = ["x", "w", "s", "y"], warps = 1 : i64, shared_bytes = 0 : i64} {
  tile.for_each_work (%im, %in) tile [8, 64] of [8, 64] {
    %c0 = arith.constant 0 : index
    %codes = tile.load %w[%c0, %in] : !tile.global<16x64x!code, read, #wna16.layout<marlin>> -> !tile.val<16x64x!code, #codes>
    %acts = tile.load %x[%im, %c0] : !tile.global<8x16xbf16, read> -> !tile.val<8x16xbf16, #acts>
    %scales = tile.load_scales %s[k = %c0, n = %in] {group = 16 : i64} : !tile.global<1x64xbf16, read> -> !tile.val<1x64xbf16, #scales>
    %weights = tile.dequant %codes scales %scales : !tile.val<16x64x!code, #codes> scales !tile.val<1x64xbf16, #scales> -> !tile.val<16x64xbf16, #weights>
    %zero = tile.zero : !tile.val<64x8xf32, #sum>
    %product = tile.mma %weights, %acts, %zero : !tile.val<16x64xbf16, #weights>, !tile.val<8x16xbf16, #acts>, !tile.val<64x8xf32, #sum>
    %share = tile.scale_acc %zero, %product, %scales : !tile.val<64x8xf32, #sum>, !tile.val<1x64xbf16, #scales>
    %h = tile.cast %share : !tile.val<64x8xf32, #sum> -> !tile.val<64x8xbf16, #sum>
    tile.store %h, %y[%im, %in] transposed : !tile.val<64x8xbf16, #sum>, !tile.global<8x64xbf16, write>
  }
}

// -----

#acc = #tile.linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [] : [16, 8]>
#rows = #tile.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 0]], warp = [[0, 4]] : [16, 8]>
!share = !tile.val<16x8xf32, #acc, partial>
!sum = !tile.val<16x8xf32, #rows>

// Rows that do not exist are neither written nor read.
// CHECK: llvm.func @rows_that_exist
// CHECK: "@$0 st.shared
// CHECK: nvvm.barrier{{$}}
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32) {
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: } else {
// CHECK-NOT: llvm.load
// CHECK: scf.yield
tile.kernel @rows_that_exist(%y: !tile.global<?x16xf32, write>, %m: index)
    attributes {arg_names = ["y", "M"], warps = 2 : i64, shared_bytes = 1280 : i64} {
  %yb = tile.bind %y rows %m : !tile.global<?x16xf32, write>
  tile.for_each_work (%im, %in, %part) tile [8, 16] of [%m, 16] parts 2 {
    %left = arith.subi %m, %im : index
    %share = tile.zero : !share
    %sum = tile.combine %share rows %left {scratch_offset = 0 : i64} : !share -> !sum
    tile.store %sum, %yb[%im, %in] transposed : !sum, !tile.global<?x16xf32, write>
  }
}

// -----

// With a raster the blocks, counted along rows first, are dealt out to groups of 16 rows
// of tiles; the last group has what is left.
// CHECK: llvm.func @raster
// CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK: %[[ROWS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[BELOW:.*]] = llvm.mul %[[Y]], %[[ROWS]]
// CHECK: %[[NUMBER:.*]] = llvm.add %[[X]], %[[BELOW]]
// CHECK: %[[COLUMNS:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[RASTER:.*]] = llvm.mlir.constant(16 : i32)
// CHECK: %[[SIZE:.*]] = llvm.mul %[[RASTER]], %[[COLUMNS]]
// CHECK: %[[GROUP:.*]] = llvm.udiv %[[NUMBER]], %[[SIZE]]
// CHECK: %[[INSIDE:.*]] = llvm.urem %[[NUMBER]], %[[SIZE]]
// CHECK: %[[FIRST:.*]] = llvm.mul %[[GROUP]], %[[RASTER]]
// CHECK: %[[LEFT:.*]] = llvm.sub %[[ROWS]], %[[FIRST]]
// CHECK: %[[HEIGHT:.*]] = llvm.intr.umin(%[[LEFT]], %[[RASTER]])
// CHECK: %[[COLUMN:.*]] = llvm.udiv %[[INSIDE]], %[[HEIGHT]]
// CHECK: %[[REST:.*]] = llvm.urem %[[INSIDE]], %[[HEIGHT]]
// CHECK: %[[ROW:.*]] = llvm.add %[[FIRST]], %[[REST]]
// CHECK: arith.index_cast %[[ROW]]
// CHECK: arith.index_cast %[[COLUMN]]
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
tile.kernel @raster(%y: !tile.global<?x192xf16, write>, %m: index)
    attributes {arg_names = ["y", "M"], warps = 1 : i64, shared_bytes = 0 : i64} {
  %yb = tile.bind %y rows %m : !tile.global<?x192xf16, write>
  tile.for_each_work (%im, %in) tile [4, 64] of [%m, 192] attributes {raster = 16 : i64} {
    %zero = tile.zero : !tile.val<4x64xf16, #rows>
    tile.store %zero, %yb[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<?x192xf16, write>
  }
}

// -----

// A persistent block takes every third tile, of those that the rows at run time give; the
// first ring step goes on by that many steps.
// CHECK: llvm.func @persistent
// CHECK: scf.if
// CHECK: %[[ROWS:.*]] = arith.ceildivui %{{.*}}, %{{.*}} : index
// CHECK: %[[TILES:.*]] = arith.muli %[[ROWS]], %{{.*}} : index
// CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[BLOCK:.*]] = arith.index_cast %[[X]]
// CHECK: %[[STEP:.*]] = arith.constant 3 : index
// CHECK: scf.for %[[TILE:.*]] = %[[BLOCK]] to %[[TILES]] step %[[STEP]] iter_args(%[[FIRST:.*]] = %{{.*}}) -> (index) {
// CHECK: %[[ROW:.*]] = llvm.urem
// CHECK: arith.index_cast %[[ROW]]
// CHECK: %[[STEPS:.*]] = arith.constant 32 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[STEPS]]
// CHECK: scf.yield %[[NEXT]]
#rows = #tile.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [] : [4, 64]>
tile.kernel @persistent(%y: !tile.global<?x192xf16, write>, %m: index)
    attributes {arg_names = ["y", "M"], warps = 1 : i64, shared_bytes = 0 : i64} {
  %yb = tile.bind %y rows %m : !tile.global<?x192xf16, write>
  tile.for_each_work () tile [4, 64] of [%m, 192] persistent 3 {
    tile.roles {
      tile.role "all" warps 1 {
        tile.for_each_tile (%im, %in, %first) steps 32 {
          %zero = tile.zero : !tile.val<4x64xf16, #rows>
          tile.store %zero, %yb[%im, %in] : !tile.val<4x64xf16, #rows>, !tile.global<?x192xf16, write>
        }
      }
    }
  }
}
