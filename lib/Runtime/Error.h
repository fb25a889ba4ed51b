//===- Error.h - how a failure inside the runtime reaches the C caller ----===//
//
// Inside the library a failure is an exception of type RuntimeError; guarded()
// is the only place where it turns into a status code and a thread-local text.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUNTIME_ERROR_H
#define WNA16_LIB_RUNTIME_ERROR_H

#include "lib/Runtime/wna16_runtime.h"

#include <exception>
#include <stdexcept>
#include <string>

namespace wna16::runtime {

class RuntimeError : public std::runtime_error {
public:
  RuntimeError(wna16_status status, const std::string &message,
               int driverCode = 0)
      : std::runtime_error(message), status(status), driverCode(driverCode) {}

  wna16_status status;
  int driverCode;
};

/// Throws WNA16_ERROR_ARGUMENT with `message` unless `condition` holds.
inline void require(bool condition, const char *message) {
  if (!condition)
    throw RuntimeError(WNA16_ERROR_ARGUMENT, message);
}

/// Stores a failure for wna16_last_error() of this thread; returns `status`.
wna16_status recordFailure(wna16_status status, const char *message,
                           int driverCode) noexcept;

/// Runs the body of a C entry point; no exception gets out.
template <typename Body> wna16_status guarded(Body &&body) noexcept {
  try {
    body();
    return WNA16_OK;
  } catch (const RuntimeError &error) {
    return recordFailure(error.status, error.what(), error.driverCode);
  } catch (const std::exception &error) {
    return recordFailure(WNA16_ERROR_INTERNAL, error.what(), 0);
  }
}

} // namespace wna16::runtime

#endif // WNA16_LIB_RUNTIME_ERROR_H
