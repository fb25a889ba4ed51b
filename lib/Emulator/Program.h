//===- Program.h - a decoded entry ----------------------------------------===//
//
// One entry function made ready to run: names are resolved to register file
// offsets, immediates to a pool of values already splat over 32 lanes, opcodes
// to a function that executes them for a whole warp, branches to instruction
// indices with their point of reconvergence.
//
// Register file of a warp: one row of 32 lanes per register, 4 bytes a lane
// (RegClass::Word, also for 8- and 16-bit registers, which are kept
// zero-extended) or 8 (Wide). Predicates are 32-bit masks kept apart.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_PROGRAM_H
#define WNA16_LIB_EMULATOR_PROGRAM_H

#include "lib/Emulator/Ast.h"
#include "lib/Emulator/Counters.h"
#include "lib/Emulator/Diagnostic.h"
#include "lib/Emulator/Loops.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wna16::emulator {

struct Warp;
struct Instr;

constexpr unsigned warpSize = 32;
constexpr uint32_t fullMask = 0xffffffffu;
constexpr uint32_t noTarget = 0xffffffffu;

/// Addresses of the windows of generic address space. Global buffers lie
/// outside all of them.
constexpr uint64_t sharedWindow = 0x700000000000, localWindow = 0x710000000000,
                   paramWindow = 0x720000000000, constWindow = 0x730000000000,
                   windowSize = 0x010000000000;
/// First valid offset in the shared, local, param and const spaces: offset 0 is
/// a null pointer.
constexpr uint32_t spaceBase = 1024;

/// Quad registers (.b128) are two Wide rows; operands of instructions name the
/// rows, so that handlers never see one.
enum class RegClass : uint8_t { Predicate, Word, Wide, Quad };

/// A register or an immediate, ready to be indexed by lane.
struct Value {
  uint32_t offset = 0; ///< bytes into its bank; index of a predicate
  uint32_t index = 0;  ///< into the table of defined lanes; 0: always defined
  RegClass cls = RegClass::Word;
  uint8_t bank = 0;         ///< 0: registers, 1: immediates
  bool negated = false;     ///< predicates
  bool isAddress = false;   ///< says where in memory the instruction works
  int64_t displacement = 0; ///< address operands
};

/// What a warp does after an instruction.
enum class Step : uint8_t {
  Next,  ///< go on with the next instruction
  Moved, ///< the instruction has set the program counter
  Wait,  ///< blocked; the program counter is already past the instruction
  Retry, ///< blocked; the instruction is executed again afterwards
  Yield, ///< next instruction, but let others run first
  Stop   ///< give up: the block cannot go on
};

/// Executes one instruction for the lanes of `mask`, which is never empty
/// except for branches.
using Handler = Step (*)(Warp &warp, const Instr &instr, uint32_t mask);

struct Instr {
  Handler handler = nullptr;
  const Value *dst = nullptr, *src = nullptr;
  uint8_t numDst = 0, numSrc = 0;
  bool hasGuard = false;
  bool tracksLoads = false; ///< see OpenLoads.h
  InstrClass cls = InstrClass::Other;
  Value guard;
  uint32_t target = noTarget;        ///< branches: index of the target
  uint32_t reconvergence = noTarget; ///< branches: immediate post-dominator
  // Meaning depends on the family:
  Type type = Type::None;
  Space space = Space::Generic, space2 = Space::Generic;
  uint8_t elementBytes = 0; ///< memory: bytes of one element
  uint8_t elements = 1;     ///< memory: elements of a vector access
  uint8_t sub = 0;          ///< sub-operation
  bool flag = false, flag2 = false;
  Semantics semantics = Semantics::Weak; ///< strong memory accesses
  Scope scope = Scope::System;
  uint64_t imm = 0;
  uint32_t ast = 0;                    ///< index of the ast::Instruction
  uint32_t dstBegin = 0, srcBegin = 0; ///< into Program::values
};

/// A special register that is a constant of the warp.
struct SpecialRegister {
  std::string name;
  Value value;
};

struct ParameterSlot {
  uint32_t offset = 0, bytes = 0;
  std::string name;
};

struct SymbolSlot {
  const ast::Variable *variable = nullptr;
  uint64_t offset = 0; ///< from the start of its space
};

struct Program {
  const ast::Module *module = nullptr;
  /// The entry with the calls replaced by bodies, if it had any.
  std::shared_ptr<const ast::Function> expanded;
  const ast::Function *function = nullptr;
  std::vector<Instr> instrs;
  std::vector<Value> values;
  std::vector<uint32_t> branchTables; ///< targets of brx.idx, see Instr::imm
  std::vector<uint8_t> pool;          ///< immediates, splat
  uint32_t registerBytes = 0;
  uint32_t numPredicates = 0;
  std::vector<std::string> registerNames; ///< by Value::index
  std::vector<SpecialRegister> specials;

  std::vector<ParameterSlot> parameters;
  uint32_t parameterBytes = 0;
  std::vector<SymbolSlot> sharedVariables, globalVariables;
  uint32_t staticSharedBytes = 0; ///< dynamic shared memory starts here
  uint32_t localBytes = 0;        ///< per lane
  std::vector<uint8_t> constants;
  FlowGraph flow; ///< of instrs
  LoopForest loops;

  const ast::Instruction &source(const Instr &instr) const {
    return function->body[instr.ast];
  }
  unsigned line(uint32_t pc) const {
    return pc < instrs.size() ? source(instrs[pc]).line : 0;
  }
};

/// Decodes `function`. `globalBases[i]` is the address of module variable i
/// (0 for variables that are not global). An empty result means success.
std::vector<Diagnostic> decode(const ast::Module &module,
                               const ast::Function &function,
                               const std::vector<uint64_t> &globalBases,
                               bool allowUnsupported, Program &program);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_PROGRAM_H
