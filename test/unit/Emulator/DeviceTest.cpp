//===- DeviceTest.cpp - buffers and tensor maps of an emulated device -----===//
//
// Where buffers lie, and what the 128 bytes of a tensor map stand for.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Device.h"

#include <gtest/gtest.h>

using namespace wna16::emulator;

TEST(Device, GivesNoMoreAlignmentThanPromised) {
  Device device;
  Buffer &buffer = device.addBuffer("a", 100, 16);
  EXPECT_EQ(buffer.base % 16, 0u);
  EXPECT_NE(buffer.base % 32, 0u);
  EXPECT_EQ(device.find("a"), &buffer);
  EXPECT_EQ(device.below(buffer.base + 99), &buffer);
}

TEST(Device, FindsTheTensorMapOfItsBytes) {
  Device device;
  TensorMap map;
  map.rank = 2;
  map.dims = {64, 128, 1, 1, 1};
  const uint64_t first = device.addTensorMap(map);
  map.dims[0] = 32;
  const uint64_t second = device.addTensorMap(map);
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);

  const std::vector<uint8_t> bytes = Device::tensorMapBytes(second);
  ASSERT_EQ(bytes.size(), TensorMap::bytes);
  const TensorMap *found = device.findTensorMap(bytes.data());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->dims[0], 32u);
}

TEST(Device, RefusesBytesThatAreNoTensorMap) {
  Device device;
  device.addTensorMap(TensorMap());
  std::vector<uint8_t> bytes = Device::tensorMapBytes(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 1;
    EXPECT_FALSE(device.findTensorMap(bytes.data())) << "byte " << i;
    bytes[i] ^= 1;
  }
  EXPECT_TRUE(device.findTensorMap(bytes.data()));
  EXPECT_FALSE(Device().findTensorMap(bytes.data()));
  std::fill(bytes.begin(), bytes.end(), 0);
  EXPECT_FALSE(device.findTensorMap(bytes.data()));
}

TEST(TensorMap, KnowsItsElements) {
  TensorMap map;
  EXPECT_EQ(map.elementBytes(), 1u);
  map.element = TensorMap::Element::BF16;
  EXPECT_EQ(map.elementBytes(), 2u);
  EXPECT_EQ(TensorMap::name(map.element), "bf16");
  EXPECT_EQ(TensorMap::elementBytes(TensorMap::Element::TF32Ftz), 4u);
  EXPECT_EQ(map.swizzleBytes(), 0u);
  map.swizzle = TensorMap::Swizzle::Bytes32;
  EXPECT_EQ(map.swizzleBytes(), 32u);
  map.swizzle = TensorMap::Swizzle::Bytes128;
  EXPECT_EQ(map.swizzleBytes(), 128u);
}
