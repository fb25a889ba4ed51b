//===- TensorCopyHardwareTest.cpp - what an H200 does in tensor copies ----===//
//
// Answers of an H200 to what neither the PTX document nor the driver's settles:
// boxes narrower than their swizzle, element strides, fill values, rounding.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/TensorHarness.h"

using namespace wna16::emulator;
using Element = TensorMap::Element;
using Swizzle = TensorMap::Swizzle;
using Kernel = TensorKernel;

/// Contents of shared memory before a copy.
static constexpr unsigned untouched = 40000;

/// Chunks of shared memory after the load of a box with 8 rows, line by line of
/// 128 bytes: "row:chunk" of the box, or "-" for what the load left alone.
static std::vector<std::string> loadNarrow(unsigned rowBytes) {
  Kernel kernel(256, 128, rowBytes / 2, 8, Swizzle::Bytes128);
  kernel.map.element = Element::U16;
  kernel.body = fill(1024, untouched) + load(0, 0, rowBytes * 8) + dump(1024);
  const Outcome outcome = kernel.runClean();
  std::vector<std::string> lines(8);
  for (unsigned chunk = 0; chunk < 64; ++chunk) {
    const unsigned value = element(outcome.out, chunk * 16);
    for (unsigned i = 0; i < 8; ++i)
      EXPECT_EQ(element(outcome.out, chunk * 16 + i * 2), value + i);
    std::string &line = lines[chunk / 8];
    line += line.empty() ? "" : " ";
    line += value == untouched + chunk * 8
                ? "-"
                : std::to_string(value / 256) + ":" +
                      std::to_string(value % 256 / 8);
  }
  return lines;
}

TEST(TensorCopyHardware, NarrowBoxes) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(loadNarrow(64),
            (Lines{"0:0 0:1 0:2 0:3 - - - -", "1:1 1:0 1:3 1:2 - - - -",
                   "2:2 2:3 2:0 2:1 - - - -", "3:3 3:2 3:1 3:0 - - - -",
                   "- - - - 4:0 4:1 4:2 4:3", "- - - - 5:1 5:0 5:3 5:2",
                   "- - - - 6:2 6:3 6:0 6:1", "- - - - 7:3 7:2 7:1 7:0"}));
  EXPECT_EQ(loadNarrow(32),
            (Lines{"0:0 0:1 - - - - - -", "1:1 1:0 - - - - - -",
                   "- - 2:0 2:1 - - - -", "- - 3:1 3:0 - - - -",
                   "- - - - 4:0 4:1 - -", "- - - - 5:1 5:0 - -",
                   "- - - - - - 6:0 6:1", "- - - - - - 7:1 7:0"}));
  EXPECT_EQ(loadNarrow(16), (Lines{"0:0 - - - - - - -", "- 1:0 - - - - - -",
                                   "- - 2:0 - - - - -", "- - - 3:0 - - - -",
                                   "- - - - 4:0 - - -", "- - - - - 5:0 - -",
                                   "- - - - - - 6:0 -", "- - - - - - - 7:0"}));
}

/// A store finds the bytes where a load puts them.
TEST(TensorCopyHardware, NarrowStores) {
  Kernel kernel(64, 16, 16, 8, Swizzle::Bytes128);
  kernel.writable = true;
  kernel.body = fill(1024, untouched) + store(8, 4);
  kernel.runClean();
  for (unsigned y = 0; y < 16; ++y)
    for (unsigned x = 0; x < 64; ++x) {
      const unsigned r = y - 4, c = x - 8;
      const bool inside = r < 8 && c < 16;
      EXPECT_EQ(kernel.after[y * 64 + x],
                inside ? untouched + r * 64 + ((c / 8) ^ r) * 8 + c % 8
                       : y * 64 + x);
    }
}

/// The stride of the innermost dimension is ignored.
TEST(TensorCopyHardware, ElementStrides) {
  for (uint32_t innermost : {1, 2}) {
    Kernel kernel(256, 128, 16, 7, Swizzle::None);
    kernel.map.element = Element::U16;
    kernel.map.elementStrides = {innermost, 2, 1, 1, 1};
    kernel.body = load(0, 1, 128) + dump(128);
    const Outcome outcome = kernel.runClean();
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(element(outcome.out, i * 2), (1 + i / 16 * 2) * 256 + i % 16);
  }
}

TEST(TensorCopyHardware, FillsWithOneNan) {
  for (Element type : {Element::F16, Element::BF16, Element::F32, Element::TF32,
                       Element::F64}) {
    Kernel kernel(8, 16, 8, 1, Swizzle::None);
    kernel.map.element = type;
    kernel.map.fill = TensorMap::Fill::Nan;
    const unsigned width = kernel.map.elementBytes();
    kernel.map.dims[0] = kernel.map.box[0] = 16 / width;
    kernel.map.byteStrides[0] = width;
    kernel.body = fill(128, 0) + load(0, 16, 16) + dump(128);
    const Outcome outcome = kernel.runClean();
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(outcome.out[i], 0x7ff77ff7u) << TensorMap::name(type);
  }
}

TEST(TensorCopyHardware, RoundsTf32) {
  struct {
    uint32_t bits, tf32;
  } const values[] = {{0x3f800000, 0x3f800000}, {0x3f801000, 0x3f800000},
                      {0x3f801001, 0x3f802000}, {0x3f803000, 0x3f804000},
                      {0x3f802fff, 0x3f802000}, {0x00000001, 0x00000000},
                      {0x807fffff, 0x80800000}, {0x7f7fffff, 0x7f800000},
                      {0x7f800001, 0x7fffe000}, {0x7fc00001, 0x7fffe000},
                      {0xff800000, 0xff800000}, {0x00001000, 0x00000000},
                      {0xbf803000, 0xbf804000}, {0x00801000, 0x00800000},
                      {0x3f800000, 0x3f800000}, {0x3f800000, 0x3f800000}};
  for (Element type : {Element::TF32, Element::TF32Ftz, Element::F32Ftz}) {
    Kernel kernel(32, 1, 16, 1, Swizzle::None);
    kernel.map.element = type;
    kernel.map.dims[0] = 16;
    kernel.map.byteStrides = {4, 64};
    for (unsigned i = 0; i < 16; ++i)
      std::memcpy(&kernel.x[i * 2], &values[i].bits, 4);
    kernel.body = fill(128, 0) + load(0, 0, 64) + dump(128);
    const Outcome outcome = kernel.runClean();
    for (unsigned i = 0; i < 16; ++i)
      EXPECT_EQ(outcome.out[i],
                type == Element::F32Ftz ? values[i].bits : values[i].tf32)
          << TensorMap::name(type) << ", " << std::hex << values[i].bits;
  }
}
