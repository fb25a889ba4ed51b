//===- LaunchRecord.cpp - meaning and consistency of a launch record ------===//
//
// Evaluation of symbols and the rules a record must keep. Text lies in
// LaunchRecordJSON.cpp.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace wna16 {

static Error failure(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

std::optional<int64_t> Extent::evaluate(const SymbolValues &values) const {
  if (!isSymbol())
    return value;
  auto found = values.find(symbol);
  if (found == values.end())
    return std::nullopt;
  return found->second;
}

const LaunchArgument *LaunchRecord::findArgument(StringRef name) const {
  for (const LaunchArgument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

Expected<std::array<int64_t, 3>>
LaunchRecord::gridBlocks(const SymbolValues &values) const {
  std::array<int64_t, 3> blocks;
  for (auto [count, dimension] : llvm::zip_equal(blocks, grid)) {
    std::optional<int64_t> size = dimension.size.evaluate(values);
    if (!size)
      return failure("kernel '" + kernel + "' needs a value for symbol '" +
                     dimension.size.symbol + "'");
    count = llvm::divideCeil(std::max<int64_t>(*size, 0), dimension.tile);
  }
  return blocks;
}

Error LaunchRecord::checkSymbols(const SymbolValues &values) const {
  for (const auto &[name, rule] : symbols) {
    auto found = values.find(name);
    if (found == values.end())
      return failure("kernel '" + kernel + "' needs a value for symbol '" +
                     name + "'");
    int64_t value = found->second;
    std::string is =
        formatv("symbol '{0}' of kernel '{1}' is {2}", name, kernel, value);
    if (value < rule.min)
      return failure(formatv("{0}; the least is {1}", is, rule.min).str());
    if (rule.max && value > *rule.max)
      return failure(formatv("{0}; the most is {1}", is, *rule.max).str());
    if (value % rule.multipleOf != 0)
      return failure(
          formatv("{0}; it must be a multiple of {1}", is, rule.multipleOf)
              .str());
  }
  return Error::success();
}

/// Collects the first broken rule of a record.
namespace {
class Validator {
public:
  explicit Validator(const LaunchRecord &record) : record(record) {}

  Error run() {
    checkTop();
    std::set<StringRef> names;
    for (const LaunchArgument &argument : record.arguments) {
      std::string path = "argument '" + argument.name + "'";
      expect(!argument.name.empty(), "an argument has no name");
      expect(names.insert(argument.name).second,
             "two arguments are named '" + argument.name + "'");
      if (argument.kind == LaunchArgument::Kind::Buffer)
        checkBuffer(argument, path);
      else
        checkExtent(argument.value, path + ", value");
    }
    checkProblem();
    if (message.empty())
      return Error::success();
    return failure("launch record of kernel '" + record.kernel +
                   "': " + message);
  }

private:
  void expect(bool holds, const llvm::Twine &text) {
    if (!holds && message.empty())
      message = text.str();
  }

  void checkExtent(const Extent &extent, const llvm::Twine &path) {
    if (extent.isSymbol())
      expect(record.symbols.count(extent.symbol),
             path + ": symbol '" + extent.symbol + "' is not declared");
  }

  void checkTop() {
    expect(!record.kernel.empty(), "no kernel name");
    for (const auto &[name, rule] : record.symbols) {
      std::string path = "symbol '" + name + "'";
      expect(rule.multipleOf > 0, path +
                                      ": multiple_of must be positive, found " +
                                      llvm::Twine(rule.multipleOf));
      expect(!rule.max || *rule.max >= rule.min,
             path + ": max is less than min");
    }
    for (const GridDimension &dimension : record.grid) {
      checkExtent(dimension.size, "grid");
      expect(dimension.tile > 0, "grid: tile must be positive, found " +
                                     llvm::Twine(dimension.tile));
    }
    expect(llvm::all_of(record.block, [](int64_t n) { return n > 0; }),
           "block: sizes must be positive");
    expect(llvm::all_of(record.cluster, [](int64_t n) { return n > 0; }),
           "cluster: sizes must be positive");
    expect(record.sharedBytes >= 0, "shared_bytes is negative");
    expect(record.workspaceBytes >= 0, "workspace_bytes is negative");
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
    expect(argument.alignment > 0 &&
               llvm::isPowerOf2_64(static_cast<uint64_t>(argument.alignment)),
           path + ": alignment must be a power of two, found " +
               llvm::Twine(argument.alignment));
  }

  void checkProblem() {
    if (!record.problem)
      return;
    const LaunchProblem &problem = *record.problem;
    for (const std::string *name :
         {&problem.x, &problem.w, &problem.s, &problem.y}) {
      const LaunchArgument *argument = record.findArgument(*name);
      expect(argument && argument->kind == LaunchArgument::Kind::Buffer,
             "problem: no buffer is named '" + *name + "'");
    }
    expect(problem.group > 0, "problem: group must be positive, found " +
                                  llvm::Twine(problem.group));
  }

  const LaunchRecord &record;
  std::string message;
};
} // namespace

Error LaunchRecord::validate() const { return Validator(*this).run(); }

} // namespace wna16
