//===- Ranges.cpp - one schedule for each range of M ----------------------===//

#include "lib/Schedule/Ranges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

using namespace wna16;

/// Tiles of outputs double from 8 rows to 256, so do the first bounds. Beyond,
/// the best tile hardly changes.
static constexpr int64_t bounds[] = {8,   16,  32,   64,      128,
                                     256, 512, 1024, largestM};
/// What a range without a practical end is judged at.
static constexpr int64_t largeM = 4096;
/// Beside measured times, a prediction has to promise more than the largest
/// error of the model.
static constexpr double trust = 2;
/// On a GPU with measured times, the factor for structures that were measured
/// with no shape: there was a reason.
static constexpr double untried = 1.2;
/// A range keeps the schedule of the one before it if that costs no more: the
/// model cannot tell them apart, and one kernel less is to be compiled.
static constexpr double indifference = 1.02;
static constexpr size_t shownAlternatives = 4;

llvm::ArrayRef<int64_t> wna16::rangeBounds() { return bounds; }

bool wna16::sameSummation(const ScheduleChoice &a, const ScheduleChoice &b) {
  // Shares are added in the order of the blocks, whatever brings them together.
  auto order = [](const ScheduleChoice &choice) {
    // Without parts and sums of a step, steps are one stream of products.
    bool isStream = choice.warpsK == 1 && choice.blocks == 1 &&
                    choice.scales == ScalePlace::Weights;
    return std::tuple(choice.math, choice.scales, isStream ? 0 : choice.tileK,
                      choice.warpsK, choice.blocks);
  };
  return order(a) == order(b);
}

namespace {

/// The candidates of one range, each with its score: microseconds, smaller is
/// better.
struct Range {
  int64_t maxM = 0;
  std::vector<int64_t> judgedM;
  std::vector<ScheduleChoice> choices;
  std::vector<double> scores;

  size_t best() const {
    return std::min_element(scores.begin(), scores.end()) - scores.begin();
  }
  /// The best of those with the same summation as `model`, or `choices.size()`.
  size_t bestLike(const ScheduleChoice &model) const {
    size_t found = choices.size();
    for (size_t i = 0; i < choices.size(); ++i)
      if (sameSummation(choices[i], model) &&
          (found == choices.size() || scores[i] < scores[found]))
        found = i;
    return found;
  }
  /// `pick`, or `before` where that is as good.
  size_t keep(size_t pick, const ScheduleChoice &before) const {
    size_t i =
        std::find(choices.begin(), choices.end(), before) - choices.begin();
    return i < choices.size() && scores[i] <= indifference * scores[pick]
               ? i
               : pick;
  }
};

} // namespace

/// Prediction, corrected by what kernels of this structure took elsewhere.
static double expectedMicroseconds(const GemmShape &shape, int64_t m,
                                   const ScheduleChoice &choice,
                                   const GpuTarget &target) {
  double factor = hasMeasuredChoices(target)
                      ? measuredOverPredicted(
                            shape.segmentRows ? shape.segmentRows : m, choice,
                            target)
                            .value_or(untried)
                      : 1;
  return factor * predict(shape, m, choice, target).total;
}

/// Geometric means of what each candidate takes, measured or expected.
static void score(Range &range, const GemmShape &shape,
                  const GpuTarget &target) {
  range.scores.assign(range.choices.size(), 0);
  for (int64_t m : range.judgedM) {
    std::vector<std::optional<double>> measured;
    for (const ScheduleChoice &choice : range.choices)
      measured.push_back(measuredMicroseconds(shape, m, choice, target));
    bool any = std::any_of(measured.begin(), measured.end(),
                           [](const auto &time) { return time.has_value(); });
    for (size_t i = 0; i < range.choices.size(); ++i) {
      double time = measured[i]
                        ? *measured[i]
                        : expectedMicroseconds(shape, m, range.choices[i],
                                               target) *
                              (any ? trust : 1);
      range.scores[i] += std::log(time) / range.judgedM.size();
    }
  }
  for (double &value : range.scores)
    value = std::exp(value);
}

/// One summation for all ranges: the one with the least sum of slowdowns.
/// Empty if no summation has a kernel for every range.
static std::vector<size_t> pickInvariant(llvm::ArrayRef<Range> ranges) {
  std::vector<size_t> best;
  double least = std::numeric_limits<double>::infinity();
  llvm::SmallVector<ScheduleChoice> tried;
  for (const ScheduleChoice &model : ranges.front().choices) {
    if (llvm::any_of(tried, [&](const ScheduleChoice &before) {
          return sameSummation(before, model);
        }))
      continue;
    tried.push_back(model);
    std::vector<size_t> picks;
    double cost = 0;
    for (const Range &range : ranges) {
      size_t pick = range.bestLike(model);
      if (pick == range.choices.size())
        break;
      picks.push_back(pick);
      cost += range.scores[pick] / range.scores[range.best()];
    }
    if (picks.size() == ranges.size() && cost < least) {
      least = cost;
      best = picks;
    }
  }
  return best;
}

static RatedChoice rate(const GemmShape &shape, int64_t m,
                        const ScheduleChoice &choice, const GpuTarget &target) {
  return {choice, predict(shape, m, choice, target),
          measuredMicroseconds(shape, m, choice, target)};
}

static RangeChoice finish(const Range &range, size_t pick,
                          const GemmShape &shape, const GpuTarget &target) {
  RangeChoice result;
  result.maxM = range.maxM;
  result.ratedM = range.judgedM.back();
  result.taken = rate(shape, result.ratedM, range.choices[pick], target);
  std::vector<size_t> order;
  for (size_t i = 0; i < range.choices.size(); ++i)
    if (i != pick && std::isfinite(range.scores[i]))
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return range.scores[a] < range.scores[b];
  });
  for (size_t i : order) {
    if (result.alternatives.size() == shownAlternatives)
      break;
    result.alternatives.push_back(
        rate(shape, result.ratedM, range.choices[i], target));
  }
  return result;
}

std::vector<RangeChoice> wna16::chooseRanges(const GemmShape &shape,
                                             const GpuTarget &target,
                                             const RangeOptions &options,
                                             std::string &reason) {
  reason = whyUnsupported(shape, target);
  if (!reason.empty())
    return {};
  // The order of summation must not depend on how far M goes.
  int64_t wantedM = options.batchInvariant ? std::end(bounds)[-1] : shape.maxM;
  std::vector<Range> ranges;
  for (int64_t bound : bounds) {
    Range range;
    range.maxM = bound;
    range.judgedM.push_back(std::min(bound, largeM));
    // One row is the most common of all, or one token.
    if (ranges.empty())
      range.judgedM.insert(range.judgedM.begin(),
                           std::min(bound, shape.topK));
    // A segment is one tile.
    range.choices = candidates(
        shape, shape.segmentRows ? shape.segmentRows : bound, target);
    score(range, shape, target);
    if (range.choices.empty() || !std::isfinite(range.scores[range.best()])) {
      reason = "no ring fits its shared memory";
      return {};
    }
    ranges.push_back(std::move(range));
    if (bound >= wantedM)
      break;
  }

  std::vector<size_t> picks;
  if (options.batchInvariant) {
    picks = pickInvariant(ranges);
    if (picks.empty()) {
      reason = "no order of summation has a kernel for every M";
      return {};
    }
  } else {
    for (const Range &range : ranges)
      picks.push_back(range.best());
  }

  std::vector<RangeChoice> result;
  for (auto [range, pick] : llvm::zip_equal(ranges, picks)) {
    bool first = result.empty();
    if (!first && result.back().maxM >= shape.maxM)
      break;
    if (!first)
      pick = range.keep(pick, result.back().taken.choice);
    RangeChoice next = finish(range, pick, shape, target);
    if (options.batchInvariant)
      next.invariantCost = range.scores[pick] / range.scores[range.best()];
    if (!first && result.back().taken.choice == next.taken.choice)
      result.pop_back();
    result.push_back(std::move(next));
  }
  return result;
}

std::optional<ScheduleChoice> wna16::chooseSchedule(const GemmShape &shape,
                                                    const GpuTarget &target,
                                                    const RangeOptions &options,
                                                    std::string &reason) {
  std::vector<RangeChoice> ranges =
      chooseRanges(shape, target, options, reason);
  if (ranges.empty())
    return std::nullopt;
  return ranges.back().taken.choice;
}
