//===- Wna16MoeOps.cpp - verifiers of the ops of mixtures of experts ------===//

#include "dialect/Wna16/Wna16Rules.h"

using namespace mlir;
using namespace mlir::wna16;

/// Tokens and choices of two tables agree.
static LogicalResult verifyRouterTable(Operation *op, StringRef what,
                                       RankedTensorType table, int64_t tokens,
                                       int64_t topK, StringRef label) {
  int64_t rows = table.getDimSize(0);
  bool sameTokens = ShapedType::isDynamic(rows) ||
                    ShapedType::isDynamic(tokens) || rows == tokens;
  if (sameTokens && table.getDimSize(1) == topK)
    return success();
  return op->emitOpError("expected ")
         << what << " of as many tokens and choices as the ids, " << topK
         << " per token, got " << table << " [" << label << "]";
}

LogicalResult MoeGemmOp::verify() {
  int64_t experts = getExperts();
  if (experts > 1024)
    return emitOpError("expected at most 1024 experts, got ")
           << experts << "; a stack has them along its first dimension "
           << "[MOE-C13]";
  const std::pair<const char *, Value> stacks[] = {
      {"scales", getS()}, {"zero points", getZeros()}, {"bias", getBias()}};
  for (auto [name, stack] : stacks)
    if (stack && getTypeOrNull(stack).getDimSize(0) != experts)
      return emitOpError("expected the experts of the ")
             << name << " (" << getTypeOrNull(stack).getDimSize(0)
             << ") to be those of the weights (" << experts << ") [MOE-C13]";
  if (getYRows() == RowOrder::Token)
    return emitOpError("expected rows of the result by slot or by position: "
                       "several experts compute for a token, moe_sum adds "
                       "them up [MOE-C19]");
  if (getWeights() &&
      failed(verifyRouterTable(*this, "router weights", getWeights().getType(),
                               ShapedType::kDynamic, getTopK(), "MOE-C16")))
    return failure();
  return verifyProduct(*this, getSlots().getType().getDimSize(0),
                       {{"MOE-C5", "MOE-C6", "MOE-C8", "MOE-C12"},
                        "MOE-C4",
                        "MOE-C7",
                        "MOE-C9",
                        "MOE-C11"});
}

LogicalResult MoeSumOp::verify() {
  RankedTensorType h = getH().getType(), y = getY().getType();
  RankedTensorType ids = getIds().getType();
  int64_t tokens = ids.getDimSize(0), topK = ids.getDimSize(1);
  if (getWeights() &&
      failed(verifyRouterTable(*this, "router weights", getWeights().getType(),
                               tokens, topK, "SUM-C4")))
    return failure();
  if (y.getDimSize(0) != tokens || y.getDimSize(1) != h.getDimSize(1) ||
      y.isDynamicDim(1))
    return emitOpError("expected a result with a row per token of the ids and "
                       "the columns of ")
           << h << ", got " << y << " [SUM-C6]";
  auto product = getH().getDefiningOp<MoeGemmOp>();
  if (product && product.getWeights() && getWeights())
    return emitOpError("expected router weights in one place: here or in the "
                       "wna16.moe_gemm; in both they are squared [SUM-C7]");
  return success();
}
