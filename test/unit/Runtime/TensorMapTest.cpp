//===- TensorMapTest.cpp - tensor maps, and what they may be --------------===//
//
// The rules are those of the driver's documentation; what it is told is seen on
// the fake driver. Field report G9: a map that the driver refuses at a launch.
//
//===----------------------------------------------------------------------===//
#include "lib/Runtime/TensorMapRules.h"
#include "test/unit/Runtime/FakeDriver.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace wna16::runtime;

namespace {

wna16_tensor_map sample() {
  wna16_tensor_map map = {};
  map.address = 0x7f0000000010;
  map.rank = 2;
  map.type = 6; // f16
  map.dims[0] = 4096;
  map.dims[1] = 7;
  map.strides[0] = 8192;
  map.box[0] = 64;
  map.box[1] = 8;
  map.element_strides[0] = map.element_strides[1] = 1;
  map.swizzle = 128;
  map.l2_promotion = 256;
  return map;
}

template <typename Change> std::string errorWith(Change change) {
  wna16_tensor_map map = sample();
  change(map);
  return checkTensorMap(map);
}

TEST(TensorMapRules, WhatTheDriverTakesPasses) {
  EXPECT_EQ(checkTensorMap(sample()), "");
  using Map = wna16_tensor_map;
  EXPECT_EQ(errorWith([](Map &m) { m.dims[1] = uint64_t(1) << 32; }), "");
  EXPECT_EQ(errorWith([](Map &m) { m.strides[0] = (uint64_t(1) << 40) - 16; }),
            "");
  EXPECT_EQ(errorWith([](Map &m) { m.box[1] = 256; }), "");
  EXPECT_EQ(errorWith([](Map &m) { m.box[0] = 8; }), "");
  // Without a swizzle the inner box may be wider, and the first element stride
  // is not looked at.
  EXPECT_EQ(errorWith([](Map &m) { m.swizzle = 0, m.box[0] = 256; }), "");
  EXPECT_EQ(errorWith([](Map &m) { m.element_strides[0] = 0; }), "");
  EXPECT_EQ(errorWith([](Map &m) { m.fill_nan = 1; }), "");
  // One dimension has no stride.
  EXPECT_EQ(errorWith([](Map &m) { m.rank = 1, m.strides[0] = 1; }), "");
}

TEST(TensorMapRules, TheFirstBrokenRuleIsNamed) {
  using Map = wna16_tensor_map;
  EXPECT_EQ(errorWith([](Map &m) { m.rank = 0; }),
            "dims: expected 1 to 5 dimensions, found 0");
  EXPECT_EQ(errorWith([](Map &m) { m.rank = 6; }),
            "dims: expected 1 to 5 dimensions, found 6");
  EXPECT_EQ(errorWith([](Map &m) { m.type = 13; }),
            "dtype: expected a value of CUtensorMapDataType up to 12, found "
            "13");
  EXPECT_EQ(errorWith([](Map &m) { m.address = 24; }),
            "address: expected a multiple of 16, found 24");
  EXPECT_EQ(errorWith([](Map &m) { m.strides[0] = uint64_t(1) << 40; }),
            "strides[0]: expected a multiple of 16 bytes below 2^40 bytes, "
            "found 1099511627776 bytes");
  EXPECT_EQ(errorWith([](Map &m) { m.element_strides[1] = 0; }),
            "element_strides[1]: expected 1 to 8, found 0");
  EXPECT_EQ(errorWith([](Map &m) { m.swizzle = 64; }),
            "box[0]: expected at most the 64 bytes of the swizzle, found 128 "
            "bytes (64 f16)");
  EXPECT_EQ(errorWith([](Map &m) { m.fill_nan = 2; }),
            "fill_nan: expected 0 or 1, found 2");
}

TEST(TensorMapRules, SpanIsTheBytesThatTheTensorTakes) {
  wna16_tensor_map map = sample();
  EXPECT_EQ(tensorMapSpan(map), 6u * 8192 + 4096 * 2);
  map.rank = 1;
  EXPECT_EQ(tensorMapSpan(map), 8192u);
}

class TensorMap : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(wna16_module_load(1, "image", 5, &module), WNA16_OK);
    ASSERT_EQ(wna16_module_function(module, "wna16_gemm", 0, &function),
              WNA16_OK);
  }
  void TearDown() override {
    wna16_module_unload(module);
    EXPECT_EQ(fakeStackDepth(), 0);
  }
  wna16_module *module = nullptr;
  wna16_function *function = nullptr;
  // The place need not be aligned.
  unsigned char bytes[WNA16_TENSOR_MAP_BYTES + 1] = {};
};

TEST_F(TensorMap, DriverIsToldEverything) {
  const wna16_tensor_map map = sample();
  ASSERT_EQ(wna16_tensor_map_encode(function, &map, bytes + 1), WNA16_OK)
      << wna16_last_error();
  uint64_t address = 0;
  std::memcpy(&address, bytes + 1, sizeof(address));
  EXPECT_EQ(address, map.address);
  FakeTensorMap seen;
  fakeTensorMaps(&seen);
  EXPECT_EQ(seen.type, 6);
  EXPECT_EQ(seen.rank, 2u);
  EXPECT_EQ(seen.dims[1], 7u);
  EXPECT_EQ(seen.strides[0], 8192u);
  EXPECT_EQ(seen.box[0], 64u);
  EXPECT_EQ(seen.elementStrides[1], 1u);
  EXPECT_EQ(seen.interleave, 0);
  EXPECT_EQ(seen.swizzle, 3);     // CU_TENSOR_MAP_SWIZZLE_128B
  EXPECT_EQ(seen.l2Promotion, 3); // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
  EXPECT_EQ(seen.fill, 0);
  EXPECT_EQ(seen.context, fakePrimaryContext(1));
}

TEST_F(TensorMap, EnumeratorsFollowTheBytes) {
  wna16_tensor_map map = sample();
  map.swizzle = map.l2_promotion = 0;
  map.fill_nan = 1;
  ASSERT_EQ(wna16_tensor_map_encode(function, &map, bytes), WNA16_OK);
  FakeTensorMap seen;
  fakeTensorMaps(&seen);
  EXPECT_EQ(seen.swizzle, 0);
  EXPECT_EQ(seen.l2Promotion, 0);
  EXPECT_EQ(seen.fill, 1);
  map.box[0] = 16;
  map.swizzle = 32;
  map.l2_promotion = 64;
  ASSERT_EQ(wna16_tensor_map_encode(function, &map, bytes), WNA16_OK);
  fakeTensorMaps(&seen);
  EXPECT_EQ(seen.swizzle, 1);
  EXPECT_EQ(seen.l2Promotion, 1);
}

TEST_F(TensorMap, ErrorsAreValues) {
  const int before = fakeTensorMaps(nullptr);
  wna16_tensor_map map = sample();
  map.box[1] = 0;
  EXPECT_EQ(wna16_tensor_map_encode(function, &map, bytes),
            WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(), "box[1]: expected 1 to 256, found 0");
  EXPECT_EQ(wna16_tensor_map_encode(nullptr, &map, bytes),
            WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(fakeTensorMaps(nullptr), before);

  map = sample();
  fakeFailNext("cuTensorMapEncodeTiled", 1);
  EXPECT_EQ(wna16_tensor_map_encode(function, &map, bytes), WNA16_ERROR_DRIVER);
  EXPECT_EQ(wna16_last_driver_code(), 1);
  EXPECT_NE(std::string(wna16_last_error()).find("making a tensor map failed"),
            std::string::npos);
}

} // namespace
