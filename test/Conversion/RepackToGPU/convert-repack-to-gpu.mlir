// RUN: wna16-opt %s --convert-repack-to-gpu=target=sm_80 --cse --split-input-file | FileCheck %s

// An element per thread. The third row is not in x: it becomes 0, and nothing beyond x is read.
// CHECK-LABEL: gpu.module @scales_module
// CHECK:         llvm.func @scales(%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>, wna16.launch = "{{.*}}target\22: \22sm_80\22{{.*}}op\22: \22repack\22
// CHECK-DAG:       %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-DAG:       %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK:           %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c256_i32
// CHECK:           %[[ITEM:.*]] = arith.addi %[[FIRST]], %[[THREAD]]
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %[[ITEM]], %c192_i32
// CHECK:           scf.if %[[EXISTS]] {
// CHECK:             %[[ROW:.*]] = arith.divui %[[ITEM]], %c64_i32
// CHECK:             %[[IN:.*]] = arith.remui %[[ITEM]], %c64_i32
// CHECK:             %[[COLUMN:.*]] = arith.xori
// CHECK:             %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %c2_i32
// CHECK:             %[[READ:.*]] = arith.select %[[INSIDE]], %[[ROW]], %c0_i32
// CHECK:             %[[START:.*]] = arith.muli %[[READ]], %c64_i32
// CHECK:             %[[AT:.*]] = arith.addi %[[START]], %[[COLUMN]]
// CHECK:             %[[FROM:.*]] = llvm.getelementptr %[[X]][%[[AT]]] {{.*}}, i16
// CHECK:             %[[LOADED:.*]] = llvm.load %[[FROM]] invariant
// CHECK:             %[[VALUE:.*]] = arith.select %[[INSIDE]], %[[LOADED]], %c0_i16
// CHECK:             %[[TO:.*]] = llvm.getelementptr %[[Y]][%[[ITEM]]] {{.*}}, i16
// CHECK:             llvm.store %[[VALUE]], %[[TO]]
// CHECK-NOT:       llvm.store
func.func @scales(%x: tensor<2x64xf16>) -> tensor<3x64xf16, #wna16.layout<marlin_scales>> {
  %y = wna16.repack %x : tensor<2x64xf16> to tensor<3x64xf16, #wna16.layout<marlin_scales>>
  return %y : tensor<3x64xf16, #wna16.layout<marlin_scales>>
}

// -----

!gptq = tensor<128x64x!wna16.code<4>, #wna16.layout<gptq>>
!marlin = tensor<128x64x!wna16.code<4>, #wna16.layout<marlin>>

// A word per thread: eight codes, none of which may be absent. Their rows and columns differ
// from those of the first in bits: the second is eight rows, the third eight columns further.
// CHECK-LABEL: llvm.func @whole
// CHECK-NOT:     arith.select
// CHECK-COUNT-2: llvm.load
// CHECK:         arith.xori %{{.*}}, %c8_i32
// CHECK-COUNT-6: llvm.load
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store
// CHECK-NOT:     llvm.store
// CHECK:         llvm.return
func.func @whole(%x: !gptq) -> !marlin {
  %y = wna16.repack %x : !gptq to !marlin
  return %y : !marlin
}

// -----

!marlin = tensor<16x64x!wna16.code<6>, #wna16.layout<marlin>>
!ct = tensor<16x64x!wna16.code<6>, #wna16.layout<compressed_tensors>>

// The words of bits 0 to 3 come first, 128 of them, then those of bits 4 and 5. A code of the
// stream is in one or two words.
// CHECK-LABEL: llvm.func @planes
// CHECK:         %[[HERE:.*]] = arith.cmpi ult, %{{.*}}, %c128_i32
// CHECK:         %[[WORD:.*]] = scf.if %[[HERE]] -> (i32) {
// CHECK-COUNT-16: llvm.load
// CHECK:         } else {
// CHECK-COUNT-32: llvm.load
// CHECK:         }
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store %[[WORD]]
func.func @planes(%x: !ct) -> !marlin {
  %y = wna16.repack %x : !ct to !marlin
  return %y : !marlin
}

// -----

!planes = tensor<16x64x!wna16.code<6>, #wna16.layout<marlin>>
!streams = tensor<15x64x!wna16.code<6>, #wna16.layout<compressed_tensors>>

// Six codes at most begin or end in a word. There is no sixteenth row in the stream.
// CHECK-LABEL: llvm.func @streams
// CHECK:         scf.if
// CHECK:           %[[STREAM:.*]] = arith.divui %[[ITEM:.*]], %c3_i32
// CHECK:           %[[WORD:.*]] = arith.remui %[[ITEM]], %c3_i32
// CHECK:           %[[BEGIN:.*]] = arith.muli %[[WORD]], %c32_i32
// CHECK:           %[[ROW:.*]] = arith.divui %[[BEGIN]], %c6_i32
// CHECK-COUNT-6:   arith.cmpi ult, %{{.*}}, %c15_i32
// CHECK-NOT:       arith.cmpi
// CHECK:           %[[BITS:.*]] = arith.shrui %{{.*}}, %c6_i64
// CHECK:           %[[VALUE:.*]] = arith.trunci %[[BITS]] : i64 to i32
// CHECK:           llvm.store %[[VALUE]]
func.func @streams(%x: !planes) -> !streams {
  %y = wna16.repack %x : !planes to !streams
  return %y : !streams
}

// -----

!ct = tensor<65536x32800x!wna16.code<1>, #wna16.layout<compressed_tensors>>
!marlin = tensor<65536x32832x!wna16.code<1>, #wna16.layout<marlin>>

// More codes than 31 bits count.
// CHECK-LABEL: llvm.func @wide
// CHECK:         %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK:         %[[WIDE:.*]] = arith.extui %[[BLOCK]] : i32 to i64
// CHECK:         arith.muli %[[WIDE]], %c256_i64
// CHECK:         llvm.getelementptr %{{.*}} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
func.func @wide(%x: !ct) -> !marlin {
  %y = wna16.repack %x : !ct to !marlin
  return %y : !marlin
}

// -----

// Functions without a repack stay.
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    return
func.func @other() {
  return
}
