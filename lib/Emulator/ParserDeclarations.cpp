//===- ParserDeclarations.cpp - variables, functions, modules -------------===//
//
// The part of the parser outside of function bodies.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/ParserImpl.h"

#include <bit>
#include <cstring>

namespace wna16::emulator {

static constexpr uint64_t maxVariableBytes = uint64_t(1) << 32;

bool isStateSpace(std::string_view name, Space &space) {
  if (name == "global")
    space = Space::Global;
  else if (name == "shared" || name == "shared::cta")
    space = Space::Shared;
  else if (name == "const")
    space = Space::Const;
  else if (name == "local")
    space = Space::Local;
  else if (name == "param")
    space = Space::Param;
  else
    return false;
  return true;
}

bool Parser::unsignedInteger(uint64_t &value, const char *what) {
  if (peek().kind != TokenKind::Integer)
    return fail(std::string("expected ") + what + ", found " +
                describe(peek()));
  value = next().value;
  return true;
}

bool Parser::dimensions(std::array<uint32_t, 3> &out) {
  out = {1, 1, 1};
  for (unsigned i = 0; i < 3; ++i) {
    uint64_t value;
    if (!unsignedInteger(value, "a number of threads or blocks"))
      return false;
    out[i] = uint32_t(value);
    if (!accept(','))
      break;
  }
  return true;
}

bool Parser::skipBraces() {
  const Token open = peek();
  if (!expect('{', "here"))
    return false;
  for (unsigned depth = 1; depth;) {
    if (atEnd())
      return failAt(open, "'{' is never closed");
    const Token &token = next();
    depth += token.is('{') ? 1 : token.is('}') ? -1 : 0;
  }
  return true;
}

bool Parser::parseFileDirective() {
  const unsigned line = peek().line;
  uint64_t index;
  if (!unsignedInteger(index, "a file number"))
    return false;
  if (peek().kind == TokenKind::String)
    module.files[unsigned(index)] = std::string(next().text);
  skipLine(line);
  return true;
}

/// After the state space: `.align 16 .b8 name[48] = {...}`, without `;`.
bool Parser::parseVariable(ast::Variable &variable, bool isParameter) {
  Type type = Type::None;
  unsigned vector = 1, explicitAlignment = 0;
  while (peek().kind == TokenKind::Dotted) {
    const Token &token = next();
    uint64_t value;
    if (token.text == "align") {
      if (!unsignedInteger(value, "an alignment"))
        return false;
      if (!std::has_single_bit(value) || value > 65536)
        return failAt(token, "alignment " + std::to_string(value) +
                                 " is not a power of two up to 65536");
      explicitAlignment = unsigned(value);
    } else if (token.text == "v2" || token.text == "v4") {
      vector = token.text == "v2" ? 2 : 4;
    } else if (token.text == "attribute") {
      while (!atEnd() && !accept(')'))
        next();
    } else if (auto scalar = parseType(token.text)) {
      type = *scalar;
    } else if (token.text != "ptr" && token.text != "global" &&
               token.text != "const" && token.text != "shared" &&
               token.text != "local" && token.text != "texref" &&
               token.text != "param") {
      return failAt(token, "unknown variable attribute '." +
                               std::string(token.text) + "'");
    } else if (token.text == "ptr") {
      // `.ptr .global .align 16` describes the pointee, not the parameter.
      while (peek().kind == TokenKind::Dotted)
        if (next().text == "align" && !unsignedInteger(value, "an alignment"))
          return false;
    }
  }
  if (type == Type::None || type == Type::Pred)
    return fail("expected the type of a variable before " + describe(peek()));
  if (peek().kind != TokenKind::Identifier)
    return fail("expected the name of a variable, found " + describe(peek()));
  const Token &name = next();
  variable.name = name.text;
  variable.line = name.line;
  variable.type = type;
  const uint64_t element = uint64_t(bitWidth(type)) / 8 * vector;
  uint64_t count = 1;
  while (accept('[')) {
    if (accept(']')) {
      variable.isUnsized = true;
      continue;
    }
    uint64_t extent;
    if (!unsignedInteger(extent, "an array size") ||
        !expect(']', "after an array size"))
      return false;
    if (extent > maxVariableBytes || count * extent > maxVariableBytes)
      return failAt(name,
                    "array '" + std::string(name.text) + "' is too large");
    count *= extent;
  }
  variable.bytes = variable.isUnsized ? 0 : count * element;
  variable.alignment =
      explicitAlignment ? explicitAlignment : unsigned(element);
  if (!isParameter && accept('='))
    return parseInitializer(variable, type);
  return true;
}

bool Parser::parseInitializer(ast::Variable &variable, Type type) {
  const unsigned bytes = bitWidth(type) / 8;
  unsigned depth = 0;
  do {
    while (accept('{'))
      ++depth;
    bool negative = accept('-');
    const Token &token = next();
    uint64_t value = token.value;
    if (token.kind == TokenKind::Identifier) {
      variable.symbolicInitializer = true;
      if (accept('('))
        while (!atEnd() && !accept(')'))
          next();
      while (accept('+') || peek().kind == TokenKind::Integer)
        if (peek().kind == TokenKind::Integer)
          next();
    } else if (token.kind != TokenKind::Integer &&
               token.kind != TokenKind::Float32 &&
               token.kind != TokenKind::Float64) {
      return failAt(token,
                    "expected an initial value, found " + describe(token));
    }
    if (negative)
      value = 0 - value;
    const size_t end = variable.initializer.size();
    variable.initializer.resize(end + bytes);
    std::memcpy(variable.initializer.data() + end, &value, bytes);
    while (depth && accept('}'))
      --depth;
  } while (accept(','));
  if (depth)
    return expect('}', "after the initial values");
  if (variable.isUnsized && !variable.symbolicInitializer) {
    variable.bytes = variable.initializer.size();
    variable.isUnsized = false;
  }
  if (variable.initializer.size() > variable.bytes)
    return fail("more initial values than '" + std::string(variable.name) +
                "' has elements");
  return true;
}

bool Parser::parseVariableList(Space space, std::vector<ast::Variable> &out) {
  ast::Variable variable;
  variable.space = space;
  if (!parseVariable(variable, false))
    return false;
  out.push_back(std::move(variable));
  return expect(';', "after a variable");
}

bool Parser::parseParameters(std::vector<ast::Variable> &out) {
  if (!accept('('))
    return true;
  while (!accept(')')) {
    ast::Variable variable;
    variable.space = Space::Param;
    if (!acceptDotted("param") && !acceptDotted("reg"))
      return fail("expected '.param', found " + describe(peek()));
    if (!parseVariable(variable, true))
      return false;
    out.push_back(std::move(variable));
    if (!accept(',') && !peek().is(')'))
      return fail("expected ',' or ')' after a parameter, found " +
                  describe(peek()));
  }
  return true;
}

bool Parser::parseFunction(bool isEntry) {
  ast::Function function;
  function.isEntry = isEntry;
  if (!isEntry && !parseParameters(function.results))
    return false;
  if (peek().kind != TokenKind::Identifier)
    return fail("expected the name of a function, found " + describe(peek()));
  function.line = peek().line;
  function.name = next().text;
  if (!parseParameters(function.parameters))
    return false;
  while (peek().kind == TokenKind::Dotted) {
    const Token &token = next();
    std::array<uint32_t, 3> *target =
        token.text == "reqntid"             ? &function.requiredThreads
        : token.text == "maxntid"           ? &function.maxThreads
        : token.text == "reqnctapercluster" ? &function.requiredCluster
                                            : nullptr;
    if (target) {
      if (!dimensions(*target))
        return false;
    } else if (token.text == "pragma") {
      while (!atEnd() && !accept(';'))
        next();
    } else {
      // .minnctapersm 1, .maxnreg 168, .explicitcluster, .noreturn, ...
      while (peek().kind == TokenKind::Integer || peek().is(','))
        next();
    }
  }
  if (accept(';'))
    return true; // a declaration
  if (!parseBody(function))
    return false;
  module.functions.push_back(std::move(function));
  return true;
}

bool Parser::parseModule() {
  while (!atEnd()) {
    const Token token = next();
    Space space;
    if (token.kind != TokenKind::Dotted)
      return failAt(token, "expected a directive such as .entry, found " +
                               describe(token));
    if (token.text == "version") {
      if (peek().kind != TokenKind::Float64 &&
          peek().kind != TokenKind::Integer)
        return fail("expected a PTX version, found " + describe(peek()));
      const Token &number = next();
      module.version = std::string(number.text);
      skipLine(token.line);
    } else if (token.text == "target") {
      module.target = std::string(peek().text);
      skipLine(token.line);
    } else if (token.text == "address_size") {
      uint64_t bits;
      if (!unsignedInteger(bits, "an address size"))
        return false;
      if (bits != 64)
        return failAt(token, "only .address_size 64 is supported");
    } else if (token.text == "entry" || token.text == "func") {
      if (!parseFunction(token.text == "entry"))
        return false;
    } else if (token.text == "visible" || token.text == "extern" ||
               token.text == "weak" || token.text == "common") {
      continue;
    } else if (token.text == "file") {
      if (!parseFileDirective())
        return false;
    } else if (token.text == "section") {
      next();
      while (peek().kind == TokenKind::Dotted)
        next();
      if (!skipBraces())
        return false;
    } else if (token.text == "pragma" || token.text == "alias") {
      while (!atEnd() && !accept(';'))
        next();
    } else if (isStateSpace(token.text, space)) {
      if (!parseVariableList(space, module.variables))
        return false;
    } else {
      return failAt(token,
                    "unknown directive '." + std::string(token.text) + "'");
    }
  }
  if (module.version.empty() || module.target.empty())
    return fail("no .version and .target: this is not a PTX module");
  return true;
}

} // namespace wna16::emulator
