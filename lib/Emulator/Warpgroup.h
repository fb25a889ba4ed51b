//===- Warpgroup.h - wgmma in flight --------------------------------------===//
//
// What a warp has to remember about wgmma: the operations in flight, which
// registers they own, and which registers were touched since wgmma.fence; and
// what the four warps of a warpgroup have to agree on. Each warp computes its
// own 16 rows.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_WARPGROUP_H
#define WNA16_LIB_EMULATOR_WARPGROUP_H

#include "lib/Emulator/MatrixDescriptor.h"
#include "lib/Emulator/Program.h"

#include <array>
#include <deque>
#include <vector>

namespace wna16::emulator {

class Block;
struct Conflict;

constexpr unsigned warpgroupWarps = 4;

/// One wgmma.mma_async of a warp.
struct WgmmaOperation {
  const Instr *instr = nullptr;
  MatrixDescriptor a, b;
  bool accumulate = false; ///< scale-d
  uint32_t group = 0;
  uint32_t number = 0; ///< in the order of issue, from 1
  bool done = false;   ///< the product has been computed
};

/// Exists in warps that have executed a wgmma instruction.
struct WgmmaState {
  /// By Value::index.
  struct Register {
    /// The last wgmma that has it as an operand: in flight if its number is
    /// above `completed`.
    uint32_t operation = 0, operationPc = 0;
    bool accumulator = false;
    uint16_t shape = 0; ///< of that wgmma
    uint32_t operationFence = 0;
    /// The last access by another instruction.
    uint32_t touchedFence = 0, touchedPc = 0;
  };
  std::vector<Register> registers;
  std::deque<WgmmaOperation> inFlight;
  uint32_t fences = 0, issued = 0, completed = 0, groups = 0;
};

/// The wgmma instructions of a warpgroup, as far as not all of its warps have
/// executed them.
struct WarpgroupLog {
  struct Entry {
    uint32_t pc = 0, warp = 0; ///< the first warp that came here
    uint64_t a = 0, b = 0;     ///< descriptors
    bool accumulate = false;
  };
  std::deque<Entry> entries;
  uint64_t first = 0; ///< number of entries[0]
  std::array<uint64_t, warpgroupWarps> next{};
};

bool isWgmma(const Instr &instr);

/// The warp is about to execute an instruction that is not wgmma: reports
/// registers that belong to a wgmma in flight.
void touchRegisters(Warp &warp, const Instr &instr);
/// The warp enters its next wgmma instruction; reports if the others of its
/// warpgroup do not. False: give up.
bool enterWarpgroup(Warp &warp, const Instr &instr, WarpgroupLog::Entry entry);
/// Reports registers of a wgmma that belong to another one or were touched
/// since the last fence, and takes them.
void takeRegisters(Warp &warp, const Instr &instr, uint32_t number);
/// The warp has exited.
void leaveWarpgroup(Warp &warp);
/// Computes the product of an operation and writes its accumulators.
void computeWgmma(Warp &warp, const WgmmaOperation &operation);
/// The instruction of a wgmma in flight that reads a byte of shared memory;
/// null if none does.
const Instr *findWgmmaReader(const Block &block, uint32_t offset);

//===--- meaning of the fields of Instr
//-------------------------------------===//

/// Instr::imm of wgmma.mma_async; sub: element of A | element of B << 4; type:
/// of the accumulators; flag: .satfinite.
struct WgmmaForm {
  unsigned columns = 0;
  bool negateA = false, negateB = false;
  bool transposeA = false, transposeB = false; ///< MN-major
  bool aInRegisters = false;

  /// Sources: A (four registers or a descriptor), descriptor of B, scale-d.
  unsigned descriptorB() const { return aInRegisters ? 4 : 1; }

  uint64_t encode() const {
    return columns | uint64_t(negateA) << 16 | uint64_t(negateB) << 17 |
           uint64_t(transposeA) << 18 | uint64_t(transposeB) << 19 |
           uint64_t(aInRegisters) << 20;
  }
  static WgmmaForm of(const Instr &instr) {
    WgmmaForm form;
    form.columns = unsigned(instr.imm & 0xffff);
    form.negateA = instr.imm >> 16 & 1;
    form.negateB = instr.imm >> 17 & 1;
    form.transposeA = instr.imm >> 18 & 1;
    form.transposeB = instr.imm >> 19 & 1;
    form.aInRegisters = instr.imm >> 20 & 1;
    return form;
  }
};

/// First row of A and D that a warp of a warpgroup computes.
constexpr unsigned rowsPerWarp = 16;

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_WARPGROUP_H
