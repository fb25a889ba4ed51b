//===- Model.cpp - the time that a kernel will take -----------------------===//
//
// Rates are facts of the target. The constants here describe the kernels; they
// were fitted, by least squares of the logarithms, to 268 measured times of
// hand-written kernels of these structures and of compiled ones on one H200
// (test/unit/Schedule/Measured.h), and rounded.
//
//===----------------------------------------------------------------------===//

#include "lib/Schedule/Model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

using namespace wna16;

/// Part of the data sheet's bandwidth that a kernel that only reads gets.
static constexpr double memoryEfficiency = 0.91;
/// Part of the rate from L2 that copies of 16 bytes by all threads get; bulk
/// and tensor copies get all.
static constexpr double smallCopyRate = 0.53;
/// One multiprocessor can take this many times its share, if others idle.
static constexpr double cacheShare = 2;
static constexpr double sharedBytesPerClock = 128;
/// Part of the issue slots that can be used.
static constexpr double issueEfficiency = 0.75;
/// Cycles that a warp takes for one of its own instructions, with nobody in its
/// way: it waits for what it has read and for its products.
static constexpr double cyclesPerInstruction = 1.8;
/// Of one wgmma, however few rows it has; and of reading, dequantising and
/// multiplying 128 rows of K with nobody in the way.
static constexpr double leastWgmmaCycles = 13, wgmmaStepCycles = 500;
/// Nanoseconds in which one thread issues a bulk copy, and a tensor copy.
static constexpr double bulkCopy = 21, tensorCopy = 50;
/// Start of a kernel until its first products, and end of its last block, in
/// latencies of memory.
static constexpr double startLatencies = 2.2;

// Microseconds.
/// Of the parts of K in a block, and more for each of them.
static constexpr double sumOfWarps = 0.25, sumOfWarp = 0.02;
/// Per stage that warps which copy for themselves fill before they begin.
static constexpr double firstCopies = 0.3;
static constexpr double sumOfCluster = 0.15;
static constexpr double sumByTicket = 2.2;
static constexpr double nextWave = 0.8;
/// The end of a tile of 128 x 256 outputs in a kernel that goes on.
static constexpr double nextTile = 1.1;
static constexpr double savedByDependentLaunch = 0.7;
/// Sums in fp32 through L2.
static constexpr double ticketBytesPerMicrosecond = 12e6;

namespace {

/// Tiles of outputs and how they lie on the multiprocessors.
struct Spread {
  double tiles = 0;
  /// Blocks that share the K of a tile.
  int64_t parts = 1;
  /// Tiles, of all of K, on the busiest multiprocessor.
  double perSm = 0;
  /// Waves of blocks, after the first one.
  int64_t furtherWaves = 0;
  /// Tiles that a block computes one after the other, after its first one.
  double furtherTiles = 0;
  /// Part of the multiprocessors that have something to do.
  double busy = 1;
};

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Blocks that run at the same time.
int64_t slotsOf(const ScheduleChoice &choice, int64_t resident,
                const GpuTarget &target) {
  int64_t cluster = choice.multicast *
                    (choice.split == SplitKind::Cluster ? choice.blocks : 1);
  int64_t sms = cluster > 2 ? target.largeClusterSmCount : target.smCount;
  return resident * sms / cluster * cluster;
}

/// A grid of resident blocks that go on to the next tile; the tiles of the last
/// wave are split as far as there are blocks for it.
Spread spreadPersistent(int64_t tiles, int64_t slots, int64_t most) {
  Spread spread;
  int64_t full = tiles / slots, rest = tiles % slots;
  if (rest)
    spread.parts = std::clamp<int64_t>(slots / rest, 1, most);
  spread.perSm = full + (rest ? 1.0 / spread.parts : 0);
  spread.furtherTiles = std::ceil(spread.perSm) - 1;
  return spread;
}

Spread spreadOf(const GemmShape &shape, int64_t m, const ScheduleChoice &choice,
                int64_t resident, const GpuTarget &target) {
  int64_t slots = slotsOf(choice, resident, target);
  int64_t tiles =
      rowWorkOf(shape, m, choice.tileM).tiles * (shape.n / choice.tileN);
  Spread spread;
  // Kernels of warpgroups with tickets were measured as persistent ones only.
  if (choice.split == SplitKind::Ticket && choice.math == MathEngine::Wgmma) {
    spread = spreadPersistent(tiles, slots, choice.blocks);
  } else if (choice.persistent) {
    slots = std::min(slots, choice.persistent);
    spread.perSm = double(ceilDiv(tiles, slots));
    spread.furtherTiles = spread.perSm - 1;
  } else {
    spread.parts = choice.split == SplitKind::None ? 1 : choice.blocks;
    int64_t blocks = tiles * spread.parts;
    int64_t places = resident > 1 ? target.smCount : slots;
    spread.perSm = double(ceilDiv(blocks, places)) / spread.parts;
    spread.furtherWaves = ceilDiv(blocks, slots) - 1;
  }
  spread.tiles = tiles;
  int64_t blocks = tiles * spread.parts;
  if (blocks < slots)
    spread.busy = std::min(1.0, double(ceilDiv(blocks, resident)) /
                                    double(target.smCount));
  return spread;
}

/// Instructions that warps issue for 128 rows of K and 64 columns.
double instructionsPerGroup(const ScheduleChoice &choice, double copiedRows,
                            Activations activations) {
  // Of four warps, each 16 columns; wgmma itself is one instruction.
  if (choice.math == MathEngine::Wgmma)
    return (choice.scales == ScalePlace::Accumulator ? 564 : 632) +
           (activations == Activations::BF16 ? 60 : 0);
  int64_t rows = choice.tileM / choice.warpsM;
  // Shifts, and-ors and subtractions of 32 words, and the loop; read from the
  // SASS of hand-written kernels.
  double count = activations == Activations::BF16 ? 393 : 329;
  // The loop once more, for steps of less than a group.
  count += 40 * (128.0 / choice.tileK - 1);
  // mma and ldmatrix per 8 rows; scaling of their sums or of all weights.
  count += 36 * (rows / 8.0);
  count += choice.scales == ScalePlace::Weights ? 128 : 16 * (rows / 8.0);
  // Copies of 16 bytes per lane.
  if (choice.copy == CopyEngine::CpAsync)
    count += 2 * (8 + copiedRows / 2 / choice.warpsN + 15);
  return count;
}

/// Nanoseconds for which a producer issues copies, per stage: rows of weights
/// or a box of them, a box of activations, a row of scales.
double copyNanoseconds(const ScheduleChoice &choice) {
  if (choice.roles == RoleKind::Uniform)
    return 0;
  double weights = choice.copy == CopyEngine::Bulk
                       ? bulkCopy * (choice.tileK / 16.0)
                       : tensorCopy;
  return weights + tensorCopy + bulkCopy;
}

/// Cycles of a multiprocessor per wgmma of 16 rows of K and 64 columns.
double cyclesPerWgmma(const ScheduleChoice &choice, const GpuTarget &target) {
  double flops = 2.0 * 64 * 16 * choice.tileM;
  double cycles = std::max(leastWgmmaCycles, flops / target.wgmmaFlopsPerClock);
  // What dequantisation leaves uncovered; two warpgroups cover less than four.
  double warpgroups = choice.warpsN * choice.warpsM / 4.0;
  double uncovered = 15 * std::max(0.0, 4 - warpgroups);
  return cycles + uncovered * std::max(0.0, 1 - choice.tileM / 128.0);
}

} // namespace

/// Registers that other formats than 4 bits with an offset and a long group
/// take: words of more planes, zero points, rows of scales. Read off ptxas.
static int64_t registersOfFormat(const ScheduleChoice &choice,
                                 const GemmShape &shape) {
  int64_t planes = std::popcount(uint64_t(shape.bits));
  int64_t registers = 8 * (planes - 1) + (shape.bits > 4 ? 12 : 0);
  int64_t rows = shape.scaleRows(choice.tileK) * (shape.hasZeros ? 2 : 1) - 1;
  if (shape.hasOwnScales)
    registers += 8;
  return registers + 8 * rows;
}

int64_t wna16::registersPerThread(const ScheduleChoice &choice,
                                  const GemmShape &shape) {
  int64_t rows = choice.tileM / choice.warpsM;
  int64_t columns = choice.tileN / choice.warpsN;
  int64_t sums = columns * rows / 32;
  if (choice.scales == ScalePlace::Accumulator)
    sums *= 2;
  // Addresses of copies are another role's.
  if (choice.math == MathEngine::Mma)
    return (choice.roles == RoleKind::Uniform ? 44 : 24) + rows / 2 + sums +
           registersOfFormat(choice, shape);
  // The weights of a whole step are operands.
  return 28 + sums + columns * choice.tileK / 64 +
         registersOfFormat(choice, shape) / 4;
}

const char *Prediction::limit() const {
  const double values[] = {memory, cache, shared, issue, tensor, latency};
  static const char *const names[] = {"memory",        "L2 to shared memory",
                                      "shared memory", "issue slots",
                                      "tensor cores",  "latency"};
  return names[std::max_element(std::begin(values), std::end(values)) -
               std::begin(values)];
}

Prediction wna16::predict(const GemmShape &shape, int64_t m,
                          const ScheduleChoice &choice,
                          const GpuTarget &target) {
  Prediction result;
  bool wgmma = choice.math == MathEngine::Wgmma;
  int64_t shared = sharedBytes(choice, shape);
  int64_t resident = target.residentBlocks(
      choice.allWarps() * 32, registersPerThread(choice, shape), shared);
  // A kernel that moves registers between roles can do with those of one block.
  if (!resident && wgmma)
    resident =
        std::min<int64_t>(1, target.residentBlocks(choice.allWarps() * 32,
                                                   /*registersPerThread=*/32,
                                                   shared));
  result.residentBlocks = resident;
  if (!resident) {
    result.total = std::numeric_limits<double>::infinity();
    return result;
  }
  Spread spread = spreadOf(shape, m, choice, resident, target);
  result.tilesPerSm = spread.perSm;

  RowWork work = rowWorkOf(shape, m, choice.tileM);
  double n = shape.n, k = shape.k, rows = work.rows;
  double scaleBytes = k / shape.group * (shape.hasZeros ? 2.5 : 2);
  double weightBytes = k * shape.bits / 8 + scaleBytes; // of a column
  double microsecond = target.clockMegahertz; // in cycles
  double sms = target.smCount;

  // Everything once from memory, at most as fast as copies in flight allow.
  double bytes = work.matrices * n * weightBytes + m * (n + k) * 2;
  double stageBytes = choice.tileK * choice.tileN * shape.bits / 8.0;
  double inFlight =
      resident * choice.warpsK * choice.stages * stageBytes * spread.busy * sms;
  double bandwidth =
      std::min(memoryEfficiency * target.memoryGigabytesPerSecond,
               inFlight / target.memoryLatencyNanoseconds);
  result.memory = bytes / bandwidth / 1e3;

  // Per tile, through L2: its weights, and activations once per block.
  double tileBytes =
      choice.tileN * weightBytes + rows * k * 2 / choice.multicast;
  double cacheRate = target.l2GigabytesPerSecond * 1e3;
  if (choice.copy == CopyEngine::CpAsync)
    cacheRate *= smallCopyRate;
  result.cache = std::max(spread.tiles / sms, spread.perSm / cacheShare) *
                 tileBytes * sms / cacheRate;

  double groups = choice.tileN / 64.0 * (k / 128); // of a tile
  double instructions = instructionsPerGroup(choice, rows, shape.activations);
  // All warps share the slots.
  double cycles = spread.perSm * groups * choice.warpsM * instructions / 4 /
                  issueEfficiency;
  double sharedTraffic;
  if (wgmma) {
    // Activations are written once, and read by every 64 columns at half of
    // the rate; words are written and read.
    sharedTraffic =
        choice.tileM * k * 2 * (choice.tileN / 64.0 + 1) + choice.tileN * k * shape.bits / 4;
    result.tensor = spread.perSm * groups * 8 * cyclesPerWgmma(choice, target) /
                    microsecond;
    double flops = 2.0 * work.tiles * choice.tileM * n * k;
    if (target.sustainedTeraflops)
      result.tensor =
          std::max(result.tensor, flops / target.sustainedTeraflops / 1e6);
  } else {
    sharedTraffic =
        std::max(rows, 8.0) * k * 2 * (1 + choice.warpsN) +
        choice.tileN * k * shape.bits / 4;
    result.tensor = spread.perSm * groups * 2 * 64 * 128 * choice.tileM /
                    target.mmaFlopsPerClock / microsecond;
  }
  // And each has its steps to do one by one.
  double step = wgmma ? wgmmaStepCycles : instructions * cyclesPerInstruction;
  double groupsOfWarp = (1 + spread.furtherWaves + spread.furtherTiles) *
                        (k / 128) / choice.warpsK / spread.parts;
  result.issue = std::max(cycles, groupsOfWarp * step) / microsecond;
  double steps = spread.perSm * k / choice.tileK / result.residentBlocks;
  result.issue = std::max(result.issue, steps * copyNanoseconds(choice) / 1e3);
  result.shared =
      spread.perSm * sharedTraffic / sharedBytesPerClock / microsecond;

  result.latency = target.launchNanoseconds / 1e3 +
                   startLatencies * target.memoryLatencyNanoseconds / 1e3 +
                   spread.furtherWaves * nextWave +
                   spread.furtherTiles * nextTile * choice.tileM *
                       choice.tileN / (128.0 * 256);
  if (choice.warpsK > 1)
    result.latency += sumOfWarps + sumOfWarp * choice.warpsK;
  if (choice.roles == RoleKind::Uniform)
    result.latency += firstCopies * (choice.stages - 2);
  if (choice.split == SplitKind::Cluster)
    result.latency += sumOfCluster * (spread.parts - 1);
  if (choice.split == SplitKind::Ticket && spread.parts > 1)
    result.latency += sumByTicket + 2 * 4 * choice.tileN * rows * sms /
                                        ticketBytesPerMicrosecond;
  if (choice.dependent)
    result.latency -= savedByDependentLaunch;

  double sum = 0;
  for (double part : {result.memory, result.cache, result.shared, result.issue,
                      result.tensor})
    sum += part * part * part;
  // More than the maximum, less than the sum.
  result.total = std::cbrt(sum) + result.latency;
  return result;
}

double wna16::predictMicroseconds(const GemmShape &shape,
                                  const ScheduleChoice &choice,
                                  const GpuTarget &target) {
  return predict(shape, shape.maxM, choice, target).total;
}
