//===- MmaInstructions.h - what the mma families share --------------------===//
//
// mma on floats is in MmaInstructions.cpp, on integers, bits and f64 in
// MmaExactInstructions.cpp; they share one mnemonic.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_MMAINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_MMAINSTRUCTIONS_H

#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Warp.h"

namespace wna16::emulator {

/// M and K of .m16n8k16 and the like; N is 8.
struct MmaShape {
  unsigned m = 0, k = 0;
};

/// Which rows of A and columns of B are defined in all their elements.
struct MmaDefined {
  bool all = true;         ///< everything
  uint32_t rows = 0xffff;  ///< bit r: row r of A
  uint32_t columns = 0xff; ///< bit c: column c of B

  /// Over the registers of A and B; odd registers of A belong to rows 8 to 15
  /// if `m` is 16.
  MmaDefined(const Warp &warp, const Value *a, unsigned numA, const Value *b,
             unsigned numB, unsigned m);
  bool at(unsigned row, unsigned column) const {
    return (rows >> row & 1) && (columns >> column & 1);
  }
};

/// Checks that the whole warp is here and orders its lanes.
bool beginMma(Warp &warp, const Instr &instr, uint32_t mask);

/// The rest of an mma after .sync.aligned, shape and .row.col, if it is one of
/// MmaExactInstructions.cpp.
bool decodeMmaExact(Decoder &d, MmaShape shape);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_MMAINSTRUCTIONS_H
