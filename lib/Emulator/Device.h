//===- Device.h - global memory -------------------------------------------===//
//
// Global memory is a set of named buffers with gaps between them, so that an
// access outside a buffer is never inside another one. Each byte may be
// "undefined" (never written); reading it is allowed, using it is not.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_DEVICE_H
#define WNA16_LIB_EMULATOR_DEVICE_H

#include "lib/Emulator/TensorMap.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wna16::emulator {

struct Buffer {
  /// What the numbers in a buffer stand for. Addresses may depend on row and
  /// expert numbers, and on no other loaded data (ORD5b).
  enum class Ids : uint8_t { None, Row, Expert };

  std::string name;
  uint64_t base = 0;
  unsigned index = 0; ///< position in Device::buffers()
  bool readOnly = false;
  /// The kernel in front of this one writes it: nothing may touch it before
  /// griddepcontrol.wait.
  bool afterDependency = false;
  /// Undefined data may be stored here and loaded again, as in shared memory.
  bool scratch = false;
  Ids ids = Ids::None;
  std::vector<uint8_t> bytes;
  /// 1 where a byte is undefined; empty when all bytes are defined and stay so.
  std::vector<uint8_t> undefined;

  uint64_t end() const { return base + bytes.size(); }
  /// Fills with `pattern` (repeated) and marks every byte undefined.
  void poison(uint16_t pattern = 0x7fff);
};

class Device {
public:
  /// Adds a buffer of zeros. Its address is a multiple of `alignment` (a power
  /// of two) and of nothing larger, so that kernels cannot rely on luck.
  Buffer &addBuffer(std::string name, uint64_t size, uint64_t alignment = 256,
                    bool readOnly = false);
  /// The same with given contents.
  Buffer &addBuffer(std::string name, std::vector<uint8_t> contents,
                    uint64_t alignment = 256, bool readOnly = false);

  /// Registers a map; the result is never 0.
  uint64_t addTensorMap(const TensorMap &map);
  /// The TensorMap::bytes bytes that a kernel gets for a registered map.
  static std::vector<uint8_t> tensorMapBytes(uint64_t handle);
  /// The map that TensorMap::bytes bytes stand for; null if they are not
  /// exactly what tensorMapBytes() made for a map of this device.
  const TensorMap *findTensorMap(const uint8_t *bytes) const;

  Buffer *find(const std::string &name);
  /// The buffer with the largest base not above `address`; null if none.
  const Buffer *below(uint64_t address) const;
  Buffer *below(uint64_t address) {
    return const_cast<Buffer *>(
        static_cast<const Device *>(this)->below(address));
  }
  bool isScratch(uint64_t address) const {
    const Buffer *buffer = below(address);
    return buffer && address < buffer->end() && buffer->scratch;
  }
  /// "'w' + 128 (512 bytes long)" or "no buffer".
  std::string describe(uint64_t address) const;
  const std::vector<std::unique_ptr<Buffer>> &buffers() const { return list; }

private:
  std::vector<std::unique_ptr<Buffer>> list;    // ascending base
  std::vector<std::unique_ptr<TensorMap>> maps; // handle - 1
  uint64_t nextBase = 0x7f4000000000;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_DEVICE_H
