//===- GlobalOrder.h - happens-before in global memory --------------------===//
//
// Blocks learn of each other only through release and acquire: fences with
// atomics or volatile accesses, or their qualified forms. This is the shadow of
// the buffers that a launch may write (the last writer and reader of every four
// bytes), and the table of what was released where. Shared by all workers.
//
// Where several agents write parts of the same four bytes, or several read
// them, only the last one is known: a race can be missed there, never invented.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_GLOBALORDER_H
#define WNA16_LIB_EMULATOR_GLOBALORDER_H

#include "lib/Emulator/Device.h"
#include "lib/Emulator/Ordering.h"
#include "lib/Emulator/Types.h"

#include <mutex>
#include <unordered_map>

namespace wna16::emulator {

struct Warp;

/// What was released at an address, by cluster (that of the releaser too).
struct Released {
  Scope scope = Scope::System;
  uint64_t cluster = 0; ///< of the releaser, and
  uint32_t block = 0;   ///< its rank
  ForeignRef times;
};
using ReleasedRef = std::shared_ptr<const Released>;

/// The access that another one races with.
struct GlobalConflict {
  enum Kind : uint8_t { None, Write, Read };
  Kind kind = None;
  Stamp other;
  uint32_t cluster = 0; ///< of `other`
};

class GlobalOrder {
public:
  explicit GlobalOrder(const Device &device);

  GlobalConflict read(const Warp &warp, uint32_t lane, uint32_t pc,
                      const Buffer &buffer, uint64_t offset, uint32_t bytes,
                      uint64_t flags);
  /// `flags` with Stamp::Async: the write of an operation that is in flight,
  /// which nobody else may see until finishWrite.
  GlobalConflict write(const Warp &warp, uint32_t lane, uint32_t pc,
                       const Buffer &buffer, uint64_t offset, uint32_t bytes,
                       uint64_t flags);
  void finishWrite(const Warp &warp, uint32_t lane, uint32_t pc,
                   const Buffer &buffer, uint64_t offset, uint32_t bytes,
                   uint64_t flags = 0);

  /// \name Release and acquire, by address in global memory
  /// @{
  /// A strong write; `release` may be null. `modify`: it is a
  /// read-modify-write, which hands on what was released before.
  void published(uint64_t address, const ReleasedRef &release, bool modify);
  ReleasedRef at(uint64_t address);
  /// @}

private:
  static constexpr uint32_t pageBytes = 1u << 14;
  struct Granule {
    Stamp writer, reader;
    uint32_t writerCluster = 0, readerCluster = 0;
    uint8_t writerBytes = 0, readerBytes = 0; ///< masks of the four
  };
  struct Page {
    std::mutex mutex;
    std::array<Granule, pageBytes / 4> granules;
  };
  template <typename F>
  GlobalConflict forGranules(const Buffer &buffer, uint64_t offset,
                             uint32_t bytes, F &&f);
  Page &page(const Buffer &buffer, uint64_t index);

  std::mutex mutex; ///< of the tables
  std::vector<std::vector<std::unique_ptr<Page>>> pages;
  std::unordered_map<uint64_t, ReleasedRef> locations;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_GLOBALORDER_H
