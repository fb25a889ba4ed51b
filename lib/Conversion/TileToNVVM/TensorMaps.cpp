//===- TensorMaps.cpp - what tensor copies of a kernel need ---------------===//
//
// A matrix is described as an array of two dimensions whose inner one is
// contiguous. Row-major matrices are that; packed ones are when the storage
// tiles of a row of tiles follow each other: such a row is one row of the
// array, counted in words of 64 bits.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TileToNVVM/TensorMaps.h"

#include "lib/Layout/Instances.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using ::wna16::layout::StorageLayout;

namespace {

/// Limits of cuTensorMapEncodeTiled: elements of a box along each dimension.
constexpr int64_t maxBox = 256;
constexpr int64_t wordBits = 64;

class MapBuilder {
public:
  MapBuilder(KernelOp kernel, const LaunchRecord &record)
      : kernel(kernel), record(record) {}

  FailureOr<TensorMaps> build() {
    WalkResult result = kernel.walk([&](Operation *op) {
      LogicalResult described = success();
      if (auto fill = dyn_cast<FillOp>(op))
        described = describe(fill);
      else if (auto fill = dyn_cast<FillScalesOp>(op))
        described = describe(fill);
      return failed(described) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return std::move(maps);
  }

private:
  /// The view of kind `View` that `source` is made of; null if there is none.
  template <typename View> static View findView(Value source) {
    for (Operation *op = source.getDefiningOp(); getViewSource(op);
         op = getViewSource(op).getDefiningOp())
      if (auto view = dyn_cast<View>(op))
        return view;
    return {};
  }

  static int64_t multicastOf(FillOp fill) { return fill.getMulticast(); }
  static int64_t multicastOf(FillScalesOp) { return 1; }

  template <typename OpTy> LogicalResult describe(OpTy op) {
    if (op.getEngine() != Engine::tensor)
      return success();
    const LaunchArgument &buffer =
        record.arguments[getKernelArgument(op.getSource()).getArgNumber()];
    GlobalType type = op.getSource().getType();
    FieldAttr field = op.getFieldInfo();
    LaunchArgument map;
    map.kind = LaunchArgument::Kind::TensorMap;
    map.alignment = 64;
    map.buffer = buffer.name;
    if (auto plane = findView<PlaneOp>(op.getSource()))
      map.byteOffset = plane.getByteOffset();
    if (auto rows = findView<RowsOp>(op.getSource()); rows && rows.getMap())
      return op.emitOpError("expected rows that follow each other for a tensor "
                            "copy, found rows that a map names [FILL-C8]");
    TensorCopy copy;
    LogicalResult described = type.getLayout()
                                  ? describePacked(op, type, field, map, copy)
                                  : describeRows(op, buffer, field, map, copy);
    if (failed(described))
      return failure();
    if (auto expert = findView<ExpertOp>(op.getSource())) {
      copy.isStack = true;
      if (failed(addExperts(op, expert, map)))
        return failure();
    }
    if (int64_t blocks = multicastOf(op); blocks > 1) {
      // Every block copies its share of the rows of each box.
      std::vector<int64_t> &box = map.map.box;
      box[1] /= blocks;
      copy.shareRows = box[1];
      copy.shareBytes = op.getBytes() / copy.boxes / blocks;
    }
    copy.parameter = parameterOf(map);
    maps.copies[op] = copy;
    return success();
  }

  /// One more dimension for the matrices of a stack.
  LogicalResult addExperts(Operation *op, ExpertOp expert,
                           LaunchArgument &map) {
    int64_t bytes = expert.getMatrixBytes();
    if (bytes % 16)
      return op->emitOpError("expected matrices of a multiple of 16 bytes in a "
                             "stack for tensor copies, found ")
             << bytes << " bytes [FILL-C8]";
    int64_t elementBits =
        map.dtype == "u64" ? wordBits : 8 * int64_t(dtypeBytes(map.dtype));
    map.map.dims.push_back(expert.getSource().getType().getShape()[0]);
    map.map.strides.push_back(8 * bytes / elementBits);
    map.map.box.push_back(1);
    return success();
  }

  /// Row-major: the field's rows are those of a box, or its panels are boxes.
  LogicalResult describeRows(Operation *op, const LaunchArgument &buffer,
                             FieldAttr field, LaunchArgument &map,
                             TensorCopy &copy) {
    auto shape = field.getType().getShape();
    auto swizzle = dyn_cast_if_present<SwizzleAttr>(field.getStorage());
    if (field.getStorage() && !swizzle)
      return op->emitOpError("expected a field of rows without gaps, or in a "
                             "swizzle, for tensor copies, found ")
             << field << " [FILL-C8]";
    int64_t columns = swizzle ? layout::swizzlePanelColumns : shape[1];
    if (shape[0] > maxBox || columns > maxBox)
      return op->emitOpError("expected at most ")
             << maxBox << " rows and columns for a tensor copy, found "
             << shape[0] << "x" << shape[1] << " [FILL-C8]";
    map.dtype = buffer.dtype;
    size_t rank = buffer.shape.size();
    map.map.dims = {buffer.shape[rank - 1], buffer.shape[rank - 2]};
    map.map.strides = {buffer.strides[rank - 2]};
    map.map.box = {columns, shape[0]};
    map.map.swizzle = swizzle ? swizzle.getBytes() : 0;
    copy.boxes = shape[1] / columns;
    copy.boxColumns = columns;
    copy.boxBytes = shape[0] * columns * field.getType().getElementBits() / 8;
    return success();
  }

  /// Packed: rows of storage tiles.
  LogicalResult describePacked(Operation *op, GlobalType type, FieldAttr field,
                               LaunchArgument &map, TensorCopy &copy) {
    StorageLayout source = getStorageLayout(type);
    auto shape = field.getType().getShape();
    auto tile = source.tileShape();
    int64_t bits = field.getType().getElementBits();
    int64_t tileWords = tile[0] * tile[1] * bits / wordBits;
    if (type.getLayout() != field.getStorage() ||
        source.strides()[1] != tile[0] * tile[1] || tileWords == 0)
      return op->emitOpError("expected storage whose tiles follow each other "
                             "along the columns, in both memories, found ")
             << field << " [FILL-C8]";
    copy.rowUnit = tile[0];
    // Both are powers of two.
    copy.columnUnit = std::max<int64_t>(1, tile[1] / tileWords);
    copy.columnWords = std::max<int64_t>(1, tileWords / tile[1]);
    auto wordsOf = [&](int64_t columns) {
      return columns / copy.columnUnit * copy.columnWords;
    };
    int64_t rows = shape[0] / copy.rowUnit, words = wordsOf(shape[1]);
    if (rows > maxBox || words > maxBox)
      return op->emitOpError("expected at most ")
             << maxBox << " words in a row for a tensor copy, found " << words
             << " [FILL-C8]";
    map.dtype = "u64";
    map.map.dims = {wordsOf(type.getShape()[1]),
                    type.getShape()[0] / copy.rowUnit};
    map.map.strides = {source.strides()[0] * bits / wordBits};
    map.map.box = {words, rows};
    copy.boxes = 1;
    return success();
  }

  /// Fills of the same box of the same matrix share a parameter.
  unsigned parameterOf(LaunchArgument map) {
    for (auto [index, other] : llvm::enumerate(maps.parameters)) {
      map.name = other.name;
      if (map == other)
        return index;
    }
    auto isTaken = [&](const std::string &name) {
      auto has = [&](const LaunchArgument &entry) {
        return entry.name == name;
      };
      return llvm::any_of(maps.parameters, has) ||
             llvm::any_of(record.arguments, has);
    };
    map.name = map.buffer + "_map";
    for (unsigned number = 2; isTaken(map.name); ++number)
      map.name = map.buffer + "_map" + std::to_string(number);
    maps.parameters.push_back(map);
    return maps.parameters.size() - 1;
  }

  KernelOp kernel;
  const LaunchRecord &record;
  TensorMaps maps;
};

} // namespace

namespace wna16 {
FailureOr<TensorMaps> describeTensorMaps(KernelOp kernel,
                                         const LaunchRecord &record) {
  return MapBuilder(kernel, record).build();
}
} // namespace wna16
