//===- RoundingMode.h - rounding mode of the processor --------------------===//
//
// For f64, which has no wider format to round from. The compiler does not know
// that arithmetic depends on the mode: operands and results of the arithmetic
// in such a scope have to be volatile.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_ROUNDINGMODE_H
#define WNA16_LIB_EMULATOR_ROUNDINGMODE_H

#include "lib/Emulator/Numerics.h"

#include <cfenv>

namespace wna16::emulator {

/// Sets the mode for a scope.
class RoundingMode {
public:
  explicit RoundingMode(Rounding rounding) : previous(std::fegetround()) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                             FE_UPWARD};
    std::fesetround(modes[static_cast<unsigned>(rounding)]);
  }
  ~RoundingMode() { std::fesetround(previous); }
  RoundingMode(const RoundingMode &) = delete;
  RoundingMode &operator=(const RoundingMode &) = delete;

private:
  int previous;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_ROUNDINGMODE_H
