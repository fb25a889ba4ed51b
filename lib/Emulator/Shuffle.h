//===- Shuffle.h - which lane a shuffle reads from ------------------------===//
//
// The arithmetic of shfl.sync, needed by the instruction and by what follows
// data through it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_SHUFFLE_H
#define WNA16_LIB_EMULATOR_SHUFFLE_H

#include <cstdint>

namespace wna16::emulator {

enum class Shuffle : uint8_t { Up, Down, Bfly, Idx };

struct ShuffleSource {
  unsigned lane; ///< `valid` or not: a lane out of range reads itself
  bool valid;
};

/// Operands b and c of the lane, as in the PTX ISA.
inline ShuffleSource shuffleSource(Shuffle mode, unsigned lane, uint32_t b,
                                   uint32_t c) {
  const uint32_t segment = c >> 8 & 31, clamp = c & 31, value = b & 31;
  const int last = int((lane & segment) | (clamp & ~segment));
  const int first = int(lane & segment);
  int from = 0;
  bool valid = false;
  switch (mode) {
  case Shuffle::Up:
    from = int(lane) - int(value);
    valid = from >= last;
    break;
  case Shuffle::Down:
    from = int(lane + value);
    valid = from <= last;
    break;
  case Shuffle::Bfly:
    from = int(lane ^ value);
    valid = from <= last;
    break;
  case Shuffle::Idx:
    from = first | int(value & ~segment);
    valid = from <= last;
    break;
  }
  return {valid ? unsigned(from) : lane, valid};
}

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_SHUFFLE_H
