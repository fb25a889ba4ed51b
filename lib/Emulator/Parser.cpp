//===- Parser.cpp - PTX text to AST ---------------------------------------===//
//
// Bodies of functions: scopes, registers, labels, instructions and operands.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Parser.h"

#include "lib/Emulator/ParserImpl.h"

namespace wna16::emulator {

using ast::Operand;

static constexpr unsigned maxNesting = 64;
static constexpr uint32_t maxRegisters = 1u << 20;

bool Parser::parseRegisters(ast::Scope &scope) {
  Type type = Type::None;
  while (peek().kind == TokenKind::Dotted) {
    const Token &token = next();
    if (auto scalar = parseType(token.text))
      type = *scalar;
    else
      return failAt(token, "unsupported register attribute '." +
                               std::string(token.text) + "'");
  }
  if (type == Type::None)
    return fail("expected the type of a register");
  do {
    if (peek().kind != TokenKind::Identifier)
      return fail("expected the name of a register, found " + describe(peek()));
    const Token &name = next();
    ast::RegisterDecl decl{name.text, 0, type, name.line};
    if (accept('<')) {
      uint64_t count;
      if (!unsignedInteger(count, "a number of registers") ||
          !expect('>', "after a number of registers"))
        return false;
      if (count > maxRegisters)
        return failAt(name, "too many registers");
      decl.count = uint32_t(count);
    }
    registerTotal += std::max(decl.count, 1u);
    if (registerTotal > maxRegisters)
      return failAt(name, "too many registers");
    scope.registers.push_back(decl);
  } while (accept(','));
  return expect(';', "after a register declaration");
}

bool Parser::parseBranchTargets(ast::Scope &scope, std::string_view name) {
  std::vector<std::string_view> targets;
  do {
    if (peek().kind != TokenKind::Identifier)
      return fail("expected a label, found " + describe(peek()));
    targets.push_back(next().text);
  } while (accept(','));
  scope.tables[name] = std::move(targets);
  return expect(';', "after branch targets");
}

bool Parser::parseBodyDirective(ast::Function &function, uint32_t scope) {
  const Token token = next();
  Space space;
  if (token.text == "reg")
    return parseRegisters(function.scopes[scope]);
  if (token.text == "loc") {
    uint64_t file, line, column;
    if (!unsignedInteger(file, "a file number") ||
        !unsignedInteger(line, "a line") ||
        !unsignedInteger(column, "a column"))
      return false;
    function.locations.push_back(
        {unsigned(file), unsigned(line), unsigned(column)});
    location = uint32_t(function.locations.size());
    skipLine(token.line);
    return true;
  }
  if (token.text == "file")
    return parseFileDirective();
  if (token.text == "pragma" || token.text == "callprototype" ||
      token.text == "calltargets") {
    while (!atEnd() && !accept(';'))
      next();
    return true;
  }
  if (token.text == "extern" || token.text == "visible" || token.text == "weak")
    return true;
  if (isStateSpace(token.text, space))
    return parseVariableList(space, function.scopes[scope].variables);
  return failAt(token, "unknown directive '." + std::string(token.text) +
                           "' in the body of '" + std::string(function.name) +
                           "'");
}

bool Parser::parseBody(ast::Function &function) {
  const Token open = peek();
  if (!expect('{', "before the body of a function"))
    return false;
  location = 0;
  function.scopes.emplace_back();
  std::vector<uint32_t> open_scopes{0};
  while (true) {
    const uint32_t scope = open_scopes.back();
    if (atEnd())
      return fail("unexpected end of the file in the body of '" +
                  std::string(function.name) + "', opened on line " +
                  std::to_string(open.line));
    if (accept('}')) {
      open_scopes.pop_back();
      if (open_scopes.empty())
        return true;
    } else if (accept('{')) {
      if (open_scopes.size() >= maxNesting)
        return fail("blocks are nested too deeply");
      function.scopes.emplace_back();
      function.scopes.back().parent = int32_t(scope);
      open_scopes.push_back(uint32_t(function.scopes.size() - 1));
    } else if (accept(';')) {
      continue;
    } else if (peek().kind == TokenKind::Dotted) {
      if (!parseBodyDirective(function, scope))
        return false;
    } else if (peek().kind == TokenKind::Identifier && peek(1).is(':')) {
      const Token &label = next();
      next();
      if (acceptDotted("branchtargets")) {
        if (!parseBranchTargets(function.scopes[scope], label.text))
          return false;
        continue;
      }
      if (!function.scopes[scope]
               .labels.emplace(label.text, uint32_t(function.body.size()))
               .second)
        return failAt(label, "label '" + std::string(label.text) +
                                 "' is defined twice in one block");
    } else if (!parseInstruction(function, scope)) {
      return false;
    }
  }
}

bool Parser::parseInstruction(ast::Function &function, uint32_t scope) {
  ast::Instruction instruction;
  instruction.scope = scope;
  instruction.location = location;
  if (accept('@')) {
    instruction.guardNegated = accept('!');
    if (peek().kind != TokenKind::Identifier)
      return fail("expected a predicate after '@', found " + describe(peek()));
    instruction.guard = next().text;
  }
  if (peek().kind != TokenKind::Identifier)
    return fail("expected an instruction, found " + describe(peek()));
  instruction.line = peek().line;
  instruction.column = peek().column;
  instruction.parts.push_back(next().text);
  while (peek().kind == TokenKind::Dotted && peek().adjacent)
    instruction.parts.push_back(next().text);
  if (instruction.parts[0] == "call")
    return parseCall(function, std::move(instruction));
  while (!peek().is(';')) {
    Operand operand;
    if (!parseOperand(operand, 0))
      return false;
    instruction.operands.push_back(std::move(operand));
    if (!accept(',') && !peek().is(';'))
      return fail("expected ',' or ';' after an operand of '" +
                  instruction.opcode() + "', found " + describe(peek()));
  }
  next();
  function.body.push_back(std::move(instruction));
  return true;
}

/// After `call`: (results), function, (arguments), prototype; all but the
/// function are optional.
bool Parser::parseCall(ast::Function &function, ast::Instruction instruction) {
  auto list = [&](Operand &out) {
    out.kind = Operand::Kind::Vector;
    while (!accept(')')) {
      out.elements.emplace_back();
      if (!parseOperand(out.elements.back(), 1))
        return false;
      if (!accept(',') && !peek().is(')'))
        return fail("expected ',' or ')' in the operands of a call, found " +
                    describe(peek()));
    }
    return true;
  };
  Operand callee, arguments, results;
  arguments.kind = results.kind = Operand::Kind::Vector;
  if (accept('(') && (!list(results) || !expect(',', "after the results")))
    return false;
  if (!parseOperand(callee, 0))
    return false;
  instruction.operands = {callee};
  if (accept(',')) {
    if (!accept('('))
      return fail("expected '(' before the arguments of a call, found " +
                  describe(peek()));
    if (!list(arguments))
      return false;
  }
  instruction.operands.push_back(arguments);
  instruction.operands.push_back(results);
  if (accept(',')) {
    instruction.operands.emplace_back();
    if (!parseOperand(instruction.operands.back(), 0))
      return false;
  }
  function.body.push_back(std::move(instruction));
  return expect(';', "after a call");
}

bool Parser::parseOperand(Operand &operand, unsigned depth) {
  if (depth > 4)
    return fail("operands are nested too deeply");
  if (accept('['))
    return parseAddress(operand, depth);
  if (accept('{')) {
    operand.kind = Operand::Kind::Vector;
    do {
      operand.elements.emplace_back();
      if (!parseOperand(operand.elements.back(), depth + 1))
        return false;
    } while (accept(','));
    return expect('}', "after a vector");
  }
  if (accept('!'))
    operand.negated = true;
  const bool negative = accept('-');
  const Token &token = next();
  operand.value = token.value;
  switch (token.kind) {
  case TokenKind::Integer:
    operand.kind = Operand::Kind::Integer;
    if (negative)
      operand.value = 0 - operand.value;
    return true;
  case TokenKind::Float32:
    operand.kind = Operand::Kind::Float32;
    if (negative)
      operand.value ^= 0x80000000u;
    return true;
  case TokenKind::Float64:
    operand.kind = Operand::Kind::Float64;
    if (negative)
      operand.value ^= uint64_t(1) << 63;
    return true;
  case TokenKind::Identifier:
    break;
  default:
    return failAt(token, "expected an operand, found " + describe(token));
  }
  if (negative)
    return failAt(token, "'-' before a name is not an operand");
  operand.kind = token.text == "_" ? Operand::Kind::Sink : Operand::Kind::Name;
  operand.name = token.text;
  if (peek().kind == TokenKind::Dotted && peek().adjacent)
    operand.member = next().text;
  if (operand.kind == Operand::Kind::Name &&
      (peek().is('+') || peek().is('-')) &&
      peek(1).kind == TokenKind::Integer) {
    bool minus = next().is('-');
    uint64_t value = next().value;
    operand.value = minus ? 0 - value : value;
  }
  if (accept('|')) {
    Operand first = std::move(operand);
    operand = Operand();
    operand.kind = Operand::Kind::Pair;
    operand.elements.push_back(std::move(first));
    operand.elements.emplace_back();
    return parseOperand(operand.elements.back(), depth + 1);
  }
  return true;
}

/// After `[`.
bool Parser::parseAddress(Operand &operand, unsigned depth) {
  operand.kind = Operand::Kind::Address;
  if (peek().kind == TokenKind::Identifier)
    operand.name = next().text;
  bool first = operand.name.empty();
  while (first || peek().is('+') || peek().is('-')) {
    bool minus = false;
    while (peek().is('+') || peek().is('-'))
      minus ^= next().is('-');
    uint64_t value;
    if (!unsignedInteger(value, "an address"))
      return false;
    operand.value += minus ? 0 - value : value;
    first = false;
  }
  while (accept(',')) {
    operand.elements.emplace_back();
    if (!parseOperand(operand.elements.back(), depth + 1))
      return false;
  }
  return expect(']', "after an address");
}

ParseResult parsePtx(std::string text, std::string fileName) {
  auto module = std::make_shared<ast::Module>();
  module->fileName = std::move(fileName);
  module->text = std::make_shared<const std::string>(std::move(text));
  std::vector<Token> tokens;
  if (auto diagnostic = lex(*module->text, tokens)) {
    diagnostic->file = module->fileName;
    return *diagnostic;
  }
  Parser parser(tokens, *module);
  if (!parser.parseModule())
    return parser.diagnostic;
  return std::shared_ptr<const ast::Module>(std::move(module));
}

} // namespace wna16::emulator
