//===- Repack.cpp - the packer's C entry points ---------------------------===//
//
// Names, shapes and buffer sizes are checked here; what goes where is known to
// lib/Layout alone.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Packer.h"
#include "lib/Layout/StorageNames.h"
#include "lib/Runtime/Error.h"

#include <limits>
#include <string>

using namespace wna16;
using namespace wna16::runtime;

namespace {

constexpr int32_t kScaleBits = 16;

/// A storage by name, or an error that lists the names there are.
layout::PackedStorage find(const char *which, const wna16_storage *storage) {
  require(storage, "expected the description of a storage, found null");
  require(storage->layout, "expected the name of a layout, found null");
  int64_t rows = storage->rows, columns = storage->columns;
  int32_t bits = storage->bits;
  require(rows > 0 && columns > 0,
          "expected positive matrix dimensions (rows and columns)");
  require(rows <= std::numeric_limits<int64_t>::max() / columns / kScaleBits,
          "expected a matrix whose size fits 64 bits");
  if ((bits < 1 || bits > 8) && bits != kScaleBits)
    throw RuntimeError(
        WNA16_ERROR_ARGUMENT,
        "expected codes of 1 to 8 bits or elements of 16 bits, found " +
            std::to_string(bits) + " bits");
  try {
    if (auto found = layout::storageByName(storage->layout, rows, columns,
                                           unsigned(bits)))
      return *found;
  } catch (const std::invalid_argument &error) {
    throw RuntimeError(WNA16_ERROR_ARGUMENT, std::string(which) + error.what());
  }
  std::string known;
  for (const std::string &each : layout::storageNames())
    known += (known.empty() ? "" : ", ") + each;
  throw RuntimeError(WNA16_ERROR_ARGUMENT, std::string("unknown layout \"") +
                                               storage->layout +
                                               "\"; expected one of " + known);
}

size_t bytesOf(const layout::PackedStorage &storage) {
  return size_t(storage.words()) * sizeof(uint32_t);
}

void checkBuffer(const char *which, const void *data, size_t found,
                 size_t expected) {
  require(data, "expected a buffer, found null");
  if (found != expected)
    throw RuntimeError(WNA16_ERROR_ARGUMENT,
                       std::string("expected a ") + which + " of " +
                           std::to_string(expected) + " bytes, found " +
                           std::to_string(found) + " bytes");
  if (reinterpret_cast<uintptr_t>(data) % sizeof(uint32_t) != 0)
    throw RuntimeError(WNA16_ERROR_ARGUMENT, std::string("expected a ") +
                                                 which +
                                                 " that is aligned to 4 bytes");
}

} // namespace

wna16_status wna16_storage_bytes(const wna16_storage *storage, size_t *bytes) {
  return guarded([&] {
    require(bytes, "wna16_storage_bytes: bytes is null");
    *bytes = bytesOf(find("", storage));
  });
}

wna16_status wna16_repack(const wna16_storage *source, const void *source_data,
                          size_t source_bytes, const wna16_storage *target,
                          void *target_data, size_t target_bytes, int64_t rows,
                          int64_t columns, int32_t threads) {
  return guarded([&] {
    require(threads >= 0, "expected a thread count of 0 (all cores) or more");
    require(rows > 0 && columns > 0,
            "expected positive matrix dimensions (rows and columns)");
    layout::PackedStorage from = find("source: ", source);
    layout::PackedStorage to = find("target: ", target);
    require((source->bits == kScaleBits) == (target->bits == kScaleBits),
            "expected codes in both storages, or elements of 16 bits in both");
    checkBuffer("source", source_data, source_bytes, bytesOf(from));
    checkBuffer("target", target_data, target_bytes, bytesOf(to));
    try {
      layout::repack(from, static_cast<const uint32_t *>(source_data), to,
                     static_cast<uint32_t *>(target_data), {rows, columns},
                     unsigned(threads));
    } catch (const std::invalid_argument &error) {
      throw RuntimeError(WNA16_ERROR_ARGUMENT, error.what());
    }
  });
}
