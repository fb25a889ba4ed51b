//===- KernelLaunch.cpp - the launch record of a tile kernel --------------===//

#include "lib/Conversion/TileToNVVM/KernelLaunch.h"

#include "lib/Analysis/Dependency.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;

namespace {

std::string nameOf(KernelOp kernel, unsigned argument) {
  return cast<StringAttr>(kernel.getArgNames()[argument]).getValue().str();
}

/// The kernel argument behind a run-time size; empty for anything computed.
std::string symbolOf(KernelOp kernel, Value size) {
  auto argument = dyn_cast_if_present<BlockArgument>(size);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return {};
  return nameOf(kernel, argument.getArgNumber());
}

std::string dtypeOf(Type type) {
  if (isa<mlir::wna16::CodeType>(type))
    return "i32";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

BindOp findBind(Value argument) {
  for (Operation *user : argument.getUsers())
    if (auto bind = dyn_cast<BindOp>(user))
      return bind;
  return {};
}

/// What the numbers of a table stand for.
LaunchArgument::Ids idsIn(Value argument) {
  BindOp bind = findBind(argument);
  if (!bind)
    return LaunchArgument::Ids::None;
  for (Operation *user : bind->getUsers()) {
    auto rows = dyn_cast<RowsOp>(user);
    if (rows && rows.getMap() == bind.getResult())
      return LaunchArgument::Ids::Row;
    if (isa<LoadSegmentOp>(user))
      return LaunchArgument::Ids::Expert;
  }
  return LaunchArgument::Ids::None;
}

class RecordBuilder {
public:
  RecordBuilder(KernelOp kernel, StringRef target) : kernel(kernel) {
    record.kernel = kernel.getSymName();
    record.target = target;
  }

  FailureOr<LaunchRecord> build() {
    if (!kernel.getSharedBytes())
      return kernel.emitOpError("expected shared_bytes; run allocate-shared "
                                "first");
    record.dependentLaunch = bool(findDependencyWait(kernel));
    record.sharedBytes = *kernel.getSharedBytes();
    record.block = {static_cast<int64_t>(kernel.getWarps()) * 32, 1, 1};
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      FailureOr<LaunchArgument> entry = isa<GlobalType>(argument.getType())
                                            ? buffer(argument)
                                            : scalar(argument);
      if (failed(entry))
        return failure();
      if (entry->isWorkspace)
        record.workspaceBytes += entry->constantBytes();
      record.arguments.push_back(*entry);
    }
    if (failed(grid()))
      return failure();
    if (auto reference = kernel.getReference())
      record.problem = problem(reference->getGroup());
    if (Attribute schedule = kernel.getScheduleAttr())
      llvm::raw_string_ostream(record.schedule) << schedule;
    return record;
  }

private:
  /// tile-gemm's names.
  LaunchProblem problem(int64_t group) {
    auto ifThere = [&](const char *name) {
      return record.findArgument(name) ? name : "";
    };
    LaunchProblem problem;
    problem.x = "x", problem.w = "w", problem.s = "s", problem.y = "y";
    problem.zeros = ifThere("z");
    problem.bias = ifThere("b");
    problem.group = group;
    if (ifThere("segments")[0]) {
      problem.op = "moe_gemm";
      problem.routing = routing();
    }
    return problem;
  }

  LaunchRouting routing() {
    LaunchRouting routing;
    routing.segments = "segments", routing.slots = "slots";
    kernel.walk([&](LoadSegmentOp segment) {
      routing.experts = segment.getExperts();
      routing.segmentRows = segment.getMost();
    });
    kernel.walk([&](RowsOp rows) {
      int64_t divisor = rows.getDivisor();
      std::string name =
          nameOf(kernel, getKernelArgument(rows.getSource()).getArgNumber());
      const char *byMap = record.findArgument("T") ? "token" : "slot";
      if (name == "x") {
        routing.xRows = rows.getMap() ? byMap : "position";
        routing.topK = divisor;
      } else if (name == "y") {
        routing.yRows = rows.getMap() ? "slot" : "position";
      }
    });
    return routing;
  }

  FailureOr<LaunchArgument> buffer(BlockArgument argument) {
    auto type = cast<GlobalType>(argument.getType());
    LaunchArgument entry;
    entry.name = nameOf(kernel, argument.getArgNumber());
    entry.access =
        type.getAccess() == Access::read    ? LaunchArgument::Access::Read
        : type.getAccess() == Access::write ? LaunchArgument::Access::Write
                                            : LaunchArgument::Access::ReadWrite;
    entry.isWorkspace = type.getAccess() == Access::workspace;
    if (entry.isWorkspace && type.getElementType().isInteger(32))
      entry.initial = LaunchArgument::Initial::Zero;
    entry.dtype = dtypeOf(type.getElementType());
    entry.alignment = 16;
    entry.afterDependency = record.dependentLaunch && isShared(type);
    auto encoded =
        dyn_cast_if_present<mlir::wna16::LayoutAttr>(type.getLayout());
    if (encoded) {
      entry.layout = stringifyLayoutKind(encoded.getKind());
      entry.logicalShape.assign(type.getShape().begin(), type.getShape().end());
      auto tensor = RankedTensorType::get(type.getShape(),
                                          type.getElementType(), encoded);
      entry.shape = {mlir::wna16::getStorageType(tensor).getNumElements()};
      if (auto code = dyn_cast<mlir::wna16::CodeType>(type.getElementType())) {
        entry.bits = code.getWidth();
        entry.offset = code.getOffset();
      }
      return entry;
    }
    if (entry.isWorkspace) {
      entry.shape = {type.getShape()[0], type.getShape()[1]};
      return entry;
    }
    int64_t stride = 1;
    for (int64_t extent : llvm::reverse(type.getShape())) {
      entry.shape.insert(entry.shape.begin(), extent);
      entry.strides.insert(entry.strides.begin(), stride);
      stride *= extent;
    }
    entry.ids = idsIn(argument);
    if (!ShapedType::isDynamic(type.getShape()[0]))
      return entry;
    BindOp bind = findBind(argument);
    std::string rows = bind ? symbolOf(kernel, bind.getRows()) : "";
    if (rows.empty())
      return kernel.emitOpError("expected the rows of argument '")
             << entry.name << "' to be bound to an index argument";
    entry.shape[0] = rows;
    if (bind.getStride()) {
      std::string stride = symbolOf(kernel, bind.getStride());
      if (stride.empty())
        return kernel.emitOpError("expected the stride of argument '")
               << entry.name << "' to be an index argument";
      entry.strides[0] = stride;
      LaunchSymbol &symbol = record.symbols[stride];
      symbol.min = std::max(symbol.min, type.getShape()[1]);
      // Rows must stay 16-byte aligned.
      symbol.multipleOf = std::max(
          symbol.multipleOf,
          128 / static_cast<int64_t>(getElementBits(type.getElementType())));
    }
    return entry;
  }

  FailureOr<LaunchArgument> scalar(BlockArgument argument) {
    LaunchArgument entry;
    entry.name = nameOf(kernel, argument.getArgNumber());
    entry.kind = LaunchArgument::Kind::Scalar;
    entry.dtype = "i32";
    entry.value = entry.name;
    record.symbols[entry.name];
    return entry;
  }

  LogicalResult grid() {
    ForEachWorkOp only;
    for (auto work : kernel.getBody().getOps<ForEachWorkOp>()) {
      if (only)
        return work.emitOpError("expected one tile.for_each_work per kernel");
      only = work;
    }
    if (!only)
      return kernel.emitOpError("expected a tile.for_each_work");
    Extent rows(int64_t(0));
    if (only.getRows()) {
      std::string symbol = symbolOf(kernel, only.getRows());
      if (symbol.empty())
        return only.emitOpError("expected its rows to be an index argument");
      rows = symbol;
      if (failed(bound(only, symbol)))
        return failure();
    } else {
      rows = static_cast<int64_t>(*only.getStaticRows());
    }
    int64_t columns = only.getColumns();
    // Rows first: blocks that run together then share weights in L2, and only
    // the first dimension of a grid holds more than 65535 blocks.
    record.grid = {GridDimension{rows, only.getTile()[0]},
                   GridDimension{columns, only.getTile()[1]},
                   GridDimension{static_cast<int64_t>(only.getBlocks()), 1}};
    record.persistentBlocks = only.getPersistent().value_or(0);
    int64_t multicast = 1;
    only.walk([&](RingOp ring) {
      multicast = std::max(multicast, ring.getMulticast());
    });
    if (columns / only.getTile()[1] % multicast)
      return only.emitOpError("expected the blocks along the columns (")
             << columns / only.getTile()[1]
             << ") to be a multiple of those that fetch together (" << multicast
             << ") [WORK-C8]";
    record.cluster = {1, multicast, only.getClusterBlocks()};
    return success();
  }

  /// The largest number of rows, `symbol`, of `work`.
  LogicalResult bound(ForEachWorkOp work, const std::string &symbol) {
    if (!kernel.getMaxM())
      return success();
    int64_t maxM = *kernel.getMaxM();
    LoadSegmentOp segment = findSegment(work);
    if (!segment) {
      record.symbols[symbol].max = maxM;
      return success();
    }
    std::string positions = symbolOf(kernel, segment.getPositions());
    if (positions.empty())
      return segment.emitOpError("expected its positions to be an index "
                                 "argument");
    record.symbols[positions].max = maxM;
    record.symbols[symbol].max = mlir::wna16::segmentBound(
        maxM, segment.getExperts(), segment.getMost());
    return success();
  }

  KernelOp kernel;
  LaunchRecord record;
};

} // namespace

namespace wna16 {
FailureOr<LaunchRecord> makeLaunchRecord(KernelOp kernel, StringRef target) {
  return RecordBuilder(kernel, target).build();
}
} // namespace wna16
