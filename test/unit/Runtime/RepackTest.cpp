//===- RepackTest.cpp - the packer's C entry points -----------------------===//
#include "lib/Runtime/wna16_runtime.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace {

constexpr int64_t k = 32, n = 128;

wna16_status storageBytes(const wna16_storage &storage, size_t *bytes) {
  return wna16_storage_bytes(&storage, bytes);
}

/// The whole matrix.
wna16_status repack(const wna16_storage &source, const void *from,
                    size_t fromBytes, const wna16_storage &target, void *to,
                    size_t toBytes, int32_t threads) {
  return wna16_repack(&source, from, fromBytes, &target, to, toBytes,
                      source.rows, source.columns, threads);
}

std::vector<uint32_t> someWords() {
  std::vector<uint32_t> words(k * n / 8);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = uint32_t(i) * 2654435761u;
  return words;
}

TEST(Repack, ThereAndBackIsTheIdentity) {
  std::vector<uint32_t> source = someWords();
  std::vector<uint32_t> marlin(source.size()), back(source.size());
  size_t bytes = source.size() * 4;
  ASSERT_EQ(repack({"gptq", k, n, 4}, source.data(), bytes, {"marlin", k, n, 4},
                   marlin.data(), bytes, 1),
            WNA16_OK)
      << wna16_last_error();
  EXPECT_NE(source, marlin);
  ASSERT_EQ(repack({"marlin", k, n, 4}, marlin.data(), bytes, {"gptq", k, n, 4},
                   back.data(), bytes, 2),
            WNA16_OK);
  EXPECT_EQ(source, back);
}

TEST(Repack, WrongSizeNamesBothSizes) {
  std::vector<uint32_t> source = someWords(), target(source.size());
  size_t bytes = source.size() * 4;
  EXPECT_EQ(repack({"gptq", k, n, 4}, source.data(), bytes - 4,
                   {"marlin", k, n, 4}, target.data(), bytes, 0),
            WNA16_ERROR_ARGUMENT);
  std::string text = wna16_last_error();
  EXPECT_NE(text.find("source of 2048 bytes, found 2044"), std::string::npos)
      << text;
  EXPECT_EQ(target, std::vector<uint32_t>(source.size()));
}

TEST(Repack, UnknownLayoutListsTheKnown) {
  size_t bytes = 0;
  EXPECT_EQ(storageBytes({"marlon", k, n, 4}, &bytes), WNA16_ERROR_ARGUMENT);
  std::string text = wna16_last_error();
  EXPECT_NE(text.find("marlon"), std::string::npos);
  EXPECT_NE(text.find("compressed_tensors"), std::string::npos);
}

TEST(Repack, ImpossibleShapeIsAnError) {
  size_t bytes = 0;
  EXPECT_EQ(storageBytes({"marlin", k, n + 8, 4}, &bytes),
            WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(storageBytes({"marlin", -16, n, 4}, &bytes), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(storageBytes({"marlin", k, n, 9}, &bytes), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(storageBytes({"marlin_scales", k, n, 4}, &bytes),
            WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(storageBytes({nullptr, k, n, 4}, &bytes), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(wna16_storage_bytes(nullptr, &bytes), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(storageBytes({"gptq", INT64_MAX / 8, INT64_MAX / 8, 4}, &bytes),
            WNA16_ERROR_ARGUMENT);
}

TEST(Repack, TargetsMayBeLargerAndWider) {
  // Codes of 3 bits along K into two planes, one column into a padded matrix.
  wna16_storage source = {"compressed_tensors", 20, 1, 3};
  wna16_storage target = {"marlin", 32, 64, 3};
  uint32_t stream[2] = {7, 0};
  std::vector<uint32_t> marlin(32 * 64 * 3 / 32, ~0u);
  ASSERT_EQ(wna16_repack(&source, stream, 8, &target, marlin.data(),
                         marlin.size() * 4, 20, 1, 0),
            WNA16_OK)
      << wna16_last_error();
  std::vector<uint32_t> expected(marlin.size());
  expected[0] = 3;
  expected[32 * 64 * 2 / 32] = 1;
  EXPECT_EQ(marlin, expected);
  // A target that is smaller than the matrix is none.
  wna16_storage small = {"marlin", 16, 64, 3};
  EXPECT_EQ(wna16_repack(&source, stream, 8, &small, marlin.data(),
                         marlin.size() * 2, 20, 1, 0),
            WNA16_ERROR_ARGUMENT);
  // Codes are not scales.
  wna16_storage scales = {"row_major", 20, 1, 16};
  EXPECT_EQ(
      wna16_repack(&source, stream, 8, &scales, marlin.data(), 40, 20, 1, 0),
      WNA16_ERROR_ARGUMENT);
}

TEST(Repack, ScalesHave16Bits) {
  std::vector<uint16_t> source(2 * 64), target(2 * 64);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = uint16_t(i);
  ASSERT_EQ(repack({"row_major", 2, 64, 16}, source.data(), 256,
                   {"marlin_scales", 2, 64, 16}, target.data(), 256, 0),
            WNA16_OK)
      << wna16_last_error();
  // Column n of 64 goes to 8 * (n % 8) + n / 8.
  for (int i = 0; i < 2; ++i)
    for (int column = 0; column < 64; ++column)
      EXPECT_EQ(target[i * 64 + 8 * (column % 8) + column / 8],
                source[i * 64 + column]);
}

} // namespace
