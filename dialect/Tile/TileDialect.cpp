//===- TileDialect.cpp - registration of the tile dialect -----------------===//

#include "dialect/Tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::tile;

#include "dialect/Tile/TileDialect.cpp.inc"

namespace {
/// Long layouts get an alias at the top of the file, so that dumps stay
/// readable.
struct TileAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<LinearAttr>(attr)) {
      os << "linear";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    if (isa<RingType>(type)) {
      os << "ring";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

/// Called for attributes named `tile.<something>`: there are none.
static LogicalResult refuseAttribute(Operation *op, NamedAttribute attribute) {
  return op->emitOpError("has the unknown attribute '")
         << attribute.getName().getValue() << "' [ORD1]";
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  return refuseAttribute(op, attribute);
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attribute) {
  return refuseAttribute(op, attribute);
}

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/Tile/TileOps.cpp.inc"
      >();
  addInterfaces<TileAsmInterface>();
}

#define GET_OP_CLASSES
#include "dialect/Tile/TileOps.cpp.inc"
