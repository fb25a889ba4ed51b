//===- Device.cpp - global memory -----------------------------------------===//
//
// Buffers are handed out at ascending addresses; look-up is a binary search.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Device.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wna16::emulator {
namespace {
/// Larger than any stride a wrong index is likely to be off by.
constexpr uint64_t guardGap = uint64_t(1) << 24;

/// First bytes of a tensor map; the handle follows.
constexpr char mapMagic[8] = {'w', 'n', 'a', '1', '6', 'm', 'a', 'p'};
} // namespace

void Buffer::poison(uint16_t pattern) {
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(pattern >> (i % 2 * 8));
  undefined.assign(bytes.size(), 1);
}

Buffer &Device::addBuffer(std::string name, uint64_t size, uint64_t alignment,
                          bool readOnly) {
  return addBuffer(std::move(name), std::vector<uint8_t>(size), alignment,
                   readOnly);
}

Buffer &Device::addBuffer(std::string name, std::vector<uint8_t> contents,
                          uint64_t alignment, bool readOnly) {
  alignment = std::bit_ceil(std::max<uint64_t>(alignment, 1));
  auto buffer = std::make_unique<Buffer>();
  buffer->name = std::move(name);
  buffer->readOnly = readOnly;
  buffer->index = unsigned(list.size());
  buffer->bytes = std::move(contents);
  uint64_t unit = alignment * 2;
  buffer->base = (nextBase + unit - 1) / unit * unit + alignment;
  nextBase = buffer->end() + guardGap;
  list.push_back(std::move(buffer));
  return *list.back();
}

uint64_t Device::addTensorMap(const TensorMap &map) {
  maps.push_back(std::make_unique<TensorMap>(map));
  return maps.size();
}

std::vector<uint8_t> Device::tensorMapBytes(uint64_t handle) {
  // No run of zeros: a kernel that gets only a part of a map must fail.
  std::vector<uint8_t> bytes(TensorMap::bytes);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(0x80 + i);
  std::memcpy(bytes.data(), mapMagic, sizeof mapMagic);
  std::memcpy(bytes.data() + sizeof mapMagic, &handle, sizeof handle);
  return bytes;
}

const TensorMap *Device::findTensorMap(const uint8_t *bytes) const {
  uint64_t handle;
  std::memcpy(&handle, bytes + sizeof mapMagic, sizeof handle);
  if (handle == 0 || handle > maps.size() ||
      std::memcmp(bytes, tensorMapBytes(handle).data(), TensorMap::bytes) != 0)
    return nullptr;
  return maps[handle - 1].get();
}

Buffer *Device::find(const std::string &name) {
  for (auto &buffer : list)
    if (buffer->name == name)
      return buffer.get();
  return nullptr;
}

const Buffer *Device::below(uint64_t address) const {
  auto it = std::upper_bound(
      list.begin(), list.end(), address,
      [](uint64_t value, const auto &buffer) { return value < buffer->base; });
  return it == list.begin() ? nullptr : std::prev(it)->get();
}

std::string Device::describe(uint64_t address) const {
  const Buffer *buffer = below(address);
  const Buffer *nextBuffer = nullptr;
  for (const auto &candidate : list)
    if (candidate->base > address) {
      nextBuffer = candidate.get();
      break;
    }
  if (buffer && address < buffer->end() + guardGap / 2)
    return "offset " + std::to_string(address - buffer->base) + " of buffer '" +
           buffer->name + "', which has " +
           std::to_string(buffer->bytes.size()) + " bytes";
  if (nextBuffer && nextBuffer->base - address < guardGap / 2)
    return std::to_string(nextBuffer->base - address) +
           " bytes before buffer '" + nextBuffer->name + "'";
  return "in no buffer";
}

} // namespace wna16::emulator
