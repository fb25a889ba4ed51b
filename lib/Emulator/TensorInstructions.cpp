//===- TensorInstructions.cpp - copies through tensor maps ----------------===//
//
// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor in tiled mode: a box of
// the tensor becomes runs of bytes (see TensorBox) that the async engine moves.
// A map is known by the 128 bytes that the launch has handed out for it.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/AtomicOps.h"
#include "lib/Emulator/BulkInstructions.h"
#include "lib/Emulator/MbarrierInstructions.h"
#include "lib/Emulator/TensorBox.h"

namespace wna16::emulator {
namespace {

enum Form : uint8_t { Load, Store, Reduce, Prefetch };

// Sources: the map, Instr::elements coordinates, and but for a prefetch the
// shared address; of a load the mbarrier too, and with Instr::flag the
// multicast mask. Instr::imm: the operation of a reduction.
constexpr unsigned mapSource = 0, firstCoordinate = 1;
unsigned sharedSource(const Instr &instr) {
  return firstCoordinate + instr.elements;
}

static_assert(spaceBase % 1024 == 0,
              "swizzles must not depend on where offsets are counted from");

std::string listOf(const int32_t *values, unsigned count) {
  std::string out;
  for (unsigned i = 0; i < count; ++i)
    out += (i ? ", " : "") + std::to_string(values[i]);
  return out;
}

std::string sizeOf(const TensorMap &map) {
  std::string out;
  for (unsigned d = 0; d < map.rank; ++d)
    out += (d ? " x " : "") + std::to_string(map.dims[d]);
  return out;
}

/// The map whose address a lane gives; null and a report if there is none.
const TensorMap *findMap(Warp &warp, const Instr &instr, unsigned lane,
                         LaneAddresses addresses) {
  const TensorMap *map = nullptr;
  const uint64_t address = addresses[lane];
  forEachSpace(
      instr.space2, 1u << lane, addresses,
      [&](Space space, uint32_t lanes, const LaneAddresses &at) {
        const Resolved found =
            resolve(warp, instr, space, AccessKind::Read, lanes, at,
                    TensorMap::bytes, TensorMap::alignment);
        if (!found.mask)
          return;
        map = warp.block.launch.device.findTensorMap(found.data[lane]);
        if (!map)
          warp.report(Check::TensorMap, instr, int(lane), [&] {
            return "the " + std::to_string(TensorMap::bytes) +
                   " bytes at address " + std::to_string(address) + " (." +
                   std::string(spaceName(space)) +
                   ") are no tensor map of this launch; pass the address of a "
                   "parameter that the launch describes as a tensor map";
          });
      });
  return map;
}

/// The buffer that a row of the tensor lies in; null and a report if none does.
Buffer *findRow(Warp &warp, const Instr &instr, unsigned lane, bool writes,
                const BoxRun &run, Buffer *last) {
  Buffer *buffer = last;
  if (!buffer || run.global < buffer->base ||
      run.global + run.bytes > buffer->end())
    buffer = warp.block.launch.device.below(run.global);
  if (!buffer || run.global + run.bytes > buffer->end()) {
    warp.report(Check::Bounds, instr, int(lane), [&] {
      return std::to_string(run.bytes) +
             " bytes of the tensor lie outside every buffer: " +
             warp.block.launch.device.describe(run.global) +
             "; the tensor map describes more than there is";
    });
    return nullptr;
  }
  if (writes && buffer->readOnly) {
    warp.report(Check::Access, instr, int(lane), [&] {
      return "store to offset " + std::to_string(run.global - buffer->base) +
             " of buffer '" + buffer->name +
             "', which the launch declares read-only";
    });
    return nullptr;
  }
  return buffer;
}

Type typeOf(TensorMap::Element element) {
  using Element = TensorMap::Element;
  switch (element) {
  case Element::U32:
    return Type::U32;
  case Element::S32:
    return Type::S32;
  case Element::U64:
    return Type::U64;
  case Element::S64:
    return Type::S64;
  case Element::F16:
    return Type::F16;
  case Element::BF16:
    return Type::BF16;
  case Element::F32:
    return Type::F32;
  case Element::F64:
    return Type::F64;
  default:
    return Type::None;
  }
}

/// Everything that can be said about a copy before its bytes are looked at.
bool checkMap(Warp &warp, const Instr &instr, unsigned lane,
              const TensorMap &map, const int32_t *coordinates) {
  auto wrong = [&](Check check, const std::string &text) {
    warp.report(check, instr, int(lane), text);
    return false;
  };
  if (map.rank != instr.elements)
    return wrong(Check::TensorMap, "a copy of " +
                                       std::to_string(instr.elements) +
                                       " dimensions through a tensor map of " +
                                       std::to_string(map.rank));
  if (const std::string reason = TensorBox::unsupported(
          map, instr.sub == Store || instr.sub == Reduce);
      !reason.empty())
    return wrong(Check::Unsupported,
                 "tensor maps with " + reason + " are not supported");
  if (instr.sub == Reduce) {
    const Type type = typeOf(map.element);
    if (!canReduce(AtomicOp(instr.imm), type))
      return wrong(Check::TensorMap,
                   "this reduction is not defined for the element type " +
                       std::string(TensorMap::name(map.element)) +
                       " of the tensor map");
  }
  if (TensorBox(map, coordinates).farFromTensor())
    warp.report(Check::TensorMap, instr, int(lane), [&] {
      return "the box at (" + listOf(coordinates, map.rank) +
             ") lies far outside the tensor of " + sizeOf(map) +
             " elements: the copy " +
             (instr.sub == Load ? "brings fill values only" : "moves nothing") +
             "; check the coordinates, the innermost comes first";
    });
  return true;
}

void loadBox(Warp &warp, const Instr &instr, AsyncOperation operation,
             const TensorBox &box, const TensorMap &map, const Resolved &to,
             uint64_t mbarrier) {
  const unsigned lane = operation.lane;
  Block *owner = to.owner[lane];
  operation.signalBytes = box.bytes();
  warp.block.cluster.swizzles[operation.pc] = map.swizzle;
  operation.fill = TensorBox::fillPattern(map);
  operation.convert = TensorBox::conversion(map);
  Buffer *buffer = nullptr;
  bool whole = true;
  box.forEachRun(to.offset[lane] + spaceBase, [&](const BoxRun &part) {
    AsyncRun run;
    run.bytes = part.bytes;
    run.to = {owner, nullptr, part.shared - spaceBase};
    run.fill = !part.inside;
    run.chunkXor = part.inside ? part.chunkXor : 0;
    if (part.inside) {
      buffer = findRow(warp, instr, lane, false, part, buffer);
      whole &= buffer != nullptr;
      if (!buffer)
        return;
      run.from = {nullptr, buffer, part.global - buffer->base};
    }
    operation.runs.push_back(run);
  });
  operation.mbarrier = findMbarrier(warp, instr, lane, mbarrier);
  if (!whole || !operation.mbarrier)
    return;
  const uint32_t blocks =
      instr.flag
          ? uint32_t(warp.lane(instr.src[instr.numSrc - 1], lane)) & 0xffff
          : 0;
  if (!blocks && operation.mbarrier->block != owner) {
    warp.report(Check::Mbarrier, instr, int(lane),
                "the mbarrier of a copy lies in another block than its "
                "destination");
    return;
  }
  issueMulticast(warp, instr, operation, blocks);
}

void storeBox(Warp &warp, const Instr &instr, AsyncOperation operation,
              const TensorBox &box, const TensorMap &map,
              const Resolved &from) {
  const unsigned lane = operation.lane;
  Block *owner = from.owner[lane];
  if (instr.sub == Reduce)
    operation.combine = reduction(AtomicOp(instr.imm), typeOf(map.element));
  Buffer *buffer = nullptr;
  bool whole = true;
  box.forEachRun(from.offset[lane] + spaceBase, [&](const BoxRun &part) {
    if (!part.inside)
      return;
    buffer = findRow(warp, instr, lane, true, part, buffer);
    whole &= buffer != nullptr;
    if (!buffer)
      return;
    AsyncRun run;
    run.bytes = part.bytes;
    run.from = {owner, nullptr, part.shared - spaceBase};
    run.to = {nullptr, buffer, part.global - buffer->base};
    run.chunkXor = part.chunkXor;
    requireDefinedRun(warp, instr, lane, run, instr.sub == Reduce);
    operation.runs.push_back(run);
  });
  if (!whole || operation.runs.empty())
    return;
  joinBulkGroup(warp, operation);
  warp.block.cluster.async.issue(instr, std::move(operation));
}

Step runTensorCopy(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses maps, shared{}, barriers{};
  const Form form = Form(instr.sub);
  uint32_t valid = laneAddresses(warp, instr, instr.src[mapSource], mask, maps);
  for (unsigned d = 0; d < instr.elements; ++d)
    valid = warp.requireDefined(instr, instr.src[firstCoordinate + d], valid,
                                "a coordinate of a tensor copy");
  const unsigned at = sharedSource(instr);
  if (form != Prefetch)
    valid = laneAddresses(warp, instr, instr.src[at], valid, shared);
  if (form == Load)
    valid = laneAddresses(warp, instr, instr.src[at + 1], valid, barriers);
  if (instr.flag)
    valid = warp.requireDefined(instr, instr.src[at + 2], valid,
                                "a multicast mask");
  forLanes(valid, [&](unsigned lane) {
    const TensorMap *map = findMap(warp, instr, lane, maps);
    int32_t coordinates[TensorMap::maxRank] = {};
    for (unsigned d = 0; d < instr.elements; ++d)
      coordinates[d] = int32_t(warp.lane(instr.src[firstCoordinate + d], lane));
    if (!map || !checkMap(warp, instr, lane, *map, coordinates) ||
        form == Prefetch)
      return;
    const TensorBox box(*map, coordinates);
    if (shared[lane] % TensorBox::sharedAlignment) {
      warp.report(Check::TensorMap, instr, int(lane), [&] {
        return "the shared address " + std::to_string(shared[lane]) +
               " of a tensor copy is not a multiple of " +
               std::to_string(TensorBox::sharedAlignment);
      });
      return;
    }
    const bool load = form == Load;
    const Resolved found = resolve(
        warp, instr, load ? instr.space : Space::Shared,
        load ? AccessKind::AsyncWrite : AccessKind::AsyncRead, 1u << lane,
        shared, box.sharedExtent(uint32_t(shared[lane])), 1);
    if (!found.mask)
      return;
    AsyncOperation operation;
    operation.warp = &warp;
    operation.lane = lane;
    operation.pc = warp.pc(instr);
    if (load)
      loadBox(warp, instr, std::move(operation), box, *map, found,
              barriers[lane]);
    else
      storeBox(warp, instr, std::move(operation), box, *map, found);
  });
  return Step::Next;
}

/// prefetch.tensormap: the address has to be that of a map.
Step runPrefetchMap(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAddresses maps;
  const uint32_t valid =
      laneAddresses(warp, instr, instr.src[mapSource], mask, maps);
  forLanes(valid, [&](unsigned lane) { findMap(warp, instr, lane, maps); });
  return Step::Next;
}

/// [map, {x, y, ..}]
bool mapAndCoordinates(Decoder &d, const ast::Operand &operand) {
  d.instr.space2 = Space::Generic;
  if (operand.elements.size() != 1)
    return d.fail("expected [map, {coordinates}]");
  const ast::Operand &coordinates = operand.elements[0];
  return d.address(operand, Space::Generic) &&
         d.srcVector(coordinates, Type::S32, d.instr.elements) &&
         d.markAddresses(d.instr.elements);
}

bool takeRank(Decoder &d) {
  const int rank = d.takeOne({"1d", "2d", "3d", "4d", "5d"});
  if (rank < 0)
    return d.fail("expected .1d to .5d");
  d.instr.elements = uint8_t(rank + 1);
  d.instr.handler = runTensorCopy;
  d.instr.cls = InstrClass::AsyncCopy;
  d.instr.space = Space::SharedCluster;
  return true;
}

bool endModes(Decoder &d) {
  d.skip({"tile"});
  for (const char *mode : {"im2col", "im2col::w", "im2col::w::128",
                           "tile::gather4", "tile::scatter4", "im2col_no_offs"})
    if (d.has(mode))
      return d.fail(std::string("mode .") + mode + " is not supported");
  return true;
}

/// From shared memory to the tensor, after the dimensions.
bool decodeToGlobal(Decoder &d) {
  if (!endModes(d) || !d.take("bulk_group"))
    return d.fail("expected .bulk_group");
  d.skipCacheHints();
  return d.end() && d.expectOperands(2, 3) &&
         mapAndCoordinates(d, d.operand(0)) &&
         d.address(d.operand(1), Space::Shared);
}

} // namespace

bool decodeTensorCopy(Decoder &d) {
  if (!takeRank(d))
    return false;
  const int target = d.takeOne({"shared::cluster", "shared::cta", "global"});
  const int source = d.takeOne({"global", "shared::cta"});
  if (target < 0 || source < 0 || (target == 2) != (source == 1))
    return d.fail("expected a copy from .global to .shared::cluster or "
                  ".shared::cta, or from .shared::cta to .global");
  if (target == 2) {
    d.instr.sub = Store;
    return decodeToGlobal(d);
  }
  d.instr.sub = Load;
  if (!endModes(d) || !d.take("mbarrier::complete_tx::bytes"))
    return d.fail("expected .mbarrier::complete_tx::bytes");
  d.instr.flag = d.take("multicast::cluster");
  if (d.has("cta_group::1") || d.has("cta_group::2"))
    return d.fail(".cta_group is not supported");
  d.skipCacheHints();
  return d.end() && d.expectOperands(d.instr.flag ? 4 : 3, 5) &&
         mapAndCoordinates(d, d.operand(1)) &&
         d.address(d.operand(0), Space::SharedCluster) &&
         d.address(d.operand(2), Space::SharedCluster) &&
         (!d.instr.flag || d.src(d.operand(3), Type::B16));
}

bool decodeTensorReduce(Decoder &d) {
  if (!takeRank(d))
    return false;
  d.instr.sub = Reduce;
  if (!d.take("global") || !d.take("shared::cta"))
    return d.fail("expected .global.shared::cta");
  return takeReduction(d) && decodeToGlobal(d);
}

bool decodeTensorPrefetch(Decoder &d) {
  if (!takeRank(d))
    return false;
  d.instr.sub = Prefetch;
  if (!d.take("L2") || !d.take("global"))
    return d.fail("expected .L2.global");
  if (!endModes(d))
    return false;
  d.skipCacheHints();
  return d.end() && d.expectOperands(1, 2) &&
         mapAndCoordinates(d, d.operand(0));
}

bool decodeMapPrefetch(Decoder &d) {
  d.instr.cls = InstrClass::Other;
  d.instr.handler = runPrefetchMap;
  const int space = d.takeOne({"param", "const"});
  d.instr.space2 = space < 0    ? Space::Generic
                   : space == 0 ? Space::Param
                                : Space::Const;
  return d.take("tensormap") && d.end() && d.expectOperands(1) &&
         d.address(d.operand(0), d.instr.space2);
}

} // namespace wna16::emulator
