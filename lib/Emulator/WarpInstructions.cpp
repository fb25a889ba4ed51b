//===- WarpInstructions.cpp - shfl, vote, match, redux, elect -------------===//
//
// Instructions by which the lanes of a warp exchange values.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Numerics.h"
#include "lib/Emulator/Shuffle.h"
#include "lib/Emulator/Warp.h"

#include <cmath>

namespace wna16::emulator {
namespace {

/// Runs `body` for each group of lanes that name the same members (the last
/// source): usually one, but the result of match.any is a mask as well.
template <Step (*body)(Warp &, const Instr &, uint32_t)>
Step inGroups(Warp &warp, const Instr &instr, uint32_t mask) {
  const Value &members = instr.src[instr.numSrc - 1];
  warp.requireDefined(instr, members, mask, "a member mask");
  const uint32_t *row = warp.words(members);
  for (uint32_t rest = mask; rest;) {
    const uint32_t named = row[firstLane(rest)];
    uint32_t group = 0;
    forLanes(rest, [&](unsigned lane) {
      group |= uint32_t(row[lane] == named) << lane;
    });
    if (!warp.requireTogether(instr, named, group))
      return Step::Stop;
    warp.syncLanes(group);
    body(warp, instr, group);
    rest &= ~group;
  }
  return Step::Next;
}

Step runShfl(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.requireDefined(instr, instr.src[1], mask, "the lane of a shuffle");
  warp.requireDefined(instr, instr.src[2], mask, "the clamp of a shuffle");
  uint32_t a[warpSize];
  std::memcpy(a, warp.words(instr.src[0]), sizeof(a));
  const uint32_t *b = warp.words(instr.src[1]), *c = warp.words(instr.src[2]);
  const uint32_t sourceDefined = warp.definedLanes(instr.src[0]);
  uint32_t out[warpSize] = {}, undefined[warpSize] = {};
  uint32_t inRange = 0, partly = 0;
  forLanes(mask, [&](unsigned lane) {
    const auto [from, valid] =
        shuffleSource(Shuffle(instr.sub), lane, b[lane], c[lane]);
    out[lane] = a[from];
    // A lane that takes no part has nothing to give.
    if (!((sourceDefined & mask) >> from & 1)) [[unlikely]] {
      undefined[lane] = mask >> from & 1
                            ? uint32_t(warp.undefinedBits(instr.src[0], from))
                            : ~0u;
      partly |= 1u << lane;
    }
    inRange |= uint32_t(valid) << lane;
  });
  if (instr.numDst > 1)
    warp.writePredicate(instr.dst[1], inRange, mask, fullMask);
  if (partly) [[unlikely]]
    warp.writePartly(instr.dst[0], out, mask, undefined);
  else
    warp.write(instr.dst[0], out, mask, fullMask);
  return Step::Next;
}

enum class Vote : uint8_t { All, Any, Uni, Ballot };

Step runVote(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t yes = warp.predicate(instr.src[0]) & mask;
  const bool known = !(mask & ~warp.definedLanes(instr.src[0]));
  const uint32_t isDefined = known ? fullMask : 0;
  if (Vote(instr.sub) == Vote::Ballot) {
    uint32_t out[warpSize];
    std::fill(out, out + warpSize, yes);
    warp.write(instr.dst[0], out, mask, isDefined);
    return Step::Next;
  }
  const bool result = Vote(instr.sub) == Vote::All   ? yes == mask
                      : Vote(instr.sub) == Vote::Any ? yes != 0
                                                     : yes == mask || yes == 0;
  warp.writePredicate(instr.dst[0], result ? fullMask : 0, mask, isDefined);
  return Step::Next;
}

/// match.any / match.all (flag): lanes that hold the same value.
Step runMatch(Warp &warp, const Instr &instr, uint32_t mask) {
  const Value &value = instr.src[0];
  const bool known = !(mask & ~warp.definedLanes(value));
  uint32_t out[warpSize] = {};
  bool all = true;
  forLanes(mask, [&](unsigned lane) {
    forLanes(mask, [&](unsigned other) {
      out[lane] |= uint32_t(warp.lane(value, lane) == warp.lane(value, other))
                   << other;
    });
    all &= out[lane] == mask;
  });
  if (instr.flag)
    std::fill(out, out + warpSize, all ? mask : 0);
  warp.write(instr.dst[0], out, mask, known ? fullMask : 0);
  if (instr.numDst > 1)
    warp.writePredicate(instr.dst[1], all ? fullMask : 0, mask,
                        known ? fullMask : 0);
  return Step::Next;
}

enum class Reduce : uint8_t { Add, Min, Max, And, Or, Xor };

Step runRedux(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]);
  const bool isSignedMin = instr.type == Type::S32;
  uint32_t result = a[firstLane(mask)];
  forLanes(mask & (mask - 1), [&](unsigned lane) {
    const uint32_t x = a[lane];
    const bool less = isSignedMin ? int32_t(x) < int32_t(result) : x < result;
    switch (Reduce(instr.sub)) {
    case Reduce::Add:
      result += x;
      break;
    case Reduce::Min:
      result = less ? x : result;
      break;
    case Reduce::Max:
      result = less ? result : x;
      break;
    case Reduce::And:
      result &= x;
      break;
    case Reduce::Or:
      result |= x;
      break;
    case Reduce::Xor:
      result ^= x;
      break;
    }
  });
  uint32_t out[warpSize];
  std::fill(out, out + warpSize, result);
  const bool known = !(mask & ~warp.definedLanes(instr.src[0]));
  warp.write(instr.dst[0], out, mask, known ? fullMask : 0);
  return Step::Next;
}

/// Instr::flag: absolute values; flag2: a NaN wins; sub: Min or Max.
Step runReduxFloat(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t *a = warp.words(instr.src[0]);
  const bool largest = Reduce(instr.sub) == Reduce::Max;
  const float nan = std::bit_cast<float>(canonicalNan);
  float result = nan;
  bool anyNan = false;
  forLanes(mask, [&](unsigned lane) {
    float x =
        std::bit_cast<float>(instr.flag ? a[lane] & 0x7fffffffu : a[lane]);
    anyNan |= x != x;
    if (x != x)
      return;
    const bool better =
        x == result ? std::signbit(x) != largest : (x < result) != largest;
    if (result != result || better)
      result = x;
  });
  if (instr.flag2 && anyNan)
    result = nan;
  uint32_t out[warpSize];
  std::fill(out, out + warpSize, std::bit_cast<uint32_t>(result));
  const bool known = !(mask & ~warp.definedLanes(instr.src[0]));
  warp.write(instr.dst[0], out, mask, known ? fullMask : 0);
  return Step::Next;
}

Step runElect(Warp &warp, const Instr &instr, uint32_t mask) {
  const unsigned leader = firstLane(mask);
  uint32_t out[warpSize];
  std::fill(out, out + warpSize, leader);
  warp.write(instr.dst[0], out, mask, fullMask);
  warp.writePredicate(instr.dst[1], 1u << leader, mask, fullMask);
  return Step::Next;
}

Step runActiveMask(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t out[warpSize];
  std::fill(out, out + warpSize, mask);
  warp.write(instr.dst[0], out, mask, fullMask);
  return Step::Next;
}

bool start(Decoder &d, Handler handler) {
  d.instr.cls = InstrClass::Shuffle;
  d.instr.handler = handler;
  return d.take("sync") || d.fail("expected .sync");
}

/// d or d|p.
bool results(Decoder &d, Type type) {
  const ast::Operand &to = d.operand(0);
  if (to.kind != ast::Operand::Kind::Pair)
    return d.dst(to, type);
  return d.dst(to.elements[0], type) && d.dst(to.elements[1], Type::Pred);
}

bool decodeShfl(Decoder &d) {
  if (!start(d, inGroups<runShfl>))
    return false;
  const int mode = d.takeOne({"up", "down", "bfly", "idx"});
  if (mode < 0 || !d.take("b32"))
    return d.fail("expected shfl.sync.{up,down,bfly,idx}.b32");
  d.instr.sub = uint8_t(mode);
  return d.end() && d.expectOperands(5) && results(d, Type::B32) &&
         d.src(d.operand(1), Type::B32) && d.src(d.operand(2), Type::B32) &&
         d.src(d.operand(3), Type::B32) && d.src(d.operand(4), Type::B32);
}

bool decodeVote(Decoder &d) {
  if (!start(d, inGroups<runVote>))
    return false;
  const int mode = d.takeOne({"all", "any", "uni", "ballot"});
  const Type type = mode == int(Vote::Ballot) ? Type::B32 : Type::Pred;
  if (mode < 0 || !d.take(typeName(type)))
    return d.fail("expected vote.sync.{all,any,uni}.pred or .ballot.b32");
  d.instr.sub = uint8_t(mode);
  return d.end() && d.expectOperands(3) && d.dst(d.operand(0), type) &&
         d.srcPredicate(d.operand(1)) && d.src(d.operand(2), Type::B32);
}

bool decodeMatch(Decoder &d) {
  const int mode = d.takeOne({"any", "all"});
  if (mode < 0 || !start(d, inGroups<runMatch>))
    return d.fail("expected match.{any,all}.sync");
  const int type = d.takeOne({"b32", "b64"});
  d.instr.flag = mode == 1;
  if (type < 0 || d.numOperands() != 3 ||
      (mode == 0 && d.operand(0).kind == ast::Operand::Kind::Pair))
    return d.fail("expected match.any.sync.{b32,b64} d, a, mask or match.all "
                  "with d or d|p");
  return d.end() && d.expectOperands(3) && results(d, Type::B32) &&
         d.src(d.operand(1), type ? Type::B64 : Type::B32) &&
         d.src(d.operand(2), Type::B32);
}

bool decodeRedux(Decoder &d) {
  if (!start(d, inGroups<runRedux>))
    return false;
  const int op = d.takeOne({"add", "min", "max", "and", "or", "xor"});
  d.instr.flag = op >= 0 && d.take("abs");
  d.instr.flag2 = op >= 0 && d.take("NaN");
  auto type = op < 0 ? std::nullopt : d.takeType();
  const bool isFloatType = type && *type == Type::F32;
  const bool extreme = Reduce(op) == Reduce::Min || Reduce(op) == Reduce::Max;
  if (!type || (isFloatType ? !extreme
                            : bitWidth(*type) != 32 || isFloat(*type) ||
                                  d.instr.flag || d.instr.flag2))
    return d.fail("expected a reduction of 32-bit integers, or min or max of "
                  ".f32");
  if (isFloatType)
    d.instr.handler = inGroups<runReduxFloat>;
  d.instr.sub = uint8_t(op);
  d.instr.type = *type;
  return d.end() && d.expectOperands(3) && d.dst(d.operand(0), *type) &&
         d.src(d.operand(1), *type) && d.src(d.operand(2), Type::B32);
}

bool decodeElect(Decoder &d) {
  return start(d, inGroups<runElect>) && d.end() && d.expectOperands(2) &&
         (d.operand(0).kind == ast::Operand::Kind::Pair ||
          d.fail("expected d|p")) &&
         results(d, Type::B32) && d.src(d.operand(1), Type::B32);
}

bool decodeActiveMask(Decoder &d) {
  d.instr.cls = InstrClass::Shuffle;
  d.instr.handler = runActiveMask;
  return d.take("b32") && d.end() && d.expectOperands(1) &&
         d.dst(d.operand(0), Type::B32);
}

} // namespace

void addWarpInstructions(MnemonicTable &table) {
  table["shfl"] = decodeShfl;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeRedux;
  table["elect"] = decodeElect;
  table["activemask"] = decodeActiveMask;
}

} // namespace wna16::emulator
