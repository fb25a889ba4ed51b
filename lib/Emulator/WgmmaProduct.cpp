//===- WgmmaProduct.cpp - operands and results of wgmma -------------------===//
//
// Gathers the operands of one warp, multiplies and writes the accumulators. An
// element of D is undefined exactly when its row of A, its column of B or, with
// scale-d, its old value is.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Block.h"
#include "lib/Emulator/Warpgroup.h"
#include "lib/Emulator/WarpgroupMatrix.h"

#include <bitset>
#include <memory>

namespace wna16::emulator {
namespace {

constexpr uint32_t operandBytes = MatrixDescriptor::operandBytes;

struct Known {
  std::bitset<WarpgroupTile::maxColumns> rows;
  Known() { rows.set(); }
};

/// Rows [first, first + count) of an operand in shared memory.
Known gather(const Block &block, const MatrixDescriptor &descriptor,
             bool mnMajor, unsigned first, unsigned count,
             uint8_t (*raw)[operandBytes]) {
  Known known;
  SharedMemory &shared = const_cast<Block &>(block).shared;
  descriptor.forEachChunk(mnMajor, first, count, [&](OperandChunk chunk) {
    const uint32_t offset = chunk.address - spaceBase;
    chunk.row -= first;
    WarpgroupTile::place(raw, chunk, mnMajor, shared.data(offset));
    if (shared.defined(offset, chunkBytes)) [[likely]]
      return;
    const uint8_t *undefined = shared.undefined(offset);
    for (unsigned i = 0; i < chunkBytes; ++i)
      if (undefined[i] & 1)
        known.rows.reset(chunk.row + (mnMajor ? i / 2 : 0));
  });
  return known;
}

/// Rows of A in registers: lane 4 * g + t of register i holds a part of row
/// g + 8 * (i % 2).
Known gatherRegisters(const Warp &warp, const Value *a, WarpgroupTile &tile) {
  Known known;
  const uint32_t *rows[4];
  for (unsigned i = 0; i < 4; ++i) {
    rows[i] = warp.words(a[i]);
    const uint32_t lanes = warp.definedLanes(a[i]);
    if (lanes != fullMask) [[unlikely]]
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (!(lanes >> lane & 1))
          known.rows.reset(lane / 4 + i % 2 * 8);
  }
  tile.loadA(rows);
  return known;
}

/// Lanes of accumulator register `i` whose row and column are known.
uint32_t knownLanes(const Known &a, const Known &b, unsigned i) {
  uint32_t lanes = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const AccumulatorPosition at = accumulatorOf(i, lane);
    lanes |= uint32_t(a.rows[at.row] && b.rows[at.column]) << lane;
  }
  return lanes;
}

} // namespace

void computeWgmma(Warp &warp, const WgmmaOperation &operation) {
  // Too large for the stack of a thread.
  static thread_local std::unique_ptr<WarpgroupTile> storage;
  if (!storage)
    storage = std::make_unique<WarpgroupTile>();
  WarpgroupTile &tile = *storage;
  const Instr &instr = *operation.instr;
  const WgmmaForm form = WgmmaForm::of(instr);
  const MatrixElement elementA = MatrixElement(instr.sub & 15),
                      elementB = MatrixElement(instr.sub >> 4);
  const unsigned firstRow = warp.id % warpgroupWarps * rowsPerWarp;
  const Known a = form.aInRegisters
                      ? gatherRegisters(warp, instr.src, tile)
                      : gather(warp.block, operation.a, form.transposeA,
                               firstRow, rowsPerWarp, tile.rawA);
  const Known b = gather(warp.block, operation.b, form.transposeB, 0,
                         form.columns, tile.rawB);
  const Accumulator type = instr.type == Type::F16   ? Accumulator::F16
                           : instr.type == Type::F32 ? Accumulator::F32
                                                     : Accumulator::S32;
  for (unsigned i = 0; i < instr.numDst; ++i)
    tile.loadC(type, i,
               operation.accumulate ? warp.words(instr.dst[i]) : nullptr);
  tile.convertA(elementA, form.negateA ? -1 : 1);
  tile.convertB(elementB, form.negateB ? -1 : 1, form.columns);
  if (isInteger(elementA))
    tile.multiplyIntegers(elementA, form.columns, instr.flag);
  else
    tile.multiplyFloats(type, elementA, elementB, form.columns);

  const bool allKnown = a.rows.all() && b.rows.all();
  for (unsigned i = 0; i < instr.numDst; ++i) {
    const Value &d = instr.dst[i];
    uint32_t out[warpSize];
    tile.storeD(type, i, out);
    if (instr.type == Type::F16) {
      uint32_t undefined[warpSize] = {};
      for (unsigned half = 0; !allKnown && half < 2; ++half) {
        const uint32_t lanes = knownLanes(a, b, i * 2 + half);
        forLanes(~lanes, [&](unsigned lane) {
          undefined[lane] |= 0xffffu << 16 * half;
        });
      }
      for (unsigned half = 0; operation.accumulate && half < 2; ++half)
        forLanes(
            ~warp.definedLanes(d, 0xffffull << 16 * half),
            [&](unsigned lane) { undefined[lane] |= 0xffffu << 16 * half; });
      warp.writePartly(d, out, fullMask, undefined);
      continue;
    }
    uint32_t isDefined = allKnown ? fullMask : knownLanes(a, b, i);
    if (operation.accumulate)
      isDefined &= warp.definedLanes(d);
    warp.write(d, out, fullMask, isDefined);
  }
}

} // namespace wna16::emulator
