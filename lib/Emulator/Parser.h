//===- Parser.h - PTX text to AST -----------------------------------------===//
//
// Accepts what LLVM's NVPTX back end and nvcc print, inline assembly included
// (nested scopes with their own registers and labels).
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_PARSER_H
#define WNA16_LIB_EMULATOR_PARSER_H

#include "lib/Emulator/Ast.h"
#include "lib/Emulator/Diagnostic.h"

#include <memory>
#include <variant>

namespace wna16::emulator {

using ParseResult =
    std::variant<std::shared_ptr<const ast::Module>, Diagnostic>;

/// Parses a module; `fileName` is used in messages only. Any text, also
/// truncated or binary, gives either a module or a diagnostic.
ParseResult parsePtx(std::string text, std::string fileName);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_PARSER_H
