//===- WarpgroupMatrixTest.cpp - numbers and fragments of wgmma -----------===//
//
// Products of every element type against sums of exact integers, element types
// against their definition, fragments against the layouts that CuTe writes
// down.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/WarpgroupMatrix.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace wna16::emulator;
using Element = MatrixElement;

/// Value of a float of `e` exponent and `m` mantissa bits by its definition.
static double valueOf(uint32_t bits, int e, int m, bool hasInfinity) {
  const int bias = (1 << (e - 1)) - 1,
            exponent = int(bits >> m) & ((1 << e) - 1);
  const uint32_t mantissa = bits & ((1u << m) - 1);
  const double sign = bits >> (e + m) & 1 ? -1 : 1;
  if (hasInfinity && exponent == (1 << e) - 1)
    return mantissa ? NAN : sign * INFINITY;
  if (!hasInfinity && (bits & ((1u << (e + m)) - 1)) == (1u << (e + m)) - 1)
    return NAN;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - m);
  return sign * std::ldexp(mantissa + (1u << m), exponent - bias - m);
}

static double valueOf(Element element, uint32_t bits) {
  switch (element) {
  case Element::F16:
    return valueOf(bits, 5, 10, true);
  case Element::BF16:
    return valueOf(bits, 8, 7, true);
  case Element::TF32:
    return valueOf(bits >> 13, 8, 10, true);
  case Element::E4M3:
    return valueOf(bits, 4, 3, false);
  case Element::E5M2:
    return valueOf(bits, 5, 2, true);
  case Element::S8:
    return int8_t(bits);
  case Element::U8:
    return uint8_t(bits);
  case Element::B1:
    break;
  }
  return 0;
}

static const Element elements[] = {Element::F16,  Element::BF16, Element::TF32,
                                   Element::E4M3, Element::E5M2, Element::S8,
                                   Element::U8};

static unsigned bytesOf(Element element) { return bitsOf(element) / 8; }

static std::unique_ptr<WarpgroupTile> newTile() {
  auto tile = std::make_unique<WarpgroupTile>();
  std::memset(static_cast<void *>(tile.get()), 0, sizeof(*tile));
  return tile;
}

static void put(uint8_t *raw, Element element, unsigned k, uint32_t bits) {
  std::memcpy(raw + k * (bitsOf(element) / 8), &bits, bytesOf(element));
}

static void expectSame(double found, double expected, uint32_t bits) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(found)) << bits;
  else
    EXPECT_EQ(std::bit_cast<uint64_t>(found), std::bit_cast<uint64_t>(expected))
        << bits;
}

TEST(WarpgroupMatrix, EveryValueOfEveryElementType) {
  auto tile = newTile();
  std::mt19937 random(3);
  for (Element element : elements) {
    const unsigned bytes = (bitsOf(element) / 8), perRow = 32 / bytes;
    const uint32_t values = bytes == 1 ? 256 : 1 << 16;
    for (uint32_t first = 0; first < values; first += 16 * perRow) {
      auto bits = [&](unsigned r, unsigned k) {
        const uint32_t value = (first + r * perRow + k) % values;
        // The low half of tf32 is ignored but for its three highest bits.
        return bytes == 4 ? value << 16 | (value * 40503u & 0xffff) : value;
      };
      for (unsigned r = 0; r < 16; ++r)
        for (unsigned k = 0; k < perRow; ++k) {
          put(tile->rawA[r], element, k, bits(r, k));
          put(tile->rawB[r], element, k, bits(r, k));
        }
      tile->convertA(element, 1);
      tile->convertB(element, 1, 16);
      for (unsigned r = 0; r < 16; ++r)
        for (unsigned k = 0; k < perRow; ++k) {
          const double expected = valueOf(element, bits(r, k));
          expectSame(tile->operands.wide[k][r], expected, bits(r, k));
          expectSame(tile->operands.narrow[r][k], expected, bits(r, k));
        }
    }
  }
}

/// Bits of a small integer, exact in every type (0 to 3 in the unsigned one).
static uint32_t encode(Element element, int value) {
  const float x = float(value);
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  switch (element) {
  case Element::TF32:
    return bits;
  case Element::BF16:
    return bits >> 16;
  case Element::S8:
    return uint32_t(value) & 0xff;
  case Element::U8:
    return uint32_t(value & 3);
  default: {
    const uint32_t limit = (bitsOf(element) / 8) == 1 ? 256 : 1 << 16;
    for (uint32_t candidate = 0; candidate < limit; ++candidate)
      if (valueOf(element, candidate) == x)
        return candidate;
    return 0;
  }
  }
}

TEST(WarpgroupMatrix, Products) {
  auto tile = newTile();
  std::mt19937 random(5);
  for (Element elementA : elements)
    for (Element elementB : elements) {
      const unsigned k = 32 / bytesOf(elementA);
      // Types mix within fp8 and within the integers only.
      if (bytesOf(elementA) != bytesOf(elementB) ||
          (bytesOf(elementA) != 1 && elementA != elementB))
        continue;
      uint32_t codesA[8], codesB[8];
      for (int i = 0; i < 8; ++i) {
        codesA[i] = encode(elementA, i - 4);
        codesB[i] = encode(elementB, i - 4);
      }
      for (unsigned columns : {8u, 24u, 256u}) {
        int a[16][32], b[256][32];
        auto fill = [&](uint8_t(*raw)[32], int(*values)[32], unsigned rows,
                        Element element, const uint32_t *codes) {
          for (unsigned r = 0; r < rows; ++r)
            for (unsigned i = 0; i < k; ++i) {
              const uint32_t code = codes[random() % 8];
              put(raw[r], element, i, code);
              values[r][i] = int(valueOf(element, code));
            }
        };
        fill(tile->rawA, a, 16, elementA, codesA);
        fill(tile->rawB, b, columns, elementB, codesB);
        const bool integer = isInteger(elementA);
        for (float scale : {1.0f, -1.0f}) {
          std::memset(tile->result, 0, sizeof(tile->result));
          tile->convertA(elementA, scale);
          tile->convertB(elementB, 1, columns);
          if (integer)
            tile->multiplyIntegers(elementA, columns, false);
          else
            tile->multiplyFloats(Accumulator::F32, elementA, elementB, columns);
          for (unsigned n = 0; n < columns; ++n)
            for (unsigned r = 0; r < 16; ++r) {
              int expected = 0;
              for (unsigned i = 0; i < k; ++i)
                expected += a[r][i] * b[n][i];
              const uint32_t bits = tile->result[n][r];
              ASSERT_EQ(integer ? float(int32_t(bits))
                                : std::bit_cast<float>(bits),
                        scale * float(expected))
                  << int(elementA) << ", row " << r << ", column " << n;
            }
        }
      }
    }
}

/// CuTe's layouts of a warp's part: ((4, 8), (2, 2, n)) : ((4 columns ...)) as
/// offsets row + 64 * column of the whole 64-row matrix.
static unsigned cuteOffset(unsigned lane, unsigned value,
                           const unsigned (&lanes)[2],
                           const unsigned (&values)[3], unsigned inner) {
  return lane % 4 * lanes[0] + lane / 4 * lanes[1] + value % inner * values[0] +
         value / inner % 2 * values[1] + value / inner / 2 * values[2];
}

TEST(WarpgroupMatrix, FragmentsOfA) {
  auto tile = newTile();
  struct Layout {
    unsigned bytes, lanes[2], values[3], inner;
  };
  // 64x16 of 16 bits, 64x8 of 32 bits (its first value mode has one element),
  // 64x32 of 8 bits.
  const Layout layouts[] = {{2, {128, 1}, {64, 8, 512}, 2},
                            {4, {64, 1}, {0, 8, 256}, 1},
                            {1, {256, 1}, {64, 8, 1024}, 4}};
  for (const Layout &layout : layouts) {
    uint32_t registers[4][32];
    const uint32_t *pointers[4];
    uint8_t bytes[4][32][4];
    const unsigned perRegister = 4 / layout.bytes;
    for (unsigned i = 0; i < 4; ++i) {
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned v = 0; v < perRegister; ++v) {
          const unsigned id = (i * perRegister + v) * 32 + lane;
          std::memset(bytes[i][lane] + v * layout.bytes, 0, layout.bytes);
          const uint16_t tag = uint16_t(layout.bytes == 1 ? id % 251 : id);
          std::memcpy(bytes[i][lane] + v * layout.bytes, &tag,
                      std::min(2u, layout.bytes));
        }
      std::memcpy(registers[i], bytes[i], sizeof(registers[i]));
      pointers[i] = registers[i];
    }
    tile->loadA(pointers);
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned v = 0; v < perRegister; ++v) {
          const unsigned offset =
              cuteOffset(lane, i * perRegister + v, layout.lanes, layout.values,
                         layout.inner);
          EXPECT_EQ(
              std::memcmp(tile->rawA[offset % 64] + offset / 64 * layout.bytes,
                          bytes[i][lane] + v * layout.bytes, layout.bytes),
              0)
              << layout.bytes << ", register " << i << ", lane " << lane;
        }
  }
}

TEST(WarpgroupMatrix, FragmentsOfD) {
  auto tile = newTile();
  for (unsigned n = 0; n < 256; ++n)
    for (unsigned r = 0; r < 16; ++r)
      tile->result[n][r] = n * 16 + r;
  const unsigned lanes[] = {128, 1}, values[] = {64, 8, 512};
  const auto expected = [&](unsigned lane, unsigned value) {
    const unsigned offset = cuteOffset(lane, value, lanes, values, 2);
    return offset / 64 * 16 + offset % 64;
  };
  uint32_t words[128][32];
  for (unsigned i = 0; i < 128; ++i) {
    tile->storeD(Accumulator::F32, i, words[i]);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(words[i][lane], expected(lane, i));
  }
  uint32_t halves[64][32];
  for (unsigned i = 0; i < 64; ++i) {
    tile->storeD(Accumulator::F16, i, halves[i]);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(halves[i][lane],
                expected(lane, i * 2) | expected(lane, i * 2 + 1) << 16);
  }
  // C goes the same way, and to zero without a register.
  for (bool packed : {false, true}) {
    const Accumulator type = packed ? Accumulator::F16 : Accumulator::S32;
    std::memset(tile->result, 0xff, sizeof(tile->result));
    for (unsigned i = 0; i < (packed ? 64 : 128); ++i)
      tile->loadC(type, i, packed ? halves[i] : words[i]);
    for (unsigned n = 0; n < 256; ++n)
      for (unsigned r = 0; r < 16; ++r)
        ASSERT_EQ(tile->result[n][r], n * 16 + r);
    tile->loadC(type, 0, nullptr);
    EXPECT_EQ(tile->result[0][0], 0u);
  }
}

TEST(WarpgroupMatrix, IntegersSaturateOrWrap) {
  auto tile = newTile();
  const auto sum = [&](Element a, int valueA, int valueB, uint32_t c,
                       bool saturate) {
    std::memset(tile->rawA, valueA, sizeof(tile->rawA));
    std::memset(tile->rawB, valueB, sizeof(tile->rawB));
    tile->convertA(a, 1);
    tile->convertB(a, 1, 8);
    tile->result[3][5] = c;
    tile->multiplyIntegers(a, 8, saturate);
    return tile->result[3][5];
  };
  EXPECT_EQ(sum(Element::U8, 255, 255, 0x7fffff00, true), 0x7fffffffu);
  EXPECT_EQ(sum(Element::U8, 255, 255, 0x7fffff00, false),
            0x7fffff00u + 32 * 255 * 255);
  EXPECT_EQ(sum(Element::S8, 127, -128, 0x80000010, true), 0x80000000u);
  EXPECT_EQ(sum(Element::S8, 127, -128, 5, false), 5u - 32 * 127 * 128);
  // 256 single bits.
  EXPECT_EQ(sum(Element::B1, 0x0f, 0x35, 7, false), 7u + 32 * 2);
}

TEST(WarpgroupMatrix, RoundsTowardsZeroAndFp8Coarsely) {
  auto tile = newTile();
  const auto sum = [&](Element element, uint32_t a, uint32_t b, float c,
                       Accumulator type) {
    std::memset(tile->rawA, 0, sizeof(tile->rawA));
    std::memset(tile->rawB, 0, sizeof(tile->rawB));
    put(tile->rawA[2], element, 1, a);
    put(tile->rawB[4], element, 1, b);
    tile->convertA(element, 1);
    tile->convertB(element, 1, 8);
    tile->result[4][2] = std::bit_cast<uint32_t>(c);
    tile->multiplyFloats(type, element, element, 8);
    return tile->result[4][2];
  };
  const auto f32 = [](float x) { return std::bit_cast<uint32_t>(x); };
  const uint32_t one = 0x3c00, tiny = 0x1000; // 1, 2^-11
  EXPECT_EQ(sum(Element::F16, one, one, 0x1p24f, Accumulator::F32),
            f32(0x1p24f)); // 2^24 + 1
  EXPECT_EQ(sum(Element::F16, one, one, 0x1.fffffep24f, Accumulator::F32),
            f32(0x1.fffffep24f));
  EXPECT_EQ(sum(Element::F16, one | 1, tiny, 1, Accumulator::F32),
            f32(1 + 0x1p-11f + 0x1p-21f));
  // e4m3: 1 + 2^-9 stays, 1 + 2^-14 does not.
  EXPECT_EQ(sum(Element::E4M3, 0x38, 0x01, 1, Accumulator::F32),
            f32(1 + 0x1p-9f));
  EXPECT_EQ(sum(Element::E4M3, 0x01, 0x11, 1, Accumulator::F32), f32(1));
  EXPECT_EQ(sum(Element::F16, 0x7c00, 0, 1, Accumulator::F32), 0x7fffffffu);
  EXPECT_EQ(sum(Element::F16, 0x7c00, one, 1, Accumulator::F32), 0x7f800000u);
  EXPECT_EQ(sum(Element::F16, 0x7bff, one, 0, Accumulator::F16), 0x7bffu);
}
