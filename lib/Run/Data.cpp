//===- Data.cpp - the arguments of one launch -----------------------------===//
//
// Generated data is a function of the seed and the argument's name only, so
// that a failing run can be repeated.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Data.h"

#include "lib/Emulator/Numerics.h"
#include "lib/Run/Input.h"
#include "lib/Run/MoeReference.h"
#include "lib/Run/Routing.h"
#include "lib/Run/StoredMatrix.h"

#include <cmath>
#include <cstring>
#include <random>

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace wna16::run {

double elementAt(const ArgumentData &data, int64_t index) {
  const std::string &dtype = data.argument->dtype;
  const unsigned bytes = dtypeBytes(dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, data.bytes.data() + index * bytes, bytes);
  if (dtype == "f16")
    return emulator::halfToFloat(uint32_t(bits));
  if (dtype == "bf16")
    return emulator::bfloatToFloat(uint32_t(bits));
  if (dtype == "f32")
    return std::bit_cast<float>(uint32_t(bits));
  if (dtype == "f64")
    return std::bit_cast<double>(bits);
  const unsigned shift = 64 - 8 * bytes;
  return double(int64_t(bits << shift) >> shift);
}

static void setElement(ArgumentData &data, int64_t index, double value) {
  const std::string &dtype = data.argument->dtype;
  const unsigned bytes = dtypeBytes(dtype);
  uint64_t bits;
  if (dtype == "f16")
    bits = emulator::floatToHalf(float(value));
  else if (dtype == "bf16")
    bits = emulator::floatToBfloat(float(value));
  else if (dtype == "f32")
    bits = std::bit_cast<uint32_t>(float(value));
  else if (dtype == "f64")
    bits = std::bit_cast<uint64_t>(value);
  else
    bits = uint64_t(int64_t(value));
  std::memcpy(data.bytes.data() + index * bytes, &bits, bytes);
}

/// Sizes that follow from the number of slots, or of tokens.
static SymbolValues routingSymbols(const LaunchRecord &record,
                                   const SymbolValues &given) {
  const LaunchRouting &routing = *record.problem->routing;
  SymbolValues values;
  auto rowsOf = [&](const std::string &name) {
    return record.findArgument(name)->shape.front();
  };
  auto set = [&](const std::string &name, int64_t value) {
    if (Extent rows = rowsOf(name); rows.isSymbol())
      values[rows.symbol] = value;
  };
  if (!routing.ids.empty()) {
    auto tokens = rowsOf(routing.ids).evaluate(given);
    if (!tokens)
      tokens = rowsOf(routing.ids).evaluate(record.leastSymbols());
    const int64_t slots = *tokens * routing.topK;
    if (record.problem->op == "moe_sum") {
      set(record.problem->x, slots);
    } else {
      set(routing.slots, slots);
      set(routing.segments, segmentRowsFor(routing, slots));
    }
    return values;
  }
  auto positions = rowsOf(routing.slots).evaluate(given);
  if (!positions)
    positions = rowsOf(routing.slots).evaluate(record.leastSymbols());
  set(routing.segments, segmentRowsFor(routing, *positions));
  if (routing.xRows == "token")
    set(record.problem->x, (*positions + routing.topK - 1) / routing.topK);
  return values;
}

Expected<SymbolValues> completeSymbols(const LaunchRecord &record,
                                       const SymbolValues &given) {
  SymbolValues values = given;
  for (const auto &[name, value] : given)
    if (!record.symbols.count(name))
      return createStringError("kernel '" + record.kernel +
                               "' has no symbol '" + name + "'");
  if (record.problem && record.problem->routing)
    values.merge(routingSymbols(record, values));
  values.merge(record.leastSymbols());
  if (Error error = record.checkSymbols(values))
    return error;
  return values;
}

namespace {

/// Calls `f(index)` for the element offset of every logical position.
template <typename F> void forEachElement(const ArgumentData &data, F f) {
  std::vector<int64_t> position(data.shape.size(), 0);
  for (int64_t extent : data.shape)
    if (extent == 0)
      return;
  while (true) {
    int64_t index = 0;
    for (size_t d = 0; d < position.size(); ++d)
      index += position[d] * data.strides[d];
    f(index);
    size_t d = position.size();
    while (d > 0 && ++position[d - 1] == data.shape[d - 1])
      position[--d] = 0;
    if (d == 0)
      return;
  }
}

/// Generates the contents of one input.
class Generator {
public:
  Generator(const LaunchRecord &record, const SymbolValues &symbols,
            const Request &request)
      : record(record), symbols(symbols), request(request) {}

  Error fill(ArgumentData &data) {
    std::seed_seq seeds(data.argument->name.begin(), data.argument->name.end());
    uint32_t hash;
    seeds.generate(&hash, &hash + 1);
    random.seed(request.seed * 0x9e3779b97f4a7c15ull + hash);
    const auto &problem = record.problem;
    const std::string &name = data.argument->name;
    if (data.argument->below)
      return numbersBelow(data);
    if (problem && problem->routing &&
        (name == problem->routing->segments || name == problem->routing->slots))
      return tables(data);
    if (problem && problem->routing && name == problem->routing->ids)
      return routerIds(data);
    if (problem && problem->routing && name == problem->routing->map)
      return copyNumbers(data, makeExpertMap(request.routing, request.seed,
                                             data.shape[0],
                                             problem->routing->experts));
    if (problem && name == problem->w)
      return codes(data);
    if (problem && name == problem->zeros)
      return zeros(data);
    if (problem && name == problem->s)
      return scales(data);
    activations(data);
    return Error::success();
  }

private:
  double uniform() { return double(random() >> 11) * 0x1p-53; }
  double normal() {
    // Box-Muller: the same numbers with every standard library.
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

  Error numbersBelow(ArgumentData &data) {
    const LaunchArgument &argument = *data.argument;
    const int64_t end = argument.below->evaluate(symbols).value_or(0);
    if (end <= 0)
      return createStringError("argument '" + argument.name +
                               "': below must be positive, found " +
                               llvm::Twine(end));
    forEachElement(data, [&](int64_t index) {
      setElement(data, index, double(random() % uint64_t(end)));
    });
    return Error::success();
  }

  /// Both tables are parts of one routing.
  Error tables(ArgumentData &data) {
    const LaunchRouting &routing = *record.problem->routing;
    auto rowsOf = [&](const std::string &name) {
      return record.findArgument(name)->shape.front().evaluate(symbols);
    };
    auto made = makeRouting(routing, request.routing, request.seed,
                            *rowsOf(routing.slots), *rowsOf(routing.segments));
    if (!made)
      return made.takeError();
    return copyNumbers(data, data.argument->name == routing.slots
                                 ? made->slots
                                 : made->segments);
  }

  static Error copyNumbers(ArgumentData &data,
                           const std::vector<int32_t> &numbers) {
    std::memcpy(data.bytes.data(), numbers.data(),
                std::min(data.bytes.size(), 4 * numbers.size()));
    return Error::success();
  }

  /// Of global experts, where there is a map.
  Error routerIds(ArgumentData &data) {
    const LaunchRouting &routing = *record.problem->routing;
    int64_t end = routing.experts;
    if (const LaunchArgument *map = record.findArgument(routing.map))
      end = *map->shape.front().evaluate(symbols);
    return copyNumbers(data, makeIds(request.routing, request.seed,
                                     data.shape[0] * data.shape[1], end));
  }

  void activations(ArgumentData &data) {
    const bool integer = data.argument->dtype[0] == 'i';
    if (integer && data.argument->layout != "row_major") {
      for (uint8_t &byte : data.bytes)
        byte = uint8_t(random());
      return;
    }
    const bool large = request.data == DataKind::Adversarial;
    forEachElement(data, [&](int64_t index) {
      double value = integer ? double(random() % 16) : normal();
      if (large && !integer) // alternating signs, 16 binades
        value = (random() % 2 ? 1 : -1) * std::exp2(double(random() % 16) - 10);
      setElement(data, index, value);
    });
  }

  Error codes(ArgumentData &data) {
    const unsigned bits = unsigned(data.argument->bits.value_or(4));
    if (request.data == DataKind::Random) {
      for (uint8_t &byte : data.bytes)
        byte = uint8_t(random());
      return Error::success();
    }
    auto matrix = StoredMatrix::get(data);
    if (!matrix)
      return matrix.takeError();
    // One-hot weights without an offset meet zero points of 1.
    const uint64_t zero = uint64_t(data.argument->offset.value_or(1));
    const bool oneHot = request.data == DataKind::OneHot;
    const uint64_t top = (uint64_t(1) << bits) - 1;
    const uint64_t one = zero < top ? zero + 1 : zero - 1;
    for (int64_t e = 0; e < matrix->experts(); ++e) {
      const StoredMatrix mine = matrix->expert(e);
      for (int64_t k = 0; k < mine.rows(); ++k)
        for (int64_t n = 0; n < mine.columns(); ++n)
          mine.setCode(data, k, n, oneHot ? zero : random() % 2 ? top : 0);
      for (int64_t n = 0; oneHot && n < mine.columns(); ++n)
        mine.setCode(data, int64_t(random() % uint64_t(mine.rows())), n, one);
    }
    return Error::success();
  }

  /// Below 2^bits of the weights, and different for neighbours.
  Error zeros(ArgumentData &data) {
    const LaunchArgument *w = record.findArgument(record.problem->w);
    const uint64_t end = uint64_t(1) << w->bits.value_or(4);
    auto matrix = StoredMatrix::get(data);
    if (!matrix)
      return matrix.takeError();
    for (int64_t e = 0; e < matrix->experts(); ++e)
      for (int64_t g = 0; g < matrix->rows(); ++g)
        for (int64_t n = 0; n < matrix->columns(); ++n)
          matrix->expert(e).setCode(
              data, g, n,
              request.data == DataKind::OneHot ? 1 : random() % end);
    return Error::success();
  }

  /// Positive, and different for (nearly) every group and column.
  Error scales(ArgumentData &data) {
    const bool wide = request.data == DataKind::Adversarial;
    forEachElement(data, [&](int64_t index) {
      const double spread = wide ? std::exp2(double(random() % 9) - 6) : 1;
      setElement(data, index, 0.01 * spread * (0.5 + uniform()));
    });
    return Error::success();
  }

  const LaunchRecord &record;
  const SymbolValues &symbols;
  const Request &request;
  std::mt19937_64 random;
};

Error evaluate(const LaunchArgument &argument, const std::vector<Extent> &from,
               const SymbolValues &symbols, std::vector<int64_t> &to) {
  for (const Extent &extent : from) {
    auto value = extent.evaluate(symbols);
    if (!value)
      return createStringError("argument '" + argument.name + "': symbol '" +
                               extent.symbol + "' has no value");
    if (*value < 0 || *value > (int64_t(1) << 40))
      return createStringError("argument '" + argument.name + "': size " +
                               llvm::Twine(*value) + " is out of range");
    to.push_back(*value);
  }
  return Error::success();
}

/// Sets shape and strides; returns the number of elements spanned.
Expected<int64_t> measure(ArgumentData &data, const SymbolValues &symbols) {
  const LaunchArgument &argument = *data.argument;
  if (Error error = evaluate(argument, argument.shape, symbols, data.shape))
    return error;
  if (Error error = evaluate(argument, argument.strides, symbols, data.strides))
    return error;
  if (argument.strides.empty()) {
    data.strides.assign(data.shape.size(), 1);
    for (size_t d = data.shape.size(); d-- > 1;)
      data.strides[d - 1] = data.strides[d] * data.shape[d];
  }
  int64_t span = 1;
  for (size_t d = 0; d < data.shape.size(); ++d) {
    if (data.shape[d] == 0)
      return 0;
    span += (data.shape[d] - 1) * data.strides[d];
  }
  return span;
}

/// NaN in every 16- and 32-bit float type.
void poison(ArgumentData &data) {
  for (size_t i = 0; i < data.bytes.size(); ++i)
    data.bytes[i] = i % 2 ? 0x7f : 0xff;
  data.undefined.assign(data.bytes.size(), 1);
}

/// Rows of slots without an expert hold nothing.
void poisonDroppedRows(ArgumentData &data, const std::vector<bool> &kept) {
  const size_t row = size_t(data.strides[0]) * dtypeBytes(data.argument->dtype);
  data.undefined.resize(data.bytes.size());
  for (size_t slot = 0; slot < kept.size(); ++slot)
    for (size_t i = slot * row; !kept[slot] && i < (slot + 1) * row; ++i) {
      data.bytes[i] = i % 2 ? 0x7f : 0xff;
      data.undefined[i] = 1;
    }
}

Error readInput(ArgumentData &data, const std::string &file) {
  Expected<std::string> text = readFile(file);
  if (!text)
    return text.takeError();
  // A whole last row may follow the last element.
  const size_t span = data.bytes.size();
  size_t padded = span;
  if (data.shape.size() > 1 && data.shape[0] > 0)
    padded = size_t(data.shape[0] * data.strides[0]) *
             dtypeBytes(data.argument->dtype);
  if (text->size() != span && text->size() != padded)
    return createStringError("argument '" + data.argument->name +
                             "': expected " + llvm::Twine(span) + " bytes, '" +
                             file + "' has " + llvm::Twine(text->size()));
  data.bytes.assign(text->begin(), text->end());
  return Error::success();
}

} // namespace

Expected<std::vector<ArgumentData>>
prepareArguments(const LaunchRecord &record, const SymbolValues &symbols,
                 const Request &request) {
  for (const auto *files : {&request.inputFiles, &request.outputFiles})
    for (const auto &[name, file] : *files) {
      const LaunchArgument *argument = record.findArgument(name);
      if (!argument || argument->kind != LaunchArgument::Kind::Buffer)
        return createStringError("kernel '" + record.kernel +
                                 "' has no buffer argument '" + name + "'");
    }
  Generator generator(record, symbols, request);
  std::vector<ArgumentData> arguments;
  for (const LaunchArgument &argument : record.arguments) {
    ArgumentData &data = arguments.emplace_back();
    data.argument = &argument;
    if (!data.isBuffer())
      continue;
    const unsigned bytes = dtypeBytes(argument.dtype);
    if (!bytes)
      return createStringError("argument '" + argument.name +
                               "': unknown dtype '" + argument.dtype + "'");
    Expected<int64_t> span = measure(data, symbols);
    if (!span)
      return span.takeError();
    if (*span > (int64_t(1) << 36))
      return createStringError("argument '" + argument.name +
                               "' would have more than 64 Gi elements");
    data.bytes.resize(size_t(*span) * bytes);
    auto file = request.inputFiles.find(argument.name);
    if (file != request.inputFiles.end()) {
      if (Error error = readInput(data, file->second))
        return error;
      continue;
    }
    const LaunchArgument::Initial initial = argument.initialContents();
    if (initial == LaunchArgument::Initial::Zero)
      continue;
    // Whatever is not an element of the tensor must not matter.
    poison(data);
    if (initial == LaunchArgument::Initial::Undefined)
      continue;
    if (Error error = generator.fill(data))
      return error;
    forEachElement(data, [&](int64_t index) {
      std::memset(data.undefined.data() + index * bytes, 0, bytes);
    });
    if (llvm::none_of(data.undefined, [](uint8_t u) { return u != 0; }))
      data.undefined.clear();
  }
  if (record.problem && record.problem->op == "moe_sum")
    for (ArgumentData &data : arguments)
      if (data.argument->name == record.problem->x)
        poisonDroppedRows(data, keptSlots(*record.problem->routing, arguments));
  return arguments;
}

} // namespace wna16::run
