//===- Reference.cpp - is the result right? -------------------------------===//
//
// out[m, n] = sum over k of x[m, k] * (code[k, n] - offset) * scale[k / g, n].
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Reference.h"

#include "lib/Layout/StorageNames.h"

#include <cmath>
#include <cstring>
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

/// offset(i, j) of a storage layout with the inside of a tile tabulated.
class OffsetTable {
public:
  explicit OffsetTable(const layout::StorageLayout &storage)
      : tile(storage.tileShape()), strides(storage.strides()) {
    for (int64_t i = 0; i < tile[0]; ++i)
      for (int64_t j = 0; j < tile[1]; ++j)
        inside.push_back(storage.offset(i, j));
  }
  int64_t operator()(int64_t i, int64_t j) const {
    return inside[size_t(i % tile[0] * tile[1] + j % tile[1])] +
           i / tile[0] * strides[0] + j / tile[1] * strides[1];
  }

private:
  std::array<int64_t, 2> tile, strides;
  std::vector<int64_t> inside;
};

Expected<OffsetTable> offsets(const ArgumentData &data,
                              std::array<int64_t, 2> shape) {
  const LaunchArgument &argument = *data.argument;
  try {
    auto storage =
        layout::storageLayoutByName(argument.layout, shape[0], shape[1],
                                    unsigned(argument.bits.value_or(16)));
    if (storage)
      return OffsetTable(*storage);
  } catch (const std::exception &error) {
    return createStringError("argument '" + argument.name +
                             "': " + error.what());
  }
  return createStringError("argument '" + argument.name +
                           "': unknown layout '" + argument.layout + "'");
}

unsigned codeAt(const ArgumentData &data, int64_t offset, unsigned bits) {
  const int64_t bit = offset * bits;
  return data.bytes[size_t(bit / 8)] >> (bit % 8) & ((1u << bits) - 1);
}

} // namespace

Expected<std::vector<double>>
computeReference(const LaunchRecord &record,
                 const std::vector<ArgumentData> &arguments) {
  const LaunchProblem &problem = *record.problem;
  const ArgumentData &x = find(arguments, problem.x),
                     &w = find(arguments, problem.w),
                     &s = find(arguments, problem.s),
                     &y = find(arguments, problem.y);
  if (problem.op != "gemm")
    return createStringError("no reference for problem '" + problem.op + "'");
  if (w.argument->logicalShape.size() != 2 || !w.argument->bits ||
      x.shape.size() != 2 || y.shape.size() != 2)
    return createStringError(
        "the problem needs two-dimensional x and y and weights with "
        "logical_shape and bits");
  const unsigned bits = unsigned(*w.argument->bits);
  const int64_t kSize = w.argument->logicalShape[0],
                nSize = w.argument->logicalShape[1], rows = y.shape[0];
  if (bits == 0 || 8 % bits || x.shape[1] != kSize || y.shape[1] != nSize ||
      x.shape[0] != rows || kSize % problem.group)
    return createStringError("the shapes of x, w, y and the group of the "
                             "problem do not fit together");
  const int64_t groups = kSize / problem.group;
  auto wOffset = offsets(w, {kSize, nSize});
  if (!wOffset)
    return wOffset.takeError();
  auto sOffset = offsets(s, {groups, nSize});
  if (!sOffset)
    return sOffset.takeError();
  // Every operand has to be as large as the loop below reaches.
  if (int64_t(w.bytes.size()) * 8 < kSize * nSize * bits ||
      int64_t(s.bytes.size()) < groups * nSize * dtypeBytes(s.argument->dtype))
    return createStringError("buffers of the weights or scales are smaller "
                             "than their logical shape");
  const double zero = double(w.argument->offset.value_or(0));

  std::vector<double> xs(size_t(rows * kSize));
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t k = 0; k < kSize; ++k)
      xs[size_t(k * rows + m)] =
          elementAt(x, m * x.strides[0] + k * x.strides[1]);

  std::vector<double> out(size_t(rows * nSize), 0.0);
  auto columns = [&](int64_t begin, int64_t end) {
    std::vector<double> sum(static_cast<size_t>(rows));
    for (int64_t n = begin; n < end; ++n) {
      std::fill(sum.begin(), sum.end(), 0.0);
      double scale = 0;
      for (int64_t k = 0; k < kSize; ++k) {
        if (k % problem.group == 0)
          scale = elementAt(s, (*sOffset)(k / problem.group, n));
        const double weight =
            (double(codeAt(w, (*wOffset)(k, n), bits)) - zero) * scale;
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

Comparison compareWithReference(const LaunchRecord &record,
                                const std::vector<ArgumentData> &arguments,
                                const std::vector<double> &reference) {
  const ArgumentData &y = find(arguments, record.problem->y);
  const unsigned bytes = dtypeBytes(y.argument->dtype);
  Comparison result;
  result.tolerance = y.argument->dtype == "bf16" ? 8e-3 : 1e-3;
  double difference = 0, norm = 0;
  for (int64_t m = 0; m < y.shape[0]; ++m)
    for (int64_t n = 0; n < y.shape[1]; ++n) {
      const int64_t index = m * y.strides[0] + n * y.strides[1];
      const double value = elementAt(y, index);
      const double expected = reference[size_t(m * y.shape[1] + n)];
      ++result.elements;
      norm += expected * expected;
      bool undefined = false;
      for (unsigned i = 0; !y.undefined.empty() && i < bytes; ++i)
        undefined |= y.undefined[size_t(index) * bytes + i];
      if (undefined) {
        ++result.unwritten;
        continue;
      }
      if (std::isnan(value)) {
        ++result.nans;
        continue;
      }
      difference += (value - expected) * (value - expected);
      result.maxError = std::max(result.maxError, std::abs(value - expected));
    }
  result.relativeError =
      norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  return result;
}

} // namespace wna16::run
