//===- Validate.cpp - a launch record must not contradict itself ----------===//
//
// Collects the first broken rule of a record. Rules about single values of the
// text lie in ReadRecord.cpp.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using llvm::Error;
using llvm::formatv;
using llvm::StringRef;
using llvm::Twine;

namespace wna16 {
namespace {

using Kind = LaunchArgument::Kind;

/// What sm_70 and later take.
constexpr int64_t maxParameterBytes = 32764;

class Validator {
public:
  explicit Validator(const LaunchRecord &record) : record(record) {}

  Error run() {
    checkTop();
    std::set<StringRef> names;
    for (const LaunchArgument &argument : record.arguments) {
      expect(!argument.name.empty(), "an argument has no name");
      expect(names.insert(argument.name).second,
             "two arguments are named '" + argument.name + "'");
      checkArgument(argument, "argument '" + argument.name + "'");
    }
    for (const LaunchArgument &argument : record.arguments)
      expect(!argument.isBuffer() || argument.isParameter ||
                 reached.count(argument.name),
             "argument '" + argument.name +
                 "': it is no parameter, and nothing points to it");
    checkProblem();
    checkSize();
    checkWorkspace();
    if (message.empty())
      return Error::success();
    return llvm::createStringError("launch record of kernel '" + record.kernel +
                                   "': " + message);
  }

private:
  void expect(bool holds, const Twine &text) {
    if (!holds && message.empty())
      message = text.str();
  }

  void checkExtent(const Extent &extent, const Twine &path) {
    if (extent.isSymbol())
      expect(record.symbols.count(extent.symbol),
             path + ": symbol '" + extent.symbol + "' is not declared");
  }

  void checkAlignment(const LaunchArgument &argument, const std::string &path) {
    expect(argument.alignment > 0 &&
               llvm::isPowerOf2_64(static_cast<uint64_t>(argument.alignment)),
           path + ": alignment must be a power of two, found " +
               Twine(argument.alignment));
  }

  void checkTop() {
    expect(!record.kernel.empty(), "no kernel name");
    for (const auto &[name, rule] : record.symbols) {
      std::string path = "symbol '" + name + "'";
      expect(rule.multipleOf > 0, path +
                                      ": multiple_of must be positive, found " +
                                      Twine(rule.multipleOf));
      expect(!rule.max || *rule.max >= rule.min,
             path + ": max is less than min");
    }
    for (const GridDimension &dimension : record.grid) {
      checkExtent(dimension.size, "grid");
      expect(dimension.tile > 0,
             "grid: tile must be positive, found " + Twine(dimension.tile));
    }
    expect(record.persistentBlocks >= 0 &&
               (record.persistentBlocks == 0 ||
                record.cluster == std::array<int64_t, 3>{1, 1, 1}),
           "persistent_blocks: expected a positive number, and no clusters, "
           "found " +
               Twine(record.persistentBlocks));
    expect(llvm::all_of(record.block, [](int64_t n) { return n > 0; }),
           "block: sizes must be positive");
    expect(llvm::all_of(record.cluster,
                        [](int64_t n) { return n > 0 && n <= 16; }) &&
               record.cluster[0] * record.cluster[1] * record.cluster[2] <= 16,
           "cluster: expected 1 to 16 blocks");
    expect(record.sharedBytes >= 0, "shared_bytes is negative");
    expect(record.workspaceBytes >= 0, "workspace_bytes is negative");
  }

  void checkArgument(const LaunchArgument &argument, const std::string &path) {
    switch (argument.kind) {
    case Kind::Buffer:
      return checkBuffer(argument, path);
    case Kind::Scalar:
      checkExtent(argument.value, path + ", value");
      return expect(!argument.fraction ||
                        !StringRef(argument.dtype).starts_with("i"),
                    path + ": a value of dtype " + argument.dtype +
                        " cannot have a fraction");
    case Kind::Pointer:
      if (!argument.buffer.empty())
        findBuffer(argument, path);
      return expect(!argument.buffer.empty() || argument.byteOffset == 0,
                    path + ": a null pointer with a byte_offset");
    case Kind::TensorMap:
      return checkTensorMap(argument, path);
    case Kind::Struct:
      return checkStruct(argument, path);
    }
  }

  void checkBuffer(const LaunchArgument &argument, const std::string &path) {
    for (const Extent &extent : argument.shape) {
      checkExtent(extent, path + ", shape");
      expect(!extent.isSymbol() || argument.layout == "row_major",
             path +
                 ", shape: only a row_major buffer may have a symbol in its "
                 "shape; its layout is '" +
                 argument.layout + "'");
      expect(extent.isSymbol() || extent.value >= 0,
             path + ": a size is negative");
    }
    for (const Extent &extent : argument.strides)
      checkExtent(extent, path + ", strides");
    expect(argument.strides.empty() ||
               argument.strides.size() == argument.shape.size(),
           formatv("{0}: {1} strides for {2} dimensions", path,
                   argument.strides.size(), argument.shape.size())
               .str());
    checkAlignment(argument, path);
    expect(!argument.afterDependency || record.dependentLaunch,
           path + ": after_dependency, but the kernel has no dependent_launch");
    if (argument.isWorkspace) {
      using Initial = LaunchArgument::Initial;
      expect(argument.access == LaunchArgument::Access::ReadWrite,
             path + ": workspace, but its access is not read_write");
      expect(argument.strides.empty() &&
                 llvm::none_of(argument.shape,
                               [](const Extent &e) { return e.isSymbol(); }),
             path + ": workspace must be contiguous and of a shape without "
                    "symbols");
      expect(argument.initialContents() != Initial::Random,
             path + ": workspace begins undefined or as zeros, not random");
    }
    const bool integers = StringRef(argument.dtype).starts_with("i");
    expect(argument.ids == LaunchArgument::Ids::None || integers,
           path + ": ids must be integers, its dtype is " + argument.dtype);
    if (!argument.below)
      return;
    checkExtent(*argument.below, path + ", below");
    expect(integers &&
               argument.initialContents() == LaunchArgument::Initial::Random,
           path + ": below is for random integers");
    expect(argument.below->isSymbol() || argument.below->value > 0,
           path + ": below must be positive, found " +
               Twine(argument.below->value));
  }

  const LaunchArgument *findBuffer(const LaunchArgument &argument,
                                   const std::string &path) {
    reached.insert(argument.buffer);
    const LaunchArgument *buffer = record.findArgument(argument.buffer);
    if (buffer && !buffer->isBuffer())
      buffer = nullptr;
    expect(buffer, path + ": no buffer is named '" + argument.buffer + "'");
    expect(argument.byteOffset >= 0, path + ": byte_offset is negative");
    return buffer;
  }

  void checkTensorMap(const LaunchArgument &argument, const std::string &path) {
    checkAlignment(argument, path);
    expect(argument.alignment >= 64,
           path + ": alignment of a tensor map must be at least 64, found " +
               Twine(argument.alignment));
    const LaunchTensorMap &map = argument.map;
    const size_t rank = map.dims.size();
    auto length = [&](size_t found, size_t wanted, StringRef name) {
      expect(found == wanted, formatv("{0}, {1}: expected {2} for {3} "
                                      "dimensions, found {4}",
                                      path, name, wanted, rank, found)
                                  .str());
    };
    expect(rank >= 1 && rank <= 5,
           path + ", dims: expected 1 to 5 dimensions, found " + Twine(rank));
    length(map.strides.size(), rank - 1, "strides");
    length(map.box.size(), rank, "box");
    if (!map.elementStrides.empty())
      length(map.elementStrides.size(), rank, "element_strides");
    for (const Extent &extent : map.dims)
      checkExtent(extent, path + ", dims");
    for (const Extent &extent : map.strides)
      checkExtent(extent, path + ", strides");
    if (const LaunchArgument *buffer = findBuffer(argument, path)) {
      expect(buffer->alignment % 16 == 0,
             formatv("{0}: a tensor map needs a buffer of alignment 16; that "
                     "of '{1}' is {2}",
                     path, buffer->name, buffer->alignment)
                 .str());
      expect(argument.byteOffset % 16 == 0,
             path + ", byte_offset: expected a multiple of 16, found " +
                 Twine(argument.byteOffset));
    }
    if (!message.empty())
      return;
    if (auto values = argument.evaluateMap(record.leastSymbols()); !values)
      message = path + ", " + llvm::toString(values.takeError());
  }

  void checkStruct(const LaunchArgument &argument, const std::string &path) {
    checkAlignment(argument, path);
    if (!message.empty())
      return;
    expect(argument.size > 0 && argument.size <= maxParameterBytes &&
               argument.size % argument.alignment == 0,
           formatv("{0}: expected a size up to {1} that is a multiple of the "
                   "alignment {2}, found {3}",
                   path, maxParameterBytes, argument.alignment, argument.size)
               .str());
    int64_t end = 0;
    std::set<StringRef> names;
    for (const LaunchArgument &field : argument.fields) {
      const std::string where = path + ", field '" + field.name + "'";
      expect(!field.name.empty(), path + ": a field has no name");
      expect(names.insert(field.name).second,
             path + ": two fields are named '" + field.name + "'");
      expect(field.kind != Kind::Buffer && field.kind != Kind::Struct,
             where + ": expected a pointer, scalar or tensor_map");
      const int64_t alignment = field.parameterAlignment();
      expect(alignment > 0 && field.fieldOffset % alignment == 0 &&
                 alignment <= argument.alignment,
             formatv("{0}: it needs an alignment of {1}; its offset is {2}, "
                     "the alignment of the struct {3}",
                     where, alignment, field.fieldOffset, argument.alignment)
                 .str());
      expect(field.fieldOffset >= end && field.fieldOffset <= argument.size,
             formatv("{0}: expected an offset from {1}, the end of the field "
                     "before it, to {2}; found {3}",
                     where, end, argument.size, field.fieldOffset)
                 .str());
      if (!message.empty())
        return;
      end = field.fieldOffset + field.parameterBytes();
      expect(end <= argument.size,
             formatv("{0}: it ends at byte {1} of a struct of {2} bytes", where,
                     end, argument.size)
                 .str());
      checkArgument(field, where);
    }
  }

  void checkSize() {
    if (!message.empty() || record.arguments.empty())
      return;
    const int64_t bytes = record.parameterOffsets().back() +
                          record.arguments.back().parameterBytes();
    expect(bytes <= maxParameterBytes,
           formatv("expected at most {0} bytes of parameters, found {1}",
                   maxParameterBytes, bytes)
               .str());
  }

  void checkProblem() {
    if (!record.problem)
      return;
    const LaunchProblem &problem = *record.problem;
    auto needs = [&](std::initializer_list<const std::string *> names) {
      for (const std::string *name : names) {
        const LaunchArgument *argument = record.findArgument(*name);
        expect(argument && argument->isBuffer(),
               "problem: no buffer is named '" + *name + "'");
      }
    };
    const bool isRoute = problem.op == "moe_route";
    const bool isSum = problem.op == "moe_sum";
    expect(
        (problem.op == "moe_gemm" || isRoute || isSum) ==
            problem.routing.has_value(),
        "problem: a moe_gemm, moe_route or moe_sum has routing, and no other "
        "op has");
    if (problem.routing)
      checkRouting(*problem.routing, problem.op);
    if (isRoute)
      return;
    if (isSum || problem.op == "repack")
      return needs({&problem.x, &problem.y});
    needs({&problem.x, &problem.w, &problem.s, &problem.y});
    for (const std::string *name : {&problem.zeros, &problem.bias}) {
      const LaunchArgument *argument = record.findArgument(*name);
      expect(name->empty() || (argument && argument->isBuffer()),
             "problem: no buffer is named '" + *name + "'");
    }
    expect(problem.group > 0,
           "problem: group must be positive, found " + Twine(problem.group));
  }

  void checkRouting(const LaunchRouting &routing, StringRef op) {
    const bool isGemm = op == "moe_gemm";
    auto buffer = [&](const std::string &name, StringRef dtype, size_t rank) {
      const LaunchArgument *found = record.findArgument(name);
      expect(
          found && found->isBuffer() && found->dtype == dtype &&
              found->shape.size() == rank,
          formatv("problem, routing: no buffer of {0} with {1} dimensions is "
                  "named '{2}'",
                  dtype, rank, name)
              .str());
    };
    expect(routing.experts > 0 && routing.topK > 0,
           "problem, routing: experts and top_k must be positive");
    if (op != "moe_sum") {
      buffer(routing.segments, "i32", 2);
      buffer(routing.slots, "i32", isGemm ? 2 : 1);
      expect(routing.segmentRows > 0,
             "problem, routing: segment_rows must be positive");
    }
    if (!isGemm) {
      buffer(routing.ids, "i32", 2);
      if (!routing.map.empty())
        buffer(routing.map, "i32", 1);
      if (!routing.weights.empty())
        buffer(routing.weights, "f32", 2);
      return;
    }
    const StringRef x = routing.xRows, y = routing.yRows;
    expect(
        x == "token" || x == "slot" || x == "position",
        "problem, routing, x_rows: expected token, slot or position, found '" +
            routing.xRows + "'");
    expect(y == "slot" || y == "position",
           "problem, routing, y_rows: expected slot or position, found '" +
               routing.yRows + "'");
  }

  void checkWorkspace() {
    int64_t bytes = 0;
    for (const LaunchArgument &argument : record.arguments)
      if (argument.isWorkspace)
        bytes += argument.constantBytes();
    expect(
        record.workspaceBytes == bytes,
        formatv("workspace_bytes: expected {0}, what the arguments marked as "
                "workspace have, found {1}",
                bytes, record.workspaceBytes)
            .str());
  }

  const LaunchRecord &record;
  std::string message;
  /// Buffers that a pointer or a tensor map leads to.
  std::set<StringRef> reached;
};

} // namespace

Error LaunchRecord::validate() const { return Validator(*this).run(); }

} // namespace wna16
