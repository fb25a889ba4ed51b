//===- Diagnostic.h - a located message -----------------------------------===//
//
// Everything that can be wrong with PTX text is reported as a value of this
// type; no part of the emulator prints, exits or aborts.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_DIAGNOSTIC_H
#define WNA16_LIB_EMULATOR_DIAGNOSTIC_H

#include <string>

namespace wna16::emulator {

/// A message about one place of a PTX file. Line 0: about the whole file.
struct Diagnostic {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string message;

  /// `file:line:column: error: message`
  std::string str() const;
};

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_DIAGNOSTIC_H
