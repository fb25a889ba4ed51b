//===- Plan.cpp - which kernels a gemm gets, and why ----------------------===//

#include "lib/Emit/Plan.h"

#include "lib/Schedule/ScheduleAttribute.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace wna16 {

namespace {
/// A part of a prediction, with its name for people and for programs.
struct Part {
  const char *name, *key;
  double microseconds;
};
} // namespace

static std::vector<Part> partsOf(const Prediction &prediction) {
  return {{"memory", "memory", prediction.memory},
          {"L2 to shared memory", "l2", prediction.cache},
          {"shared memory", "shared", prediction.shared},
          {"issue slots", "issue", prediction.issue},
          {"tensor cores", "tensor", prediction.tensor},
          {"latency", "latency", prediction.latency}};
}

FailureOr<std::vector<GemmPlan>> planGemms(ModuleOp module,
                                           const GpuTarget &target,
                                           const RangeOptions &options) {
  std::vector<GemmPlan> plans;
  WalkResult result = module->walk([&](mlir::wna16::ProductOpInterface gemm) {
    if (gemm.getScheduleAttr())
      return WalkResult::advance();
    FailureOr<GemmShape> shape = shapeOf(gemm);
    if (failed(shape))
      return WalkResult::interrupt();
    auto ranges = chooseRanges(gemm, target, options);
    if (failed(ranges))
      return WalkResult::interrupt();
    GemmPlan plan;
    if (auto function = gemm->getParentOfType<func::FuncOp>())
      plan.function = function.getSymName().str();
    plan.target = &target;
    plan.shape = *shape;
    for (const RangeChoice &range : *ranges) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      Attribute schedule = toAttribute(module.getContext(), range.taken.choice);
      schedule.print(stream);
      plan.schedules.push_back(std::move(text));
    }
    plan.ranges = std::move(*ranges);
    plans.push_back(std::move(plan));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return plans;
}

static const char *nameOf(Activations activations) {
  return activations == Activations::BF16 ? "bf16" : "f16";
}

static void explainRange(const RangeChoice &range, StringRef schedule,
                         raw_ostream &out) {
  const Prediction &prediction = range.taken.prediction;
  out << "  M <= " << range.maxM << "\n    schedule    " << schedule
      << "\n    time        ";
  out << llvm::format("%.1f us predicted", prediction.total);
  if (range.taken.measured)
    out << llvm::format(", %.1f us measured", *range.taken.measured);
  out << ", at M = " << range.ratedM << "\n    of which    ";
  llvm::interleaveComma(partsOf(prediction), out, [&](const Part &part) {
    out << part.name << llvm::format(" %.1f", part.microseconds);
  });
  out << "\n    limit       " << prediction.limit() << "; "
      << prediction.residentBlocks << " blocks per multiprocessor, "
      << llvm::format("%.2f", prediction.tilesPerSm)
      << " tiles on the busiest one\n";
  if (range.invariantCost > 1)
    out << llvm::format("    invariance  costs %.0f %%\n",
                        100 * (range.invariantCost - 1));
  for (const RatedChoice &other : range.alternatives) {
    out << "    rather than " << describe(other.choice)
        << llvm::format(": %.1f us", other.prediction.total);
    if (other.measured)
      out << llvm::format(", %.1f measured", *other.measured);
    out << "\n";
  }
}

void explainPlan(const GemmPlan &plan, raw_ostream &out) {
  out << "ranges of M of " << plan.function << ": N = " << plan.shape.n
      << ", K = " << plan.shape.k << ", groups of " << plan.shape.group << ", ";
  if (plan.shape.segmentRows)
    out << plan.shape.topK << " of " << plan.shape.experts
        << " experts, segments of " << plan.shape.segmentRows << " rows, ";
  out << nameOf(plan.shape.activations) << ", for " << plan.target->name << " ("
      << plan.target->product << ")\n";
  for (auto [range, schedule] : llvm::zip_equal(plan.ranges, plan.schedules))
    explainRange(range, schedule, out);
}

/// A number with what is significant of a prediction.
static void writeNumber(llvm::json::OStream &json, StringRef key,
                        double value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::format("%.3f", value);
  json.attributeBegin(key);
  json.rawValue(text);
  json.attributeEnd();
}

static void writeRated(llvm::json::OStream &json, const RatedChoice &rated) {
  writeNumber(json, "predicted_us", rated.prediction.total);
  if (rated.measured)
    writeNumber(json, "measured_us", *rated.measured);
}

static void writeRange(llvm::json::OStream &json, const RangeChoice &range,
                       StringRef schedule) {
  json.object([&] {
    json.attribute("max_m", range.maxM);
    json.attribute("schedule", schedule);
    json.attribute("at_m", range.ratedM);
    writeRated(json, range.taken);
    json.attributeObject("parts_us", [&] {
      for (const Part &part : partsOf(range.taken.prediction))
        writeNumber(json, part.key, part.microseconds);
    });
    json.attribute("limit", range.taken.prediction.limit());
    writeNumber(json, "invariant_cost", range.invariantCost);
    json.attributeArray("alternatives", [&] {
      for (const RatedChoice &other : range.alternatives)
        json.object([&] {
          json.attribute("schedule", describe(other.choice));
          writeRated(json, other);
        });
    });
  });
}

void writePlans(llvm::ArrayRef<GemmPlan> plans, const RangeOptions &options,
                raw_ostream &out) {
  llvm::json::OStream json(out, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("format", "wna16-plan");
    json.attribute("version", 1);
    json.attribute("batch_invariant", options.batchInvariant);
    json.attributeArray("gemms", [&] {
      for (const GemmPlan &plan : plans)
        json.object([&] {
          json.attribute("function", plan.function);
          json.attribute("target", plan.target->name);
          json.attribute("n", plan.shape.n);
          json.attribute("k", plan.shape.k);
          json.attribute("group", plan.shape.group);
          json.attribute("activations", nameOf(plan.shape.activations));
          if (plan.shape.segmentRows) {
            json.attribute("experts", plan.shape.experts);
            json.attribute("top_k", plan.shape.topK);
            json.attribute("segment_rows", plan.shape.segmentRows);
          }
          json.attributeArray("ranges", [&] {
            for (auto [range, schedule] :
                 llvm::zip_equal(plan.ranges, plan.schedules))
              writeRange(json, range, schedule);
          });
        });
    });
  });
  out << "\n";
}

} // namespace wna16
