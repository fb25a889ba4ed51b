//===- Decoder.h - from AST instructions to Instr -------------------------===//
//
// Shared machinery of the instruction families. A family (integer arithmetic,
// memory, matrix, ...) is one .cpp file that holds both the decoding of its
// mnemonics and the code that executes them; it offers one function of type
// FamilyDecoder per mnemonic through the table in Decoder.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_DECODER_H
#define WNA16_LIB_EMULATOR_DECODER_H

#include "lib/Emulator/Program.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_map>

namespace wna16::emulator {

/// Name resolution for one entry.
class SymbolTable {
public:
  SymbolTable(Program &program, const std::vector<uint64_t> &globalBases);

  struct Symbol {
    Space space = Space::Generic;
    uint64_t address = 0; ///< in its space
    /// A `.param` variable of a body: it lies in local memory.
    bool inFrame = false;
  };

  /// Lays out parameters, variables and registers. Nullopt on success.
  std::optional<Diagnostic> build();
  const Value *findRegister(uint32_t scope, std::string_view name) const;
  /// Bits of the declared type of a register.
  unsigned declaredBits(const Value &value) const {
    return value.index < widths.size() ? widths[value.index] : 0;
  }
  std::optional<Symbol> findSymbol(uint32_t scope, std::string_view name) const;
  std::optional<uint32_t> findLabel(uint32_t scope,
                                    std::string_view name) const;
  const std::vector<std::string_view> *findTable(uint32_t scope,
                                                 std::string_view name) const;
  /// A hidden register (special registers, sinks).
  Value addRegister(RegClass cls, std::string name);
  /// The hidden predicate that holds the condition code's carry.
  Value carryFlag();
  /// The 32-lane splat of an immediate.
  Value immediate(RegClass cls, uint64_t bits);

private:
  std::optional<Diagnostic> place(const ast::Variable &variable, uint32_t scope,
                                  uint64_t globalBase);
  Program &program;
  const std::vector<uint64_t> &globalBases;
  struct ScopeTable {
    std::unordered_map<std::string_view, Value> registers;
    /// `%r<4>` declares %r0 to %r3; a register %r may exist beside it.
    std::unordered_map<std::string_view, std::vector<Value>> ranges;
    std::unordered_map<std::string_view, Symbol> symbols;
  };
  std::vector<ScopeTable> scopes;
  std::unordered_map<std::string_view, Symbol> moduleSymbols;
  std::map<std::pair<bool, uint64_t>, Value> pool;
  std::vector<const ast::Variable *> dynamicShared;
  std::optional<Value> carry;
  std::vector<unsigned> widths; ///< declared bits, by Value::index
};

RegClass registerClass(Type type);

/// The entry with the calls of functions that have a body replaced by it; null
/// if there are none.
std::shared_ptr<const ast::Function> expandCalls(const ast::Module &module,
                                                 const ast::Function &entry);

/// Decodes one instruction. Failing functions record a message and return
/// false (or nullopt), so that families read as a chain of &&.
class Decoder {
public:
  Decoder(Program &program, SymbolTable &symbols,
          const ast::Instruction &source, Instr &instr)
      : instr(instr), source(source), program(program), symbols(symbols) {}

  Instr &instr;
  const ast::Instruction &source;
  std::string error;

  std::string_view mnemonic() const { return source.parts[0]; }
  bool fail(std::string message) {
    if (error.empty())
      error = std::move(message);
    return false;
  }

  //===--- modifiers, consumed from left to right
  //--------------------------===//
  bool take(std::string_view name);
  /// Index of the name that was consumed; -1 if none.
  int takeOne(std::initializer_list<std::string_view> names);
  /// Consumes a modifier that starts with `prefix`; returns the rest of it.
  std::optional<std::string_view> takePrefixed(std::string_view prefix);
  /// Consumes any number of these.
  void skip(std::initializer_list<std::string_view> names);
  std::optional<Type> takeType();
  /// Consumes cache operators and eviction hints, which change no result.
  void skipCacheHints();
  bool has(std::string_view name) const;
  /// Fails unless every modifier was consumed.
  bool end();

  //===--- operands
  //---------------------------------------------------------===//
  size_t numOperands() const { return source.operands.size(); }
  const ast::Operand &operand(size_t i) const { return source.operands[i]; }
  bool expectOperands(size_t count);
  bool expectOperands(size_t least, size_t most);
  /// Appends a destination register of the width of `type` (sinks allowed).
  bool dst(const ast::Operand &operand, Type type);
  /// The same for any width of at least `type` (loads and conversions).
  bool dstAtLeast(const ast::Operand &operand, Type type);
  /// Appends a source: register or immediate of `type`.
  bool src(const ast::Operand &operand, Type type);
  bool srcAtLeast(const ast::Operand &operand, Type type);
  bool srcPredicate(const ast::Operand &operand);
  /// Appends an address as source: base register (or constant) + displacement.
  bool address(const ast::Operand &operand, Space space);
  /// The last `count` sources say where in memory the instruction works, as
  /// address() does: coordinates, descriptors. Always true.
  bool markAddresses(size_t count);
  /// {a, b, ..} of exactly `count` elements, or one operand if count is 1.
  bool dstVector(const ast::Operand &operand, Type type, size_t count,
                 bool atLeast = false);
  bool srcVector(const ast::Operand &operand, Type type, size_t count,
                 bool atLeast = false);
  /// Adds a splat immediate as source.
  void srcImmediate(RegClass cls, uint64_t bits) {
    addSrc(symbols.immediate(cls, bits));
  }
  /// The carry flag of add.cc and the like.
  void srcCarry() { addSrc(symbols.carryFlag()); }
  void dstCarry() { addDst(symbols.carryFlag()); }
  /// A destination and as many sources of one type, and no other operands.
  bool operands(Type type, size_t sources) {
    if (!expectOperands(sources + 1) || !dst(operand(0), type))
      return false;
    for (size_t i = 1; i <= sources; ++i)
      if (!src(operand(i), type))
        return false;
    return true;
  }
  /// The end of a chain: what executes the instruction; null: it has no such
  /// type.
  bool runs(Handler handler, InstrClass cls) {
    instr.handler = handler;
    instr.cls = cls;
    return handler || fail("the type is not supported by this instruction");
  }
  std::optional<uint64_t> constant(const ast::Operand &operand);
  /// The end of an instruction with one constant, which Instr::imm gets.
  bool onlyConstant() {
    if (!end() || !expectOperands(1))
      return false;
    const std::optional<uint64_t> value = constant(operand(0));
    instr.imm = value.value_or(0);
    return value.has_value();
  }
  /// The last address that was appended, if it is a constant.
  std::optional<uint64_t> constantAddress() const;
  uint32_t parameterBytes() const { return program.parameterBytes; }
  bool label(const ast::Operand &operand, uint32_t &target);
  bool branchTable(const ast::Operand &operand);
  std::optional<SymbolTable::Symbol> symbol(const ast::Operand &operand);
  const Value *findRegister(const ast::Operand &operand);
  /// Width of the declared type of a register; 0 if unknown.
  unsigned declaredBits(const ast::Operand &operand);

private:
  bool resolveDst(const ast::Operand &operand, Type type, bool atLeast);
  bool resolveSrc(const ast::Operand &operand, Type type, bool atLeast);
  std::optional<uint64_t> literal(const ast::Operand &operand, Type type);
  void addDst(const Value &value) { addRows(dsts, value); }
  void addSrc(const Value &value) { addRows(srcs, value); }
  /// A quad register as its two rows.
  static void addRows(std::vector<Value> &values, const Value &value);
  std::string describe(const ast::Operand &operand) const;
  bool classMatches(const Value &value, Type type, bool atLeast,
                    const ast::Operand &operand);

  Program &program;
  SymbolTable &symbols;
  size_t next = 1; // next modifier
  std::vector<Value> dsts, srcs;

public:
  /// Moves the collected operands into the program.
  void finish();
};

/// Consumes .cta, .cluster, .gpu or .sys.
inline Scope takeScope(Decoder &d, Scope otherwise) {
  const int scope = d.takeOne({"cta", "cluster", "gpu", "sys"});
  return scope < 0 ? otherwise : Scope(scope);
}

using FamilyDecoder = bool (*)(Decoder &);

/// The functions below add the mnemonics of their family. "add.float" is the
/// form of "add" whose types are floating-point.
using MnemonicTable = std::unordered_map<std::string, FamilyDecoder>;
void addIntegerInstructions(MnemonicTable &table);
void addCarryInstructions(MnemonicTable &table);
void addDotInstructions(MnemonicTable &table);
void addMaskInstructions(MnemonicTable &table);
void addBitInstructions(MnemonicTable &table);
void addLogicInstructions(MnemonicTable &table);
void addFloatInstructions(MnemonicTable &table);
void addFloatSignInstructions(MnemonicTable &table);
void addFloatMinMax(MnemonicTable &table);
void addFloatFunctions(MnemonicTable &table);
void addCompareInstructions(MnemonicTable &table);
void addConvertInstructions(MnemonicTable &table);
void addAddressInstructions(MnemonicTable &table);
void addMoveInstructions(MnemonicTable &table);
void addMemoryInstructions(MnemonicTable &table);
void addPolicyInstructions(MnemonicTable &table);
void addAtomicInstructions(MnemonicTable &table);
void addControlInstructions(MnemonicTable &table);
void addCallInstructions(MnemonicTable &table);
void addBarrierInstructions(MnemonicTable &table);
void addWarpInstructions(MnemonicTable &table);
void addMatrixInstructions(MnemonicTable &table);
void addMmaInstructions(MnemonicTable &table);
void addAsyncInstructions(MnemonicTable &table);
void addMbarrierInstructions(MnemonicTable &table);
void addClusterInstructions(MnemonicTable &table);
void addWgmmaInstructions(MnemonicTable &table);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_DECODER_H
