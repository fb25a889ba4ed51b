//===- TensorCoreModel.h - the sum of a tensor core, once more ------------===//
//
// The rules of TensorCore.h for one result, term by term in long double, to
// compare with.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_TEST_UNIT_EMULATOR_TENSORCOREMODEL_H
#define WNA16_TEST_UNIT_EMULATOR_TENSORCOREMODEL_H

#include "lib/Emulator/Numerics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wna16::emulator::model {

/// A number and the exponent of the smallest normal number of its format.
struct Element {
  double value;
  int least = -14;

  int exponent() const { return std::max(std::ilogb(value), least); }
};

/// a * b + c, finite, cut below 2^-`bits` of the largest term.
inline long double sum(const std::vector<Element> &a,
                       const std::vector<Element> &b, Element c,
                       int bits = 25) {
  int largest = -100000;
  for (size_t k = 0; k < a.size(); ++k)
    if (a[k].value != 0 && b[k].value != 0)
      largest = std::max(largest, a[k].exponent() + b[k].exponent());
  if (c.value != 0)
    largest = std::max(largest, c.exponent());
  const long double unit = std::ldexp(1.0L, largest - bits);
  long double total = std::trunc(c.value / unit);
  for (size_t k = 0; k < a.size(); ++k)
    total += std::trunc((long double)a[k].value * b[k].value / unit);
  return total * unit;
}

/// Towards zero, to infinity from 2^128 on.
inline float toFloat(long double value) {
  const float nearest = float(value);
  return std::abs((long double)nearest) > std::abs(value) &&
                 std::abs(value) < 0x1p128L
             ? std::nextafter(nearest, 0.0f)
             : nearest;
}

} // namespace wna16::emulator::model

#endif // WNA16_TEST_UNIT_EMULATOR_TENSORCOREMODEL_H
