//===- Reference.cpp - is the result right? -------------------------------===//
//
// out[m, n] = bias[n]
//   + sum over k of x[m, k] * (code[k, n] - zero[k / g, n]) * scale[k / g, n],
// where a code's offset stands for zero points. x is zero beyond its columns.
// In a mixture of experts, rows and matrices are those that its tables say.
// What a repack writes is in RepackReference.cpp; tables and sums of a mixture
// of experts are in MoeReference.cpp.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Reference.h"

#include "lib/Run/MoeReference.h"
#include "lib/Run/RepackReference.h"
#include "lib/Run/Routing.h"
#include "lib/Run/StoredMatrix.h"

#include <cmath>
#include <cstring>
#include <map>
#include <thread>

using llvm::createStringError;
using llvm::Expected;

namespace wna16::run {
namespace {

const ArgumentData &find(const std::vector<ArgumentData> &arguments,
                         const std::string &name) {
  for (const ArgumentData &data : arguments)
    if (data.argument->name == name)
      return data;
  llvm_unreachable("the record was validated");
}

/// Numbers beyond the last column are zero.
double numberAt(const ArgumentData &data, int64_t row, int64_t column) {
  if (column >= data.shape[1])
    return 0;
  return elementAt(data, row * data.strides[0] + column * data.strides[1]);
}

/// The operands of a product, of one expert or of all.
struct Operands {
  const ArgumentData *x, *w, *s, *zeros = nullptr, *bias = nullptr;
  StoredMatrix weights, scales;
  std::optional<StoredMatrix> zeroPoints, biasRow;
  int64_t group;

  Operands expert(int64_t number) const {
    Operands one = *this;
    one.weights = weights.expert(number);
    one.scales = scales.expert(number);
    if (zeroPoints)
      one.zeroPoints = zeroPoints->expert(number);
    if (biasRow)
      one.biasRow = biasRow->expert(number);
    return one;
  }

  /// Column `n` of the product of some rows of x: element m of `sums` is for
  /// the row whose numbers stand at xs[k * rows + m].
  void column(int64_t n, const std::vector<double> &xs,
              std::vector<double> &sums) const {
    const int64_t rows = int64_t(sums.size());
    std::fill(sums.begin(), sums.end(),
              biasRow ? biasRow->number(*bias, 0, n) : 0.0);
    double scale = 0, zero = double(w->argument->offset.value_or(0));
    for (int64_t k = 0; k < weights.rows(); ++k) {
      if (k % group == 0) {
        scale = scales.number(*s, k / group, n);
        if (zeroPoints)
          zero = double(zeroPoints->code(*zeros, k / group, n));
      }
      const double weight = (double(weights.code(*w, k, n)) - zero) * scale;
      const double *row = xs.data() + k * rows;
      for (int64_t m = 0; m < rows; ++m)
        sums[size_t(m)] += row[m] * weight;
    }
  }
};

Expected<Operands> findOperands(const LaunchProblem &problem,
                                const std::vector<ArgumentData> &arguments,
                                int64_t columns) {
  const ArgumentData &x = find(arguments, problem.x),
                     &w = find(arguments, problem.w),
                     &s = find(arguments, problem.s);
  if (!w.argument->bits || x.shape.size() != 2)
    return createStringError(
        "the problem needs two-dimensional x and y and weights with bits");
  auto weights = StoredMatrix::get(w), scales = StoredMatrix::get(s);
  if (!weights)
    return weights.takeError();
  if (!scales)
    return scales.takeError();
  Operands operands{&x,       &w,      &s, nullptr, nullptr,
                    *weights, *scales, {}, {},      problem.group};
  for (auto [name, data, matrix] :
       {std::tuple(&problem.zeros, &operands.zeros, &operands.zeroPoints),
        std::tuple(&problem.bias, &operands.bias, &operands.biasRow)}) {
    if (name->empty())
      continue;
    *data = &find(arguments, *name);
    auto found = StoredMatrix::get(**data);
    if (!found)
      return found.takeError();
    *matrix = *found;
  }
  const int64_t kSize = weights->rows(), groups = kSize / problem.group;
  auto covers = [&](const std::optional<StoredMatrix> &matrix, int64_t least) {
    return !matrix ||
           (matrix->rows() >= least && matrix->columns() >= columns &&
            matrix->experts() == weights->experts());
  };
  if (x.shape[1] > kSize || weights->columns() < columns ||
      kSize % problem.group || !covers(operands.scales, groups) ||
      !covers(operands.zeroPoints, groups) || !covers(operands.biasRow, 1))
    return createStringError("the shapes of x, w, y and the group of the "
                             "problem do not fit together");
  return operands;
}

/// Rows of x and y that one matrix multiplies.
using RowPairs = std::vector<std::pair<int64_t, int64_t>>;

/// Sets the rows of `out`, on all cores.
void multiply(const Operands &operands, const RowPairs &rows, int64_t nSize,
              std::vector<double> &out) {
  const int64_t count = int64_t(rows.size()), kSize = operands.weights.rows();
  std::vector<double> xs(size_t(count * kSize));
  for (int64_t m = 0; m < count; ++m)
    for (int64_t k = 0; k < kSize; ++k)
      xs[size_t(k * count + m)] =
          numberAt(*operands.x, rows[size_t(m)].first, k);
  auto columns = [&](int64_t begin, int64_t end) {
    std::vector<double> sums(static_cast<size_t>(count));
    for (int64_t n = begin; n < end; ++n) {
      operands.column(n, xs, sums);
      for (int64_t m = 0; m < count; ++m)
        out[size_t(rows[size_t(m)].second * nSize + n)] = sums[size_t(m)];
    }
  };
  const int64_t workers =
      std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 64);
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < workers; ++i)
    threads.emplace_back(columns, nSize * i / workers,
                         nSize * (i + 1) / workers);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

Expected<Reference>
computeReference(const LaunchRecord &record,
                 const std::vector<ArgumentData> &arguments) {
  const LaunchProblem &problem = *record.problem;
  if (problem.op == "moe_route")
    return routedItems(*problem.routing, arguments);
  if (problem.op == "moe_sum")
    return summedRows(problem, arguments);
  const ArgumentData &x = find(arguments, problem.x),
                     &y = find(arguments, problem.y);
  if (problem.op == "repack") {
    auto items = repackedItems(x, y);
    if (!items)
      return items.takeError();
    return Reference{std::move(*items), {}};
  }
  const bool isMoe = problem.op == "moe_gemm";
  if (problem.op != "gemm" && !isMoe)
    return createStringError("no reference for problem '" + problem.op + "'");
  if (y.shape.size() != 2)
    return createStringError(
        "the problem needs two-dimensional x and y and weights with bits");
  const int64_t rows = y.shape[0], nSize = y.shape[1];
  auto operands = findOperands(problem, arguments, nSize);
  if (!operands)
    return operands.takeError();
  Reference out{std::vector<double>(size_t(rows * nSize), 0.0),
                std::vector<bool>(size_t(rows), !isMoe)};
  if (!isMoe) {
    if (x.shape[0] != rows)
      return createStringError("the shapes of x, w, y and the group of the "
                               "problem do not fit together");
    RowPairs all;
    for (int64_t m = 0; m < rows; ++m)
      all.push_back({m, m});
    multiply(*operands, all, nSize, out.values);
    return out;
  }
  const LaunchRouting &routing = *problem.routing;
  if (operands->weights.experts() != routing.experts)
    return createStringError("the problem has " + llvm::Twine(routing.experts) +
                             " experts, its weights have " +
                             llvm::Twine(operands->weights.experts()));
  std::map<int64_t, RowPairs> byExpert;
  for (const RoutedRow &row :
       routedRows(routing, {numbersOf(find(arguments, routing.segments)),
                            numbersOf(find(arguments, routing.slots))})) {
    if (row.x >= x.shape[0] || row.y >= rows)
      continue;
    byExpert[row.expert].push_back({row.x, row.y});
    out.covered[size_t(row.y)] = true;
  }
  for (const auto &[expert, pairs] : byExpert)
    multiply(operands->expert(expert), pairs, nSize, out.values);
  return out;
}

/// Adds element `index` of y, which is `value`, to the comparison.
class ErrorSum {
public:
  explicit ErrorSum(Comparison &result) : result(result) {}

  void add(const ArgumentData &y, int64_t index, double value,
           double expected) {
    const unsigned bytes = dtypeBytes(y.argument->dtype);
    ++result.elements;
    norm += expected * expected;
    bool undefined = false;
    for (unsigned i = 0; !y.undefined.empty() && i < bytes; ++i)
      undefined |= y.undefined[size_t(index) * bytes + i];
    if (undefined) {
      ++result.unwritten;
    } else if (std::isnan(value)) {
      ++result.nans;
    } else {
      difference += (value - expected) * (value - expected);
      result.maxError = std::max(result.maxError, std::abs(value - expected));
    }
  }

  void finish() {
    result.relativeError =
        norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  }

private:
  Comparison &result;
  double difference = 0, norm = 0;
};

Comparison compareWithReference(const LaunchRecord &record,
                                const std::vector<ArgumentData> &arguments,
                                const Reference &reference) {
  const LaunchProblem &problem = *record.problem;
  Comparison result;
  ErrorSum sum(result);
  if (reference.covered.empty()) {
    const bool isRoute = problem.op == "moe_route";
    std::vector<std::string> names{problem.y};
    if (isRoute)
      names = {problem.routing->segments, problem.routing->slots};
    auto expected = reference.values.begin();
    for (const std::string &name : names) {
      const ArgumentData &data = find(arguments, name);
      const int64_t items =
          int64_t(data.bytes.size()) / dtypeBytes(data.argument->dtype);
      for (int64_t index = 0; index < items; ++index)
        sum.add(data, index, itemAt(data, index), *expected++);
    }
    sum.finish();
    return result;
  }
  const ArgumentData &y = find(arguments, problem.y);
  // Weights are rounded to the type of x where scales are multiplied into them.
  const bool isCoarse = y.argument->dtype == "bf16" ||
                        find(arguments, problem.x).argument->dtype == "bf16";
  result.tolerance = isCoarse ? 8e-3 : 1e-3;
  // Nothing but the sum and its only rounding.
  if (problem.op == "moe_sum" && y.argument->dtype == "f32")
    result.tolerance = 1e-6;
  for (int64_t m = 0; m < y.shape[0]; ++m) {
    if (!reference.covered[size_t(m)])
      continue;
    for (int64_t n = 0; n < y.shape[1]; ++n) {
      const int64_t index = m * y.strides[0] + n * y.strides[1];
      sum.add(y, index, elementAt(y, index),
              reference.values[size_t(m * y.shape[1] + n)]);
    }
  }
  sum.finish();
  return result;
}

} // namespace wna16::run
