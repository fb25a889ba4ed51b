//===- InlinePtx.cpp - table and builders of inline PTX -------------------===//
//
// The table holds every PTX text of the compiler; builders below look a row up
// by its index, so that text, constraints and effects cannot disagree. Tied
// constraints (a digit) make a predicated load keep its fallback.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/TileToNVVM/InlinePtx.h"

#include "lib/Conversion/TileToNVVM/InlinePtxWgmma.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cassert>

using namespace mlir;

namespace wna16::ptx {

namespace {

enum Row : unsigned {
  AndOr,
  AndOrRegister,
  PinPointer,
  PinRegister,
  TransposeMatrix,
  CopyAsync4,
  CopyAsync8,
  CopyAsync16,
  CopyAsync4If,
  CopyAsync8If,
  CopyAsync16If,
  CopyAsync4Padded,
  CopyAsync8Padded,
  CopyAsync16Padded,
  LoadB16,
  LoadB32,
  LoadB64,
  LoadB128,
  LoadB16If,
  LoadB32If,
  LoadB64If,
  LoadB128If,
  LoadReadOnlyB16,
  LoadReadOnlyB32,
  LoadReadOnlyB64,
  LoadReadOnlyB128,
  LoadReadOnlyB16If,
  LoadReadOnlyB32If,
  LoadReadOnlyB64If,
  LoadReadOnlyB128If,
  StoreGlobalB16,
  StoreGlobalB32,
  StoreGlobalB64,
  StoreGlobalB128,
  StoreGlobalB16If,
  StoreGlobalB32If,
  StoreGlobalB64If,
  StoreGlobalB128If,
  StoreSharedB16,
  StoreSharedB32,
  StoreSharedB64,
  StoreSharedB128,
  StoreSharedB16If,
  StoreSharedB32If,
  StoreSharedB64If,
  StoreSharedB128If,
  StoreAsyncB32,
  StoreAsyncB64,
  StoreAsyncB128,
  StoreAsyncB32If,
  StoreAsyncB64If,
  StoreAsyncB128If,
  AddReleaseGlobal,
  TakeTicketGlobal,
  BarrierAny,
  NumRows
};

constexpr InstructionClass pure = InstructionClass::Pure;
constexpr InstructionClass ordered = InstructionClass::Ordered;
constexpr InstructionClass convergent = InstructionClass::OrderedConvergent;
/// Values of the address column: bit i stands for operand i.
constexpr uint32_t none = 0, op0 = 1, op1 = 2, op01 = 3;

/// Columns: name, text, constraints, class, PTX version, addresses, reads,
/// writes. The order is that of `Row`.
constexpr InlinePtxInfo table[] = {
    // Arithmetic. 0xEA is the truth table of (a & b) | c.
    {"lop3", "lop3.b32 $0, $1, $2, $3, 0xEA;", "=r,r,n,n", pure, 43, none,
     false, false},
    {"lop3 with a register", "lop3.b32 $0, $1, $2, $3, 0xEA;", "=r,r,n,r", pure,
     43, none, false, false},
    {"mov.b64", "mov.b64 $0, $1;", "=l,l", pure, 10, none, false, false},
    {"mov.b32", "mov.b32 $0, $1;", "=r,r", pure, 10, none, false, false},
    {"movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;",
     "=r,r,~{memory}", convergent, 78, none, false, false},

    // Asynchronous copies. The destination is operand 0.
    {"cp.async.4", "cp.async.ca.shared.global [$0], [$1], 4;", "l,l,~{memory}",
     ordered, 70, op01, false, true},
    {"cp.async.8", "cp.async.ca.shared.global [$0], [$1], 8;", "l,l,~{memory}",
     ordered, 70, op01, false, true},
    {"cp.async.16", "cp.async.cg.shared.global.L2::256B [$0], [$1], 16;",
     "l,l,~{memory}", ordered, 74, op01, false, true},
    {"cp.async.4 predicated", "@$2 cp.async.ca.shared.global [$0], [$1], 4;",
     "l,l,b,~{memory}", ordered, 70, op01, false, true},
    {"cp.async.8 predicated", "@$2 cp.async.ca.shared.global [$0], [$1], 8;",
     "l,l,b,~{memory}", ordered, 70, op01, false, true},
    {"cp.async.16 predicated",
     "@$2 cp.async.cg.shared.global.L2::256B [$0], [$1], 16;",
     "l,l,b,~{memory}", ordered, 74, op01, false, true},
    {"cp.async.4 padded", "@$2 cp.async.ca.shared.global [$0], [$1], 4, $3;",
     "l,l,b,r,~{memory}", ordered, 70, op01, false, true},
    {"cp.async.8 padded", "@$2 cp.async.ca.shared.global [$0], [$1], 8, $3;",
     "l,l,b,r,~{memory}", ordered, 70, op01, false, true},
    {"cp.async.16 padded",
     "@$2 cp.async.cg.shared.global.L2::256B [$0], [$1], 16, $3;",
     "l,l,b,r,~{memory}", ordered, 74, op01, false, true},

    // Global loads. Predicated: operand 0 is the predicate, 1 the address.
    {"ld.global.b16", "ld.global.b16 $0, [$1];", "=h,l,~{memory}", ordered, 10,
     op0, true, false},
    {"ld.global.b32", "ld.global.b32 $0, [$1];", "=r,l,~{memory}", ordered, 10,
     op0, true, false},
    {"ld.global.v2.b32", "ld.global.v2.b32 {$0, $1}, [$2];",
     "=r,=r,l,~{memory}", ordered, 10, op0, true, false},
    {"ld.global.v4.b32", "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];",
     "=r,=r,=r,=r,l,~{memory}", ordered, 10, op0, true, false},
    {"ld.global.b16 predicated", "@$1 ld.global.b16 $0, [$2];",
     "=h,b,l,0,~{memory}", ordered, 10, op1, true, false},
    {"ld.global.b32 predicated", "@$1 ld.global.b32 $0, [$2];",
     "=r,b,l,0,~{memory}", ordered, 10, op1, true, false},
    {"ld.global.v2.b32 predicated", "@$2 ld.global.v2.b32 {$0, $1}, [$3];",
     "=r,=r,b,l,0,1,~{memory}", ordered, 10, op1, true, false},
    {"ld.global.v4.b32 predicated",
     "@$4 ld.global.v4.b32 {$0, $1, $2, $3}, [$5];",
     "=r,=r,=r,=r,b,l,0,1,2,3,~{memory}", ordered, 10, op1, true, false},
    {"ld.global.nc.b16", "ld.global.nc.b16 $0, [$1];", "=h,l,~{memory}",
     ordered, 31, op0, true, false},
    {"ld.global.nc.b32", "ld.global.nc.b32 $0, [$1];", "=r,l,~{memory}",
     ordered, 31, op0, true, false},
    {"ld.global.nc.v2.b32", "ld.global.nc.v2.b32 {$0, $1}, [$2];",
     "=r,=r,l,~{memory}", ordered, 31, op0, true, false},
    {"ld.global.nc.v4.b32", "ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$4];",
     "=r,=r,=r,=r,l,~{memory}", ordered, 31, op0, true, false},
    {"ld.global.nc.b16 predicated", "@$1 ld.global.nc.b16 $0, [$2];",
     "=h,b,l,0,~{memory}", ordered, 31, op1, true, false},
    {"ld.global.nc.b32 predicated", "@$1 ld.global.nc.b32 $0, [$2];",
     "=r,b,l,0,~{memory}", ordered, 31, op1, true, false},
    {"ld.global.nc.v2.b32 predicated",
     "@$2 ld.global.nc.v2.b32 {$0, $1}, [$3];", "=r,=r,b,l,0,1,~{memory}",
     ordered, 31, op1, true, false},
    {"ld.global.nc.v4.b32 predicated",
     "@$4 ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$5];",
     "=r,=r,=r,=r,b,l,0,1,2,3,~{memory}", ordered, 31, op1, true, false},

    // Stores. Predicated: operand 0 is the predicate, 1 the address.
    {"st.global.b16", "st.global.b16 [$0], $1;", "l,h,~{memory}", ordered, 10,
     op0, false, true},
    {"st.global.b32", "st.global.b32 [$0], $1;", "l,r,~{memory}", ordered, 10,
     op0, false, true},
    {"st.global.v2.b32", "st.global.v2.b32 [$0], {$1, $2};", "l,r,r,~{memory}",
     ordered, 10, op0, false, true},
    {"st.global.v4.b32", "st.global.v4.b32 [$0], {$1, $2, $3, $4};",
     "l,r,r,r,r,~{memory}", ordered, 10, op0, false, true},
    {"st.global.b16 predicated", "@$0 st.global.b16 [$1], $2;",
     "b,l,h,~{memory}", ordered, 10, op1, false, true},
    {"st.global.b32 predicated", "@$0 st.global.b32 [$1], $2;",
     "b,l,r,~{memory}", ordered, 10, op1, false, true},
    {"st.global.v2.b32 predicated", "@$0 st.global.v2.b32 [$1], {$2, $3};",
     "b,l,r,r,~{memory}", ordered, 10, op1, false, true},
    {"st.global.v4.b32 predicated",
     "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};", "b,l,r,r,r,r,~{memory}",
     ordered, 10, op1, false, true},
    {"st.shared.b16", "st.shared.b16 [$0], $1;", "l,h,~{memory}", ordered, 10,
     op0, false, true},
    {"st.shared.b32", "st.shared.b32 [$0], $1;", "l,r,~{memory}", ordered, 10,
     op0, false, true},
    {"st.shared.v2.b32", "st.shared.v2.b32 [$0], {$1, $2};", "l,r,r,~{memory}",
     ordered, 10, op0, false, true},
    {"st.shared.v4.b32", "st.shared.v4.b32 [$0], {$1, $2, $3, $4};",
     "l,r,r,r,r,~{memory}", ordered, 10, op0, false, true},
    {"st.shared.b16 predicated", "@$0 st.shared.b16 [$1], $2;",
     "b,l,h,~{memory}", ordered, 10, op1, false, true},
    {"st.shared.b32 predicated", "@$0 st.shared.b32 [$1], $2;",
     "b,l,r,~{memory}", ordered, 10, op1, false, true},
    {"st.shared.v2.b32 predicated", "@$0 st.shared.v2.b32 [$1], {$2, $3};",
     "b,l,r,r,~{memory}", ordered, 10, op1, false, true},
    {"st.shared.v4.b32 predicated",
     "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};", "b,l,r,r,r,r,~{memory}",
     ordered, 10, op1, false, true},

    // Stores to the cluster. The last operand is the mbarrier.
    {"st.async.b32",
     "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 "
     "[$0], $1, [$2];",
     "l,r,l,~{memory}", ordered, 81, 1u << 0 | 1u << 2, false, true, -1,
     &GpuTarget::clusters},
    {"st.async.v2.b32",
     "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
     "[$0], {$1, $2}, [$3];",
     "l,r,r,l,~{memory}", ordered, 81, 1u << 0 | 1u << 3, false, true, -1,
     &GpuTarget::clusters},
    {"st.async.v4.b32",
     "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
     "[$0], {$1, $2, $3, $4}, [$5];",
     "l,r,r,r,r,l,~{memory}", ordered, 81, 1u << 0 | 1u << 5, false, true, -1,
     &GpuTarget::clusters},
    {"st.async.b32 predicated",
     "@$0 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 "
     "[$1], $2, [$3];",
     "b,l,r,l,~{memory}", ordered, 81, 1u << 1 | 1u << 3, false, true, -1,
     &GpuTarget::clusters},
    {"st.async.v2.b32 predicated",
     "@$0 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
     "[$1], {$2, $3}, [$4];",
     "b,l,r,r,l,~{memory}", ordered, 81, 1u << 1 | 1u << 4, false, true, -1,
     &GpuTarget::clusters},
    {"st.async.v4.b32 predicated",
     "@$0 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
     "[$1], {$2, $3, $4, $5}, [$6];",
     "b,l,r,r,r,r,l,~{memory}", ordered, 81, 1u << 1 | 1u << 6, false, true, -1,
     &GpuTarget::clusters},

    // Atomics.
    {"red.release", "red.release.gpu.global.add.s32 [$0], $1;", "l,r,~{memory}",
     ordered, 60, op0, false, true},
    // Operand 0 is the predicate; without it the result is operand 3.
    {"atom.inc", "@$1 atom.acq_rel.gpu.global.inc.u32 $0, [$2], $3;",
     "=r,b,l,r,0,~{memory}", ordered, 60, op1, true, true},

    // Barriers. NVVM has this one only for all threads of a block.
    {"bar.red.or", "bar.red.or.pred $0, $1, $2, $3;", "=b,n,n,b,~{memory}",
     convergent, 20, none, false, false},
};
static_assert(std::size(table) == NumRows, "one table entry per Row");

} // namespace

ArrayRef<InlinePtxInfo> allInstructions() { return table; }

std::optional<InlinePtxInfo> classify(LLVM::InlineAsmOp op) {
  // Some rows have one text and different operands.
  auto key = [](StringRef text, StringRef constraints) {
    return (text + constraints).str();
  };
  static const llvm::StringMap<unsigned> rows = [&] {
    llvm::StringMap<unsigned> map;
    for (auto [index, row] : llvm::enumerate(table))
      map[key(row.text, row.constraints)] = index;
    return map;
  }();
  auto found = rows.find(key(op.getAsmString(), op.getConstraints()));
  return found == rows.end() ? classifyWgmma(op) : table[found->second];
}

unsigned registerCount(AccessWidth width) {
  return width == AccessWidth::B16 ? 1 : static_cast<unsigned>(width) / 4;
}

Type registerType(OpBuilder &builder, AccessWidth width) {
  return builder.getIntegerType(width == AccessWidth::B16 ? 16 : 32);
}

/// Row of `base` (the 16-bit form) for `width`; the forms lie side by side.
static Row forWidth(Row base, AccessWidth width) {
  unsigned offset = width == AccessWidth::B16   ? 0
                    : width == AccessWidth::B32 ? 1
                    : width == AccessWidth::B64 ? 2
                                                : 3;
  return static_cast<Row>(base + offset);
}

/// Row of `base` (the 4-byte form) for a copy of `bytes`.
static Row forBytes(Row base, unsigned bytes) {
  assert((bytes == 4 || bytes == 8 || bytes == 16) && "no such copy");
  return static_cast<Row>(base + (bytes == 4 ? 0 : bytes == 8 ? 1 : 2));
}

static LLVM::InlineAsmOp build(OpBuilder &builder, Location loc, Row row,
                               Type result, ValueRange operands) {
  const InlinePtxInfo &info = table[row];
  return LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands,
      info.text, info.constraints,
      /*has_side_effects=*/info.instructionClass != InstructionClass::Pure,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      /*asm_dialect=*/LLVM::AsmDialectAttr{}, /*operand_attrs=*/ArrayAttr{});
}

static Value constant(OpBuilder &builder, Location loc, Type type,
                      int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

Value andOr(OpBuilder &builder, Location loc, Value value, uint32_t mask,
            uint32_t bits) {
  Type i32 = builder.getI32Type();
  Value maskValue = constant(builder, loc, i32, static_cast<int32_t>(mask));
  Value bitsValue = constant(builder, loc, i32, static_cast<int32_t>(bits));
  return build(builder, loc, AndOr, i32, {value, maskValue, bitsValue})
      .getResult(0);
}

Value andOr(OpBuilder &builder, Location loc, Value value, uint32_t mask,
            Value bits) {
  Type i32 = builder.getI32Type();
  Value maskValue = constant(builder, loc, i32, static_cast<int32_t>(mask));
  return build(builder, loc, AndOrRegister, i32, {value, maskValue, bits})
      .getResult(0);
}

Value transposeMatrix(OpBuilder &builder, Location loc, Value fragment) {
  return build(builder, loc, TransposeMatrix, builder.getI32Type(), fragment)
      .getResult(0);
}

Value pinPointer(OpBuilder &builder, Location loc, Value pointer) {
  return build(builder, loc, PinPointer, pointer.getType(), pointer)
      .getResult(0);
}

Value pinRegister(OpBuilder &builder, Location loc, Value value) {
  return build(builder, loc, PinRegister, value.getType(), value).getResult(0);
}

void copyAsync(OpBuilder &builder, Location loc, Value shared, Value global,
               unsigned bytes, Value predicate, Value sourceBytes) {
  SmallVector<Value> operands{shared, global};
  if (sourceBytes && !predicate)
    predicate = constant(builder, loc, builder.getI1Type(), 1);
  if (predicate)
    operands.push_back(predicate);
  if (sourceBytes)
    operands.push_back(sourceBytes);
  Row row = sourceBytes ? CopyAsync4Padded
            : predicate ? CopyAsync4If
                        : CopyAsync4;
  build(builder, loc, forBytes(row, bytes), Type(), operands);
}

SmallVector<Value> loadGlobal(OpBuilder &builder, Location loc, Value global,
                              AccessWidth width, LoadPath path, Value predicate,
                              ValueRange fallback) {
  unsigned count = registerCount(width);
  Type type = registerType(builder, width);
  Row base = path == LoadPath::ReadOnly
                 ? (predicate ? LoadReadOnlyB16If : LoadReadOnlyB16)
                 : (predicate ? LoadB16If : LoadB16);
  SmallVector<Value> operands;
  if (predicate)
    operands.push_back(predicate);
  operands.push_back(global);
  if (predicate && !fallback.empty()) {
    assert(fallback.size() == count && "one fallback value per register");
    llvm::append_range(operands, fallback);
  } else if (predicate) {
    operands.append(count, constant(builder, loc, type, 0));
  }

  Type result = type;
  if (count > 1)
    result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                              SmallVector<Type>(count, type));
  Value loaded =
      build(builder, loc, forWidth(base, width), result, operands).getResult(0);
  if (count == 1)
    return {loaded};
  SmallVector<Value> registers;
  for (unsigned index = 0; index < count; ++index)
    registers.push_back(
        LLVM::ExtractValueOp::create(builder, loc, loaded, index));
  return registers;
}

SmallVector<Value> loadIds(OpBuilder &builder, Location loc, Value global,
                           AccessWidth width, LoadPath path, Value predicate) {
  SmallVector<Value> ids =
      loadGlobal(builder, loc, global, width, path, predicate);
  Operation *load = ids.front().getDefiningOp();
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(load))
    load = extract.getContainer().getDefiningOp();
  load->setAttr(rowIdsAttributeName, builder.getUnitAttr());
  return ids;
}

/// Both store functions differ in the rows only.
static void store(OpBuilder &builder, Location loc, Row plain, Row predicated,
                  Value pointer, AccessWidth width, ValueRange registers,
                  Value predicate) {
  assert(registers.size() == registerCount(width) && "wrong register count");
  SmallVector<Value> operands;
  if (predicate)
    operands.push_back(predicate);
  operands.push_back(pointer);
  llvm::append_range(operands, registers);
  build(builder, loc, forWidth(predicate ? predicated : plain, width), Type(),
        operands);
}

void storeGlobal(OpBuilder &builder, Location loc, Value global,
                 AccessWidth width, ValueRange registers, Value predicate) {
  store(builder, loc, StoreGlobalB16, StoreGlobalB16If, global, width,
        registers, predicate);
}

void storeShared(OpBuilder &builder, Location loc, Value shared,
                 AccessWidth width, ValueRange registers, Value predicate) {
  store(builder, loc, StoreSharedB16, StoreSharedB16If, shared, width,
        registers, predicate);
}

void storeAsyncCluster(OpBuilder &builder, Location loc, Value cluster,
                       Value barrier, AccessWidth width, ValueRange registers,
                       Value predicate) {
  assert(width != AccessWidth::B16 && "no such store");
  SmallVector<Value> operands;
  if (predicate)
    operands.push_back(predicate);
  operands.push_back(cluster);
  llvm::append_range(operands, registers);
  operands.push_back(barrier);
  build(builder, loc,
        forBytes(predicate ? StoreAsyncB32If : StoreAsyncB32,
                 static_cast<unsigned>(width)),
        Type(), operands);
}

void addReleaseGlobal(OpBuilder &builder, Location loc, Value global,
                      Value value) {
  build(builder, loc, AddReleaseGlobal, Type(), {global, value});
}

Value takeTicketGlobal(OpBuilder &builder, Location loc, Value global,
                       int64_t count, Value predicate) {
  Type i32 = builder.getI32Type();
  Value last = constant(builder, loc, i32, count - 1);
  Value none = constant(builder, loc, i32, -1);
  return build(builder, loc, TakeTicketGlobal, i32,
               {predicate, global, last, none})
      .getResult(0);
}

Value barrierAny(OpBuilder &builder, Location loc, int64_t barrier,
                 int64_t threads, Value predicate) {
  Type i32 = builder.getI32Type();
  return build(builder, loc, BarrierAny, builder.getI1Type(),
               {constant(builder, loc, i32, barrier),
                constant(builder, loc, i32, threads), predicate})
      .getResult(0);
}

} // namespace wna16::ptx
