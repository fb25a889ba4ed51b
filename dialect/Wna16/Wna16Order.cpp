//===- Wna16Order.cpp - vocabulary of activation ordering -----------------===//
//
// Attributes are the one place where an order could hide in the IR: operands
// are checked by type and shape. So every name is looked at, nested ones too,
// and strings and symbols, which name tensors.
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16Order.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// Lower case, without dialect prefix and separators: "W.G-Idx" -> "gidx".
static std::string normalize(StringRef name) {
  std::string result;
  for (char c : name.drop_front(name.rfind('.') + 1))
    if (llvm::isAlnum(c))
      result += llvm::toLower(c);
  return result;
}

bool mlir::wna16::isOrderName(StringRef name) {
  // Names that contain one of these: weight_g_idx, has_g_idx, w13_g_idx,
  // g_idx_sort_indices, activation_ordering, input_permutation, ...
  static constexpr StringLiteral parts[] = {
      "gidx",     "groupidx",    "sortindices",
      "actorder", "descact",     "activationorder",
      "iskfull",  "permutation", "reorderidx"};
  static constexpr StringLiteral names[] = {
      "perm",    "perms",   "actperm",    "inputperm",    "permk",
      "kperm",   "rowperm", "columnperm", "colperm",      "weightperm",
      "argsort", "korder",  "groupindex", "groupindices", "reorder"};
  std::string normalized = normalize(name);
  StringRef key(normalized);
  return llvm::is_contained(names, key) ||
         llvm::any_of(parts,
                      [&](StringRef part) { return key.contains(part); });
}

std::string mlir::wna16::findOrderName(StringRef name, Attribute value) {
  if (isOrderName(name))
    return name.str();
  if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(value)) {
    for (NamedAttribute entry : dictionary) {
      std::string found = findOrderName(entry.getName(), entry.getValue());
      if (!found.empty())
        return (name + "." + found).str();
    }
  } else if (auto array = dyn_cast_or_null<ArrayAttr>(value)) {
    for (Attribute element : array) {
      // Elements have no name of their own: report the key inside them.
      std::string found = findOrderName("", element);
      if (!found.empty())
        return (name + found).str();
    }
  } else if (value) {
    // Strings, symbols, and those in attributes of any other kind.
    std::string found;
    value.walk([&](StringAttr text) {
      if (found.empty() && !text.getValue().contains(' ') &&
          isOrderName(text.getValue()))
        found = text.getValue().str();
    });
    if (!found.empty())
      return (name + " = " + found).str();
  }
  return {};
}

bool mlir::wna16::isRuntimeActOrder(StringRef value) {
  return llvm::is_contained({"group", "dynamic", "true"}, value.lower());
}

StringRef mlir::wna16::getOrderRemedy() {
  return "re-quantize with static ordering or desc_act=false";
}

LogicalResult mlir::wna16::verifyNoOrderName(
    NamedAttribute attribute, StringRef where,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  std::string found = findOrderName(attribute.getName(), attribute.getValue());
  if (found.empty())
    return success();
  return emitError() << where << " has the attribute '" << found
                     << "': the order of K is static, no attribute may carry "
                        "an activation order; "
                     << getOrderRemedy() << " [ORD1]";
}

LogicalResult mlir::wna16::verifyNoOrderAttributes(Operation *op) {
  // Attributes that passes outside this project attach to any op.
  static constexpr StringLiteral allowed[] = {"loop_annotation",
                                              "transform.target_tag"};
  std::string where = ("'" + op->getName().getStringRef() + "' op").str();
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (failed(verifyNoOrderName(attribute, where,
                                 [&] { return op->emitError(); })))
      return failure();
    if (!llvm::is_contained(allowed, attribute.getName().getValue()))
      return op->emitError()
             << where << " has the unknown attribute '"
             << attribute.getName().getValue() << "'; allowed beside its own: "
             << llvm::join(ArrayRef<StringLiteral>(allowed), ", ") << " [ORD1]";
  }
  return success();
}
