//===- DecodeEntry.cpp - an entry function made ready to run --------------===//
//
// The table of mnemonics, and the loop over an entry: decode every instruction,
// then compute points of reconvergence.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/ControlFlow.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/OpenLoads.h"
#include "lib/Emulator/Warp.h"

namespace wna16::emulator {

using Kind = ast::Operand::Kind;

static const MnemonicTable &mnemonics() {
  static const MnemonicTable table = [] {
    MnemonicTable t;
    addIntegerInstructions(t);
    addCarryInstructions(t);
    addDotInstructions(t);
    addMaskInstructions(t);
    addBitInstructions(t);
    addLogicInstructions(t);
    addFloatInstructions(t);
    addFloatSignInstructions(t);
    addFloatMinMax(t);
    addFloatFunctions(t);
    addCompareInstructions(t);
    addConvertInstructions(t);
    addAddressInstructions(t);
    addMoveInstructions(t);
    addMemoryInstructions(t);
    addPolicyInstructions(t);
    addAtomicInstructions(t);
    addControlInstructions(t);
    addCallInstructions(t);
    addBarrierInstructions(t);
    addWarpInstructions(t);
    addMatrixInstructions(t);
    addMmaInstructions(t);
    addAsyncInstructions(t);
    addMbarrierInstructions(t);
    addClusterInstructions(t);
    addWgmmaInstructions(t);
    return t;
  }();
  return table;
}

/// Floating-point and integer forms of one mnemonic are different families.
static FamilyDecoder findFamily(const ast::Instruction &source) {
  std::string key(source.parts[0]);
  for (size_t i = 1; i < source.parts.size(); ++i)
    if (auto type = parseType(source.parts[i]); type && isFloat(*type))
      if (auto it = mnemonics().find(key + ".float"); it != mnemonics().end())
        return it->second;
  auto it = mnemonics().find(key);
  return it == mnemonics().end() ? nullptr : it->second;
}

static Step runUnsupported(Warp &warp, const Instr &instr, uint32_t) {
  warp.report(Check::Unsupported, instr, -1,
              "this instruction is not supported");
  return Step::Stop;
}

static bool decodeGuard(Decoder &decoder, const ast::Instruction &source,
                        Instr &instr) {
  if (source.guard.empty())
    return true;
  ast::Operand operand;
  operand.kind = Kind::Name;
  operand.name = source.guard;
  const Value *value = decoder.findRegister(operand);
  if (!value || value->cls != RegClass::Predicate)
    return decoder.fail("guard '" + std::string(source.guard) +
                        "' is not a predicate register");
  instr.hasGuard = true;
  instr.guard = *value;
  instr.guard.negated = source.guardNegated;
  return true;
}

/// Successors of every instruction; the instruction past the last one ends the
/// kernel.
static FlowGraph flowGraph(const Program &program) {
  FlowGraph graph(program.instrs.size());
  for (uint32_t pc = 0; pc < graph.size(); ++pc) {
    const Instr &instr = program.instrs[pc];
    std::string_view name = program.source(instr).parts[0];
    if (instr.handler == runUnsupported)
      continue; // reaching it ends the run
    const bool leaves = name == "exit" || name == "ret" || name == "trap";
    const bool jumps = name == "bra" || name == "brx";
    if (name == "bra")
      graph[pc].push_back(instr.target);
    if (name == "brx")
      for (uint32_t i = 0; i < uint32_t(instr.imm); ++i)
        graph[pc].push_back(program.branchTables[(instr.imm >> 32) + i]);
    if (!(leaves || jumps) || instr.hasGuard)
      graph[pc].push_back(pc + 1);
    // A target past the last instruction is the exit as well, whose number is
    // the size of the graph.
  }
  return graph;
}

std::vector<Diagnostic> decode(const ast::Module &module,
                               const ast::Function &entry,
                               const std::vector<uint64_t> &globalBases,
                               bool allowUnsupported, Program &program) {
  program = Program();
  program.module = &module;
  program.expanded = expandCalls(module, entry);
  program.function = program.expanded ? program.expanded.get() : &entry;
  const ast::Function &function = *program.function;
  program.numPredicates = 2; // false and true
  program.specials.reserve(64);
  SymbolTable symbols(program, globalBases);
  if (auto error = symbols.build())
    return {*error};

  std::vector<Diagnostic> diagnostics;
  program.instrs.resize(function.body.size());
  for (uint32_t i = 0; i < function.body.size(); ++i) {
    const ast::Instruction &source = function.body[i];
    Instr &instr = program.instrs[i];
    instr.ast = i;
    Decoder decoder(program, symbols, source, instr);
    bool known = decodeGuard(decoder, source, instr);
    if (known) {
      const FamilyDecoder family = findFamily(source);
      known = family ? family(decoder) : decoder.fail("unknown instruction");
    }
    if (!known && allowUnsupported) {
      instr = Instr(); // nothing half-decoded
      instr.ast = i;
      instr.handler = runUnsupported;
      continue;
    }
    if (!known) {
      diagnostics.push_back(
          {module.fileName, source.line, source.column,
           "cannot run '" + source.opcode() + "': " + decoder.error});
      if (diagnostics.size() >= 20)
        break;
      continue;
    }
    decoder.finish();
  }
  if (!diagnostics.empty())
    return diagnostics;

  for (Instr &instr : program.instrs) {
    instr.dst = program.values.data() + instr.dstBegin;
    instr.src = program.values.data() + instr.srcBegin;
  }
  findTrackedLoads(program);
  program.flow = flowGraph(program);
  program.loops = LoopForest(program.flow);
  const std::vector<uint32_t> join = immediatePostDominators(program.flow);
  for (uint32_t pc = 0; pc < program.instrs.size(); ++pc)
    program.instrs[pc].reconvergence = join[pc];
  return {};
}

} // namespace wna16::emulator
