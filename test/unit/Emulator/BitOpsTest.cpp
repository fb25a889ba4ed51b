//===- BitOpsTest.cpp - lop3, prmt, bfe, bfi ------------------------------===//
//
// Against bit-by-bit definitions.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/BitOps.h"

#include <gtest/gtest.h>
#include <random>

using namespace wna16::emulator;

TEST(BitOps, Lop3EveryTable) {
  std::mt19937 random(3);
  for (uint32_t table = 0; table < 256; ++table) {
    const uint32_t a = random(), b = random(), c = random();
    uint32_t expected = 0;
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned index = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);
      expected |= (table >> index & 1) << i;
    }
    EXPECT_EQ(lop3(a, b, c, table), expected);
  }
  EXPECT_EQ(lop3(0xabcd, 0xff, 0x6400, 0xea), (0xabcdu & 0xff) | 0x6400);
  EXPECT_EQ(lop3(1, 2, 4, 0x96), 7u); // a ^ b ^ c
}

TEST(BitOps, Prmt) {
  const uint32_t a = 0x33221100, b = 0x77665544;
  auto mode = [&](uint32_t selector, PermuteMode m) {
    return permuteBytes(a, b, selector, m);
  };
  EXPECT_EQ(mode(0x7654, PermuteMode::Default), b);
  EXPECT_EQ(mode(0x3210, PermuteMode::Default), a);
  EXPECT_EQ(mode(0x5410, PermuteMode::Default), 0x55441100u);
  EXPECT_EQ(permuteBytes(0x80, 0, 0x8888, PermuteMode::Default), 0xffffffffu);
  EXPECT_EQ(permuteBytes(0x7f, 0, 0x8888, PermuteMode::Default), 0u);
  EXPECT_EQ(mode(1, PermuteMode::F4e), 0x44332211u);
  EXPECT_EQ(mode(1, PermuteMode::B4e), 0x66770011u);
  EXPECT_EQ(mode(2, PermuteMode::Rc8), 0x22222222u);
  EXPECT_EQ(mode(1, PermuteMode::Ecl), 0x33221111u);
  EXPECT_EQ(mode(1, PermuteMode::Ecr), 0x11111100u);
  EXPECT_EQ(mode(1, PermuteMode::Rc16), 0x33223322u);
}

TEST(BitOps, ExtractBitByBit) {
  std::mt19937 random(4);
  for (uint32_t position = 0; position < 40; ++position)
    for (uint32_t length = 0; length < 40; ++length) {
      const uint32_t a = random();
      uint32_t bits = 0;
      const bool sign =
          length && (a >> std::min(position + length - 1, 31u) & 1);
      uint32_t extended = 0;
      for (uint32_t i = 0; i < 32; ++i) {
        const bool inside = i < length && position + i <= 31;
        const uint32_t bit = inside ? a >> (position + i) & 1 : 0;
        bits |= bit << i;
        extended |= (inside ? bit : uint32_t(sign)) << i;
      }
      EXPECT_EQ(extractBits<uint32_t>(a, position, length), bits);
      EXPECT_EQ(uint32_t(extractBits<int32_t>(int32_t(a), position, length)),
                extended)
          << position << " " << length;
    }
}

TEST(BitOps, InsertBitByBit) {
  std::mt19937 random(5);
  for (uint32_t position = 0; position < 40; ++position)
    for (uint32_t length = 0; length < 40; ++length) {
      const uint32_t a = random(), b = random();
      uint32_t expected = b;
      for (uint32_t i = 0; i < length && position + i < 32; ++i) {
        expected &= ~(1u << (position + i));
        expected |= (i < 32 ? a >> i & 1 : 0) << (position + i);
      }
      EXPECT_EQ(insertBits<uint32_t>(a, b, position, length), expected);
    }
}
