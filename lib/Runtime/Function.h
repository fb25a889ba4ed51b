//===- Function.h - a kernel on a device ----------------------------------===//
//
// What stands behind the C interface's wna16_function.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUNTIME_FUNCTION_H
#define WNA16_LIB_RUNTIME_FUNCTION_H

#include "lib/Runtime/Driver.h"

#include <optional>
#include <vector>

struct wna16_function {
  wna16::runtime::CUfunction handle = nullptr;
  wna16::runtime::CUcontext context = nullptr;
  /// Bytes of each parameter; none if the driver does not tell.
  std::optional<std::vector<size_t>> parameters;
};

#endif // WNA16_LIB_RUNTIME_FUNCTION_H
