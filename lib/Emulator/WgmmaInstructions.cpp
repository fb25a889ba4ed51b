//===- WgmmaInstructions.cpp - wgmma.mma_async and its fences -------------===//
//
// A wgmma is in flight from its issue to the wait_group that covers its group:
// until then its accumulators and the registers of A belong to it and nobody
// may write its operands in shared memory, which the async proxy reads. The
// product is computed at the wait, as late as allowed; --completion
// early|random computes it sooner. What the checks say does not depend on that
// choice.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/MemoryAccess.h"
#include "lib/Emulator/Warpgroup.h"
#include "lib/Emulator/WarpgroupMatrix.h"

namespace wna16::emulator {
namespace {

/// The async proxy reads for the whole warp.
SharedMemory::Agent agentOf(Warp &warp, const Instr &instr) {
  return sharedAgent(warp, instr, 0);
}

/// Calls `f(address, bytes)` for the shared memory that an operation reads.
template <typename F>
void forOperandRanges(const Warp &warp, const WgmmaOperation &operation,
                      F &&f) {
  const WgmmaForm form = WgmmaForm::of(*operation.instr);
  if (!form.aInRegisters)
    operation.a.forEachRange(form.transposeA,
                             warp.id % warpgroupWarps * rowsPerWarp,
                             rowsPerWarp, f);
  operation.b.forEachRange(form.transposeB, 0, form.columns, f);
}

/// Computes the oldest operations up to number `upTo`.
void compute(Warp &warp, uint32_t upTo) {
  for (WgmmaOperation &operation : warp.wgmma->inFlight)
    if (!operation.done && operation.number <= upTo) {
      computeWgmma(warp, operation);
      operation.done = true;
    }
}

/// A descriptor, which must be the same in all lanes; false if it is of no use.
bool readDescriptor(Warp &warp, const Instr &instr, const Value &value,
                    const char *name, uint64_t &bits) {
  const uint32_t valid =
      warp.requireDefined(instr, value, fullMask, "a matrix descriptor");
  if (valid != fullMask)
    return false;
  bits = warp.lane(value, 0);
  for (unsigned lane = 1; lane < warpSize; ++lane)
    if (warp.lane(value, lane) != bits) {
      warp.report(Check::Wgmma, instr, int(lane), [&] {
        return std::string(name) +
               " differs between lanes; it must be the same in all lanes of "
               "the warpgroup";
      });
      return false;
    }
  if (!MatrixDescriptor::wellFormed(bits))
    warp.report(Check::Wgmma, instr, -1, [&] {
      return std::string(name) +
             " has bits outside its fields: an address or offset does not fit "
             "into its 14 bits (address >> 4 & 0x3fff), or spilled over when "
             "the descriptor was advanced";
    });
  return true;
}

/// Whether the operands lie in shared memory; reports if not.
bool checkBounds(Warp &warp, const WgmmaOperation &operation) {
  const uint32_t size = warp.block.shared.size();
  bool inside = true;
  forOperandRanges(warp, operation, [&](uint32_t address, uint32_t bytes) {
    if (address >= spaceBase && address - spaceBase + bytes <= size)
      return;
    if (inside)
      warp.report(Check::Bounds, *operation.instr, -1, [&] {
        return "an operand of this wgmma reaches to shared address " +
               std::to_string(address) + ", outside the " +
               std::to_string(size) +
               " bytes of shared memory; check the start address and the "
               "offsets of its descriptor";
      });
    inside = false;
  });
  return inside;
}

/// A descriptor has to name the swizzle with which a tensor copy wrote. PTX
/// does not ask for it, but no product is right otherwise.
void checkSwizzle(Warp &warp, const Instr &instr,
                  const MatrixDescriptor &descriptor, bool mnMajor,
                  const char *name) {
  uint32_t address = 0;
  descriptor.forEachRange(mnMajor, 0, 8, [&](uint32_t at, uint32_t) {
    address = address ? address : at;
  });
  const uint32_t copy = warp.block.shared.lastWriter(address - spaceBase).pc();
  const auto &swizzles = warp.block.cluster.swizzles;
  const auto written = swizzles.find(copy);
  if (written == swizzles.end() || written->second == descriptor.swizzle)
    return;
  warp.report(Check::Wgmma, instr, -1, [&] {
    auto text = [](TensorMap::Swizzle swizzle) {
      return swizzle == TensorMap::Swizzle::None
                 ? std::string("no swizzle")
                 : "a swizzle of " + std::to_string(16u << unsigned(swizzle)) +
                       " bytes";
    };
    return std::string(name) + " says " + text(descriptor.swizzle) +
           ", but the tensor copy of line " +
           std::to_string(warp.program.line(copy)) +
           " that brought the operand has " + text(written->second) +
           "; the two have to be the same";
  });
}

Step runMmaAsync(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!warp.requireWhole(instr, mask))
    return Step::Stop;
  const WgmmaForm form = WgmmaForm::of(instr);
  WarpgroupLog::Entry entry;
  const unsigned b = form.descriptorB();
  const Value &scaleD = instr.src[b + 1];
  if (!form.aInRegisters && !readDescriptor(warp, instr, instr.src[0],
                                            "the descriptor of A", entry.a))
    return Step::Stop;
  if (!readDescriptor(warp, instr, instr.src[b], "the descriptor of B",
                      entry.b))
    return Step::Stop;
  warp.requireDefined(instr, scaleD, fullMask, "scale-d");
  const uint32_t accumulate = warp.predicate(scaleD);
  if (accumulate && accumulate != fullMask)
    warp.report(Check::Wgmma, instr, int(firstLane(~accumulate)),
                "scale-d differs between lanes; it must be the same in all "
                "lanes of the warpgroup");
  entry.accumulate = accumulate & 1;
  if (!enterWarpgroup(warp, instr, entry))
    return Step::Stop;

  WgmmaState &state = *warp.wgmma;
  WgmmaOperation operation;
  operation.instr = &instr;
  operation.a = MatrixDescriptor::decode(entry.a);
  operation.b = MatrixDescriptor::decode(entry.b);
  operation.accumulate = entry.accumulate;
  operation.group = state.groups;
  operation.number = ++state.issued;
  takeRegisters(warp, instr, operation.number);
  ++warp.block.progress;
  if (!checkBounds(warp, operation))
    return Step::Next;
  if (!form.aInRegisters)
    checkSwizzle(warp, instr, operation.a, form.transposeA,
                 "the descriptor of A");
  checkSwizzle(warp, instr, operation.b, form.transposeB,
               "the descriptor of B");
  const auto agent = agentOf(warp, instr);
  forOperandRanges(warp, operation, [&](uint32_t address, uint32_t bytes) {
    reportConflict(
        warp, instr, 0,
        warp.block.shared.beginRead(agent, address - spaceBase, bytes), false);
    warp.block.counters.instructions[warp.pc(instr)].sharedRead += bytes;
  });
  state.inFlight.push_back(operation);
  const Completion completion = warp.block.launch.options.completion;
  if (completion == Completion::Early ||
      (completion == Completion::Random && warp.block.random() % 2))
    compute(warp, operation.number);
  return Step::Next;
}

/// Whether the whole warp, and the other warps of its group, are here.
bool enter(Warp &warp, const Instr &instr, uint32_t mask) {
  return warp.requireWhole(instr, mask) && enterWarpgroup(warp, instr, {});
}

Step runFence(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!enter(warp, instr, mask))
    return Step::Stop;
  ++warp.wgmma->fences;
  return Step::Next;
}

Step runCommit(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!enter(warp, instr, mask))
    return Step::Stop;
  ++warp.wgmma->groups;
  return Step::Next;
}

/// Instr::imm: groups that may stay in flight.
Step runWait(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!enter(warp, instr, mask))
    return Step::Stop;
  WgmmaState &state = *warp.wgmma;
  const uint32_t stay = uint32_t(std::min<uint64_t>(instr.imm, state.groups));
  while (!state.inFlight.empty() &&
         state.inFlight.front().group < state.groups - stay) {
    const WgmmaOperation operation = state.inFlight.front();
    compute(warp, operation.number);
    const auto agent = agentOf(warp, *operation.instr);
    forOperandRanges(warp, operation, [&](uint32_t address, uint32_t bytes) {
      warp.block.shared.endRead(agent, address - spaceBase, bytes);
    });
    state.completed = operation.number;
    state.inFlight.pop_front();
  }
  ++warp.block.progress;
  warp.syncLanes(mask);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// "m64n128k16"
bool takeShape(Decoder &d, unsigned &columns, unsigned &k) {
  for (unsigned depth : {8u, 16u, 32u, 256u})
    for (unsigned n = 8; n <= WarpgroupTile::maxColumns; n += 8)
      if (d.take("m64n" + std::to_string(n) + "k" + std::to_string(depth))) {
        columns = n;
        k = depth;
        return true;
      }
  return d.fail("expected a shape .m64nNkK, K 8, 16, 32 or 256, N a "
                "multiple of 8 up to 256");
}

/// The types of D, A and B, which have to go together.
bool takeTypes(Decoder &d, unsigned columns, unsigned k, MatrixElement &a) {
  constexpr Type accumulators[] = {Type::F16, Type::F32, Type::S32};
  const int accumulator = d.takeOne({"f16", "f32", "s32"});
  const auto takeElement = [&] {
    return d.takeOne({"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"});
  };
  const int elementA = takeElement(), elementB = takeElement();
  if (accumulator < 0 || elementA < 0 || elementB < 0)
    return d.fail("expected .f16, .f32 or .s32 accumulators and the element "
                  "types of A and B");
  a = MatrixElement(elementA);
  const MatrixElement b = MatrixElement(elementB);
  d.instr.type = accumulators[accumulator];
  d.instr.sub = uint8_t(elementA | elementB << 4);
  const bool bytes = bitsOf(a) == 8 && bitsOf(b) == 8;
  const bool pair = a == b || (bytes && isInteger(a) == isInteger(b));
  const bool sum = isInteger(a) ? d.instr.type == Type::S32
                   : a == MatrixElement::F16 || bitsOf(a) == 8
                       ? d.instr.type != Type::S32
                       : d.instr.type == Type::F32;
  if (!pair || !sum)
    return d.fail(
        "these types of A, B and the accumulators do not go together");
  if (k * bitsOf(a) != MatrixDescriptor::operandBytes * 8)
    return d.fail("shape .k" + std::to_string(k) +
                  " does not go with elements of " + std::to_string(bitsOf(a)) +
                  " bits");
  if (bitsOf(a) == 1 && (!d.take("and") || !d.take("popc")))
    return d.fail("expected .and.popc after elements of single bits");
  if (isInteger(a) && columns > 32 && columns % 16)
    return d.fail("integer wgmma needs an N of 8, 16, 24, 32 or a multiple of "
                  "16, found " +
                  std::to_string(columns));
  return true;
}

/// An operand that is 1 or -1; -1 negates.
bool takeScale(Decoder &d, size_t i, bool &negate) {
  const auto value = d.constant(d.operand(i));
  if (!value)
    return false;
  negate = int32_t(*value) == -1;
  return negate || *value == 1 || d.fail("expected a scale of 1 or -1");
}
/// An operand that is 0 or 1.
bool takeTranspose(Decoder &d, size_t i, bool &transpose) {
  const auto value = d.constant(d.operand(i));
  if (!value)
    return false;
  transpose = *value == 1;
  return *value <= 1 || d.fail("expected a transposition of 0 or 1");
}

bool decodeMmaAsync(Decoder &d) {
  d.instr.handler = runMmaAsync;
  if (d.has("sp"))
    return d.fail("sparse wgmma is not supported");
  if (!d.take("sync") || !d.take("aligned"))
    return d.fail("expected wgmma.mma_async.sync.aligned");
  WgmmaForm form;
  unsigned k = 0;
  MatrixElement element;
  if (!takeShape(d, form.columns, k))
    return false;
  d.instr.flag = d.take("satfinite");
  if (!takeTypes(d, form.columns, k, element) || !d.end())
    return false;
  const bool integer = isInteger(element);
  if (d.instr.flag && !integer)
    return d.fail(".satfinite is for integers");
  if (d.numOperands() < 4)
    return d.fail("expected accumulators, A, B and scale-d");
  form.aInRegisters = d.operand(1).kind == ast::Operand::Kind::Vector;
  const bool transposes = bitsOf(element) == 16;
  const size_t operands = integer       ? 4
                          : !transposes ? 6
                                        : (form.aInRegisters ? 7 : 8);
  if (!d.expectOperands(operands) ||
      (!integer &&
       (!takeScale(d, 4, form.negateA) || !takeScale(d, 5, form.negateB))) ||
      (transposes && !form.aInRegisters &&
       !takeTranspose(d, 6, form.transposeA)) ||
      (transposes && !takeTranspose(d, operands - 1, form.transposeB)))
    return false;
  d.instr.imm = form.encode();
  const bool packed = d.instr.type == Type::F16;
  return d.dstVector(d.operand(0), packed ? Type::B32 : d.instr.type,
                     form.columns / (packed ? 4 : 2)) &&
         (form.aInRegisters
              ? d.srcVector(d.operand(1), Type::B32, 4)
              : d.src(d.operand(1), Type::B64) && d.markAddresses(1)) &&
         d.src(d.operand(2), Type::B64) && d.markAddresses(1) &&
         d.srcPredicate(d.operand(3));
}

bool decodeWgmma(Decoder &d) {
  d.instr.cls = InstrClass::Matrix;
  if (d.take("mma_async"))
    return decodeMmaAsync(d);
  d.instr.cls = InstrClass::Barrier;
  const int kind = d.takeOne({"fence", "commit_group", "wait_group"});
  if (kind < 0)
    return d.fail("expected .mma_async, .fence, .commit_group or .wait_group");
  if (!d.take("sync") || !d.take("aligned") || !d.end())
    return d.fail("expected .sync.aligned");
  d.instr.handler = kind == 0 ? runFence : kind == 1 ? runCommit : runWait;
  return kind < 2 ? d.expectOperands(0) : d.onlyConstant();
}

} // namespace

bool isWgmma(const Instr &instr) {
  return instr.handler == runMmaAsync || instr.handler == runFence ||
         instr.handler == runCommit || instr.handler == runWait;
}

const Instr *findWgmmaReader(const Block &block, uint32_t offset) {
  for (const auto &warp : block.warps) {
    if (!warp->wgmma)
      continue;
    for (const WgmmaOperation &operation : warp->wgmma->inFlight) {
      bool reads = false;
      forOperandRanges(*warp, operation, [&](uint32_t address, uint32_t bytes) {
        reads |= offset + spaceBase - address < bytes;
      });
      if (reads)
        return operation.instr;
    }
  }
  return nullptr;
}

void addWgmmaInstructions(MnemonicTable &table) {
  table["wgmma"] = table["wgmma.float"] = decodeWgmma;
}

} // namespace wna16::emulator
