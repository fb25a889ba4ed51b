//===- Lexer.h - PTX tokens -----------------------------------------------===//
//
// Splits PTX text into tokens. `.name` (a directive, a type or a modifier, `::`
// included) is one token; an opcode with its modifiers is put together by the
// parser. Tokens are views into the text.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_LEXER_H
#define WNA16_LIB_EMULATOR_LEXER_H

#include "lib/Emulator/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace wna16::emulator {

enum class TokenKind : uint8_t {
  End,
  Identifier, ///< name, %r1, $L__1, _
  Dotted,     ///< .entry, .shared::cta; the text excludes the leading dot
  Integer,
  Float32, ///< 0f........; the value is the bit pattern
  Float64, ///< 0d................ or a decimal literal; bit pattern of a double
  String,
  Punctuation ///< one character, in `text`
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint64_t value = 0;
  unsigned line = 0, column = 0;
  /// No white space between this token and the one before it.
  bool adjacent = false;

  bool is(char c) const {
    return kind == TokenKind::Punctuation && text[0] == c;
  }
  bool isDotted(std::string_view name) const {
    return kind == TokenKind::Dotted && text == name;
  }
};

/// All tokens of `text`, the last one of kind End; or the first error.
/// `text` must outlive the tokens.
std::optional<Diagnostic> lex(std::string_view text, std::vector<Token> &out);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_LEXER_H
