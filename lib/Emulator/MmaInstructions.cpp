//===- MmaInstructions.cpp - mma on floating-point elements ---------------===//
//
// Sums are rounded as Hopper's tensor cores do it (TensorCore.h). An element of
// D is undefined exactly when its row of A, its column of B or its C is.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MmaInstructions.h"

#include "lib/Emulator/Matrix.h"
#include "lib/Emulator/Numerics.h"

#include <charconv>

namespace wna16::emulator {
namespace {

/// Bit g is set if the lanes 4 g to 4 g + 3 are: they hold one row of A or C or
/// one column of B.
uint32_t groups(uint32_t lanes) {
  uint32_t out = 0;
  for (unsigned g = 0; g < 8; ++g)
    out |= uint32_t((lanes >> (4 * g) & 15) == 15) << g;
  return out;
}

/// Instr::imm of a floating-point mma.
struct Form {
  unsigned k = 0;
  MmaElement a = MmaElement::F16, b = MmaElement::F16;
  unsigned numA() const { return k / (2 * elementsPerRegister(a)); }
  unsigned numB() const { return k / (4 * elementsPerRegister(a)); }
  uint64_t pack() const { return k | uint64_t(a) << 8 | uint64_t(b) << 16; }
  static Form unpack(uint64_t bits) {
    return {unsigned(bits & 0xff), MmaElement(bits >> 8 & 0xff),
            MmaElement(bits >> 16 & 0xff)};
  }
};

/// Fp32 accumulators: register i holds row lane / 4 + 8 (i / 2), column
/// lane % 4 * 2 + i % 2: element 2 lane + i % 2 of half i / 2, row by row.
void runFloats(Warp &warp, const Instr &instr, uint32_t mask, const Value *c,
               const MmaSums &tile, const Form &form, const MmaDefined &known) {
  // D may be a permutation of C: all of it is computed first.
  alignas(64) float before[16 * 8];
  alignas(64) uint32_t after[16 * 8], out[warpSize];
  uint32_t isDefined[4];
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t *words = warp.words(c[i]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      before[i / 2 * 64 + 2 * lane + i % 2] = std::bit_cast<float>(words[lane]);
    isDefined[i] = warp.definedLanes(c[i]);
    for (unsigned lane = 0; !known.all && lane < warpSize; ++lane)
      if (!known.at(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2))
        isDefined[i] &= ~(1u << lane);
  }
  multiplyAdd(tile, form.k, form.a, false, before, after);
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      out[lane] = after[i / 2 * 64 + 2 * lane + i % 2];
    warp.write(instr.dst[i], out, mask, isDefined[i]);
  }
}

/// Fp16 accumulators: register i holds both columns of row lane / 4 + 8 i.
void runHalves(Warp &warp, const Instr &instr, uint32_t mask, const Value *c,
               const MmaSums &tile, const Form &form, const MmaDefined &known) {
  float before[16 * 8];
  uint32_t after[16 * 8], undefined[2][warpSize] = {};
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned half = 0; half < 2; ++half) {
        before[i * 64 + 2 * lane + half] =
            halfToFloat(warp.words(c[i])[lane] >> (16 * half) & 0xffff);
        if (!known.at(lane / 4 + i * 8, lane % 4 * 2 + half) ||
            (warp.undefinedBits(c[i], lane) >> (16 * half) & 0xffff))
          undefined[i][lane] |= 0xffffu << (16 * half);
      }
  multiplyAdd(tile, form.k, form.a, true, before, after);
  for (unsigned i = 0; i < 2; ++i) {
    uint32_t out[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      out[lane] = after[i * 64 + 2 * lane] | after[i * 64 + 2 * lane + 1] << 16;
    warp.writePartly(instr.dst[i], out, mask, undefined[i]);
  }
}

/// Instr::flag: fp16 accumulators.
Step runMma(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!beginMma(warp, instr, mask))
    return Step::Stop;
  const Form form = Form::unpack(instr.imm);
  const unsigned numA = form.numA(), numB = form.numB();
  const Value *a = instr.src, *b = a + numA, *c = b + numB;
  MmaSums tile;
  const uint32_t *rowsA[4], *rowsB[2];
  for (unsigned i = 0; i < numA; ++i)
    rowsA[i] = warp.words(a[i]);
  for (unsigned i = 0; i < numB; ++i)
    rowsB[i] = warp.words(b[i]);
  loadFragments(rowsA, rowsB, form.k, form.a, form.b, tile);
  const MmaDefined known(warp, a, numA, b, numB, 16);
  (instr.flag ? runHalves : runFloats)(warp, instr, mask, c, tile, form, known);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

std::optional<MmaShape> takeShape(Decoder &d) {
  MmaShape shape;
  auto digits = d.takePrefixed("m16n8k");
  shape.m = digits ? 16 : 8;
  if (!digits)
    digits = d.takePrefixed("m8n8k");
  if (!digits)
    return std::nullopt;
  const char *end = digits->data() + digits->size();
  const auto [stop, problem] = std::from_chars(digits->data(), end, shape.k);
  if (problem != std::errc() || stop != end)
    return std::nullopt;
  return shape;
}

std::optional<MmaElement> takeElement(Decoder &d) {
  const int element = d.takeOne(
      {"f16", "bf16", "tf32", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1"});
  if (element < 0)
    return std::nullopt;
  return MmaElement(element);
}

bool decodeFloats(Decoder &d, MmaShape shape, bool wideKinds) {
  const int result = d.takeOne({"f16", "f32"});
  auto a = takeElement(d), b = a ? takeElement(d) : std::nullopt;
  if (result < 0 || !b || !d.take(result ? "f32" : "f16"))
    return d.fail("expected the types of D, A, B and C, with floating-point "
                  "elements and D and C both .f16 or both .f32");
  const bool narrow = *a >= MmaElement::E4M3 && *b >= MmaElement::E4M3;
  if (*a != *b && !narrow)
    return d.fail("A and B must have the same element type");
  if (narrow && !wideKinds && (*a > MmaElement::E5M2 || *b > MmaElement::E5M2))
    return d.fail("6- and 4-bit elements need .kind::f8f6f4");
  if (!result && (*a == MmaElement::BF16 || *a == MmaElement::TF32))
    return d.fail("these elements need .f32 accumulators");
  const unsigned e = elementsPerRegister(*a);
  if (shape.m != 16 || (shape.k != 4 * e && shape.k != 8 * e) ||
      (wideKinds && shape.k != 32))
    return d.fail("the shape does not exist for these elements; expected "
                  ".m16n8k" +
                  std::to_string(4 * e) + " or .m16n8k" +
                  std::to_string(8 * e));
  const Form form{shape.k, *a, *b};
  d.instr.imm = form.pack();
  d.instr.flag = result == 0;
  d.instr.handler = runMma;
  const Type accumulator = result ? Type::F32 : Type::B32;
  const size_t count = result ? 4 : 2;
  return d.end() && d.expectOperands(4) &&
         d.dstVector(d.operand(0), accumulator, count) &&
         d.srcVector(d.operand(1), Type::B32, form.numA()) &&
         d.srcVector(d.operand(2), Type::B32, form.numB()) &&
         d.srcVector(d.operand(3), accumulator, count);
}

bool decodeMma(Decoder &d) {
  d.instr.cls = InstrClass::Matrix;
  if (d.has("sp") || d.has("sp::ordered_metadata"))
    return d.fail("sparse mma is not supported");
  if (d.has("block_scale"))
    return d.fail("mma with block scales is not supported");
  if (!d.take("sync") || !d.take("aligned"))
    return d.fail("expected mma.sync.aligned");
  auto shape = takeShape(d);
  if (!shape)
    return d.fail("expected a shape such as .m16n8k16");
  if (!d.take("row") || !d.take("col"))
    return d.fail("expected .row.col");
  if (!d.has("f32") && !d.has("f16"))
    return decodeMmaExact(d, *shape);
  if (shape->m == 8)
    return d.fail(".m8n8k4 on f16 is not supported; use .m16n8k8");
  const bool wideKinds = d.take("kind::f8f6f4");
  return decodeFloats(d, *shape, wideKinds);
}

} // namespace

MmaDefined::MmaDefined(const Warp &warp, const Value *a, unsigned numA,
                       const Value *b, unsigned numB, unsigned m) {
  uint32_t lanesA[2] = {fullMask, fullMask}, lanesB = fullMask;
  for (unsigned i = 0; i < numA; ++i)
    lanesA[m == 16 ? i % 2 : 0] &= warp.definedLanes(a[i]);
  for (unsigned i = 0; i < numB; ++i)
    lanesB &= warp.definedLanes(b[i]);
  if ((lanesA[0] & lanesA[1] & lanesB) == fullMask) [[likely]]
    return;
  all = false;
  rows = groups(lanesA[0]) | groups(lanesA[1]) << 8;
  columns = groups(lanesB);
}

bool beginMma(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!warp.requireWhole(instr, mask))
    return false;
  warp.syncLanes(mask);
  return true;
}

void addMmaInstructions(MnemonicTable &table) { table["mma"] = decodeMma; }

} // namespace wna16::emulator
