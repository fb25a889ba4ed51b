//===- MatrixDescriptorTest.cpp - shared operands of wgmma ----------------===//
//
// The example layouts of the PTX document, evaluated as CuTe layouts, and the
// agreement with tensor copies: what a box writes with a swizzle, a descriptor
// of that swizzle reads as the logical matrix.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MatrixDescriptor.h"
#include "lib/Emulator/TensorBox.h"
#include "lib/Emulator/WarpgroupMatrix.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace wna16::emulator;
using Swizzle = TensorMap::Swizzle;

TEST(MatrixDescriptor, Fields) {
  MatrixDescriptor d;
  d.start = 0x12340;
  d.leadingOffset = 16;
  d.strideOffset = 1024;
  d.baseOffset = 5;
  d.swizzle = Swizzle::Bytes128;
  EXPECT_EQ(d.encode(), 0x400a'0040'0001'1234u);
  const Swizzle modes[] = {Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64,
                           Swizzle::Bytes32};
  for (uint64_t mode = 0; mode < 4; ++mode) {
    const uint64_t bits = mode << 62 | 0x000a'0040'0001'1234u;
    const MatrixDescriptor back = MatrixDescriptor::decode(bits);
    EXPECT_EQ(back.start, 0x12340u);
    EXPECT_EQ(back.leadingOffset, 16u);
    EXPECT_EQ(back.strideOffset, 1024u);
    EXPECT_EQ(back.baseOffset, 5u);
    EXPECT_EQ(back.swizzle, modes[mode]);
    EXPECT_EQ(back.encode(), bits);
  }
  EXPECT_TRUE(MatrixDescriptor::wellFormed(0xc00e'3fff'3fff'3fffu));
  for (unsigned bit : {14, 15, 30, 31, 46, 47, 48, 52, 61})
    EXPECT_FALSE(MatrixDescriptor::wellFormed(uint64_t(1) << bit)) << bit;
}

namespace {
/// One mode of a CuTe layout with nested shape: the offset of an index.
struct Mode {
  std::vector<unsigned> shape, stride;
  unsigned operator()(unsigned index) const {
    unsigned offset = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      offset += index % shape[i] * stride[i];
      index /= shape[i];
    }
    return offset;
  }
};

/// An example of "Canonical Layouts" in the PTX document.
struct Example {
  const char *name;
  bool mnMajor;
  unsigned elementBytes;
  Mode rows, k;
  unsigned swizzleBits;
  /// As the document gives them, in elements.
  unsigned leading, stride;
};
} // namespace

static const Example examples[] = {
    {"K, none, tf32",
     false,
     4,
     {{8, 2}, {4, 32}},
     {{4, 4}, {1, 64}},
     0,
     64,
     32},
    {"K, 32B, tf32", false, 4, {{8, 2}, {8, 64}}, {{4, 4}, {1, 4}}, 1, 0, 64},
    {"MN, none, bf16",
     true,
     2,
     {{8, 1, 2}, {1, 8, 64}},
     {{8, 2}, {8, 128}},
     0,
     128,
     64},
    {"MN, 32B, bf16",
     true,
     2,
     {{8, 2, 2}, {1, 8, 128}},
     {{8, 2}, {16, 256}},
     1,
     128,
     256},
    {"MN, 64B, bf16",
     true,
     2,
     {{8, 4, 2}, {1, 8, 256}},
     {{8, 2}, {32, 512}},
     2,
     256,
     512}};

TEST(MatrixDescriptor, ExamplesOfTheDocument) {
  for (const Example &example : examples) {
    MatrixDescriptor d;
    d.start = 0x2000;
    d.leadingOffset = example.leading * example.elementBytes;
    d.strideOffset = example.stride * example.elementBytes;
    d.swizzle = Swizzle(example.swizzleBits);
    unsigned rows = 1, chunks = 0;
    for (unsigned extent : example.rows.shape)
      rows *= extent;
    d.forEachChunk(example.mnMajor, 0, rows, [&](const OperandChunk &chunk) {
      const unsigned k = chunk.column / example.elementBytes;
      uint32_t expected = d.start + (example.rows(chunk.row) + example.k(k)) *
                                        example.elementBytes;
      // Swizzle<bits, 4, 3>
      const uint32_t mask = ((1u << example.swizzleBits) - 1) << 7;
      expected ^= (expected & mask) >> 3;
      EXPECT_EQ(chunk.address, expected)
          << example.name << ", row " << chunk.row << ", k " << k;
      ++chunks;
    });
    EXPECT_EQ(chunks, rows * 2) << example.name;
  }
}

namespace {
/// 256 KiB of shared memory with tensor copies into it.
struct Shared {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(1 << 18, 0xff);

  /// Box of `box0` x `box1` at (x, y) of a matrix of 16-bit elements in which
  /// each is its own index.
  void load(uint32_t at, Swizzle swizzle, unsigned pitch, unsigned box0,
            unsigned box1, int32_t x, int32_t y) {
    TensorMap map;
    map.element = TensorMap::Element::BF16;
    map.rank = 2;
    map.dims = {pitch, 1024, 1, 1, 1};
    map.byteStrides = {2, pitch * 2};
    map.box = {box0, box1, 1, 1, 1};
    map.swizzle = swizzle;
    EXPECT_EQ(TensorBox::unsupported(map, false), "");
    const int32_t coordinates[] = {x, y};
    TensorBox(map, coordinates).forEachRun(at, [&](const BoxRun &run) {
      for (uint32_t b = 0; b < run.bytes; b += 2) {
        const uint16_t value = uint16_t((run.global + b) / 2);
        std::memcpy(&bytes[run.shared + (b ^ run.chunkXor * 16u)], &value, 2);
      }
    });
  }

  uint16_t at(const uint8_t (*raw)[32], unsigned row, unsigned k) const {
    uint16_t value;
    std::memcpy(&value, raw[row] + 2 * k, 2);
    return value;
  }

  void read(const MatrixDescriptor &d, bool mnMajor, unsigned rows,
            uint8_t (*raw)[32]) const {
    d.forEachChunk(mnMajor, 0, rows, [&](const OperandChunk &chunk) {
      ASSERT_EQ(chunk.address % 16, 0u);
      ASSERT_LE(chunk.address + 16, bytes.size());
      WarpgroupTile::place(raw, chunk, mnMajor, &bytes[chunk.address]);
    });
  }
};
} // namespace

// Bases at and off the repeat of the pattern, which does not move with them.
static const uint32_t bases[] = {0, 1024, 0x8000, 0x8000 + 128, 0x8000 + 896};

TEST(MatrixDescriptor, ReadsWhatTensorCopiesWroteKMajor) {
  const unsigned rows = 64, k = 128;
  uint8_t raw[64][32];
  for (Swizzle swizzle :
       {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
    for (uint32_t base : bases) {
      // Panels of one span along K, one after the other.
      const unsigned span = 16u << unsigned(swizzle), width = span / 2;
      Shared shared;
      for (unsigned panel = 0; panel < k / width; ++panel)
        shared.load(base + panel * rows * span, swizzle, k, width, rows,
                    int32_t(panel * width), 0);
      for (unsigned step = 0; step < k / 16; ++step) {
        MatrixDescriptor d;
        d.swizzle = swizzle;
        d.strideOffset = 8 * span;
        d.leadingOffset = swizzle == Swizzle::None ? rows * span : 16;
        // Within a span by 32 bytes per step, without regard to the swizzle.
        d.start =
            base + step * 16 / width * rows * span + step * 16 % width * 2;
        shared.read(MatrixDescriptor::decode(d.encode()), false, rows, raw);
        for (unsigned r = 0; r < rows; ++r)
          for (unsigned i = 0; i < 16; ++i)
            ASSERT_EQ(shared.at(raw, r, i), r * k + step * 16 + i)
                << "swizzle " << span << ", base " << base << ", step " << step
                << ", row " << r << ", k " << i;
      }
    }
}

TEST(MatrixDescriptor, ReadsWhatTensorCopiesWroteMNMajor) {
  const unsigned rows = 128, k = 64;
  uint8_t raw[128][32];
  for (Swizzle swizzle :
       {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
    for (uint32_t base : bases) {
      // In memory the rows of the operand are contiguous.
      const unsigned span = 16u << unsigned(swizzle), width = span / 2;
      Shared shared;
      for (unsigned panel = 0; panel < rows / width; ++panel)
        shared.load(base + panel * k * span, swizzle, rows, width, k,
                    int32_t(panel * width), 0);
      for (unsigned step = 0; step < k / 16; ++step) {
        MatrixDescriptor d;
        d.swizzle = swizzle;
        d.start = base + step * 16 * span;
        d.leadingOffset = k * span; // next panel
        d.strideOffset = 8 * span;  // next 8 along K
        if (swizzle == Swizzle::None)
          std::swap(d.leadingOffset, d.strideOffset);
        shared.read(MatrixDescriptor::decode(d.encode()), true, rows, raw);
        for (unsigned r = 0; r < rows; ++r)
          for (unsigned i = 0; i < 16; ++i)
            ASSERT_EQ(shared.at(raw, r, i), (step * 16 + i) * rows + r)
                << "swizzle " << span << ", base " << base << ", step " << step
                << ", row " << r << ", k " << i;
      }
    }
}

TEST(MatrixDescriptor, BaseOffsetMovesThePattern) {
  // A pattern written from line 3 on, as if that were its line 0.
  MatrixDescriptor aligned, moved;
  aligned.swizzle = moved.swizzle = Swizzle::Bytes128;
  aligned.strideOffset = moved.strideOffset = 1024;
  aligned.start = 0x4000;
  moved.start = 0x4000 + 3 * 128;
  moved.baseOffset = (moved.start >> 7) & 7;
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned c = 0; c < 2; ++c)
      EXPECT_EQ(moved.chunkAddressK(row, c),
                aligned.chunkAddressK(row, c) + 3 * 128);
}
