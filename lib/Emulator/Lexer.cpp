//===- Lexer.cpp - PTX tokens ---------------------------------------------===//
//
// A hand-written scanner; the only subtle part is numbers, which PTX writes as
// 12, 0x1F, 0b101, 017, 12U, 0f3F800000, 0d3FF0000000000000 and 1.5e3.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Lexer.h"

#include <bit>
#include <cctype>
#include <cstdlib>
#include <string>

namespace wna16::emulator {
namespace {

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}
bool isNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool isHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)); }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Scanner {
public:
  Scanner(std::string_view text, std::vector<Token> &out)
      : text(text), out(out) {}

  std::optional<Diagnostic> run();

private:
  char at(size_t i) const { return i < text.size() ? text[i] : '\0'; }
  void advance() {
    if (text[pos] == '\n') {
      ++line;
      lineStart = pos + 1;
    }
    ++pos;
  }
  Diagnostic error(std::string message) const {
    return {"", line, column(), std::move(message)};
  }
  unsigned column() const { return unsigned(pos - lineStart) + 1; }
  /// Skips blanks and comments; an unterminated comment is an error.
  std::optional<Diagnostic> skipBlanks(bool &skipped);
  std::optional<Diagnostic> number(Token &token);

  std::string_view text;
  std::vector<Token> &out;
  size_t pos = 0, lineStart = 0;
  unsigned line = 1;
};

std::optional<Diagnostic> Scanner::skipBlanks(bool &skipped) {
  while (pos < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[pos]))) {
      advance();
    } else if (text[pos] == '/' && at(pos + 1) == '/') {
      while (pos < text.size() && text[pos] != '\n')
        ++pos;
    } else if (text[pos] == '/' && at(pos + 1) == '*') {
      Diagnostic unterminated = error("comment is never closed by '*/'");
      while (pos < text.size() && !(text[pos] == '*' && at(pos + 1) == '/'))
        advance();
      if (pos >= text.size())
        return unterminated;
      pos += 2;
    } else {
      break;
    }
    skipped = true;
  }
  return std::nullopt;
}

std::optional<Diagnostic> Scanner::number(Token &token) {
  size_t end = pos;
  while (end < text.size() && isNameChar(text[end]))
    ++end;
  std::string_view word = text.substr(pos, end - pos);
  auto allHex = [](std::string_view digits) {
    for (char c : digits)
      if (!isHex(c))
        return false;
    return true;
  };
  char second = word.size() > 1 ? char(std::tolower(word[1])) : '\0';
  if (word[0] == '0' && (second == 'f' || second == 'd') &&
      word.size() == (second == 'f' ? 10u : 18u) && allHex(word.substr(2))) {
    token.kind = second == 'f' ? TokenKind::Float32 : TokenKind::Float64;
    token.value =
        std::strtoull(std::string(word.substr(2)).c_str(), nullptr, 16);
    pos = end;
    return std::nullopt;
  }
  bool hexadecimal = word[0] == '0' && second == 'x';
  bool decimalPoint = at(end) == '.' && isDigit(at(end + 1));
  bool exponent = !hexadecimal && second != 'b' &&
                  (word.back() == 'e' || word.back() == 'E');
  if (decimalPoint || exponent) {
    const std::string rest(text.substr(pos, 64));
    char *stop = nullptr;
    double value = std::strtod(rest.c_str(), &stop);
    token.kind = TokenKind::Float64;
    token.value = std::bit_cast<uint64_t>(value);
    pos += size_t(stop - rest.c_str());
    return std::nullopt;
  }
  std::string digits(word);
  while (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u'))
    digits.pop_back();
  unsigned base = 10;
  size_t skip = 0;
  if (hexadecimal) {
    base = 16;
    skip = 2;
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = second == 'b' ? 2 : 8;
    skip = second == 'b' ? 2 : 1;
  }
  if (digits.size() <= skip)
    return error("'" + std::string(word) + "' is not a number");
  uint64_t value = 0;
  for (size_t i = skip; i < digits.size(); ++i) {
    char c = char(std::tolower(digits[i]));
    unsigned digit = isDigit(c) ? unsigned(c - '0')
                     : isHex(c) ? unsigned(c - 'a') + 10
                                : 99u;
    if (digit >= base)
      return error("'" + std::string(word) + "' is not a number");
    value = value * base + digit;
  }
  token.kind = TokenKind::Integer;
  token.value = value;
  pos = end;
  return std::nullopt;
}

std::optional<Diagnostic> Scanner::run() {
  while (true) {
    bool skipped = pos == 0;
    if (auto diagnostic = skipBlanks(skipped))
      return diagnostic;
    Token token;
    token.line = line;
    token.column = column();
    token.adjacent = !skipped;
    if (pos >= text.size()) {
      out.push_back(token);
      return std::nullopt;
    }
    const size_t begin = pos;
    const char c = text[pos];
    if (isNameStart(c)) {
      ++pos;
      while (pos < text.size() && isNameChar(text[pos]))
        ++pos;
      token.kind = TokenKind::Identifier;
    } else if (c == '.' && (isNameChar(at(pos + 1)))) {
      ++pos;
      while (pos < text.size() &&
             (isNameChar(text[pos]) ||
              (text[pos] == ':' && at(pos + 1) == ':' &&
               isNameChar(at(pos + 2))) ||
              (text[pos] == ':' && pos > begin && text[pos - 1] == ':' &&
               isNameChar(at(pos + 1)))))
        ++pos;
      token.kind = TokenKind::Dotted;
      token.text = text.substr(begin + 1, pos - begin - 1);
      out.push_back(token);
      continue;
    } else if (isDigit(c)) {
      if (auto diagnostic = number(token))
        return diagnostic;
    } else if (c == '"') {
      Diagnostic unterminated = error("string is never closed by '\"'");
      ++pos;
      while (pos < text.size() && text[pos] != '"' && text[pos] != '\n')
        pos += text[pos] == '\\' && pos + 1 < text.size() ? 2 : 1;
      if (at(pos) != '"')
        return unterminated;
      ++pos;
      token.kind = TokenKind::String;
      token.text = text.substr(begin + 1, pos - begin - 2);
      out.push_back(token);
      continue;
    } else if (std::string_view("@!|,;{}[]()<>=+-*:~/&^?.").find(c) !=
               std::string_view::npos) {
      ++pos;
      token.kind = TokenKind::Punctuation;
    } else {
      return error(
          "unexpected character '" +
          (std::isprint(static_cast<unsigned char>(c))
               ? std::string(1, c)
               : "\\x" + std::to_string(static_cast<unsigned char>(c))) +
          "'");
    }
    token.text = text.substr(begin, pos - begin);
    out.push_back(token);
  }
}

} // namespace

std::optional<Diagnostic> lex(std::string_view text, std::vector<Token> &out) {
  return Scanner(text, out).run();
}

} // namespace wna16::emulator
