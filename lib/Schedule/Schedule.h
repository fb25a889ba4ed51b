//===- Schedule.h - what a schedule decides, and which one to take --------===//
//
// Pure functions that choose how a gemm is computed. They build no IR and know
// GPUs only by capability, limit and rate.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_SCHEDULE_SCHEDULE_H
#define WNA16_LIB_SCHEDULE_SCHEDULE_H

#include "lib/Target/GpuTarget.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wna16 {

enum class Activations { F16, BF16 };

/// y[M, N] = x[M, K] * w[K, N] with a scale per `group` rows of K; M is at most
/// maxM. N and K are those of the stored weights.
struct GemmShape {
  int64_t maxM = 0, n = 0, k = 0, group = 0;
  Activations activations = Activations::F16;
  /// Of a code.
  int64_t bits = 4;
  /// Zero points are data, and not an offset of the codes.
  bool hasZeros = false;
  /// Scales are of another type than activations.
  bool hasOwnScales = false;

  /// Rows of a segment of a mixture of experts, which one tile holds; 0: rows
  /// of the product follow each other. M counts slots then: tokens times topK.
  int64_t segmentRows = 0;
  int64_t experts = 1, topK = 1;
  /// Rows of activations are named by a map.
  bool mapsRows = false;

  /// Rows of K that are part of the product where weights are padded; 0: all.
  int64_t usedK = 0;

  /// Steps of `tileK` rows.
  int64_t steps(int64_t tileK) const {
    return ((usedK ? usedK : k) + tileK - 1) / tileK;
  }
  /// Rows of scales that a step of `tileK` needs.
  int64_t scaleRows(int64_t tileK) const {
    return group && group < tileK ? tileK / group : 1;
  }
};

/// What `m` rows are to a kernel with tiles of `tileM` rows.
struct RowWork {
  /// Weights that are read: those of experts with rows.
  double matrices = 1;
  /// Tiles along M, each with `rows` rows on average.
  int64_t tiles = 0;
  double rows = 0;
};

/// Of a mixture of experts: what is to be expected when every token goes to any
/// experts.
RowWork rowWorkOf(const GemmShape &shape, int64_t m, int64_t tileM);

// The enumerations of #wna16.schedule, in the same order.
enum class CopyEngine { CpAsync, Bulk, Tensor };
enum class MathEngine { Mma, Wgmma };
enum class ScalePlace { Weights, Accumulator };
enum class SplitKind { None, Cluster, Ticket };
enum class RoleKind { Uniform, ProducerConsumer };

/// What a schedule decides; see #wna16.schedule.
struct ScheduleChoice {
  int64_t tileN = 0, tileM = 0, tileK = 0;
  int64_t warpsN = 1, warpsK = 1;
  int64_t stages = 1;
  int64_t warpsM = 1, blocks = 1, multicast = 1;
  /// Blocks that compute one tile after another; 0: a block for each tile.
  int64_t persistent = 0;
  bool dependent = false;
  CopyEngine copy = CopyEngine::CpAsync;
  MathEngine math = MathEngine::Mma;
  ScalePlace scales = ScalePlace::Accumulator;
  SplitKind split = SplitKind::None;
  RoleKind roles = RoleKind::Uniform;

  bool operator==(const ScheduleChoice &) const = default;
  /// Warps that compute.
  int64_t warps() const { return warpsN * warpsM * warpsK; }
  /// All warps of a block, those that only copy included.
  int64_t allWarps() const;
};

/// A short text, for tables: "64x8x128 warps 1x1x8 stages 2 cp_async mma".
std::string describe(const ScheduleChoice &choice);

/// Why the compiler cannot build kernels of this structure; empty if it can.
/// The only list of structures that are built: tile-gemm refuses by it, and
/// candidates are filtered by it.
std::string whyNotBuilt(const ScheduleChoice &choice);

/// Why there is no kernel of this structure for such weights; empty if there
/// is.
std::string whyNotBuilt(const ScheduleChoice &choice, const GemmShape &shape);

/// Whether a kernel of this structure can be built for `shape` and `target` can
/// run it.
bool isBuilt(const ScheduleChoice &choice, const GemmShape &shape,
             const GpuTarget &target);

/// Shared memory of one block under `choice`: the ring, or the scratch of the
/// final sum where that is larger.
int64_t sharedBytes(const ScheduleChoice &choice, const GemmShape &shape);

/// The largest bound of M that schedules are chosen for.
inline constexpr int64_t largestM = int64_t(1) << 20;

/// Why there is no kernel for `shape` on `target`, whatever the schedule; empty
/// if there may be one.
std::string whyUnsupported(const GemmShape &shape, const GpuTarget &target);

/// Everything that could be tried for `shape` with `rows` rows in a launch: the
/// structures that are built, with tiles that divide N and K, that fit. Simple
/// ones come first.
std::vector<ScheduleChoice> candidates(const GemmShape &shape, int64_t rows,
                                       const GpuTarget &target);

} // namespace wna16

#endif // WNA16_LIB_SCHEDULE_SCHEDULE_H
