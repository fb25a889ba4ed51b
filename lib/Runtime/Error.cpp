//===- Error.cpp - the last error of each thread --------------------------===//
#include "lib/Runtime/Error.h"

using namespace wna16::runtime;

namespace {

struct LastError {
  std::string message;
  int driverCode = 0;
};

LastError &lastError() {
  static thread_local LastError error;
  return error;
}

} // namespace

wna16_status wna16::runtime::recordFailure(wna16_status status,
                                           const char *message,
                                           int driverCode) noexcept {
  LastError &error = lastError();
  error.driverCode = driverCode;
  try {
    error.message = message;
  } catch (...) {
    error.message.clear(); // out of memory: the status has to be enough
  }
  return status;
}

const char *wna16_last_error(void) { return lastError().message.c_str(); }

int wna16_last_driver_code(void) { return lastError().driverCode; }

int wna16_abi_version(void) { return WNA16_RUNTIME_ABI; }
