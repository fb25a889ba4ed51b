//===- StorageNames.cpp - storage layouts by name -------------------------===//
//
// One table: name and constructor.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/StorageNames.h"

#include "lib/Layout/Instances.h"

using namespace wna16::layout;

namespace {

struct Entry {
  const char *name;
  StorageLayout (*make)(int64_t d0, int64_t d1, unsigned bits);
};

const Entry entries[] = {
    {"row_major",
     [](int64_t d0, int64_t d1, unsigned) { return rowMajor(d0, d1); }},
    {"marlin", marlinWeights},
    {"gptq", gptqWeights},
    {"compressed_tensors", compressedTensorsWeights},
    {"marlin_scales", [](int64_t d0, int64_t d1,
                         unsigned) { return marlinGroupedScales(d0, d1); }},
    {"compressed_tensors_scales",
     [](int64_t d0, int64_t d1, unsigned) {
       return compressedTensorsScales(d0, d1);
     }},
};

} // namespace

const std::vector<std::string> &wna16::layout::storageLayoutNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Entry &entry : entries)
      result.push_back(entry.name);
    return result;
  }();
  return names;
}

std::optional<StorageLayout>
wna16::layout::storageLayoutByName(const std::string &name, int64_t d0,
                                   int64_t d1, unsigned bits) {
  for (const Entry &entry : entries)
    if (name == entry.name)
      return entry.make(d0, d1, bits);
  return std::nullopt;
}
