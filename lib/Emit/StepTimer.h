//===- StepTimer.h - how long each step of a compilation takes ------------===//
#ifndef WNA16_LIB_EMIT_STEPTIMER_H
#define WNA16_LIB_EMIT_STEPTIMER_H

#include "lib/Emit/Compile.h"

#include <chrono>

namespace wna16 {

/// Adds the time from its construction to its destruction to a list.
class StepTimer {
public:
  StepTimer(std::vector<PhaseTime> *times, llvm::StringRef name)
      : times(times), name(name), start(Clock::now()) {}
  ~StepTimer() {
    if (times)
      times->push_back({name.str(), std::chrono::duration<double, std::milli>(
                                        Clock::now() - start)
                                        .count()});
  }

private:
  using Clock = std::chrono::steady_clock;
  std::vector<PhaseTime> *times;
  llvm::StringRef name;
  Clock::time_point start;
};

} // namespace wna16

#endif // WNA16_LIB_EMIT_STEPTIMER_H
