//===- ParserImpl.h - the recursive descent parser ------------------------===//
//
// Private to Parser.cpp (bodies of functions) and ParserDeclarations.cpp
// (everything outside of them). The first error ends the parse; every loop
// consumes a token or returns, so that any input terminates.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_PARSERIMPL_H
#define WNA16_LIB_EMULATOR_PARSERIMPL_H

#include "lib/Emulator/Ast.h"
#include "lib/Emulator/Lexer.h"

#include <algorithm>

namespace wna16::emulator {

class Parser {
public:
  Parser(const std::vector<Token> &tokens, ast::Module &module)
      : tokens(tokens), module(module) {}

  /// True on success; otherwise `diagnostic` says what is wrong.
  bool parseModule();
  Diagnostic diagnostic;

private:
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(pos + ahead, tokens.size() - 1)];
  }
  const Token &next() {
    const Token &token = peek();
    if (pos + 1 < tokens.size())
      ++pos;
    return token;
  }
  bool atEnd() const { return peek().kind == TokenKind::End; }
  bool accept(char c) {
    if (!peek().is(c))
      return false;
    next();
    return true;
  }
  bool acceptDotted(std::string_view name) {
    if (!peek().isDotted(name))
      return false;
    next();
    return true;
  }
  bool expect(char c, const char *context) {
    return accept(c) || fail(std::string("expected '") + c + "' " + context +
                             ", found " + describe(peek()));
  }
  bool fail(std::string message) { return failAt(peek(), std::move(message)); }
  bool failAt(const Token &token, std::string message) {
    if (diagnostic.message.empty())
      diagnostic = {module.fileName, token.line, token.column,
                    std::move(message)};
    return false;
  }
  static std::string describe(const Token &token) {
    switch (token.kind) {
    case TokenKind::End:
      return "the end of the file";
    case TokenKind::Dotted:
      return "'." + std::string(token.text) + "'";
    default:
      return "'" + std::string(token.text) + "'";
    }
  }
  void skipLine(unsigned line) {
    while (!atEnd() && peek().line == line)
      next();
  }
  bool skipBraces();
  bool unsignedInteger(uint64_t &value, const char *what);
  bool dimensions(std::array<uint32_t, 3> &out);

  bool parseFileDirective();
  bool parseVariable(ast::Variable &variable, bool isParameter);
  bool parseVariableList(Space space, std::vector<ast::Variable> &out);
  bool parseInitializer(ast::Variable &variable, Type type);
  bool parseFunction(bool isEntry);
  bool parseParameters(std::vector<ast::Variable> &out);
  bool parseBody(ast::Function &function);
  bool parseBodyDirective(ast::Function &function, uint32_t scope);
  bool parseRegisters(ast::Scope &scope);
  bool parseInstruction(ast::Function &function, uint32_t scope);
  bool parseCall(ast::Function &function, ast::Instruction instruction);
  bool parseOperand(ast::Operand &operand, unsigned depth);
  bool parseAddress(ast::Operand &operand, unsigned depth);
  bool parseBranchTargets(ast::Scope &scope, std::string_view name);

  const std::vector<Token> &tokens;
  ast::Module &module;
  size_t pos = 0;
  uint32_t location = 0;
  uint32_t registerTotal = 0;
};

/// Whether a directive names a state space.
bool isStateSpace(std::string_view name, Space &space);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_PARSERIMPL_H
