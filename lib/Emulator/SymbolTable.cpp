//===- SymbolTable.cpp - registers, variables and labels of an entry ------===//
//
// Lays out register file, parameters and the shared, local and const spaces,
// and looks names up through the chain of scopes.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace wna16::emulator {
namespace {
uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}
/// Limits that keep a hostile file from exhausting memory.
constexpr uint64_t maxShared = 1u << 20, maxLocal = 1u << 20,
                   maxConst = 1u << 24, maxParams = 1u << 16;
} // namespace

RegClass registerClass(Type type) {
  return type == Type::Pred     ? RegClass::Predicate
         : bitWidth(type) <= 32 ? RegClass::Word
         : bitWidth(type) <= 64 ? RegClass::Wide
                                : RegClass::Quad;
}

SymbolTable::SymbolTable(Program &program,
                         const std::vector<uint64_t> &globalBases)
    : program(program), globalBases(globalBases) {
  program.registerNames.push_back("");
}

Value SymbolTable::addRegister(RegClass cls, std::string name) {
  if (cls == RegClass::Quad) {
    Value low = addRegister(RegClass::Wide, name);
    addRegister(RegClass::Wide, std::move(name));
    low.cls = cls;
    return low;
  }
  Value value;
  value.cls = cls;
  value.index = uint32_t(program.registerNames.size());
  program.registerNames.push_back(std::move(name));
  if (cls == RegClass::Predicate) {
    value.offset = program.numPredicates++;
  } else {
    value.offset = program.registerBytes;
    program.registerBytes += cls == RegClass::Wide ? 256 : 128;
  }
  return value;
}

Value SymbolTable::carryFlag() {
  if (!carry)
    carry = addRegister(RegClass::Predicate, "CC.CF");
  return *carry;
}

Value SymbolTable::immediate(RegClass cls, uint64_t bits) {
  const bool wide = cls == RegClass::Wide;
  if (!wide)
    bits = uint32_t(bits);
  auto [it, isNew] = pool.try_emplace({wide, bits});
  if (!isNew)
    return it->second;
  Value value;
  value.cls = cls;
  value.bank = 1;
  value.offset = uint32_t(program.pool.size());
  const size_t bytes = wide ? 8 : 4;
  program.pool.resize(program.pool.size() + bytes * warpSize);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    std::memcpy(program.pool.data() + value.offset + lane * bytes, &bits,
                bytes);
  return it->second = value;
}

std::optional<Diagnostic> SymbolTable::place(const ast::Variable &variable,
                                             uint32_t scope,
                                             uint64_t globalBase) {
  auto &symbols = scope == noTarget ? moduleSymbols : scopes[scope].symbols;
  auto error = [&](std::string message) {
    return Diagnostic{program.module->fileName, variable.line, 0,
                      std::move(message)};
  };
  const std::string name(variable.name);
  Symbol symbol{variable.space, 0};
  switch (variable.space) {
  case Space::Shared: {
    if (variable.isUnsized) {
      dynamicShared.push_back(&variable);
      break; // placed after all static variables
    }
    uint64_t offset = alignTo(program.staticSharedBytes, variable.alignment);
    if (offset + variable.bytes > maxShared)
      return error("shared variable '" + name + "' is too large");
    symbol.address = offset;
    program.sharedVariables.push_back({&variable, offset});
    program.staticSharedBytes = uint32_t(offset + variable.bytes);
    break;
  }
  case Space::Local: {
    uint64_t offset = alignTo(program.localBytes, variable.alignment);
    if (offset + variable.bytes > maxLocal)
      return error("local variable '" + name + "' is too large");
    symbol.address = spaceBase + offset;
    program.localBytes = uint32_t(offset + variable.bytes);
    break;
  }
  case Space::Const: {
    uint64_t offset = alignTo(program.constants.size(), variable.alignment);
    if (offset + variable.bytes > maxConst)
      return error("const variable '" + name + "' is too large");
    if (variable.symbolicInitializer)
      return error("initial values of '" + name +
                   "' name other symbols, which is not supported");
    symbol.address = spaceBase + offset;
    program.constants.resize(offset + variable.bytes);
    std::copy(variable.initializer.begin(), variable.initializer.end(),
              program.constants.begin() + long(offset));
    break;
  }
  case Space::Global:
    if (!globalBase)
      return error(".global variable '" + name +
                   "' inside a function is not supported");
    symbol.address = globalBase;
    break;
  case Space::Param: {
    // Arguments and results of calls: each lane has its own.
    uint64_t offset = alignTo(program.localBytes, variable.alignment);
    if (offset + variable.bytes > maxLocal)
      return error("parameter '" + name + "' is too large");
    symbol.address = spaceBase + offset;
    symbol.inFrame = true;
    program.localBytes = uint32_t(offset + variable.bytes);
    break;
  }
  case Space::SharedCluster:
  case Space::Generic:
    return std::nullopt;
  }
  symbols[variable.name] = symbol;
  return std::nullopt;
}

std::optional<Diagnostic> SymbolTable::build() {
  const ast::Module &module = *program.module;
  const ast::Function &function = *program.function;
  scopes.resize(function.scopes.size());
  // Static shared memory first, so that dynamic shared memory follows it.
  for (size_t i = 0; i < module.variables.size(); ++i)
    if (auto error = place(module.variables[i], noTarget,
                           i < globalBases.size() ? globalBases[i] : 0))
      return error;
  for (uint32_t s = 0; s < scopes.size(); ++s)
    for (const ast::Variable &variable : function.scopes[s].variables)
      if (auto error = place(variable, s, 0))
        return error;
  for (const ast::Variable *variable : dynamicShared)
    program.staticSharedBytes =
        uint32_t(alignTo(program.staticSharedBytes, variable->alignment));
  // Module-wide symbols are found from every scope; an unsized array declared
  // in a body is entered there as well, which is harmless.
  for (const ast::Variable *variable : dynamicShared)
    moduleSymbols[variable->name] = {Space::Shared, program.staticSharedBytes};
  for (auto &scope : scopes)
    for (const ast::Variable *variable : dynamicShared)
      scope.symbols.erase(variable->name);

  for (const ast::Variable &parameter : function.parameters) {
    uint64_t offset = alignTo(program.parameterBytes, parameter.alignment);
    if (offset + parameter.bytes > maxParams)
      return Diagnostic{module.fileName, parameter.line, 0,
                        "parameters of '" + std::string(function.name) +
                            "' are too large"};
    scopes[0].symbols[parameter.name] = {Space::Param, spaceBase + offset};
    program.parameters.push_back({uint32_t(offset), uint32_t(parameter.bytes),
                                  std::string(parameter.name)});
    program.parameterBytes = uint32_t(offset + parameter.bytes);
  }

  for (uint32_t s = 0; s < scopes.size(); ++s)
    for (const ast::RegisterDecl &decl : function.scopes[s].registers) {
      std::vector<Value> values;
      for (uint32_t i = 0; i < std::max(decl.count, 1u); ++i) {
        std::string name(decl.name);
        if (decl.count)
          name += std::to_string(i);
        values.push_back(addRegister(registerClass(decl.type), name));
        widths.resize(program.registerNames.size());
        widths[values.back().index] = bitWidth(decl.type);
      }
      const bool isNew =
          decl.count
              ? scopes[s].ranges.emplace(decl.name, std::move(values)).second
              : scopes[s].registers.emplace(decl.name, values[0]).second;
      if (!isNew)
        return Diagnostic{module.fileName, decl.line, 0,
                          "register '" + std::string(decl.name) +
                              "' is declared twice in one block"};
    }
  return std::nullopt;
}

const Value *SymbolTable::findRegister(uint32_t scope,
                                       std::string_view name) const {
  size_t digits = name.size();
  while (digits > 0 &&
         std::isdigit(static_cast<unsigned char>(name[digits - 1])))
    --digits;
  // Registers of a range are numbered without leading zeros.
  uint64_t number = 0;
  bool numbered = digits < name.size() && name.size() - digits <= 7 &&
                  (name[digits] != '0' || digits + 1 == name.size());
  for (size_t i = digits; numbered && i < name.size(); ++i)
    number = number * 10 + unsigned(name[i] - '0');
  for (int32_t s = int32_t(scope); s >= 0;
       s = program.function->scopes[size_t(s)].parent) {
    const auto &registers = scopes[size_t(s)].registers;
    if (auto it = registers.find(name); it != registers.end())
      return &it->second;
    if (!numbered)
      continue;
    const auto &ranges = scopes[size_t(s)].ranges;
    // %rd12 may come from `%rd<20>` but also from `%rd1<5>`.
    for (size_t cut = digits; cut < name.size(); ++cut) {
      if (cut != digits && name[cut] == '0' && cut + 1 != name.size())
        continue;
      auto it = ranges.find(name.substr(0, cut));
      if (it == ranges.end())
        continue;
      uint64_t index = 0;
      for (size_t i = cut; i < name.size(); ++i)
        index = index * 10 + unsigned(name[i] - '0');
      if (index < it->second.size())
        return &it->second[index];
    }
  }
  return nullptr;
}

std::optional<SymbolTable::Symbol>
SymbolTable::findSymbol(uint32_t scope, std::string_view name) const {
  for (int32_t s = int32_t(scope); s >= 0;
       s = program.function->scopes[size_t(s)].parent) {
    const auto &aliases = program.function->scopes[size_t(s)].aliases;
    if (auto alias = aliases.find(name); alias != aliases.end()) {
      name = alias->second;
      continue;
    }
    auto it = scopes[size_t(s)].symbols.find(name);
    if (it != scopes[size_t(s)].symbols.end()) {
      Symbol symbol = it->second;
      if (symbol.space == Space::Shared)
        symbol.address += spaceBase;
      return symbol;
    }
  }
  auto it = moduleSymbols.find(name);
  if (it == moduleSymbols.end())
    return std::nullopt;
  Symbol symbol = it->second;
  if (symbol.space == Space::Shared)
    symbol.address += spaceBase;
  return symbol;
}

std::optional<uint32_t> SymbolTable::findLabel(uint32_t scope,
                                               std::string_view name) const {
  for (int32_t s = int32_t(scope); s >= 0;
       s = program.function->scopes[size_t(s)].parent) {
    const auto &labels = program.function->scopes[size_t(s)].labels;
    if (auto it = labels.find(name); it != labels.end())
      return it->second;
  }
  return std::nullopt;
}

const std::vector<std::string_view> *
SymbolTable::findTable(uint32_t scope, std::string_view name) const {
  for (int32_t s = int32_t(scope); s >= 0;
       s = program.function->scopes[size_t(s)].parent) {
    const auto &tables = program.function->scopes[size_t(s)].tables;
    if (auto it = tables.find(name); it != tables.end())
      return &it->second;
  }
  return nullptr;
}

} // namespace wna16::emulator
