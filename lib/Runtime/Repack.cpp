//===- Repack.cpp - the packer's C entry points ---------------------------===//
//
// Names, shapes and buffer sizes are checked here; what goes where is known to
// lib/Layout alone.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Packer.h"
#include "lib/Runtime/Error.h"

#include <limits>
#include <string>

using namespace wna16;
using namespace wna16::runtime;

namespace {

constexpr int32_t kElementBits = 16;

/// A layout by name, or an error that lists the names there are.
layout::StorageLayout findLayout(const char *name, int64_t rows,
                                 int64_t columns, int32_t bits) {
  require(name, "expected the name of a layout, found null");
  require(rows > 0 && columns > 0,
          "expected positive matrix dimensions (rows and columns)");
  require(rows <= std::numeric_limits<int64_t>::max() / columns / kElementBits,
          "expected a matrix whose size fits 64 bits");
  try {
    if (auto found =
            layout::storageLayoutByName(name, rows, columns, unsigned(bits)))
      return *found;
  } catch (const std::invalid_argument &error) {
    throw RuntimeError(WNA16_ERROR_ARGUMENT, error.what());
  }
  std::string known;
  for (const std::string &each : layout::storageLayoutNames())
    known += (known.empty() ? "" : ", ") + each;
  throw RuntimeError(WNA16_ERROR_ARGUMENT, std::string("unknown layout \"") +
                                               name + "\"; expected one of " +
                                               known);
}

size_t storageBytes(const layout::StorageLayout &storage, int32_t bits) {
  if (bits == kElementBits)
    return size_t(storage.span()) * sizeof(uint16_t);
  return size_t(layout::storageWords(storage, unsigned(bits))) *
         sizeof(uint32_t);
}

void checkBits(int32_t bits) {
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != kElementBits)
    throw RuntimeError(WNA16_ERROR_ARGUMENT,
                       "expected codes of 1, 2, 4 or 8 bits or elements of 16 "
                       "bits, found " +
                           std::to_string(bits) + " bits");
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

wna16_status wna16_storage_bytes(const char *layout, int64_t rows,
                                 int64_t columns, int32_t bits, size_t *bytes) {
  return guarded([&] {
    require(bytes, "wna16_storage_bytes: bytes is null");
    checkBits(bits);
    *bytes = storageBytes(findLayout(layout, rows, columns, bits), bits);
  });
}

wna16_status wna16_repack(const char *source_layout, const char *target_layout,
                          int64_t rows, int64_t columns, int32_t bits,
                          const void *source, size_t source_bytes, void *target,
                          size_t target_bytes, int32_t threads) {
  return guarded([&] {
    checkBits(bits);
    require(threads >= 0, "expected a thread count of 0 (all cores) or more");
    layout::StorageLayout from = findLayout(source_layout, rows, columns, bits);
    layout::StorageLayout to = findLayout(target_layout, rows, columns, bits);
    checkBuffer("source", source, source_bytes, storageBytes(from, bits));
    checkBuffer("target", target, target_bytes, storageBytes(to, bits));
    try {
      if (bits == kElementBits)
        layout::repackElements16(from, static_cast<const uint16_t *>(source),
                                 to, static_cast<uint16_t *>(target),
                                 unsigned(threads));
      else
        layout::repackCodes(from, static_cast<const uint32_t *>(source), to,
                            static_cast<uint32_t *>(target), unsigned(bits),
                            unsigned(threads));
    } catch (const std::invalid_argument &error) {
      throw RuntimeError(WNA16_ERROR_ARGUMENT, error.what());
    }
  });
}
