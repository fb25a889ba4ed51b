//===- Cases.h - kernels and what a GPU answered --------------------------===//
//
// Reads the files that test/Hardware/generate.py writes: every case is a PTX
// kernel, its input and the output of real hardware.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_TEST_UNIT_HARDWARE_CASES_H
#define WNA16_TEST_UNIT_HARDWARE_CASES_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace wna16::hardware {

/// The values of one operand or result, lane by lane.
struct Column {
  unsigned bits = 0;
  size_t offset = 0;
};

/// What an approximate function may return; three NaNs where it must be NaN.
struct Bound {
  double exact, least, most;
};

struct Case {
  std::string name, rule, element;
  unsigned threads = 0, grid = 0;
  std::set<unsigned> undefined; ///< lanes that are not compared
  std::vector<Column> operands, results;
  std::string text;
  std::vector<uint8_t> input, answer;
  std::vector<Bound> bounds;
};

/// All cases of a file. On failure `error` says why.
std::vector<Case> readCases(const std::string &path, std::string &error);

/// Little-endian bits of `width` / 8 bytes.
uint64_t bitsAt(const std::vector<uint8_t> &bytes, size_t offset,
                unsigned width);

/// The value of a float of type "f16", "bf16", "f32" or "f64".
double decodeFloat(const std::string &element, uint64_t bits);
unsigned floatWidth(const std::string &element);

} // namespace wna16::hardware

#endif // WNA16_TEST_UNIT_HARDWARE_CASES_H
