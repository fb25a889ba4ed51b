//===- OrderCheck.h - no address in a loop depends on data (ORD5b) --------===//
//
// The rule, and what makes values depend on data. Exists only while the check
// is on; otherwise instructions pay one test of a pointer.
//
// Inside a loop means: in an instruction that lies on a cycle of the control
// flow (see Loops.h). There no address may depend on data, wherever the data
// were loaded. Row and expert ids, that is data of buffers so tagged, may be
// used in addresses, with one limit: a loop that computes or copies for K (it
// holds matrix instructions or asynchronous copies, itself and not in a loop
// inside it) must not load them anew in each of its rounds for its own reads.
// Loads that such a loop can go around, as a persistent loop does that takes
// new work now and then, are fine.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ORDERCHECK_H
#define WNA16_LIB_EMULATOR_ORDERCHECK_H

#include "lib/Emulator/Taint.h"

namespace wna16::emulator {

struct AsyncOperation;
struct Warp;

class OrderCheck {
public:
  OrderCheck(const Program &program, const Device &device);
  /// False if the kernel is too large to be followed.
  bool possible() const { return table.fits(); }

  /// What a new block starts with.
  std::shared_ptr<BlockTaint> startBlock(uint32_t warps,
                                         uint32_t sharedBytes) const;
  /// Checks the addresses of the instruction that `warp` is about to execute
  /// and follows data through it.
  void before(Warp &warp, const Instr &instr);
  /// Follows data through an operation of the async engine. Its bytes count as
  /// arrived: whoever looks at them sooner is reported for that.
  void issued(const Instr &instr, const AsyncOperation &operation);

  /// True if an address of the instruction at `pc`, in a loop, may depend on
  /// data of `taint`. `reads`: the address says where to read.
  bool allowed(uint32_t pc, Taint taint, bool reads) const;

  /// How an instruction hands data on.
  enum class Flow : uint8_t {
    Plain,  ///< each lane of each result depends on that lane of all sources
    Across, ///< on all lanes of all sources
    Load,
    LoadMatrix,
    Store,
    StoreMatrix,
    Atomic,
    Copy,           ///< cp.async
    Engine,         ///< operations of the async engine, see issued(),
    EngineToGlobal, ///< and those that write global memory
    Shuffle,
    Branch
  };

  const Program &program;
  Device const &device;
  TaintTable table;
  GlobalTaint global;
  std::vector<Flow> flows; ///< by pc

private:
  /// By loop: it computes or copies for K.
  std::vector<bool> worksOnK;
  /// By pc: bit d is set if the loop of depth d around it works on K and leads
  /// through it in every round.
  std::vector<uint64_t> everyRound;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ORDERCHECK_H
