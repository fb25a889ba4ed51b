//===- MatrixInstructions.cpp - ldmatrix, stmatrix, movmatrix -------------===//
//
// Blocks of 8x8 16-bit elements between shared memory and the lanes of a warp.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/MemoryAccess.h"

namespace wna16::emulator {
namespace {

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix, movmatrix
//===----------------------------------------------------------------------===//

/// Row and column of element `half` (0, 1) that `lane` holds of an 8x8 block.
struct Position {
  unsigned row, column;
};
Position elementOf(unsigned lane, unsigned half, bool transposed) {
  const unsigned major = lane / 4, minor = lane % 4 * 2 + half;
  return transposed ? Position{minor, major} : Position{major, minor};
}

/// Lanes that supply the row addresses of `matrices` 8x8 blocks.
uint32_t addressLanes(unsigned matrices) {
  return matrices == 4 ? fullMask : (1u << (8 * matrices)) - 1;
}

/// The rows of 16 bytes whose addresses the lanes supply.
Resolved resolveRows(Warp &warp, const Instr &instr, uint32_t mask,
                     AccessKind kind) {
  LaneAddresses addresses;
  const uint32_t rows =
      laneAddresses(warp, instr, instr.src[0],
                    mask & addressLanes(instr.elements), addresses);
  Resolved all;
  all.offset.fill(0);
  forEachSpace(instr.space, rows, addresses,
               [&](Space space, uint32_t lanes, const LaneAddresses &at) {
                 if (isShared(space))
                   all = resolve(warp, instr, space, kind, lanes, at, 16, 16);
                 else
                   warp.report(Check::Bounds, instr, int(firstLane(lanes)),
                               "the address is not in shared memory");
               });
  return all;
}

/// Instr::elements: matrices; flag: transposed.
Step runLdmatrix(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!warp.requireWhole(instr, mask))
    return Step::Stop;
  const Resolved all = resolveRows(warp, instr, mask, AccessKind::Read);
  countBanks(warp, instr, all.mask, all.offset, 16);
  forLanes(all.mask, [&](unsigned lane) {
    reportConflict(warp, instr, lane,
                   warp.block.shared.read(sharedAgent(warp, instr, lane),
                                          all.offset[lane], 16),
                   false);
  });
  openLoad(warp, instr, all, 16);
  for (unsigned m = 0; m < instr.elements; ++m) {
    uint32_t out[warpSize] = {}, undefined[warpSize] = {}, isDefined = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      for (unsigned half = 0; half < 2; ++half) {
        const Position at = elementOf(lane, half, instr.flag);
        const unsigned owner = m * 8 + at.row;
        if (!(all.mask >> owner & 1)) {
          undefined[lane] |= 0xffffu << (16 * half);
          continue;
        }
        uint16_t element;
        std::memcpy(&element, all.data[owner] + at.column * 2, 2);
        const uint8_t *state = all.undefined[owner] + at.column * 2;
        if ((state[0] | state[1]) & 1)
          undefined[lane] |= 0xffffu << (16 * half);
        out[lane] |= uint32_t(element) << (16 * half);
      }
      isDefined |= uint32_t(undefined[lane] == 0) << lane;
    }
    if (mask & ~isDefined) [[unlikely]]
      warp.writePartly(instr.dst[m], out, mask, undefined);
    else
      warp.write(instr.dst[m], out, mask, fullMask);
  }
  warp.syncLanes(mask);
  return Step::Next;
}

/// Instr::flag2: 8-bit elements, of which a lane holds what it holds of an
/// m16n8 accumulator; columns become rows of 16 bytes.
Step runStmatrix(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!warp.requireWhole(instr, mask))
    return Step::Stop;
  const Resolved to = resolveRows(warp, instr, mask, AccessKind::Write);
  countBanks(warp, instr, to.mask, to.offset, 16);
  ++warp.block.progress;
  const unsigned width = instr.flag2 ? 1 : 2; // bytes of an element
  for (unsigned m = 0; m < instr.elements; ++m) {
    uint8_t block[8][16], known[8][16];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned byte = 0; byte < 4; ++byte) {
        Position at;
        if (instr.flag2) {
          at = {lane % 4 * 2 + byte % 2, lane / 4 + byte / 2 * 8};
        } else {
          at = elementOf(lane, byte / 2, instr.flag);
          at.column = at.column * 2 + byte % 2;
        }
        const Value &from = instr.src[1 + m];
        block[at.row][at.column] =
            uint8_t(warp.words(from)[lane] >> (8 * byte));
        known[at.row][at.column] =
            !(warp.undefinedBits(from, lane) >> (8 * byte) & 0xff);
      }
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned owner = m * 8 + row;
      if (!(to.mask >> owner & 1))
        continue;
      for (unsigned c = 0; c < 16; c += width)
        reportConflict(
            warp, instr, owner,
            warp.block.shared.write(sharedAgent(warp, instr, owner),
                                    to.offset[owner] + c, width,
                                    known[row][c] && known[row][c + width - 1]),
            true);
      std::memcpy(to.data[owner], block[row], 16);
    }
  }
  warp.syncLanes(mask);
  return Step::Next;
}

Step runMovmatrix(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!warp.requireWhole(instr, mask))
    return Step::Stop;
  const uint32_t *a = warp.words(instr.src[0]);
  uint32_t out[warpSize] = {}, undefined[warpSize] = {};
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned half = 0; half < 2; ++half) {
      const Position at = elementOf(lane, half, true);
      const unsigned owner = at.row * 4 + at.column / 2;
      const unsigned shift = 16 * (at.column % 2);
      out[lane] |= (a[owner] >> shift & 0xffff) << (16 * half);
      undefined[lane] |=
          uint32_t(warp.undefinedBits(instr.src[0], owner) >> shift & 0xffff)
          << (16 * half);
    }
  warp.writePartly(instr.dst[0], out, mask, undefined);
  warp.syncLanes(mask);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

bool decodeBlocks(Decoder &d, InstrClass cls, Handler handler) {
  d.instr.cls = cls;
  d.instr.handler = handler;
  const bool store = handler == runStmatrix;
  if (!d.take("sync") || !d.take("aligned"))
    return d.fail("expected .sync.aligned");
  const int shape = d.takeOne({"m8n8", "m16n8"});
  if (shape < 0 || (shape == 1 && !store))
    return d.fail(store ? "expected .m8n8 or .m16n8"
                        : "expected .m8n8; 8-, 6- and 4-bit elements are not "
                          "supported");
  const int count = d.takeOne({"x1", "x2", "x4"});
  if (count < 0)
    return d.fail("expected .x1, .x2 or .x4");
  d.instr.elements = uint8_t(1 << count);
  d.instr.flag = d.take("trans");
  d.instr.flag2 = shape == 1;
  const bool shared = d.takeOne({"shared", "shared::cta"}) >= 0;
  d.instr.space = shared ? Space::Shared : Space::Generic;
  if (shape == 1 && !d.instr.flag)
    return d.fail("expected .trans with .m16n8");
  if (!d.take(shape ? "b8" : "b16"))
    return d.fail("expected .b16 with .m8n8 or .b8 with .m16n8");
  return d.end() && d.expectOperands(2);
}

bool decodeLdmatrix(Decoder &d) {
  return decodeBlocks(d, InstrClass::MatrixLoad, runLdmatrix) &&
         d.dstVector(d.operand(0), Type::B32, d.instr.elements) &&
         d.address(d.operand(1), d.instr.space);
}

bool decodeStmatrix(Decoder &d) {
  return decodeBlocks(d, InstrClass::Store, runStmatrix) &&
         d.address(d.operand(0), d.instr.space) &&
         d.srcVector(d.operand(1), Type::B32, d.instr.elements);
}

bool decodeMovmatrix(Decoder &d) {
  d.instr.cls = InstrClass::Shuffle;
  d.instr.handler = runMovmatrix;
  if (!d.take("sync") || !d.take("aligned") || !d.take("m8n8") ||
      !d.take("trans") || !d.take("b16"))
    return d.fail("expected movmatrix.sync.aligned.m8n8.trans.b16");
  return d.end() && d.expectOperands(2) && d.dst(d.operand(0), Type::B32) &&
         d.src(d.operand(1), Type::B32);
}

} // namespace

void addMatrixInstructions(MnemonicTable &table) {
  table["ldmatrix"] = decodeLdmatrix;
  table["stmatrix"] = decodeStmatrix;
  table["movmatrix"] = decodeMovmatrix;
}

} // namespace wna16::emulator
