//===- Schedule.cpp - structures of kernels, and what they need -----------===//

#include "lib/Schedule/Schedule.h"

#include "lib/Layout/Instances.h"
#include "lib/Layout/Padding.h"
#include "lib/Schedule/Model.h"

#include <algorithm>
#include <cmath>

using namespace wna16;

/// Elements of a tensor copy along each dimension; a word is a column.
static constexpr int64_t tensorBox = 256;
static constexpr int64_t columns = 64;
static constexpr int64_t warpgroup = 4;
/// Rows of K of one instruction.
static constexpr int64_t stepK = 16;

RowWork wna16::rowWorkOf(const GemmShape &shape, int64_t m, int64_t tileM) {
  if (!shape.segmentRows)
    return {1, (m + tileM - 1) / tileM, double(std::min(m, tileM))};
  double tokens = std::max(1.0, double(m) / shape.topK);
  double chosen = std::min(1.0, double(shape.topK) / shape.experts);
  double busy = shape.experts * (1 - std::pow(1 - chosen, tokens));
  busy = std::min(busy, double(m));
  // The last segment of an expert is half full on average.
  double segments = std::max(1.0, m / busy / shape.segmentRows + 0.5);
  double tiles = std::min(std::ceil(busy * segments), double(m));
  return {busy, int64_t(tiles), m / tiles};
}

int64_t ScheduleChoice::allWarps() const {
  if (roles == RoleKind::Uniform)
    return warps();
  // Registers are moved between whole warpgroups.
  return warps() + (math == MathEngine::Wgmma ? warpgroup : 1);
}

std::string wna16::describe(const ScheduleChoice &choice) {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = number(choice.tileN) + "x" + number(choice.tileM) + "x" +
                     number(choice.tileK) + " warps " + number(choice.warpsN) +
                     "x" + number(choice.warpsM) + "x" + number(choice.warpsK) +
                     " stages " + number(choice.stages);
  text += choice.copy == CopyEngine::CpAsync ? " cp_async"
          : choice.copy == CopyEngine::Bulk  ? " bulk"
                                             : " tensor";
  text += choice.math == MathEngine::Mma ? " mma" : " wgmma";
  if (choice.split != SplitKind::None)
    text += (choice.split == SplitKind::Cluster ? " cluster " : " ticket ") +
            number(choice.blocks);
  if (choice.multicast > 1)
    text += " multicast " + number(choice.multicast);
  if (choice.persistent)
    text += " persistent " + number(choice.persistent);
  if (choice.dependent)
    text += " dependent";
  return text;
}

std::string wna16::whyNotBuilt(const ScheduleChoice &choice) {
  bool copiesByThreads = choice.copy == CopyEngine::CpAsync;
  bool isUniform = choice.roles == RoleKind::Uniform;
  bool multicasts = choice.multicast != 1;
  if (copiesByThreads != isUniform ||
      (multicasts && (copiesByThreads || choice.blocks != 1)))
    return "either copy = cp_async and roles = uniform or another copy and "
           "roles = producer_consumer, and multicast only with the latter and "
           "without a split, the ones built so far";
  if (choice.persistent && (isUniform || choice.blocks * choice.multicast != 1))
    return "persistent blocks only with roles = producer_consumer, and without "
           "split and multicast";
  return "";
}

std::string wna16::whyNotBuilt(const ScheduleChoice &choice,
                               const GemmShape &shape) {
  std::string reason = whyNotBuilt(choice);
  if (!reason.empty())
    return reason;
  if (choice.math == MathEngine::Wgmma &&
      choice.tileK % layout::swizzlePanelColumns)
    return "a step of K that is a multiple of " +
           std::to_string(layout::swizzlePanelColumns) + " for math = wgmma";
  // The product of a step is in flight while the next one is copied.
  if (choice.math == MathEngine::Wgmma && choice.stages == 1) {
    if (choice.copy == CopyEngine::CpAsync)
      return "two stages or more for copy = cp_async and math = wgmma";
    if (shape.steps(choice.tileK) > choice.warpsK * choice.blocks)
      return "two stages or more for math = wgmma and several steps of K";
  }
  bool fits = shape.group % choice.tileK == 0 ||
              (choice.tileK % shape.group == 0 &&
               choice.scales == ScalePlace::Weights);
  if (!fits)
    return "a step of K that divides the group (" +
           std::to_string(shape.group) +
           "), or with scales = weights one that the group divides";
  if (choice.persistent && shape.steps(choice.tileK) % choice.warpsK)
    return "persistent blocks only with parts of K that share its " +
           std::to_string(shape.steps(choice.tileK)) + " steps evenly";
  if (shape.segmentRows > choice.tileM)
    return "a tile of at least the rows of a segment (" +
           std::to_string(shape.segmentRows) + ")";
  if (shape.segmentRows &&
      (choice.split == SplitKind::Ticket || choice.persistent))
    return "neither tickets nor persistent blocks for segments: both count "
           "tiles of rows that follow each other";
  if (shape.mapsRows && choice.copy != CopyEngine::CpAsync)
    return "copy = cp_async where a map names the rows of activations: other "
           "engines copy rows that follow each other";
  if (choice.copy == CopyEngine::Tensor &&
      choice.tileN * std::max<int64_t>(4, shape.bits) / 4 > tensorBox)
    return "a tile of at most " +
           std::to_string(tensorBox * 4 / std::max<int64_t>(4, shape.bits)) +
           " columns for copy = tensor";
  return "";
}

bool wna16::isBuilt(const ScheduleChoice &choice, const GemmShape &shape,
                    const GpuTarget &target) {
  bool capable =
      (choice.copy != CopyEngine::CpAsync || target.hasCpAsync()) &&
      (choice.copy != CopyEngine::Bulk || target.hasBulkCopy()) &&
      (choice.copy != CopyEngine::Tensor || target.hasTensorCopy()) &&
      (choice.math != MathEngine::Wgmma || target.hasWgmma()) &&
      (choice.roles == RoleKind::Uniform || target.hasBulkCopy()) &&
      (choice.split != SplitKind::Cluster ||
       choice.blocks * choice.multicast <= target.maxClusterBlocks) &&
      (choice.multicast == 1 || target.hasClusters()) &&
      (!choice.dependent || target.hasDependentLaunch());
  if (!capable || !whyNotBuilt(choice, shape).empty())
    return false;
  int64_t registers = registersPerThread(choice, shape);
  int64_t producers = choice.allWarps() - choice.warps();
  if (producers % warpgroup == 0 && producers > 0) {
    RegisterShare share = target.shareRegisters(producers, choice.warps());
    if (registers > share.takers)
      return false;
    registers = share.atEntry;
  }
  return target.residentBlocks(choice.allWarps() * 32, registers,
                               sharedBytes(choice, shape)) > 0;
}

int64_t wna16::sharedBytes(const ScheduleChoice &choice,
                           const GemmShape &shape) {
  int64_t weights = choice.tileK * choice.tileN * shape.bits / 8;
  int64_t activations = choice.tileM * choice.tileK * 2;
  // Of padded rows every one is but the last; engines write rows as they are.
  if (choice.copy == CopyEngine::CpAsync && choice.math == MathEngine::Mma)
    activations += (choice.tileM - 1) * layout::rowPaddingBytes;
  int64_t stage = weights + activations;
  int64_t slots = choice.warpsK * choice.stages;
  int64_t ring = stage * slots;
  // Scales, panels of a swizzle, and two barriers for each stage.
  if (choice.roles == RoleKind::ProducerConsumer) {
    int64_t scales = shape.scaleRows(choice.tileK) * choice.tileN * 2;
    int64_t zeros = shape.hasZeros
                        ? std::max<int64_t>(128, scales / (shape.bits <= 4 ? 4 : 2))
                        : 0;
    stage = (stage + scales + zeros + 1023) / 1024 * 1024;
    ring = (stage + 16) * slots;
  }
  // A set of fp32 sums for each part. What other blocks send, and its barrier,
  // have their own place, at a multiple of 128 bytes.
  int64_t sums = choice.tileM * (choice.tileN + layout::sharePadding) * 4;
  int64_t scratch = choice.warpsK == 1 ? 0 : choice.warpsK * sums;
  int64_t bytes = std::max(ring, scratch);
  // The ring goes on while sums are added and stored.
  if (choice.persistent)
    bytes = ring + scratch + choice.tileM * choice.tileN * 2 +
            choice.tileM * layout::rowPaddingBytes;
  if (choice.split == SplitKind::Cluster && choice.blocks > 1)
    bytes = (bytes + 127) / 128 * 128 + sums + 16;
  return bytes;
}

std::string wna16::whyUnsupported(const GemmShape &shape,
                                  const GpuTarget &target) {
  auto expected = [](std::string what, int64_t found) {
    return "expected " + what + ", found " + std::to_string(found);
  };
  if (!target.hasCpAsync())
    return "it has no asynchronous copies to shared memory";
  if (shape.maxM < 1 || shape.maxM > largestM)
    return expected("max_m between 1 and " + std::to_string(largestM),
                    shape.maxM);
  if (shape.n < 1 || shape.n % columns)
    return expected("N to be a multiple of " + std::to_string(columns),
                    shape.n);
  if (shape.k < 1 || shape.k % stepK)
    return expected("K to be a multiple of " + std::to_string(stepK), shape.k);
  if (shape.group < 1 || shape.group % stepK || shape.k % shape.group)
    return expected("a group that is a multiple of " + std::to_string(stepK) +
                        " and divides K (" + std::to_string(shape.k) + ")",
                    shape.group);
  return "";
}
