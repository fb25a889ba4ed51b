//===- Reference.cpp - is the result right? -------------------------------===//
//
// out[m, n] = bias[n]
//   + sum over k of x[m, k] * (code[k, n] - zero[k / g, n]) * scale[k / g, n],
// where a code's offset stands for zero points. x is zero beyond its columns.
// What a repack writes is in RepackReference.cpp.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Reference.h"

#include "lib/Run/RepackReference.h"
#include "lib/Run/StoredMatrix.h"

#include <cmath>
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

} // namespace

Expected<std::vector<double>>
computeReference(const LaunchRecord &record,
                 const std::vector<ArgumentData> &arguments) {
  const LaunchProblem &problem = *record.problem;
  if (problem.op == "repack")
    return repackedItems(find(arguments, problem.x),
                         find(arguments, problem.y));
  const ArgumentData &x = find(arguments, problem.x),
                     &w = find(arguments, problem.w),
                     &s = find(arguments, problem.s),
                     &y = find(arguments, problem.y);
  if (problem.op != "gemm")
    return createStringError("no reference for problem '" + problem.op + "'");
  if (!w.argument->bits || x.shape.size() != 2 || y.shape.size() != 2)
    return createStringError(
        "the problem needs two-dimensional x and y and weights with bits");
  auto weights = StoredMatrix::get(w), scales = StoredMatrix::get(s);
  if (!weights)
    return weights.takeError();
  if (!scales)
    return scales.takeError();
  std::optional<StoredMatrix> zeros, bias;
  for (auto [name, matrix] :
       {std::pair(&problem.zeros, &zeros), std::pair(&problem.bias, &bias)}) {
    if (name->empty())
      continue;
    auto found = StoredMatrix::get(find(arguments, *name));
    if (!found)
      return found.takeError();
    *matrix = *found;
  }
  const int64_t rows = y.shape[0], nSize = y.shape[1], kSize = weights->rows();
  auto covers = [&](const std::optional<StoredMatrix> &matrix, int64_t least) {
    return !matrix || (matrix->rows() >= least && matrix->columns() >= nSize);
  };
  const int64_t groups = kSize / problem.group;
  if (x.shape[1] > kSize || weights->columns() < nSize || x.shape[0] != rows ||
      kSize % problem.group || !covers(*scales, groups) ||
      !covers(zeros, groups) || !covers(bias, 1))
    return createStringError("the shapes of x, w, y and the group of the "
                             "problem do not fit together");
  const ArgumentData *z = zeros ? &find(arguments, problem.zeros) : nullptr;
  const ArgumentData *b = bias ? &find(arguments, problem.bias) : nullptr;
  const double offset = double(w.argument->offset.value_or(0));

  std::vector<double> xs(size_t(rows * kSize));
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t k = 0; k < kSize; ++k)
      xs[size_t(k * rows + m)] = numberAt(x, m, k);

  std::vector<double> out(size_t(rows * nSize), 0.0);
  auto columns = [&](int64_t begin, int64_t end) {
    std::vector<double> sum(static_cast<size_t>(rows));
    for (int64_t n = begin; n < end; ++n) {
      std::fill(sum.begin(), sum.end(), b ? bias->number(*b, 0, n) : 0.0);
      double scale = 0, zero = offset;
      for (int64_t k = 0; k < kSize; ++k) {
        if (k % problem.group == 0) {
          scale = scales->number(s, k / problem.group, n);
          if (z)
            zero = double(zeros->code(*z, k / problem.group, n));
        }
        const double weight = (double(weights->code(w, k, n)) - zero) * scale;
        const double *row = xs.data() + k * rows;
        for (int64_t m = 0; m < rows; ++m)
          sum[size_t(m)] += row[m] * weight;
      }
      for (int64_t m = 0; m < rows; ++m)
        out[size_t(m * nSize + n)] = sum[size_t(m)];
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
  return out;
}

/// Adds element `index` of y, which is `value`, to the comparison.
class ErrorSum {
public:
  ErrorSum(const ArgumentData &y, Comparison &result) : y(y), result(result) {}

  void add(int64_t index, double value, double expected) {
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
  const ArgumentData &y;
  Comparison &result;
  double difference = 0, norm = 0;
};

Comparison compareWithReference(const LaunchRecord &record,
                                const std::vector<ArgumentData> &arguments,
                                const std::vector<double> &reference) {
  const ArgumentData &y = find(arguments, record.problem->y);
  Comparison result;
  ErrorSum sum(y, result);
  if (record.problem->op == "repack") {
    for (size_t index = 0; index < reference.size(); ++index)
      sum.add(int64_t(index), itemAt(y, int64_t(index)), reference[index]);
    sum.finish();
    return result;
  }
  // Weights are rounded to the type of x where scales are multiplied into them.
  const bool isCoarse = y.argument->dtype == "bf16" ||
                        find(arguments, record.problem->x).argument->dtype ==
                            "bf16";
  result.tolerance = isCoarse ? 8e-3 : 1e-3;
  for (int64_t m = 0; m < y.shape[0]; ++m)
    for (int64_t n = 0; n < y.shape[1]; ++n) {
      const int64_t index = m * y.strides[0] + n * y.strides[1];
      sum.add(index, elementAt(y, index),
              reference[size_t(m * y.shape[1] + n)]);
    }
  sum.finish();
  return result;
}

} // namespace wna16::run
