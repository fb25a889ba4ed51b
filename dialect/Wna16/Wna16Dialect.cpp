//===- Wna16Dialect.cpp - registration and dialect-wide checks ------------===//
//
// Registers types, attributes and ops, and checks attributes with the prefix of
// the dialect wherever they stand (ORD1).
//
//===----------------------------------------------------------------------===//
#include "dialect/Wna16/Wna16.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::wna16;

#include "dialect/Wna16/Wna16Dialect.cpp.inc"
#include "dialect/Wna16/Wna16Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Wna16/Wna16Attrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Wna16/Wna16Types.cpp.inc"

void Wna16Dialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Wna16/Wna16Types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Wna16/Wna16Attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Wna16/Wna16Ops.cpp.inc"
      >();
}

/// MLIR calls the hooks below only for attributes named `wna16.<something>`.
/// An unknown one is a mistake, so the known ones are listed here.
static LogicalResult
verifyPrefixedAttribute(NamedAttribute attribute, StringRef where,
                        llvm::function_ref<InFlightDiagnostic()> emitError) {
  static constexpr StringLiteral known[] = {
      "wna16.launch",  // launch record of a kernel
      "wna16.row_ids", // a load of row or expert ids
  };
  if (failed(verifyNoOrderName(attribute, where, emitError)))
    return failure();
  if (llvm::is_contained(known, attribute.getName().getValue()))
    return success();
  return emitError() << where << " has the unknown attribute '"
                     << attribute.getName().getValue() << "'; known: "
                     << llvm::join(ArrayRef<StringLiteral>(known), ", ")
                     << " [ORD1]";
}

LogicalResult Wna16Dialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  std::string where = ("'" + op->getName().getStringRef() + "' op").str();
  return verifyPrefixedAttribute(attribute, where,
                                 [&] { return op->emitError(); });
}

LogicalResult Wna16Dialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  std::string where =
      llvm::formatv("argument {0} of '{1}' op", argIndex, op->getName());
  return verifyPrefixedAttribute(attribute, where,
                                 [&] { return op->emitError(); });
}

LogicalResult
Wna16Dialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                          unsigned resultIndex,
                                          NamedAttribute attribute) {
  std::string where =
      llvm::formatv("result {0} of '{1}' op", resultIndex, op->getName());
  return verifyPrefixedAttribute(attribute, where,
                                 [&] { return op->emitError(); });
}
