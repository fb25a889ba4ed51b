//===- PackerTest.cpp - repacking -----------------------------------------===//
//
// Repacked data is checked code by code against plain bit extraction at
// hand-computed positions, and by round trips of random data between all pairs
// of layouts.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/Packer.h"
#include "lib/Layout/ElementTable.h"
#include "lib/Layout/Instances.h"
#include "lib/Layout/StorageNames.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <ctime>
#include <random>
#include <stdexcept>
#include <thread>

using namespace wna16::layout;

namespace {

using Words = std::vector<uint32_t>;

Words randomWords(std::mt19937 &rng, size_t count) {
  Words words(count);
  for (uint32_t &word : words)
    word = rng();
  return words;
}

template <typename Body> std::string errorOf(const Body &body) {
  try {
    body();
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "no error";
}

/// Between two layouts of the same shape.
void repackCodes(const StorageLayout &from, const uint32_t *src,
                 const StorageLayout &to, uint32_t *dst, unsigned bits,
                 unsigned threads = 0) {
  repack(PackedStorage(from, bits), src, PackedStorage(to, bits), dst,
         from.shape(), threads);
}

uint32_t codeAt(const Words &words, int64_t offset, unsigned bits) {
  int64_t codes = 32 / bits;
  return words[offset / codes] >> (offset % codes * bits) &
         ((uint64_t(1) << bits) - 1);
}

TEST(Packer, CompressedTensorsToMarlin) {
  std::mt19937 rng(10);
  int64_t K = 96, N = 192;
  Words source = randomWords(rng, K * N / 8), packed(K * N / 8);
  repackCodes(compressedTensorsWeights(K, N, 4), source.data(),
              marlinWeights(K, N, 4), packed.data(), 4);
  for (int64_t k = 0; k < K; ++k)
    for (int64_t n = 0; n < N; ++n) {
      uint32_t code = source[n * (K / 8) + k / 8] >> (k % 8 * 4) & 15;
      int64_t word = (k / 16 * (N / 64) + n / 64) * 128 +
                     4 * (4 * (n % 8) + k % 8 / 2) + n % 64 / 16;
      int64_t nibble = 4 * (k % 2) + 2 * (n / 8 % 2) + k / 8 % 2;
      ASSERT_EQ(packed[word] >> (4 * nibble) & 15, code)
          << "at (" << k << ", " << n << ")";
    }
}

TEST(Packer, GptqToMarlin8) {
  std::mt19937 rng(11);
  int64_t K = 32, N = 128;
  Words source = randomWords(rng, K * N / 4), packed(K * N / 4);
  repackCodes(gptqWeights(K, N, 8), source.data(), marlinWeights(K, N, 8),
              packed.data(), 8);
  for (int64_t k = 0; k < K; ++k)
    for (int64_t n = 0; n < N; ++n) {
      uint32_t code = source[k / 4 * N + n] >> (k % 4 * 8) & 255;
      int64_t word = (k / 16 * (N / 64) + n / 64) * 256 +
                     8 * (4 * (n % 8) + k % 8 / 2) + 2 * (n % 64 / 16) +
                     n / 8 % 2;
      int64_t byte = 2 * (k % 2) + k / 8 % 2;
      ASSERT_EQ(packed[word] >> (8 * byte) & 255, code);
    }
}

/// The value of bit `bit` of a buffer.
uint32_t bitAt(const Words &words, int64_t bit) {
  return words[bit / 32] >> (bit % 32) & 1;
}

TEST(Packer, StreamsCrossWords) {
  // Bit p of a stream is bit p % 32 of its word p / 32; words of GPTQ streams
  // are N apart, those of compressed-tensors follow each other.
  std::mt19937 rng(17);
  for (unsigned bits : {3u, 5u, 6u, 7u}) {
    int64_t K = 64, N = 5, perColumn = K * bits / 32;
    Words source = randomWords(rng, perColumn * N), codes((K * N + 3) / 4);
    for (bool gptq : {true, false}) {
      const char *name = gptq ? "gptq" : "compressed_tensors";
      repack(*storageByName(name, K, N, bits), source.data(),
             PackedStorage(rowMajor(K, N), 8), codes.data(), {K, N});
      for (int64_t k = 0; k < K; ++k)
        for (int64_t n = 0; n < N; ++n) {
          uint32_t expected = 0;
          for (unsigned bit = 0; bit < bits; ++bit) {
            int64_t place = k * bits + bit;
            int64_t word =
                gptq ? place / 32 * N + n : n * perColumn + place / 32;
            expected |= bitAt(source, word * 32 + place % 32) << bit;
          }
          ASSERT_EQ(codeAt(codes, k * N + n, 8), expected)
              << name << " " << bits << " at (" << k << ", " << n << ")";
        }
    }
  }
}

TEST(Packer, PlanesOfAWord) {
  // 7 = 4 + 2 + 1 bits, three matrices one after the other.
  std::mt19937 rng(18);
  int64_t K = 32, N = 128;
  Words marlin = randomWords(rng, K * N * 7 / 32), codes(K * N / 4);
  repack(*storageByName("marlin", K, N, 7), marlin.data(),
         PackedStorage(rowMajor(K, N), 8), codes.data(), {K, N});
  Words low(marlin.begin(), marlin.begin() + K * N / 8);
  Words middle(marlin.begin() + K * N / 8,
               marlin.begin() + K * N / 8 + K * N / 16);
  Words high(marlin.begin() + K * N / 8 + K * N / 16, marlin.end());
  for (int64_t k = 0; k < K; ++k)
    for (int64_t n = 0; n < N; ++n)
      ASSERT_EQ(codeAt(codes, k * N + n, 8),
                codeAt(low, marlinWeights(K, N, 4).offset(k, n), 4) |
                    codeAt(middle, marlinWeights(K, N, 2).offset(k, n), 2)
                        << 4 |
                    codeAt(high, marlinWeights(K, N, 1).offset(k, n), 1) << 6);
}

TEST(Packer, RoundTripsOfAllPairs) {
  std::mt19937 rng(12);
  for (unsigned bits = 1; bits <= 8; ++bits)
    for (auto [K, N] : {std::pair<int64_t, int64_t>{32, 64}, {288, 320}}) {
      std::vector<PackedStorage> storages = {PackedStorage(rowMajor(K, N), 8)};
      for (const char *name : {"marlin", "gptq", "compressed_tensors",
                               "gptq_zeros", "compressed_tensors_zeros"})
        storages.push_back(*storageByName(name, K, N, bits));
      // Codes of every storage are those of a plain matrix.
      Words plain((K * N + 3) / 4);
      for (uint32_t &word : plain)
        word = rng() & ((1u << bits) - 1) * 0x01010101u;
      for (const PackedStorage &from : storages) {
        Words source(from.words());
        repack(storages[0], plain.data(), from, source.data(), {K, N});
        ElementTable fromTable(from);
        for (const PackedStorage &to : storages) {
          Words there(to.words(), 0xcccccccc), back(plain.size());
          repack(from, source.data(), to, there.data(), {K, N});
          ElementTable toTable(to);
          for (int probe = 0; probe < 100; ++probe) {
            int64_t k = rng() % K, n = rng() % N;
            ASSERT_EQ(toTable.read(there.data(), k, n),
                      codeAt(plain, k * N + n, 8));
          }
          repack(to, there.data(), storages[0], back.data(), {K, N});
          ASSERT_EQ(plain, back) << bits;
        }
      }
    }
}

TEST(Packer, ElementTable) {
  // Writing all elements one by one is repacking.
  std::mt19937 rng(19);
  int64_t K = 32, N = 64;
  for (unsigned bits = 1; bits <= 8; ++bits)
    for (const char *name : {"marlin", "gptq", "compressed_tensors"}) {
      PackedStorage storage = *storageByName(name, K, N, bits);
      ElementTable table(storage);
      Words source = randomWords(rng, storage.words()), copy(source.size());
      for (int64_t k = 0; k < K; ++k)
        for (int64_t n = 0; n < N; ++n)
          table.write(copy.data(), k, n, table.read(source.data(), k, n));
      EXPECT_EQ(source, copy) << name << " " << bits;
    }
}

TEST(Packer, PaddingBecomesZero) {
  std::mt19937 rng(20);
  for (unsigned bits : {3u, 4u}) {
    int64_t K = 100, N = 70, paddedK = 128, paddedN = 128;
    PackedStorage from = *storageByName("compressed_tensors", K, N, bits);
    PackedStorage to = *storageByName("marlin", paddedK, paddedN, bits);
    Words source = randomWords(rng, from.words());
    for (unsigned threads : {1u, 3u}) {
      Words packed(to.words(), ~0u);
      repack(from, source.data(), to, packed.data(), {K, N}, threads);
      ElementTable stored(from), padded(to);
      for (int64_t k = 0; k < paddedK; ++k)
        for (int64_t n = 0; n < paddedN; ++n)
          ASSERT_EQ(padded.read(packed.data(), k, n),
                    k < K && n < N ? stored.read(source.data(), k, n) : 0)
              << "at (" << k << ", " << n << ")";
      // And back: what lies beyond the matrix is not read.
      Words back(from.words());
      repack(to, packed.data(), from, back.data(), {K, N}, threads);
      ElementTable again(from);
      for (int64_t k = 0; k < K; ++k)
        for (int64_t n = 0; n < N; ++n)
          ASSERT_EQ(again.read(back.data(), k, n),
                    stored.read(source.data(), k, n));
    }
  }
}

TEST(Packer, CodesThatDoNotFit) {
  for (auto [K, N] : {std::pair<int64_t, int64_t>{64, 64}, {17, 66}})
    for (auto [k, n] : {std::pair<int64_t, int64_t>{0, 0}, {16, 65 % N}}) {
      PackedStorage from(rowMajor(K, N), 8);
      PackedStorage to = *storageByName("marlin", 64, 128, 3);
      Words source(from.words()), packed(to.words());
      reinterpret_cast<uint8_t *>(source.data())[k * N + n] = 9;
      EXPECT_EQ(errorOf([&] {
                  repack(from, source.data(), to, packed.data(), {K, N});
                }),
                "repack: expected codes below 8 (3 bits), found 9 at (" +
                    std::to_string(k) + ", " + std::to_string(n) + ")");
    }
}

TEST(Packer, SameResultForAnyNumberOfThreads) {
  std::mt19937 rng(14);
  int64_t K = 1024, N = 1088;
  Words source = randomWords(rng, K * N / 8), one(K * N / 8);
  StorageLayout from = compressedTensorsWeights(K, N, 4);
  StorageLayout to = marlinWeights(K, N, 4);
  repackCodes(from, source.data(), to, one.data(), 4, 1);
  for (unsigned threads : {0u, 2u, 7u}) {
    Words many(K * N / 8);
    repackCodes(from, source.data(), to, many.data(), 4, threads);
    EXPECT_EQ(one, many);
  }
}

TEST(Packer, SeveralCallersAtOnce) {
  std::mt19937 rng(15);
  int64_t K = 256, N = 256;
  Words source = randomWords(rng, K * N / 8);
  StorageLayout from = gptqWeights(K, N, 4), to = marlinWeights(K, N, 4);
  Words expected(source.size());
  repackCodes(from, source.data(), to, expected.data(), 4, 1);
  std::vector<Words> results(4, Words(source.size()));
  {
    std::vector<std::jthread> callers;
    for (Words &result : results)
      callers.emplace_back(
          [&] { repackCodes(from, source.data(), to, result.data(), 4, 2); });
  }
  for (const Words &result : results)
    EXPECT_EQ(result, expected);
}

TEST(Packer, Pitch) {
  std::mt19937 rng(16);
  int64_t K = 16, N = 64, pitch = 80;
  Words source = randomWords(rng, K * N / 8), back(source.size());
  StorageLayout padded = rowMajor(K, N, pitch);
  Words there(K * pitch / 8);
  repackCodes(marlinWeights(K, N, 4), source.data(), padded, there.data(), 4);
  for (int64_t k = 0; k < K; ++k)
    for (int64_t n = 0; n < N; ++n)
      ASSERT_EQ(codeAt(there, k * pitch + n, 4),
                codeAt(source, marlinWeights(K, N, 4).offset(k, n), 4));
  repackCodes(padded, there.data(), marlinWeights(K, N, 4), back.data(), 4);
  EXPECT_EQ(source, back);
}

TEST(Packer, Elements16) {
  for (auto [G, N] : {std::pair<int64_t, int64_t>{5, 192}, {1, 64}}) {
    PackedStorage from(compressedTensorsScales(G, N), 16);
    PackedStorage to(marlinGroupedScales(G, N), 16);
    Words source(from.words()), packed(to.words()), back(from.words());
    auto elements = [](Words &words) {
      return reinterpret_cast<uint16_t *>(words.data());
    };
    for (int64_t i = 0; i < G * N; ++i)
      elements(source)[i] = i * 7 + 1;
    repack(from, source.data(), to, packed.data(), {G, N});
    for (int64_t g = 0; g < G; ++g)
      for (int64_t n = 0; n < N; ++n)
        ASSERT_EQ(
            elements(packed)[g * N + 64 * (n / 64) + 8 * (n % 8) + n % 64 / 8],
            elements(source)[n * G + g]);
    repack(to, packed.data(), from, back.data(), {G, N});
    EXPECT_EQ(source, back);
  }
}

TEST(Packer, Words) {
  EXPECT_EQ(storageByName("marlin", 16, 64, 4)->words(), 128);
  EXPECT_EQ(storageByName("marlin", 16, 64, 8)->words(), 256);
  EXPECT_EQ(storageByName("marlin", 16, 64, 7)->words(), 224);
  EXPECT_EQ(storageByName("compressed_tensors", 11, 4, 3)->words(), 8);
  EXPECT_EQ(storageByName("compressed_tensors_zeros", 3, 11, 3)->words(), 6);
  EXPECT_EQ(PackedStorage(rowMajor(1, 3), 4).words(), 1);
}

TEST(Packer, EmptyMatrix) {
  repackCodes(rowMajor(0, 64), nullptr, rowMajor(0, 64), nullptr, 4);
}

TEST(Packer, Errors) {
  Words a(1024), b(1024);
  StorageLayout marlin = marlinWeights(16, 64, 4);
  auto error = [&](const StorageLayout &from, const StorageLayout &to) {
    return errorOf([&] { repackCodes(from, a.data(), to, b.data(), 4); });
  };
  EXPECT_EQ(error(rowMajor(16, 128), marlin),
            "repack: expected a target of at least 16 x 128, the shape of the "
            "matrix, found 16 x 64");
  EXPECT_EQ(errorOf([&] {
              PackedStorage storage(marlin, 4);
              repack(storage, a.data(), storage, b.data(), {32, 64});
            }),
            "repack: expected a source of at least 32 x 64, the shape of the "
            "matrix, found 16 x 64");
  EXPECT_EQ(error(rowMajor(-1, 64), rowMajor(-1, 64)),
            "repack: expected a source of static shape, found -1 x 64");
  EXPECT_EQ(errorOf([&] { PackedStorage(marlin, 3); }),
            "expected elements of 1, 2, 4, 8 or 16 bits in one layout, found "
            "3");
  EXPECT_EQ(errorOf([&] { repackCodes(marlin, nullptr, marlin, b.data(), 4); }),
            "repack: the source pointer is null");
  EXPECT_EQ(errorOf([&] { repackCodes(marlin, a.data(), marlin, nullptr, 4); }),
            "repack: the target pointer is null");
  EXPECT_EQ(a, Words(1024));
  EXPECT_EQ(b, Words(1024));
}

TEST(Packer, LargeLayerInTime) {
  // Processor time of all threads together, so that a busy machine does not
  // fail the test; about 0.07 s, so one core alone keeps the bound.
  int64_t K = 4096, N = 14336;
  Words source(K * N / 8, 0x76543210), packed(K * N / 8);
  StorageLayout from = compressedTensorsWeights(K, N, 4);
  StorageLayout to = marlinWeights(K, N, 4);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    std::clock_t start = std::clock();
    repackCodes(from, source.data(), to, packed.data(), 4);
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  RecordProperty("milliseconds", int(best * 1e3));
#ifdef NDEBUG
  EXPECT_LT(best, 0.2);
#endif
}

} // namespace
