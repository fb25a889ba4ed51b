//===- RepackReference.cpp - what a repack has to write -------------------===//
#include "lib/Run/RepackReference.h"

#include "lib/Layout/Packer.h"
#include "lib/Layout/StorageNames.h"

#include <cstring>

using llvm::createStringError;
using llvm::Expected;

namespace wna16::run {

namespace {

uint64_t bitsAt(const std::string &dtype, const void *data, int64_t index) {
  const unsigned bytes = dtypeBytes(dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(data) + index * bytes, bytes);
  return bits;
}

Expected<layout::PackedStorage> storageOf(const ArgumentData &data) {
  const LaunchArgument &argument = *data.argument;
  auto error = [&](const llvm::Twine &message) {
    return createStringError("argument '" + argument.name + "': " + message);
  };
  std::vector<int64_t> shape = argument.logicalShape;
  if (shape.empty())
    shape = data.shape;
  if (shape.size() != 2)
    return error("logical_shape must have two sizes");
  const int64_t bits =
      argument.bits.value_or(int64_t(dtypeBytes(argument.dtype)) * 8);
  try {
    auto storage = layout::storageByName(argument.layout, shape[0], shape[1],
                                         unsigned(bits));
    if (!storage)
      return error("unknown layout '" + argument.layout + "'");
    if ((int64_t(data.bytes.size()) + 3) / 4 < storage->words())
      return error("the buffer is smaller than its logical shape");
    return *storage;
  } catch (const std::exception &exception) {
    return error(exception.what());
  }
}

} // namespace

double itemAt(const ArgumentData &data, int64_t index) {
  return double(bitsAt(data.argument->dtype, data.bytes.data(), index));
}

Expected<std::vector<double>> repackedItems(const ArgumentData &x,
                                            const ArgumentData &y) {
  auto from = storageOf(x), to = storageOf(y);
  if (!from)
    return from.takeError();
  if (!to)
    return to.takeError();
  // The packer's buffers are whole words.
  std::vector<uint32_t> source(x.bytes.size() / 4 + 1);
  std::vector<uint32_t> target(y.bytes.size() / 4 + 1);
  std::memcpy(source.data(), x.bytes.data(), x.bytes.size());
  try {
    layout::repack(*from, source.data(), *to, target.data(),
                   {std::min(from->shape()[0], to->shape()[0]),
                    std::min(from->shape()[1], to->shape()[1])});
  } catch (const std::exception &exception) {
    return createStringError(exception.what());
  }
  const std::string &dtype = y.argument->dtype;
  std::vector<double> items(y.bytes.size() / dtypeBytes(dtype));
  for (size_t index = 0; index < items.size(); ++index)
    items[index] = double(bitsAt(dtype, target.data(), int64_t(index)));
  return items;
}

} // namespace wna16::run
