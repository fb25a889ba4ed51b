//===- LaunchRecord.cpp - meaning of a launch record ----------------------===//
//
// What a record says about one launch, given values of its symbols. Rules lie
// in Validate.cpp, text in WriteRecord.cpp and ReadRecord.cpp.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace wna16 {

static Error failure(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

const LaunchArgument *LaunchRecord::findArgument(StringRef name) const {
  for (const LaunchArgument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

std::vector<int64_t> LaunchRecord::parameterOffsets() const {
  std::vector<int64_t> offsets;
  int64_t end = 0;
  for (const LaunchArgument &argument : arguments) {
    const int64_t bytes = argument.parameterBytes();
    if (bytes)
      end = llvm::alignTo(end, argument.parameterAlignment());
    offsets.push_back(end);
    end += bytes;
  }
  return offsets;
}

Expected<std::array<int64_t, 3>>
LaunchRecord::gridBlocks(const SymbolValues &values) const {
  std::array<int64_t, 3> blocks;
  int64_t tiles = 1;
  for (auto [count, dimension, together] :
       llvm::zip_equal(blocks, grid, cluster)) {
    std::optional<int64_t> size = dimension.size.evaluate(values);
    if (!size)
      return failure("kernel '" + kernel + "' needs a value for symbol '" +
                     dimension.size.symbol + "'");
    count = llvm::divideCeil(std::max<int64_t>(*size, 0), dimension.tile);
    tiles *= count;
    if (count % together != 0)
      return failure(formatv("kernel '{0}': its clusters have {1} blocks in a "
                             "dimension of the grid that has {2}",
                             kernel, together, count)
                         .str());
  }
  if (persistentBlocks)
    return std::array<int64_t, 3>{std::min(tiles, persistentBlocks), 1, 1};
  return blocks;
}

SymbolValues LaunchRecord::leastSymbols() const {
  SymbolValues values;
  for (const auto &[name, rule] : symbols) {
    const int64_t least =
        llvm::alignTo(std::max<int64_t>(rule.min, 1), rule.multipleOf);
    values[name] = rule.max ? std::min(least, *rule.max) : least;
  }
  return values;
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

} // namespace wna16
