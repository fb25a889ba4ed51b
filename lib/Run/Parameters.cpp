//===- Parameters.cpp - the bytes that a kernel is passed -----------------===//
//
// One way for all devices, so that what runs on the emulator is what a GPU
// gets.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Parameters.h"

#include "lib/Emulator/Numerics.h"
#include "lib/Runtime/TensorMapRules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace wna16::run {
namespace {

using Bytes = std::vector<uint8_t>;
using Kind = LaunchArgument::Kind;

class Builder {
public:
  Builder(const LaunchRecord &record, const SymbolValues &symbols,
          ParameterDevice &device)
      : record(record), symbols(symbols), device(device) {}

  Expected<Bytes> build(const LaunchArgument &argument) {
    switch (argument.kind) {
    case Kind::Buffer:
      return pointer(argument, argument.name);
    case Kind::Pointer:
      if (argument.buffer.empty())
        return Bytes(sizeof(uint64_t));
      return pointer(argument, argument.buffer);
    case Kind::Scalar:
      return scalar(argument);
    case Kind::TensorMap:
      return map(argument);
    case Kind::Struct:
      return aggregate(argument);
    }
    llvm_unreachable("no such kind");
  }

private:
  static Error failure(const LaunchArgument &argument,
                       const llvm::Twine &message) {
    return createStringError("argument '" + argument.name + "'" + message);
  }

  template <typename T> static Bytes bytesOf(T value, size_t count) {
    Bytes bytes(count);
    std::memcpy(bytes.data(), &value, count);
    return bytes;
  }

  /// The address that a pointer or map stands for, with `span` bytes behind it.
  Expected<uint64_t> target(const LaunchArgument &argument,
                            const std::string &buffer, uint64_t span) {
    const size_t index =
        size_t(record.findArgument(buffer) - record.arguments.data());
    const uint64_t size = device.size(index);
    const uint64_t offset = uint64_t(argument.byteOffset);
    if (offset > size || span > size - offset)
      return failure(argument, ": it reaches byte " + llvm::Twine(offset) +
                                   " + " + llvm::Twine(span) + " of buffer '" +
                                   buffer + "', which has " +
                                   llvm::Twine(size));
    return device.address(index) + offset;
  }

  Expected<Bytes> pointer(const LaunchArgument &argument,
                          const std::string &buffer) {
    Expected<uint64_t> address = target(argument, buffer, 0);
    if (!address)
      return address.takeError();
    return bytesOf(*address, sizeof(uint64_t));
  }

  Expected<Bytes> scalar(const LaunchArgument &argument) {
    const std::string &dtype = argument.dtype;
    const unsigned size = dtypeBytes(dtype);
    auto integer = argument.value.evaluate(symbols);
    if (!integer)
      return failure(argument,
                     ": symbol '" + argument.value.symbol + "' has no value");
    const double number = argument.fraction.value_or(double(*integer));
    if (dtype == "f16")
      return bytesOf(emulator::floatToHalf(float(number)), size);
    if (dtype == "bf16")
      return bytesOf(emulator::floatToBfloat(float(number)), size);
    if (dtype == "f32")
      return bytesOf(float(number), size);
    if (dtype == "f64")
      return bytesOf(number, size);
    // Unsigned numbers have no dtype of their own; sizes are signed.
    if (!llvm::isIntN(8 * size, *integer) &&
        (argument.value.isSymbol() || *integer < 0 ||
         !llvm::isUIntN(8 * size, uint64_t(*integer))))
      return failure(argument, ": " + llvm::Twine(*integer) +
                                   " does not fit its " +
                                   llvm::Twine(8 * size) + " bits");
    return bytesOf(*integer, size);
  }

  Expected<Bytes> map(const LaunchArgument &argument) {
    Expected<wna16_tensor_map> map = argument.evaluateMap(symbols);
    if (!map)
      return failure(argument, ", " + llvm::toString(map.takeError()));
    Expected<uint64_t> address =
        target(argument, argument.buffer, runtime::tensorMapSpan(*map));
    if (!address)
      return address.takeError();
    map->address = *address;
    if (std::string error = runtime::checkTensorMap(*map); !error.empty())
      return failure(argument, ", " + error);
    return device.encode(*map);
  }

  Expected<Bytes> aggregate(const LaunchArgument &argument) {
    Bytes bytes(size_t(argument.size));
    for (const LaunchArgument &field : argument.fields) {
      Expected<Bytes> part = build(field);
      if (!part)
        return createStringError("argument '" + argument.name +
                                 "': " + llvm::toString(part.takeError()));
      llvm::copy(*part, bytes.begin() + field.fieldOffset);
    }
    return bytes;
  }

  const LaunchRecord &record;
  const SymbolValues &symbols;
  ParameterDevice &device;
};

} // namespace

Expected<std::vector<Bytes>> makeParameters(const LaunchRecord &record,
                                            const SymbolValues &symbols,
                                            ParameterDevice &device) {
  Builder builder(record, symbols, device);
  std::vector<Bytes> parameters;
  for (const LaunchArgument &argument : record.arguments) {
    if (argument.parameterBytes() == 0)
      continue;
    Expected<Bytes> bytes = builder.build(argument);
    if (!bytes)
      return bytes.takeError();
    parameters.push_back(std::move(*bytes));
  }
  return parameters;
}

Error checkOffsets(const LaunchRecord &record,
                   const emulator::ast::Function &entry) {
  uint64_t end = 0;
  size_t index = 0;
  for (auto [argument, offset] :
       llvm::zip_equal(record.arguments, record.parameterOffsets())) {
    if (argument.parameterBytes() == 0)
      continue;
    if (index == entry.parameters.size())
      break;
    const emulator::ast::Variable &parameter = entry.parameters[index++];
    const uint64_t place =
        llvm::alignTo(end, std::max(1u, parameter.alignment));
    if (parameter.bytes != uint64_t(argument.parameterBytes()))
      break; // an error with better words elsewhere
    if (place != uint64_t(offset))
      return createStringError("argument '" + argument.name +
                               "' lies at byte " + llvm::Twine(offset) +
                               " of the parameters, '" +
                               llvm::StringRef(parameter.name) +
                               "' of the kernel at byte " + llvm::Twine(place) +
                               "; the alignment of an argument before it, or "
                               "its own, is not that of the PTX");
    end = place + parameter.bytes;
  }
  return Error::success();
}

} // namespace wna16::run
