//===- InlinePtxWgmma.cpp - asynchronous products in inline PTX -----------===//
//
// Sums are tied: input i has the register of output i, so that a chain of
// products stays in one place.
//
//===----------------------------------------------------------------------===//
#include "lib/Conversion/TileToNVVM/InlinePtxWgmma.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cassert>

using namespace mlir;

namespace wna16::ptx {

namespace {

constexpr unsigned columnStep = 8, maxColumns = 256;

/// "=f,=f,0,1" and the like.
std::string constraintsOf(unsigned count, bool isFloat, bool isTied) {
  std::string text;
  for (unsigned index = 0; index < count; ++index)
    text += isFloat ? "=f," : "=r,";
  for (unsigned index = 0; isTied && index < count; ++index)
    text += std::to_string(index) + ",";
  return text;
}

/// "{$3, $4}"
std::string registerList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned index = first; index < first + count; ++index)
    text += (index == first ? "$" : ", $") + std::to_string(index);
  return text + "}";
}

/// Texts live as long as the process; rows refer to them.
class Table {
public:
  Table() {
    unsigned count = 4 * maxColumns / columnStep;
    rows.reserve(count);
    texts.reserve(3 * count);
    for (bool isBf16 : {false, true})
      for (bool isSum : {false, true})
        for (unsigned columns = columnStep; columns <= maxColumns;
             columns += columnStep)
          add(columns, isBf16, isSum);
  }

  const InlinePtxInfo &row(unsigned columns, bool isBf16, bool isSum) const {
    assert(columns % columnStep == 0 && columns <= maxColumns && "no such one");
    unsigned perKind = maxColumns / columnStep;
    return rows[(2 * isBf16 + isSum) * perKind + columns / columnStep - 1];
  }

  std::vector<InlinePtxInfo> rows;

private:
  StringRef keep(std::string text) {
    return texts.emplace_back(std::move(text));
  }

  void add(unsigned columns, bool isBf16, bool isSum) {
    unsigned sums = columns / 2, first = isSum ? 2 * sums : sums;
    std::string type = isBf16 ? "bf16" : "f16";
    std::string name =
        "wgmma.m64n" + std::to_string(columns) + "k16.f32." + type;
    // The last four operands: whether D is added, signs of A and B, B is not
    // transposed.
    std::string text =
        "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) +
        "k16.f32." + type + "." + type + " " + registerList(0, sums) + ", " +
        registerList(first, 4) + ", $" + std::to_string(first + 4) +
        (isSum ? ", 1" : ", 0") + ", 1, 1, 0;";
    std::string constraints =
        constraintsOf(sums, /*isFloat=*/true, isSum) + "r,r,r,r,l,~{memory}";
    rows.push_back({keep(name + (isSum ? "" : " first")), keep(text),
                    keep(constraints), InstructionClass::OrderedConvergent,
                    /*ptxVersion=*/80, /*addressOperands=*/0,
                    /*readsMemory=*/true, /*writesMemory=*/false,
                    /*addressOperand=*/int(isSum ? sums + 4 : 4)});
  }

  std::vector<std::string> texts;
};

const Table &table() {
  static const Table table;
  return table;
}

LLVM::InlineAsmOp build(OpBuilder &builder, Location loc, StringRef text,
                        StringRef constraints, Type type, unsigned count,
                        ValueRange operands) {
  Type result = type;
  if (count > 1)
    result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                              SmallVector<Type>(count, type));
  return LLVM::InlineAsmOp::create(
      builder, loc, result, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      /*asm_dialect=*/LLVM::AsmDialectAttr{}, /*operand_attrs=*/ArrayAttr{});
}

SmallVector<Value> resultsOf(OpBuilder &builder, LLVM::InlineAsmOp op,
                             unsigned count) {
  if (count == 1)
    return {op.getResult(0)};
  SmallVector<Value> results;
  for (unsigned index = 0; index < count; ++index)
    results.push_back(LLVM::ExtractValueOp::create(builder, op.getLoc(),
                                                   op.getResult(0), index));
  return results;
}

} // namespace

ArrayRef<InlinePtxInfo> allWgmmaInstructions() { return table().rows; }

std::optional<InlinePtxInfo> classifyWgmma(LLVM::InlineAsmOp op) {
  // Nothing is executed, at any number of registers.
  if (op.getAsmString().empty())
    return InlinePtxInfo{"hold", "", "",    InstructionClass::Ordered,
                         10,     0,  false, false};
  static const llvm::StringMap<unsigned> byText = [] {
    llvm::StringMap<unsigned> map;
    for (auto [index, row] : llvm::enumerate(table().rows))
      map[row.text] = index;
    return map;
  }();
  auto found = byText.find(op.getAsmString());
  if (found == byText.end())
    return std::nullopt;
  const InlinePtxInfo &row = table().rows[found->second];
  if (row.constraints != op.getConstraints())
    return std::nullopt;
  return row;
}

SmallVector<Value> multiplyAsync(OpBuilder &builder, Location loc,
                                 unsigned columns, bool isBf16, ValueRange a,
                                 Value b, ValueRange sums) {
  unsigned count = columns / 2;
  assert(a.size() == 4 && (sums.empty() || sums.size() == count));
  const InlinePtxInfo &row = table().row(columns, isBf16, !sums.empty());
  SmallVector<Value> operands(sums);
  llvm::append_range(operands, a);
  operands.push_back(b);
  return resultsOf(builder,
                   build(builder, loc, row.text, row.constraints,
                         builder.getF32Type(), count, operands),
                   count);
}

SmallVector<Value> holdRegisters(OpBuilder &builder, Location loc,
                                 ValueRange values) {
  if (values.empty())
    return {};
  unsigned count = values.size();
  Type type = values.front().getType();
  std::string constraints =
      constraintsOf(count, type.isF32(), /*isTied=*/true) + "~{memory}";
  return resultsOf(builder,
                   build(builder, loc, "", constraints, type, count, values),
                   count);
}

} // namespace wna16::ptx
