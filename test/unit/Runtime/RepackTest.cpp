//===- RepackTest.cpp - the packer's C entry points -----------------------===//
#include "lib/Runtime/wna16_runtime.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace {

constexpr int64_t k = 32, n = 128;

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
  ASSERT_EQ(wna16_repack("gptq", "marlin", k, n, 4, source.data(), bytes,
                         marlin.data(), bytes, 1),
            WNA16_OK)
      << wna16_last_error();
  EXPECT_NE(source, marlin);
  ASSERT_EQ(wna16_repack("marlin", "gptq", k, n, 4, marlin.data(), bytes,
                         back.data(), bytes, 2),
            WNA16_OK);
  EXPECT_EQ(source, back);
}

TEST(Repack, WrongSizeNamesBothSizes) {
  std::vector<uint32_t> source = someWords(), target(source.size());
  size_t bytes = source.size() * 4;
  EXPECT_EQ(wna16_repack("gptq", "marlin", k, n, 4, source.data(), bytes - 4,
                         target.data(), bytes, 0),
            WNA16_ERROR_ARGUMENT);
  std::string text = wna16_last_error();
  EXPECT_NE(text.find("source of 2048 bytes, found 2044"), std::string::npos)
      << text;
  EXPECT_EQ(target, std::vector<uint32_t>(source.size()));
}

TEST(Repack, UnknownLayoutListsTheKnown) {
  size_t bytes = 0;
  EXPECT_EQ(wna16_storage_bytes("marlon", k, n, 4, &bytes),
            WNA16_ERROR_ARGUMENT);
  std::string text = wna16_last_error();
  EXPECT_NE(text.find("marlon"), std::string::npos);
  EXPECT_NE(text.find("compressed_tensors"), std::string::npos);
}

TEST(Repack, ImpossibleShapeIsAnError) {
  size_t bytes = 0;
  EXPECT_EQ(wna16_storage_bytes("marlin", k, n + 8, 4, &bytes),
            WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(wna16_storage_bytes("marlin", -16, n, 4, &bytes),
            WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(wna16_storage_bytes("marlin", k, n, 5, &bytes),
            WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(
      wna16_storage_bytes("gptq", INT64_MAX / 8, INT64_MAX / 8, 4, &bytes),
      WNA16_ERROR_ARGUMENT);
}

TEST(Repack, ScalesHave16Bits) {
  std::vector<uint16_t> source(2 * 64), target(2 * 64);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = uint16_t(i);
  ASSERT_EQ(wna16_repack("row_major", "marlin_scales", 2, 64, 16, source.data(),
                         256, target.data(), 256, 0),
            WNA16_OK)
      << wna16_last_error();
  // Column n of 64 goes to 8 * (n % 8) + n / 8.
  for (int i = 0; i < 2; ++i)
    for (int column = 0; column < 64; ++column)
      EXPECT_EQ(target[i * 64 + 8 * (column % 8) + column / 8],
                source[i * 64 + column]);
}

} // namespace
