//===- RegisterMap.cpp - which register holds a coordinate ----------------===//

#include "lib/Conversion/TileToNVVM/RegisterMap.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::Basis;

RegisterMap::RegisterMap(ValType type) : layout(type.getLayout().getLayout()) {
  const std::vector<Basis> &bases = layout.bases("register");
  byElement.resize(size_t(1) << bases.size());
  for (size_t element = 0; element < byElement.size(); ++element) {
    std::array<int64_t, 2> at = {0, 0};
    for (size_t bit = 0; bit < bases.size(); ++bit)
      if (element >> bit & 1)
        for (unsigned dim : {0u, 1u})
          at[dim] ^= bases[bit][dim];
    byElement[element] = at;
    byCoordinate.try_emplace(at, element);
  }
}

std::optional<unsigned> RegisterMap::find(int64_t row, int64_t column) const {
  auto found = byCoordinate.find({row, column});
  if (found == byCoordinate.end())
    return std::nullopt;
  return found->second;
}

std::vector<int64_t> RegisterMap::starts(unsigned dim, int64_t step) const {
  std::vector<int64_t> result;
  for (const std::array<int64_t, 2> &at : byElement)
    if (at[dim] % step == 0)
      result.push_back(at[dim]);
  llvm::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

bool RegisterMap::sameThreadsAlong(unsigned dim, const RegisterMap &other,
                                   unsigned otherDim) const {
  for (const char *in : {"lane", "warp"}) {
    const std::vector<Basis> &mine = layout.bases(in);
    const std::vector<Basis> &theirs = other.layout.bases(in);
    if (mine.size() != theirs.size())
      return false;
    for (auto [a, b] : llvm::zip(mine, theirs))
      if (a[dim] != b[otherDim])
        return false;
  }
  return true;
}

bool ::wna16::sameThreads(ValType a, ValType b) {
  const layout::LinearLayout &first = a.getLayout().getLayout();
  const layout::LinearLayout &second = b.getLayout().getLayout();
  return first.bases("lane") == second.bases("lane") &&
         first.bases("warp") == second.bases("warp");
}

namespace wna16 {
Value extractHalf(OpBuilder &builder, Location loc, Type type,
                  ValueRange registers, unsigned element) {
  auto pair = VectorType::get({2}, type);
  Value vector =
      LLVM::BitcastOp::create(builder, loc, pair, registers[element / 2]);
  Value at = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                      builder.getI32IntegerAttr(element % 2));
  return LLVM::ExtractElementOp::create(builder, loc, vector, at);
}
} // namespace wna16
