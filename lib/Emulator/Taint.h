//===- Taint.h - where a value comes from ---------------------------------===//
//
// Rule ORD5b, the order of K is static: no address in a loop depends on data,
// except on row and expert ids. This follows data of global memory from the
// instruction that loads it through registers and memory into addresses.
//
// A Taint is a number that names an instruction and an origin: "this value was
// made at pc, of data that load l took from buffer b". For each pair the first
// way on which data came is kept, so that a report can show a path and their
// number is bounded however long a loop runs.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_TAINT_H
#define WNA16_LIB_EMULATOR_TAINT_H

#include "lib/Emulator/Device.h"
#include "lib/Emulator/Program.h"

#include <atomic>
#include <mutex>

namespace wna16::emulator {

using Taint = uint32_t;

/// All origins of a launch and the ways from them. Used by all workers at once.
class TaintTable {
public:
  TaintTable(const Program &program, const Device &device);
  TaintTable(const TaintTable &) = delete;
  ~TaintTable();

  /// Memory that nobody has written (data of the buffer that it lies in), and
  /// values that depend on no data.
  static constexpr Taint untouched = 0, clean = 1;
  /// The program is small enough to be numbered.
  bool fits() const { return numOrigins <= (uint64_t(1) << (32 - shift)); }
  bool isTaint(Taint taint) const { return taint >> shift; }

  /// Data that the instruction at `pc` takes from a buffer, or from constant
  /// memory if `buffer` is constantBuffer().
  Taint source(uint32_t pc, uint32_t buffer);
  uint32_t constantBuffer() const { return numBuffers; }
  /// What the instruction at `pc` makes of `from`.
  Taint step(uint32_t pc, Taint from) {
    if (!isTaint(from))
      return clean;
    const Taint to = Taint(from >> shift << shift | pc);
    if (to == from)
      return to;
    std::atomic<Taint> &parent = parents[from >> shift].load()[pc];
    Taint none = 0;
    if (!parent.load(std::memory_order_relaxed))
      parent.compare_exchange_strong(none, from);
    return to;
  }
  /// Of two taints the one that matters more: that of data over that of ids,
  /// then that of ids loaded in the deeper loop, then the first.
  Taint join(Taint a, Taint b) const {
    if (!isTaint(b))
      return a;
    if (!isTaint(a))
      return b;
    return rank[b >> shift] > rank[a >> shift] ? b : a;
  }

  bool sameOrigin(Taint a, Taint b) const { return a >> shift == b >> shift; }

  struct Origin {
    uint32_t pc;
    const Buffer *buffer; ///< null: constant memory
    Buffer::Ids ids;
  };
  Origin origin(Taint taint) const;
  /// The instructions from the load to `last`.
  std::vector<uint32_t> path(Taint taint, uint32_t last) const;

private:
  const Program &program;
  const Device &device;
  unsigned shift = 0; ///< bits of a pc
  uint32_t numBuffers = 0;
  uint64_t numOrigins = 1; ///< 0 is no origin
  /// By pc: the number of its first origin; one per buffer follows.
  std::vector<uint32_t> firstOrigin;
  std::vector<uint32_t> originPc; ///< by instruction that has origins
  std::vector<uint8_t> rank;      ///< by origin
  /// By origin, made when it is met first: the parent of each pc.
  std::vector<std::atomic<std::atomic<Taint> *>> parents;
  std::mutex mutex;
};

/// The taint of each byte that kernels write to global memory.
class GlobalTaint {
public:
  explicit GlobalTaint(const Device &device);
  /// Null for buffers that cannot be written.
  std::atomic<Taint> *find(const Buffer &buffer) const {
    return bytes[buffer.index].get();
  }

private:
  std::vector<std::unique_ptr<std::atomic<Taint>[]>> bytes;
};

/// Registers and local memory of one warp.
struct WarpTaint {
  /// How the tainted lanes of a register are tainted: mostly all alike.
  struct Row {
    Taint common = 0; ///< 0: see `each`
    std::array<Taint, warpSize> each;

    Taint of(unsigned lane) const { return common ? common : each[lane]; }
    void split(uint32_t lanes) {
      for (uint32_t rest = common ? lanes : 0; rest; rest &= rest - 1)
        each[unsigned(__builtin_ctz(rest))] = common;
      common = 0;
    }
  };
  /// By Value::index: lanes that are tainted, and how.
  std::vector<uint32_t> lanes;
  std::vector<Row> rows;
  std::vector<Taint> local; ///< as Warp::local

  /// A branch that data decides, until its lanes have met again. What is
  /// written in between depends on that data afterwards.
  struct Region {
    uint32_t branch, join, lanes = 0;
    std::array<Taint, warpSize> taint{};
    struct Written {
      uint32_t index, pc;
    };
    std::vector<Written> written;
  };
  std::vector<Region> regions;
};

/// A block: its warps and its shared memory.
struct BlockTaint {
  std::vector<WarpTaint> warps;
  std::vector<Taint> shared;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_TAINT_H
