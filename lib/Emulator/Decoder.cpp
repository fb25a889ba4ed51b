//===- Decoder.cpp - from AST instructions to Instr -----------------------===//
//
// Modifier and operand handling common to all families.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"

#include "lib/Emulator/Warp.h"

#include <algorithm>
#include <bit>

namespace wna16::emulator {

using Kind = ast::Operand::Kind;

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

bool Decoder::take(std::string_view name) {
  if (next >= source.parts.size() || source.parts[next] != name)
    return false;
  ++next;
  return true;
}

int Decoder::takeOne(std::initializer_list<std::string_view> names) {
  int i = 0;
  for (std::string_view name : names) {
    if (take(name))
      return i;
    ++i;
  }
  return -1;
}

std::optional<std::string_view> Decoder::takePrefixed(std::string_view prefix) {
  if (next >= source.parts.size() || !source.parts[next].starts_with(prefix))
    return std::nullopt;
  return source.parts[next++].substr(prefix.size());
}

void Decoder::skip(std::initializer_list<std::string_view> names) {
  while (takeOne(names) >= 0) {
  }
}

void Decoder::skipCacheHints() {
  for (size_t before = 0; before != next;) {
    before = next;
    skip({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"});
    skip({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
          "L1::evict_last", "L1::no_allocate"});
    skip({"L2::evict_normal", "L2::evict_first", "L2::evict_last",
          "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B"});
  }
}

std::optional<Type> Decoder::takeType() {
  std::optional<Type> type;
  if (next < source.parts.size())
    type = parseType(source.parts[next]);
  if (type)
    ++next;
  else
    fail("expected a type such as .u32" +
         (next < source.parts.size()
              ? ", found '." + std::string(source.parts[next]) + "'"
              : std::string(" at the end of the opcode")));
  return type;
}

bool Decoder::has(std::string_view name) const {
  return std::find(source.parts.begin() + 1, source.parts.end(), name) !=
         source.parts.end();
}

bool Decoder::end() {
  return next == source.parts.size() ||
         fail("modifier '." + std::string(source.parts[next]) +
              "' is not supported here");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Decoder::expectOperands(size_t count) {
  return expectOperands(count, count);
}

bool Decoder::expectOperands(size_t least, size_t most) {
  if (numOperands() >= least && numOperands() <= most)
    return true;
  std::string expected = std::to_string(least);
  if (most != least)
    expected += " to " + std::to_string(most);
  return fail("expected " + expected + " operands, found " +
              std::to_string(numOperands()));
}

void Decoder::addRows(std::vector<Value> &values, const Value &value) {
  values.push_back(value);
  if (value.cls != RegClass::Quad)
    return;
  values.back().cls = RegClass::Wide;
  values.push_back(values.back());
  values.back().offset += 8 * warpSize;
  ++values.back().index;
}

std::string Decoder::describe(const ast::Operand &operand) const {
  std::string name(operand.name);
  if (!operand.member.empty())
    name += "." + std::string(operand.member);
  return "'" + name + "'";
}

const Value *Decoder::findRegister(const ast::Operand &operand) {
  if (operand.kind != Kind::Name)
    return nullptr;
  if (!operand.member.empty() || operand.name.starts_with('%')) {
    // A declared register wins over a special one of the same name.
    if (operand.member.empty())
      if (const Value *value = symbols.findRegister(source.scope, operand.name))
        return value;
    std::string name(operand.name);
    if (!operand.member.empty())
      name += "." + std::string(operand.member);
    for (const SpecialRegister &special : program.specials)
      if (special.name == name)
        return &special.value;
    if (auto cls = specialRegisterClass(name)) {
      // Reserved, so that pointers into the vector stay valid.
      if (program.specials.size() == program.specials.capacity())
        return nullptr;
      program.specials.push_back({name, symbols.addRegister(*cls, name)});
      return &program.specials.back().value;
    }
    return nullptr;
  }
  return symbols.findRegister(source.scope, operand.name);
}

unsigned Decoder::declaredBits(const ast::Operand &operand) {
  const Value *value = findRegister(operand);
  return value ? symbols.declaredBits(*value) : 0;
}

bool Decoder::classMatches(const Value &value, Type type, bool atLeast,
                           const ast::Operand &operand) {
  const RegClass cls = registerClass(type);
  if (value.cls == cls ||
      (atLeast && cls == RegClass::Word && value.cls == RegClass::Wide))
    return true;
  auto width = [](RegClass c) {
    return c == RegClass::Predicate ? "a predicate"
           : c == RegClass::Word    ? "at most 32 bits wide"
           : c == RegClass::Wide    ? "64 bits wide"
                                    : "128 bits wide";
  };
  return fail("register " + describe(operand) + " is " + width(value.cls) +
              ", the instruction needs ." + std::string(typeName(type)));
}

bool Decoder::resolveDst(const ast::Operand &operand, Type type, bool atLeast) {
  if (operand.kind == Kind::Sink) {
    addDst(symbols.addRegister(registerClass(type), "_"));
    return true;
  }
  const Value *value = findRegister(operand);
  if (!value || operand.kind != Kind::Name)
    return fail("expected a destination register, found " + describe(operand));
  if (!classMatches(*value, type, atLeast, operand))
    return false;
  addDst(*value);
  return true;
}

std::optional<uint64_t> Decoder::literal(const ast::Operand &operand,
                                         Type type) {
  switch (operand.kind) {
  case Kind::Integer:
    if (type == Type::F32)
      return std::bit_cast<uint32_t>(float(int64_t(operand.value)));
    if (type == Type::F64)
      return std::bit_cast<uint64_t>(double(int64_t(operand.value)));
    // Narrow values are kept zero-extended.
    if (bitWidth(type) < 32)
      return operand.value & ((uint64_t(1) << bitWidth(type)) - 1);
    return operand.value;
  case Kind::Float32:
    if (type == Type::F64)
      return std::bit_cast<uint64_t>(
          double(std::bit_cast<float>(uint32_t(operand.value))));
    return operand.value;
  case Kind::Float64:
    if (type == Type::F32 || bitWidth(type) == 32)
      return std::bit_cast<uint32_t>(
          float(std::bit_cast<double>(operand.value)));
    return operand.value;
  default:
    return std::nullopt;
  }
}

bool Decoder::resolveSrc(const ast::Operand &operand, Type type, bool atLeast) {
  if (operand.negated && type != Type::Pred)
    return fail("'!' is only allowed before a predicate");
  if (auto bits = literal(operand, type)) {
    if (type == Type::B128)
      return fail("there are no constants of 128 bits");
    if (type == Type::Pred) {
      // Constant predicates are index 0 (false) and 1 (true).
      Value value;
      value.cls = RegClass::Predicate;
      value.offset = *bits != 0;
      value.negated = operand.negated;
      addSrc(value);
      return true;
    }
    addSrc(symbols.immediate(registerClass(type), *bits));
    return true;
  }
  if (operand.kind == Kind::Name) {
    if (const Value *value = findRegister(operand)) {
      if (!classMatches(*value, type, atLeast, operand))
        return false;
      Value copy = *value;
      copy.negated = operand.negated;
      addSrc(copy);
      return true;
    }
    if (operand.name == "WARP_SZ") {
      addSrc(symbols.immediate(registerClass(type), warpSize));
      return true;
    }
    if (operand.name.starts_with('%'))
      return fail("register " + describe(operand) +
                  " is not declared and not a supported special register");
  }
  return fail("expected a register or a constant, found " +
              (operand.kind == Kind::Name ? describe(operand)
                                          : std::string("another operand")));
}

bool Decoder::dst(const ast::Operand &operand, Type type) {
  return resolveDst(operand, type, false);
}
bool Decoder::dstAtLeast(const ast::Operand &operand, Type type) {
  return resolveDst(operand, type, true);
}
bool Decoder::src(const ast::Operand &operand, Type type) {
  return resolveSrc(operand, type, false);
}
bool Decoder::srcAtLeast(const ast::Operand &operand, Type type) {
  return resolveSrc(operand, type, true);
}
bool Decoder::srcPredicate(const ast::Operand &operand) {
  return resolveSrc(operand, Type::Pred, false);
}

/// `resolve` for each of the `count` elements of {..}, or for a single operand.
template <typename F>
static bool forVector(Decoder &d, const ast::Operand &operand, size_t count,
                      F resolve) {
  const std::string n = std::to_string(count) + " registers";
  if (operand.kind != Kind::Vector)
    return count == 1 ? resolve(operand) : d.fail("expected {..} with " + n);
  if (operand.elements.size() != count)
    return d.fail("expected " + n + " in {..}, found " +
                  std::to_string(operand.elements.size()));
  return std::all_of(operand.elements.begin(), operand.elements.end(), resolve);
}

bool Decoder::dstVector(const ast::Operand &operand, Type type, size_t count,
                        bool atLeast) {
  return forVector(*this, operand, count, [&](const ast::Operand &element) {
    return resolveDst(element, type, atLeast);
  });
}
bool Decoder::srcVector(const ast::Operand &operand, Type type, size_t count,
                        bool atLeast) {
  return forVector(*this, operand, count, [&](const ast::Operand &element) {
    return resolveSrc(element, type, atLeast);
  });
}

std::optional<SymbolTable::Symbol>
Decoder::symbol(const ast::Operand &operand) {
  return symbols.findSymbol(source.scope, operand.name);
}

/// The address of a symbol as a generic address.
static uint64_t genericAddress(const SymbolTable::Symbol &symbol) {
  switch (symbol.space) {
  case Space::Shared:
    return sharedWindow + symbol.address;
  case Space::Local:
    return localWindow + symbol.address;
  case Space::Param:
    return paramWindow + symbol.address;
  case Space::Const:
    return constWindow + symbol.address;
  default:
    return symbol.address;
  }
}

bool Decoder::address(const ast::Operand &operand, Space space) {
  if (operand.kind != Kind::Address)
    return fail("expected an address such as [%rd1+16]");
  Value base;
  if (operand.name.empty()) {
    base = symbols.immediate(RegClass::Wide, operand.value);
  } else {
    ast::Operand name;
    name.kind = Kind::Name;
    name.name = operand.name;
    if (const Value *value = findRegister(name)) {
      if (value->cls == RegClass::Predicate || value->cls == RegClass::Quad)
        return fail("register " + describe(name) + " cannot be an address");
      base = *value;
      base.displacement = int64_t(operand.value);
    } else if (auto found = symbol(name)) {
      bool isOwn = isShared(space) && isShared(found->space);
      if (space != Space::Generic && found->space != space && !isOwn)
        return fail(describe(name) + " lies in ." +
                    std::string(spaceName(found->space)) +
                    " space, the instruction accesses ." +
                    std::string(spaceName(space)));
      instr.space = found->inFrame ? Space::Local : instr.space;
      uint64_t address =
          space == Space::Generic ? genericAddress(*found) : found->address;
      base = symbols.immediate(RegClass::Wide, address + operand.value);
    } else {
      return fail("'" + std::string(operand.name) +
                  "' is neither a register nor a variable");
    }
  }
  base.isAddress = true;
  addSrc(base);
  return true;
}

bool Decoder::markAddresses(size_t count) {
  for (size_t i = srcs.size() - count; i < srcs.size(); ++i)
    srcs[i].isAddress = true;
  return true;
}

std::optional<uint64_t> Decoder::constant(const ast::Operand &operand) {
  if (operand.kind == Kind::Integer)
    return operand.value;
  fail("expected a constant");
  return std::nullopt;
}

std::optional<uint64_t> Decoder::constantAddress() const {
  if (srcs.empty() || srcs.back().bank != 1)
    return std::nullopt;
  uint64_t value;
  std::memcpy(&value, program.pool.data() + srcs.back().offset, sizeof(value));
  return value;
}

bool Decoder::label(const ast::Operand &operand, uint32_t &target) {
  if (operand.kind == Kind::Name)
    if (auto found = symbols.findLabel(source.scope, operand.name)) {
      target = *found;
      return true;
    }
  return fail("label " + describe(operand) + " is not defined");
}

bool Decoder::branchTable(const ast::Operand &operand) {
  const auto *names = symbols.findTable(source.scope, operand.name);
  if (!names)
    return fail("branch table " + describe(operand) + " is not defined");
  instr.imm = program.branchTables.size() << 32 | names->size();
  for (std::string_view name : *names) {
    auto found = symbols.findLabel(source.scope, name);
    if (!found)
      return fail("label '" + std::string(name) + "' is not defined");
    program.branchTables.push_back(*found);
  }
  return true;
}

void Decoder::finish() {
  instr.dstBegin = uint32_t(program.values.size());
  instr.numDst = uint8_t(dsts.size());
  program.values.insert(program.values.end(), dsts.begin(), dsts.end());
  instr.srcBegin = uint32_t(program.values.size());
  instr.numSrc = uint8_t(srcs.size());
  program.values.insert(program.values.end(), srcs.begin(), srcs.end());
}

} // namespace wna16::emulator
