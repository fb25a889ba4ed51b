//===- HardwareTest.cpp - the emulator against a GPU's answers ------------===//
//
// Runs every kernel of test/Hardware in the emulator and compares the output
// with that of the hardware: bit for bit, or for approximate functions within
// the bounds of the PTX document, which hold for the hardware's output as well.
// WNA16_HARDWARE_TABLE=1 prints the errors of both.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Emulator.h"
#include "test/unit/Hardware/Cases.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iomanip>
#include <iostream>

namespace wna16::hardware {
namespace {

using namespace emulator;

/// Different results that one case lists.
constexpr unsigned maxListed = 4;
/// Different cases that one family lists.
constexpr unsigned maxCases = 60;

struct Differences {
  std::vector<std::string> lines;
  unsigned count = 0;

  void add(const std::string &line) {
    if (++count <= maxListed)
      lines.push_back(line);
  }
};

std::string hex(uint64_t bits, unsigned width) {
  std::ostringstream out;
  out << "0x" << std::hex << std::setfill('0') << std::setw(width / 4) << bits;
  return out.str();
}

/// "lane 3, inputs 0x1 0x2: expected 0x3, found 0x4".
std::string describe(const Case &test, const Column &result, unsigned lane,
                     uint64_t expected, uint64_t found) {
  std::string line = "lane " + std::to_string(lane);
  for (const Column &operand : test.operands)
    line += (&operand == test.operands.data() ? ", inputs " : " ") +
            hex(bitsAt(test.input, operand.offset + lane * operand.bits / 8,
                       operand.bits),
                operand.bits);
  if (test.results.size() > 1)
    line += ", result " + std::to_string(&result - test.results.data());
  return line + ": expected " + hex(expected, result.bits) + ", found " +
         hex(found, result.bits);
}

/// Equal, or with rule "nan" each element equal or both NaN.
bool matches(const Case &test, unsigned width, uint64_t expected,
             uint64_t found) {
  if (expected == found || test.rule != "nan")
    return expected == found;
  const unsigned step = floatWidth(test.element);
  for (unsigned at = 0; at < width; at += step) {
    const uint64_t mask = step == 64 ? ~uint64_t(0) : (uint64_t(1) << step) - 1;
    const uint64_t a = expected >> at & mask, b = found >> at & mask;
    if (a != b && !(std::isnan(decodeFloat(test.element, a)) &&
                    std::isnan(decodeFloat(test.element, b))))
      return false;
  }
  return true;
}

void compareBits(const Case &test, const std::vector<uint8_t> &out,
                 Differences &differences) {
  size_t at = 0;
  for (const Column &result : test.results)
    for (unsigned lane = 0; lane < test.threads;
         ++lane, at += result.bits / 8) {
      const uint64_t expected = bitsAt(test.answer, at, result.bits),
                     found = bitsAt(out, at, result.bits);
      if (!test.undefined.count(lane) &&
          !matches(test, result.bits, expected, found))
        differences.add(describe(test, result, lane, expected, found));
    }
  // Behind them, and without named results, elements or words.
  const unsigned width = test.rule == "nan" ? floatWidth(test.element) : 32;
  for (; at < out.size(); at += width / 8) {
    const uint64_t expected = bitsAt(test.answer, at, width),
                   found = bitsAt(out, at, width);
    if (!matches(test, width, expected, found))
      differences.add("byte " + std::to_string(at) + ": expected " +
                      hex(expected, width) + ", found " + hex(found, width));
  }
}

bool within(const Bound &bound, double value) {
  return std::isnan(bound.exact) ? std::isnan(value)
                                 : value >= bound.least && value <= bound.most;
}

/// The larger of absolute error / largest absolute error allowed.
struct Use {
  double hardware = 0, emulator = 0;

  static void widen(double &use, const Bound &bound, double value) {
    const double reach =
        std::max(bound.most - bound.exact, bound.exact - bound.least);
    if (std::isfinite(reach) && reach > 0 && std::isfinite(value))
      use = std::max(use, std::abs(value - bound.exact) / reach);
  }
};

void compareBounds(const Case &test, const std::vector<uint8_t> &out,
                   Differences &differences) {
  const unsigned width = floatWidth(test.element);
  Use use;
  for (size_t i = 0; i < test.bounds.size(); ++i) {
    const Bound &bound = test.bounds[i];
    const uint64_t expected = bitsAt(test.answer, i * width / 8, width),
                   found = bitsAt(out, i * width / 8, width);
    const double hardware = decodeFloat(test.element, expected),
                 here = decodeFloat(test.element, found);
    Use::widen(use.hardware, bound, hardware);
    Use::widen(use.emulator, bound, here);
    if (within(bound, hardware) && within(bound, here))
      continue;
    const Column &result = test.results.front();
    const unsigned lane = unsigned(i * width / result.bits);
    std::ostringstream line;
    line << std::setprecision(17)
         << describe(test, result, lane,
                     bitsAt(test.answer, lane * result.bits / 8, result.bits),
                     bitsAt(out, lane * result.bits / 8, result.bits))
         << ", allowed " << bound.least << " to " << bound.most;
    differences.add(line.str());
  }
  if (std::getenv("WNA16_HARDWARE_TABLE"))
    std::cout << test.name << ": hardware uses " << std::setprecision(2)
              << std::fixed << use.hardware << " of the bound, the emulator "
              << use.emulator << "\n";
}

void check(const Case &test, Differences &differences) {
  ParseResult parsed = parsePtx(test.text, test.name + ".ptx");
  if (auto *diagnostic = std::get_if<Diagnostic>(&parsed))
    return differences.add(diagnostic->str());
  Device device;
  Buffer &input = device.addBuffer("in", test.input, 256, true);
  Buffer &output = device.addBuffer("out", test.answer.size(), 256);
  LaunchSpec launch;
  launch.entry = test.name;
  launch.grid = {test.grid, 1, 1};
  launch.block = {test.threads, 1, 1};
  launch.params = {paramBytes(input.base), paramBytes(output.base)};
  Options options;
  options.threads = 1;
  options.counters = false;
  RunResult result = run(*std::get<0>(parsed), device, launch, options);
  for (const Report &report : result.reports)
    differences.add(report.str());
  if (!result.reports.empty())
    return;
  if (test.rule == "bound")
    compareBounds(test, output.bytes, differences);
  else
    compareBits(test, output.bytes, differences);
}

const char *const families[] = {"integer", "bits",    "float",  "half",
                                "compare", "convert", "approx", "pairs",
                                "warp",    "memory",  "matrix", "wgmma"};

std::vector<Case> casesOf(const std::string &family) {
  std::string error;
  std::vector<Case> cases = readCases(
      std::string(WNA16_HARDWARE_CASES "/") + family + ".cases", error);
  EXPECT_EQ(error, "");
  EXPECT_FALSE(cases.empty());
  return cases;
}

class HardwareTest : public ::testing::TestWithParam<const char *> {};

TEST_P(HardwareTest, AnswersAreThoseOfTheGpu) {
  const std::vector<Case> cases = casesOf(GetParam());
  unsigned bad = 0;
  std::string text;
  for (const Case &test : cases) {
    Differences differences;
    check(test, differences);
    if (!differences.count || ++bad > maxCases)
      continue;
    text += test.name + ": " + std::to_string(differences.count) + " of " +
            std::to_string(test.threads) + " lanes or more differ\n";
    for (const std::string &line : differences.lines)
      text += "  " + line + "\n";
  }
  EXPECT_EQ(bad, 0u) << "of " << cases.size() << " kernels\n" << text;
}

TEST_P(HardwareTest, AnotherAnswerIsFound) {
  // The last element of the first case is made wrong, or larger than allowed.
  Case test = casesOf(GetParam()).front();
  const unsigned width = test.rule == "bound" ? floatWidth(test.element) : 32;
  test.answer[test.answer.size() - width / 8] ^= 1;
  if (test.rule == "bound")
    test.bounds.back() = {7, 7, 7};
  Differences differences;
  check(test, differences);
  EXPECT_EQ(differences.count, 1u) << test.name;
}

INSTANTIATE_TEST_SUITE_P(, HardwareTest, ::testing::ValuesIn(families),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

} // namespace
} // namespace wna16::hardware
