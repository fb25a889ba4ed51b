//===- InlinePtx.h - the instructions that have no MLIR op ----------------===//
//
// One builder function per PTX instruction that the LLVM and NVVM dialects of
// MLIR 22 cannot express, or express badly. InlinePtx.cpp holds the table of
// their texts, constraints, effects and lowest PTX versions, and is the only
// file of the compiler with PTX mnemonics in it.
//
// What needs no entry here, because LLVM selects one instruction for it:
//   f16x2 sub, mul          llvm.fsub, llvm.fmul on vector<2xf16>
//   f16x2 fused multiply-add  llvm.intr.fma on vector<2xf16>
//   two f32 -> f16x2        two llvm.fptrunc and llvm.insertelement
//   ldmatrix, mma.sync, copy group commit and wait, block and warp barriers,
//   shuffles                nvvm ops
//   unpredicated loads and stores of plain memory   llvm.load, llvm.store
//
// Pointers are !llvm.ptr<1> for global, !llvm.ptr<3> for shared memory and
// !llvm.ptr<7> for that of the cluster.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_CONVERSION_TILETONVVM_INLINEPTX_H
#define WNA16_LIB_CONVERSION_TILETONVVM_INLINEPTX_H

#include "lib/Target/GpuTarget.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace wna16 {
/// Marks a load, outside every loop, of row or expert ids: its result may be
/// part of addresses in loops. See verify-kernel-order.
inline constexpr llvm::StringLiteral rowIdsAttributeName = "wna16.row_ids";
} // namespace wna16

namespace wna16::ptx {

/// How an instruction may be moved, merged and duplicated.
enum class InstructionClass {
  /// A function of its operands: may be merged, hoisted and removed.
  Pure,
  /// Reads or writes memory: keeps its place among memory operations.
  Ordered,
  /// Ordered, and executed by all lanes of a warp together: may not be
  /// duplicated into divergent paths. The emission step marks its calls.
  OrderedConvergent
};

/// One row of the table.
struct InlinePtxInfo {
  /// Name for messages and tests, without operands.
  llvm::StringRef name;
  /// Text and constraints of the llvm.inline_asm op.
  llvm::StringRef text;
  llvm::StringRef constraints;
  InstructionClass instructionClass;
  /// Lowest PTX version, 10 * major + minor.
  unsigned ptxVersion;
  /// Bit i is set: operand i of the llvm.inline_asm op is an address.
  uint32_t addressOperands;
  /// The result is data loaded from memory.
  bool readsMemory;
  /// It stores to memory or starts a copy.
  bool writesMemory;
  /// One more operand that is an address, of any number.
  int addressOperand = -1;
  /// What a target must have beyond the PTX version; null for nothing.
  bool GpuTarget::*capability = nullptr;

  bool isAddress(unsigned operand) const {
    return static_cast<int>(operand) == addressOperand ||
           (operand < 32 && (addressOperands >> operand & 1));
  }
};

/// All rows but those of InlinePtxWgmma.h.
llvm::ArrayRef<InlinePtxInfo> allInstructions();

/// The row that `op` was built from; none for text that this table lacks.
std::optional<InlinePtxInfo> classify(mlir::LLVM::InlineAsmOp op);

/// Bits of one register in vector accesses below.
enum class AccessWidth : unsigned {
  /// One 16-bit register: i16.
  B16 = 2,
  /// One, two or four 32-bit registers: i32.
  B32 = 4,
  B64 = 8,
  B128 = 16
};

/// Number of registers of an access: 1, 1, 2, 4.
unsigned registerCount(AccessWidth width);
/// i16 or i32.
mlir::Type registerType(mlir::OpBuilder &builder, AccessWidth width);

/// \name Arithmetic (pure)
/// @{

/// `(value & mask) | bits` in one instruction; i32. LLVM would make two.
mlir::Value andOr(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value, uint32_t mask, uint32_t bits);
mlir::Value andOr(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value, uint32_t mask, mlir::Value bits);

/// Transposes an 8x8 matrix of 16-bit elements held by a warp; i32 -> i32.
/// Warp-synchronous, hence ordered and convergent in spite of its operands.
mlir::Value transposeMatrix(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value fragment);
/// @}

/// \name Pins (pure): identities that LLVM cannot look through
/// @{

/// Use it once per iteration on every loop-carried pointer: loop strength
/// reduction then keeps one pointer plus offsets instead of one pointer per
/// access. Any pointer type.
mlir::Value pinPointer(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value pointer);

/// Use it on every computed register that crosses a back edge (a fragment
/// dequantised one step ahead): InstCombine would otherwise move its
/// computation behind the back edge. Any 32-bit type.
mlir::Value pinRegister(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);
/// @}

/// \name Asynchronous copies global -> shared (ordered)
/// @{

/// Copies 4, 8 or 16 bytes. 16-byte copies bypass L1 and prefetch 256 bytes
/// into L2. If `predicate` (i1) is given, lanes with false do nothing. Of the
/// source no more than `sourceBytes` (i32, up to `bytes`) are read, the rest are
/// zeros.
void copyAsync(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value shared,
               mlir::Value global, unsigned bytes, mlir::Value predicate = {},
               mlir::Value sourceBytes = {});
/// @}

/// \name Global and shared memory (ordered)
/// @{

/// Which path a global load takes.
enum class LoadPath {
  /// Coherent: data that this or an overlapping kernel writes.
  Plain,
  /// Read-only: data that nobody writes while the kernel runs.
  ReadOnly
};

/// Loads registers from global memory. With a `predicate`, lanes with false
/// keep `fallback` (one value per register; zeros when empty) and do not
/// touch memory.
llvm::SmallVector<mlir::Value>
loadGlobal(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value global,
           AccessWidth width, LoadPath path, mlir::Value predicate = {},
           mlir::ValueRange fallback = {});

/// The same of numbers of rows or experts, outside of every loop: they may
/// decide addresses in loops, see verify-kernel-order.
llvm::SmallVector<mlir::Value> loadIds(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Value global,
                                       AccessWidth width, LoadPath path,
                                       mlir::Value predicate = {});

/// Stores registers to global memory; lanes with a false `predicate` do
/// nothing.
void storeGlobal(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value global, AccessWidth width,
                 mlir::ValueRange registers, mlir::Value predicate = {});

/// Stores registers to shared memory; lanes with a false `predicate` do
/// nothing.
void storeShared(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value shared, AccessWidth width,
                 mlir::ValueRange registers, mlir::Value predicate = {});

/// Stores registers (32 bits or more) to the shared memory of a block of the
/// cluster, asynchronously: `barrier` there counts the bytes. Both addresses
/// are !llvm.ptr<7>; lanes with a false `predicate` do nothing.
void storeAsyncCluster(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value cluster, mlir::Value barrier,
                       AccessWidth width, mlir::ValueRange registers,
                       mlir::Value predicate = {});

/// Adds to a global i32 with release order at GPU scope. LLVM prints
/// `llvm.atomicrmw` with any order as a relaxed add.
void addReleaseGlobal(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value global, mlir::Value value);

/// The next of the tickets 0 .. `count` - 1 of a global i32, which is 0 again
/// after the last one; acquire and release order at GPU scope. Lanes with a
/// false `predicate` get -1.
mlir::Value takeTicketGlobal(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value global, int64_t count,
                             mlir::Value predicate);
/// @}

/// \name Barriers (ordered, convergent)
/// @{

/// `threads` threads, whole warps, meet at a barrier of the block and learn
/// whether `predicate` (i1) holds for any of them; i1.
mlir::Value barrierAny(mlir::OpBuilder &builder, mlir::Location loc,
                       int64_t barrier, int64_t threads, mlir::Value predicate);
/// @}

} // namespace wna16::ptx

#endif // WNA16_LIB_CONVERSION_TILETONVVM_INLINEPTX_H
