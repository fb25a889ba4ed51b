//===- StorageNames.cpp - storage by name ---------------------------------===//
//
// One table: name and constructor.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/StorageNames.h"

#include "lib/Layout/Instances.h"

#include <numeric>
#include <stdexcept>

using namespace wna16::layout;

namespace {

using MakeLayout = StorageLayout (*)(int64_t d0, int64_t d1, unsigned bits);

[[noreturn]] void fail(const std::string &name, const std::string &message) {
  throw std::invalid_argument(name + " layout: " + message);
}

/// Whether codes along an extent fill words, none of them in two.
bool fillsWords(int64_t extent, unsigned bits) {
  return 32 % bits == 0 && extent * bits % 32 == 0;
}

struct Request {
  std::string name;
  int64_t d0, d1;
  unsigned bits;
};

/// Codes in one layout.
template <MakeLayout make> PackedStorage codes(const Request &r) {
  return PackedStorage(make(r.d0, r.d1, r.bits), r.bits);
}

/// Codes along a dimension: a layout where they fill words, else streams. GPTQ
/// has no partial words (`whole`), compressed-tensors pads to the next one.
template <MakeLayout make, unsigned along, bool interleaved, bool whole>
PackedStorage codesAlong(const Request &r) {
  if (r.d0 <= 0 || r.d1 <= 0)
    fail(r.name, "expected positive extents, found " + std::to_string(r.d0) +
                     " x " + std::to_string(r.d1));
  if (r.bits < 1 || r.bits > 8)
    fail(r.name,
         "expected codes of 1 to 8 bits, found " + std::to_string(r.bits));
  int64_t extent = along == 0 ? r.d0 : r.d1;
  if (fillsWords(extent, r.bits))
    return codes<make>(r);
  if (whole && extent * r.bits % 32 != 0)
    fail(r.name, std::string("expected ") + (along == 0 ? "K" : "N") +
                     " to be a multiple of " +
                     std::to_string(32 / std::gcd(32u, r.bits)) + ", found " +
                     std::to_string(extent));
  return PackedStorage::streams(r.d0, r.d1, r.bits, along, interleaved);
}

template <StorageLayout (*make)(int64_t d0, int64_t d1)>
PackedStorage scales(const Request &r) {
  if (r.bits != 16)
    fail(r.name,
         "expected elements of 16 bits, found " + std::to_string(r.bits));
  return PackedStorage(make(r.d0, r.d1), r.bits);
}

PackedStorage marlin(const Request &r) {
  return PackedStorage(r.d0, r.d1, r.bits, marlinWeights);
}

PackedStorage plain(const Request &r) {
  return PackedStorage(rowMajor(r.d0, r.d1), r.bits);
}

struct Entry {
  const char *name;
  PackedStorage (*make)(const Request &);
};

const Entry entries[] = {
    {"row_major", plain},
    {"marlin", marlin},
    {"gptq", codesAlong<gptqWeights, 0, true, true>},
    {"compressed_tensors",
     codesAlong<compressedTensorsWeights, 0, false, false>},
    {"awq", codes<awqWeights>},
    {"marlin_zeros", codes<marlinZeros>},
    {"gptq_zeros", codesAlong<gptqZeros, 1, false, true>},
    {"compressed_tensors_zeros",
     codesAlong<compressedTensorsZeros, 1, true, false>},
    {"awq_zeros", codes<awqZeros>},
    {"marlin_scales", scales<marlinGroupedScales>},
    {"marlin_channel_scales", scales<marlinChannelScales>},
    {"compressed_tensors_scales", scales<compressedTensorsScales>},
};

} // namespace

const std::vector<std::string> &wna16::layout::storageNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Entry &entry : entries)
      result.push_back(entry.name);
    return result;
  }();
  return names;
}

std::optional<PackedStorage>
wna16::layout::storageByName(const std::string &name, int64_t d0, int64_t d1,
                             unsigned bits) {
  for (const Entry &entry : entries)
    if (name == entry.name)
      return entry.make({name, d0, d1, bits});
  return std::nullopt;
}

std::optional<StorageLayout>
wna16::layout::storageLayoutByName(const std::string &name, int64_t d0,
                                   int64_t d1, unsigned bits) {
  std::optional<PackedStorage> storage = storageByName(name, d0, d1, bits);
  if (!storage)
    return std::nullopt;
  if (const StorageLayout *layout = storage->singleLayout())
    return *layout;
  fail(name, "codes of " + std::to_string(bits) +
                 " bits are stored in planes or as a bit stream, not in one "
                 "layout");
}
