//===- CollectCounters.cpp - from instructions to a table -----------------===//
//
// What was counted per instruction is sorted by what its text says: class,
// space, cache operators and hints, shape, loop.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Program.h"
#include "lib/Emulator/WorkerCounters.h"

#include <algorithm>
#include <charconv>

namespace wna16::emulator {
namespace {

LoopPlace placeOf(const Program &program, uint32_t pc) {
  const int32_t loop = program.loops.innermost(pc);
  if (loop == LoopForest::none)
    return {};
  const LoopForest::Loop &found = program.loops.loops()[size_t(loop)];
  return {found.depth, program.line(found.header)};
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

bool isHint(std::string_view part) {
  constexpr std::string_view operators[] = {"ca", "cg", "cs", "lu",
                                            "cv", "wb", "wt", "nc"};
  return part.starts_with("L1::") || part.starts_with("L2::") ||
         part == "multicast::cluster" ||
         std::find(std::begin(operators), std::end(operators), part) !=
             std::end(operators);
}

/// "evict_first" of the createpolicy that makes the policy in a register, or
/// what a constant of the common policies means; empty if neither is found.
std::string policyName(const ast::Function &function,
                       const ast::Operand &operand) {
  if (operand.kind == ast::Operand::Kind::Integer)
    switch (operand.value) {
    case 0x1000000000000000:
      return "evict_normal";
    case 0x12f0000000000000:
      return "evict_first";
    case 0x14f0000000000000:
      return "evict_last";
    default:
      return "";
    }
  std::string_view name = operand.name;
  // Back through moves; a chain that is longer than the text has a cycle.
  for (size_t left = function.body.size(); left; --left) {
    const ast::Instruction *maker = nullptr;
    for (const ast::Instruction &instr : function.body)
      if (!instr.operands.empty() && instr.operands[0].name == name &&
          (instr.parts[0] == "createpolicy" || instr.parts[0] == "mov"))
        maker = &instr;
    if (!maker)
      return "";
    if (maker->parts[0] == "createpolicy") {
      for (std::string_view part : maker->parts)
        if (part.starts_with("L2::"))
          return std::string(part.substr(4));
      return "";
    }
    const ast::Operand &from = maker->operands.back();
    if (from.kind == ast::Operand::Kind::Integer)
      return policyName(function, from);
    if (from.kind != ast::Operand::Kind::Name)
      return "";
    name = from.name;
  }
  return "";
}

/// "cp.async.cg.L2::128B": what moves bytes and how it asks the caches to treat
/// them.
std::string accessName(const Program &program, const Instr &instr) {
  const ast::Instruction &source = program.source(instr);
  const auto has = [&](std::string_view part) {
    return std::find(source.parts.begin(), source.parts.end(), part) !=
           source.parts.end();
  };
  std::string name(source.parts[0]);
  for (std::string_view part : {"async", "reduce", "bulk", "tensor"})
    if (has(part))
      name += "." + std::string(part);
  for (std::string_view part : source.parts) {
    if (!isHint(part))
      continue;
    name += "." + std::string(part);
    if (part != "L2::cache_hint" || source.operands.empty())
      continue;
    const std::string policy =
        policyName(*program.function, source.operands.back());
    name += "(" + (policy.empty() ? "?" : policy) + ")";
  }
  return name;
}

//===----------------------------------------------------------------------===//
// Matrix work
//===----------------------------------------------------------------------===//

/// The numbers of "m16n8k16".
bool parseShape(std::string_view text, std::array<uint64_t, 3> &shape) {
  constexpr std::string_view letters = "mnk";
  const char *at = text.data(), *const end = at + text.size();
  for (size_t i = 0; i < 3; ++i) {
    if (at == end || *at != letters[i])
      return false;
    const auto [next, error] = std::from_chars(at + 1, end, shape[i]);
    if (error != std::errc())
      return false;
    at = next;
  }
  return at == end;
}

void collectMatrix(const Program &program, const Instr &instr, uint64_t lanes,
                   Counters &to) {
  const ast::Instruction &source = program.source(instr);
  std::array<uint64_t, 3> shape{};
  std::string name;
  for (std::string_view part : source.parts) {
    std::array<uint64_t, 3> found;
    if (parseShape(part, found)) {
      shape = found;
      name = std::string(source.parts[0]) + "." + std::string(part);
    } else if (auto type = parseType(part); type && !name.empty()) {
      name += "." + std::string(part);
    }
  }
  // The other matrix instructions only wait or order.
  if (name.empty())
    return;
  // mma is executed by a warp, wgmma by four together.
  const uint64_t threads = source.parts[0] == "wgmma" ? 128 : 32;
  MatrixCount &count = to.matrix[name];
  count.count += lanes / threads;
  count.flop += lanes / threads * 2 * shape[0] * shape[1] * shape[2];
}

void collectLine(const Program &program, uint32_t pc,
                 const WorkerCounters::PerInstruction &from, Counters &to) {
  const Instr &instr = program.instrs[pc];
  LineCount &count = to.lines[pc];
  if (count.instruction.empty()) {
    count.line = program.line(pc);
    count.instruction = program.source(instr).opcode();
    count.loop = placeOf(program, pc);
  }
  count.warps += from.warps;
  count.lanes += from.lanes;
  if (instr.cls == InstrClass::Matrix)
    collectMatrix(program, instr, from.lanes, to);
  if (instr.space == Space::Local) {
    const uint64_t bytes =
        from.lanes * instr.elementBytes * std::max<uint64_t>(1, instr.elements);
    (instr.cls == InstrClass::Load ? to.localRead : to.localWritten) += bytes;
  }
  if (from.globalRead || from.globalWritten) {
    AccessCount &access = to.accesses[accessName(program, instr)];
    access.executions += from.warps;
    access.read += from.globalRead;
    access.written += from.globalWritten;
  }
  if (from.bankIdeal) {
    BankCount &bank = to.banks[count.line];
    bank.instruction = count.instruction;
    bank.loop = count.loop;
    bank.executions += from.warps;
    bank.passes += from.bankPasses;
    bank.ideal += from.bankIdeal;
  }
}

} // namespace

void collectCounters(const Program &program, const Device &device,
                     const WorkerCounters &from, Counters &to) {
  to.lines.resize(program.instrs.size());
  for (uint32_t pc = 0; pc < program.instrs.size(); ++pc) {
    const WorkerCounters::PerInstruction &count = from.instructions[pc];
    const unsigned cls = unsigned(program.instrs[pc].cls);
    to.warpInstructions[cls] += count.warps;
    to.laneInstructions[cls] += count.lanes;
    to.globalRead += count.globalRead;
    to.globalWritten += count.globalWritten;
    to.sharedRead += count.sharedRead;
    to.sharedWritten += count.sharedWritten;
    collectLine(program, pc, count, to);
  }
  to.blocks += from.blocks;
  for (const auto &buffer : device.buffers()) {
    const WorkerCounters::PerBuffer &count = from.buffers[buffer->index];
    if (!count.read && !count.written)
      continue;
    BufferCount &sum = to.buffers[buffer->name];
    sum.size = buffer->bytes.size();
    sum.read += count.read;
    sum.fetched += count.fetched;
    sum.written += count.written;
    sum.stored += count.stored;
  }
}

void collectDistinct(const Device &device, const DistinctBytes &distinct,
                     Counters &to) {
  to.hasDistinct = true;
  for (auto &[name, count] : to.buffers)
    for (const auto &buffer : device.buffers())
      if (buffer->name == name) {
        count.distinctRead = distinct.count(*buffer, false);
        count.distinctWritten = distinct.count(*buffer, true);
      }
}

} // namespace wna16::emulator
