//===- Ast.h - a parsed PTX module ----------------------------------------===//
//
// What the parser leaves: names are unresolved (registers and labels are
// resolved by the decoder through the chain of scopes), opcodes are split at
// their dots. All views point into Module::text.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_AST_H
#define WNA16_LIB_EMULATOR_AST_H

#include "lib/Emulator/Types.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wna16::emulator::ast {

/// A variable of a state space, or a parameter.
struct Variable {
  std::string_view name;
  Space space = Space::Generic;
  Type type = Type::B8;
  unsigned alignment = 1;
  /// Size in bytes; 0 for an unsized (dynamic shared) array.
  uint64_t bytes = 0;
  bool isUnsized = false;
  /// Empty: zero-initialised.
  std::vector<uint8_t> initializer;
  /// The initializer names other symbols, which is not supported.
  bool symbolicInitializer = false;
  unsigned line = 0;
};

/// `.reg .b32 %r<9>` (count = 9) or `.reg .pred p` (count = 0).
struct RegisterDecl {
  std::string_view name;
  uint32_t count = 0;
  Type type = Type::None;
  unsigned line = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    Name,    ///< register, special register, symbol or label; `member` for .x
    Integer, ///< `value`, two's complement
    Float32, ///< `value` = bits
    Float64, ///< `value` = bits of a double
    Address, ///< [name + value] or [value]; elements: anything after a comma
    Vector,  ///< {elements}
    Pair,    ///< elements[0] | elements[1]
    Sink     ///< _
  };
  Kind kind = Kind::Sink;
  std::string_view name, member;
  uint64_t value = 0;
  bool negated = false; ///< !p
  std::vector<Operand> elements;
};

/// Position in a source file, from `.loc`.
struct Location {
  unsigned file = 0, line = 0, column = 0;
};

struct Instruction {
  unsigned line = 0, column = 0;
  uint32_t scope = 0;
  uint32_t location = 0; ///< index + 1 into Function::locations; 0: none
  std::string_view guard;
  bool guardNegated = false;
  /// "cp.async.cg.shared.global" split at the dots. The operands of a call are
  /// the function, {arguments}, {results} and, if it is indirect, the
  /// prototype.
  std::vector<std::string_view> parts;
  std::vector<Operand> operands;

  std::string opcode() const {
    std::string out;
    for (std::string_view part : parts) {
      if (!out.empty())
        out += '.';
      out += part;
    }
    return out;
  }
};

/// A `{ }` block: its own registers, labels and variables.
struct Scope {
  int32_t parent = -1;
  std::vector<RegisterDecl> registers;
  std::vector<Variable> variables;
  /// Index of the instruction that follows the label.
  std::unordered_map<std::string_view, uint32_t> labels;
  /// Names of other variables, which are looked up in the parent: parameters
  /// of a function whose call was replaced by its body.
  std::unordered_map<std::string_view, std::string_view> aliases;
  /// `name: .branchtargets a, b;`
  std::unordered_map<std::string_view, std::vector<std::string_view>> tables;
};

struct Function {
  std::string_view name;
  bool isEntry = false;
  unsigned line = 0;
  std::vector<Variable> parameters, results;
  std::vector<Scope> scopes; ///< [0] is the body
  std::vector<Instruction> body;
  std::vector<Location> locations;
  /// `.reqntid`, `.maxntid`, `.reqnctapercluster`; 0 where absent.
  std::array<uint32_t, 3> requiredThreads{}, maxThreads{}, requiredCluster{};
};

struct Module {
  std::string fileName;
  std::shared_ptr<const std::string> text;
  std::string version, target;
  unsigned addressSize = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::unordered_map<unsigned, std::string> files; ///< `.file`

  const Function *findEntry(std::string_view name) const {
    return find(name, true);
  }
  /// A device function that has a body.
  const Function *findFunction(std::string_view name) const {
    return find(name, false);
  }

private:
  const Function *find(std::string_view name, bool isEntry) const {
    for (const Function &function : functions)
      if (function.isEntry == isEntry && function.name == name)
        return &function;
    return nullptr;
  }
};

} // namespace wna16::emulator::ast

#endif // WNA16_LIB_EMULATOR_AST_H
