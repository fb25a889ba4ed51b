//===- Calls.cpp - calls of device functions ------------------------------===//
//
// A call is replaced by the body of the function before anything is decoded, so
// that the rest of the emulator knows no stack: returns become branches to the
// end of the body, the function's parameters other names of the caller's
// `.param` variables. What cannot be replaced (no body in this module,
// indirect, recursive) stays a call and is refused.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"

#include <algorithm>

namespace wna16::emulator {
namespace {

using Kind = ast::Operand::Kind;

/// Limits that keep a hostile file from exhausting memory.
constexpr size_t maxExpandedBody = size_t(1) << 17,
                 maxExpandedScopes = size_t(1) << 16, maxDepth = 64;
constexpr std::string_view endLabel = "$end_of_call";

ast::Instruction branchTo(const ast::Instruction &origin,
                          std::string_view label) {
  ast::Instruction branch = origin;
  branch.parts = {"bra"};
  ast::Operand target;
  target.kind = Kind::Name;
  target.name = label;
  branch.operands = {target};
  return branch;
}

class Expander {
public:
  explicit Expander(const ast::Module &module) : module(module) {}

  /// Appends `function`; its outermost scope becomes a child of `parent`.
  void append(const ast::Function &function, int32_t parent) {
    stack.push_back(&function);
    const auto scopeBase = uint32_t(out.scopes.size());
    const auto locationBase = uint32_t(out.locations.size());
    for (const ast::Scope &scope : function.scopes) {
      out.scopes.push_back(scope);
      int32_t &up = out.scopes.back().parent;
      up = up < 0 ? parent : up + int32_t(scopeBase);
    }
    out.locations.insert(out.locations.end(), function.locations.begin(),
                         function.locations.end());
    std::vector<uint32_t> position;
    for (const ast::Instruction &source : function.body) {
      position.push_back(uint32_t(out.body.size()));
      ast::Instruction instruction = source;
      instruction.scope += scopeBase;
      if (instruction.location)
        instruction.location += locationBase;
      const ast::Function *callee = calleeOf(source);
      if (callee)
        appendCall(instruction, *callee);
      else if (parent >= 0 && source.parts[0] == "ret")
        out.body.push_back(branchTo(instruction, endLabel));
      else
        out.body.push_back(std::move(instruction));
    }
    position.push_back(uint32_t(out.body.size()));
    for (size_t i = 0; i < function.scopes.size(); ++i)
      for (auto &[name, index] : out.scopes[scopeBase + i].labels)
        index = position[std::min<size_t>(index, function.body.size())];
    if (parent >= 0)
      out.scopes[scopeBase].labels[endLabel] = position.back();
    stack.pop_back();
  }

  ast::Function out;

private:
  /// The function whose body can stand for this call; null if there is none.
  const ast::Function *calleeOf(const ast::Instruction &call) const {
    if (call.parts[0] != "call" || call.operands.size() != 3)
      return nullptr;
    const ast::Function *callee = module.findFunction(call.operands[0].name);
    if (!callee || out.body.size() + callee->body.size() > maxExpandedBody ||
        out.scopes.size() + callee->scopes.size() > maxExpandedScopes ||
        stack.size() >= maxDepth ||
        std::find(stack.begin(), stack.end(), callee) != stack.end())
      return nullptr;
    auto match = [](const std::vector<ast::Operand> &given,
                    const std::vector<ast::Variable> &expected) {
      return given.size() == expected.size() &&
             std::all_of(given.begin(), given.end(), [](const auto &operand) {
               return operand.kind == Kind::Name;
             });
    };
    return match(call.operands[1].elements, callee->parameters) &&
                   match(call.operands[2].elements, callee->results)
               ? callee
               : nullptr;
  }

  void appendCall(const ast::Instruction &call, const ast::Function &callee) {
    // A scope for the names of the parameters; the body is its child. Lanes
    // that are predicated off go around.
    const auto scope = uint32_t(out.scopes.size());
    out.scopes.emplace_back();
    out.scopes.back().parent = int32_t(call.scope);
    auto alias = [&](const std::vector<ast::Operand> &given,
                     const std::vector<ast::Variable> &names) {
      for (size_t i = 0; i < given.size(); ++i)
        out.scopes[scope].aliases[names[i].name] = given[i].name;
    };
    alias(call.operands[1].elements, callee.parameters);
    alias(call.operands[2].elements, callee.results);
    if (!call.guard.empty()) {
      ast::Instruction around = branchTo(call, endLabel);
      around.scope = scope;
      around.guardNegated = !call.guardNegated;
      out.body.push_back(std::move(around));
    }
    append(callee, int32_t(scope));
    out.scopes[scope].labels[endLabel] = uint32_t(out.body.size());
  }

  const ast::Module &module;
  std::vector<const ast::Function *> stack;
};

bool decodeCall(Decoder &d) {
  if (d.numOperands() != 3)
    return d.fail("indirect calls are not supported");
  return d.fail(
      "the function '" + std::string(d.operand(0).name) +
      "' has no body in this module (printf, assert), calls itself, is "
      "too large or has parameters that are not .param variables");
}

} // namespace

std::shared_ptr<const ast::Function> expandCalls(const ast::Module &module,
                                                 const ast::Function &entry) {
  const bool calls = std::any_of(
      entry.body.begin(), entry.body.end(),
      [](const ast::Instruction &i) { return i.parts[0] == "call"; });
  if (!calls)
    return nullptr;
  Expander expander(module);
  expander.out = entry;
  expander.out.scopes.clear();
  expander.out.body.clear();
  expander.out.locations.clear();
  expander.append(entry, -1);
  return std::make_shared<const ast::Function>(std::move(expander.out));
}

void addCallInstructions(MnemonicTable &table) { table["call"] = decodeCall; }

} // namespace wna16::emulator
