//===- Function.h - a kernel on a device ----------------------------------===//
//
// What stands behind the C interface's wna16_function.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUNTIME_FUNCTION_H
#define WNA16_LIB_RUNTIME_FUNCTION_H

#include "lib/Runtime/Driver.h"

struct wna16_function {
  wna16::runtime::CUfunction handle = nullptr;
  wna16::runtime::CUcontext context = nullptr;
};

#endif // WNA16_LIB_RUNTIME_FUNCTION_H
