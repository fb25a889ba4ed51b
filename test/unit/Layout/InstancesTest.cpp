//===- InstancesTest.cpp - instances against closed forms -----------------===//
//
// Every instance is compared, element by element, with the closed form of the
// format or instruction, written here as plain arithmetic. Nothing in the
// expectations comes from the library.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Instances.h"

#include "gtest/gtest.h"

#include <set>
#include <stdexcept>

using namespace wna16::layout;

namespace {

/// Compares offset(i, j) with expected(i, j) for all elements, and checks that
/// every offset below the span is used once.
template <typename Expected>
void expectOffsets(const StorageLayout &layout, int64_t rows, int64_t columns,
                   const Expected &expected) {
  std::vector<bool> used(layout.span(), false);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t offset = layout.offset(i, j);
      ASSERT_EQ(offset, expected(i, j)) << "at (" << i << ", " << j << ")";
      ASSERT_FALSE(used[offset]);
      used[offset] = true;
    }
  EXPECT_EQ(layout.span(), rows * columns);
}

/// Compares the coordinates of every (register, lane) with expected.
template <typename Expected>
void expectFragment(const LinearLayout &layout, uint32_t registers,
                    const Expected &expected) {
  ASSERT_EQ(layout.inBits("register"), unsigned(__builtin_ctz(registers)));
  ASSERT_EQ(layout.inBits("lane"), 5u);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < registers; ++reg)
      EXPECT_EQ(layout.apply({reg, lane}), expected(reg, lane))
          << "register " << reg << ", lane " << lane;
  EXPECT_TRUE(layout.isBijective());
}

using Coords = std::vector<uint32_t>;

TEST(Instances, RowMajor) {
  expectOffsets(rowMajor(5, 7), 5, 7,
                [](int64_t i, int64_t j) { return i * 7 + j; });
  StorageLayout pitched = rowMajor(5, 7, 10);
  EXPECT_EQ(pitched.offset(3, 2), 32);
  EXPECT_EQ(pitched.span(), 47);
}

TEST(Instances, CompressedTensorsWeights) {
  for (int64_t bits : {1, 2, 4, 8}) {
    int64_t k = 96, n = 20, codes = 32 / bits;
    // int32 [N][K / codes]
    expectOffsets(compressedTensorsWeights(k, n, bits), k, n,
                  [&](int64_t i, int64_t j) {
                    int64_t word = j * (k / codes) + i / codes;
                    return word * codes + i % codes;
                  });
  }
}

TEST(Instances, GptqWeights) {
  for (int64_t bits : {1, 2, 4, 8}) {
    int64_t k = 96, n = 20, codes = 32 / bits;
    // int32 [K / codes][N]
    expectOffsets(gptqWeights(k, n, bits), k, n, [&](int64_t i, int64_t j) {
      int64_t word = i / codes * n + j;
      return word * codes + i % codes;
    });
  }
}

TEST(Instances, MarlinWeights4) {
  for (auto [K, N] :
       {std::pair<int64_t, int64_t>{16, 64}, {48, 192}, {128, 64}})
    expectOffsets(marlinWeights(K, N, 4), K, N, [&](int64_t k, int64_t n) {
      int64_t base = (k / 16 * (N / 64) + n / 64) * 128;
      int64_t lane = 4 * (n % 8) + k % 8 / 2;
      int64_t s = n % 64 / 16, h = n / 8 % 2;
      int64_t word = base + 4 * lane + s;
      int64_t nibble = 4 * (k % 2) + 2 * h + k / 8 % 2;
      return word * 8 + nibble;
    });
}

TEST(Instances, MarlinWeights4InValueOrder) {
  // The same layout, said the way its dequantisation sees it: the eight values
  // of a word are rows 0, 1, 8, 9 of a column and of the one 8 further on.
  StorageLayout layout = marlinWeights(16, 64, 4);
  const int order[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  const int rows[4] = {0, 1, 8, 9};
  for (int lane = 0; lane < 32; ++lane)
    for (int s = 0; s < 4; ++s)
      for (int nibble = 0; nibble < 8; ++nibble) {
        int value = order[nibble];
        int k = lane % 4 * 2 + rows[value % 4];
        int n = s * 16 + lane / 4 + value / 4 * 8;
        EXPECT_EQ(layout.offset(k, n), (lane * 4 + s) * 8 + nibble);
      }
}

TEST(Instances, MarlinWeights8) {
  int64_t K = 48, N = 128;
  expectOffsets(marlinWeights(K, N, 8), K, N, [&](int64_t k, int64_t n) {
    int64_t base = (k / 16 * (N / 64) + n / 64) * 256;
    int64_t lane = 4 * (n % 8) + k % 8 / 2;
    int64_t s = n % 64 / 16, h = n / 8 % 2;
    int64_t word = base + 8 * lane + 2 * s + h;
    int64_t byte = 2 * (k % 2) + k / 8 % 2;
    return word * 4 + byte;
  });
}

TEST(Instances, MarlinWeightsNarrow) {
  // A lane has `bits` words. A word has blocks of eight columns side by side;
  // rows k and k + 1 are half a word apart.
  for (int64_t bits : {1, 2, 4, 8})
    for (auto [K, N] : {std::pair<int64_t, int64_t>{16, 64}, {48, 192}})
      expectOffsets(marlinWeights(K, N, bits), K, N, [&](int64_t k, int64_t n) {
        int64_t codes = 32 / bits, blocks = codes / 4;
        int64_t base = (k / 16 * (N / 64) + n / 64) * 32 * bits;
        int64_t lane = 4 * (n % 8) + k % 8 / 2, block = n % 64 / 8;
        int64_t word = base + bits * lane + block / blocks;
        return word * codes + codes / 2 * (k % 2) + 2 * (block % blocks) +
               k / 8 % 2;
      });
}

TEST(Instances, Awq) {
  int64_t K = 5, N = 24;
  const int column[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  for (const StorageLayout &layout : {awqWeights(K, N, 4), awqZeros(K, N, 4)})
    for (int64_t k = 0; k < K; ++k)
      for (int64_t word = 0; word < N / 8; ++word)
        for (int nibble = 0; nibble < 8; ++nibble)
          EXPECT_EQ(layout.offset(k, word * 8 + column[nibble]),
                    (k * (N / 8) + word) * 8 + nibble);
}

TEST(Instances, ZerosOfCheckpoints) {
  for (int64_t bits : {1, 2, 4, 8}) {
    int64_t G = 5, N = 96, codes = 32 / bits;
    // int32 [G][N / codes]
    expectOffsets(gptqZeros(G, N, bits), G, N, [&](int64_t g, int64_t n) {
      return (g * (N / codes) + n / codes) * codes + n % codes;
    });
    // int32 [N / codes][G]
    expectOffsets(compressedTensorsZeros(G, N, bits), G, N,
                  [&](int64_t g, int64_t n) {
                    return (n / codes * G + g) * codes + n % codes;
                  });
  }
}

TEST(Instances, MarlinZeros) {
  int64_t G = 3, N = 192;
  expectOffsets(marlinZeros(G, N, 4), G, N, [&](int64_t g, int64_t n) {
    int64_t j = n % 64 / 8, word = g * N / 8 + 8 * (n / 64) + n % 8;
    return word * 8 + j / 2 + 4 * (j % 2);
  });
  const int byteOf[4] = {0, 2, 1, 3};
  expectOffsets(marlinZeros(G, N, 8), G, N, [&](int64_t g, int64_t n) {
    int64_t j = n % 64 / 8;
    int64_t word = g * N / 4 + 16 * (n / 64) + 2 * (n % 8) + j / 4;
    return word * 4 + byteOf[j % 4];
  });
}

TEST(Instances, MarlinChannelScales) {
  // out[8 * i + t] = in[2 * i + order[t]] in every 32 columns.
  const int order[8] = {0, 1, 8, 9, 16, 17, 24, 25};
  int64_t G = 2, N = 96;
  StorageLayout layout = marlinChannelScales(G, N);
  for (int64_t g = 0; g < G; ++g)
    for (int64_t block = 0; block < N / 32; ++block)
      for (int i = 0; i < 4; ++i)
        for (int t = 0; t < 8; ++t)
          EXPECT_EQ(layout.offset(g, block * 32 + 2 * i + order[t]),
                    g * N + block * 32 + 8 * i + t);
}

TEST(Instances, MarlinWordIsAFragmentOfTheMma) {
  // One word holds what one lane needs as operand A (rows = columns of the
  // weights, transposed product): its codes are the elements of mmaA16x16.
  StorageLayout layout = marlinWeights(16, 64, 4);
  LinearLayout a = mmaA16x16();
  for (uint32_t s = 0; s < 4; ++s)
    for (uint32_t lane = 0; lane < 32; ++lane) {
      std::set<uint32_t> words;
      for (uint32_t reg = 0; reg < 8; ++reg) {
        Coords coords = a.apply({reg, lane});
        words.insert(layout.offset(coords[1], s * 16 + coords[0]) / 8);
      }
      EXPECT_EQ(words, std::set<uint32_t>{lane * 4 + s});
    }
}

TEST(Instances, MarlinGroupedScales) {
  int64_t G = 3, N = 192;
  expectOffsets(marlinGroupedScales(G, N), G, N, [&](int64_t g, int64_t n) {
    return g * N + 64 * (n / 64) + 8 * (n % 8) + n % 64 / 8;
  });
}

TEST(Instances, CompressedTensorsScales) {
  int64_t G = 3, N = 10;
  expectOffsets(compressedTensorsScales(G, N), G, N,
                [&](int64_t g, int64_t n) { return n * G + g; });
}

TEST(Instances, MmaA) {
  // Registers a0..a3 of two elements: rows l/4 and l/4 + 8, then k + 8.
  expectFragment(mmaA16x16(), 8, [](uint32_t i, uint32_t lane) {
    uint32_t reg = i / 2, half = i % 2;
    return Coords{lane / 4 + 8 * (reg % 2),
                  lane % 4 * 2 + half + 8 * (reg / 2)};
  });
}

TEST(Instances, MmaB) {
  expectFragment(mmaB16x8(), 4, [](uint32_t i, uint32_t lane) {
    uint32_t reg = i / 2, half = i % 2;
    return Coords{lane % 4 * 2 + half + 8 * reg, lane / 4};
  });
}

TEST(Instances, MmaC) {
  expectFragment(mmaC16x8(), 4, [](uint32_t i, uint32_t lane) {
    return Coords{lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
  });
}

TEST(Instances, LdmatrixX4) {
  expectFragment(ldmatrixX4(), 8, [](uint32_t i, uint32_t lane) {
    uint32_t matrix = i / 2, half = i % 2;
    return Coords{lane / 4, 8 * matrix + lane % 4 * 2 + half};
  });
}

TEST(Instances, XorSwizzle) {
  for (uint32_t rows : {1u, 4u, 16u})
    for (uint32_t columns : {8u, 64u, 128u})
      for (uint32_t span = 1; span <= columns / 8; span *= 2) {
        LinearLayout layout = xorSwizzle(rows, columns, span);
        EXPECT_TRUE(layout.isBijective());
        for (uint32_t offset = 0; offset < rows * columns; ++offset) {
          uint32_t row = offset / columns, stored = offset % columns / 8;
          uint32_t column = (stored ^ row % span) * 8 + offset % 8;
          ASSERT_EQ(layout.apply({offset}), (Coords{row, column}));
        }
      }
  EXPECT_THROW(xorSwizzle(8, 64, 16), std::invalid_argument);
  EXPECT_THROW(xorSwizzle(8, 48, 2), std::invalid_argument);
  EXPECT_THROW(xorSwizzle(0, 64, 2), std::invalid_argument);
}

TEST(Instances, SwizzledRowsAvoidBankConflicts) {
  // The eight rows that one ldmatrix phase reads at one logical chunk lie in
  // eight different groups of four banks.
  LinearLayout inverse = xorSwizzle(8, 64, 8).rightInverse();
  for (uint32_t chunk = 0; chunk < 8; ++chunk) {
    std::set<uint32_t> banks;
    for (uint32_t row = 0; row < 8; ++row)
      banks.insert(inverse.apply({row, chunk * 8})[0] * 2 % 128 / 16);
    EXPECT_EQ(banks.size(), 8u);
  }
}

} // namespace
