//===- TensorBoxTest.cpp - geometry of tensor copies ----------------------===//
//
// Boxes against a loop over single elements, swizzles against the tables that
// the PTX document prints.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/TensorBox.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace wna16::emulator;
using Swizzle = TensorMap::Swizzle;

/// PTX ISA, "Swizzling Modes": which of the 8 chunks of a 128-byte line lies at
/// each place, line by line until the pattern repeats.
static const std::vector<std::vector<unsigned>> tables[4] = {
    {{0, 1, 2, 3, 4, 5, 6, 7}},
    {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}},
    {{0, 1, 2, 3, 4, 5, 6, 7},
     {1, 0, 3, 2, 5, 4, 7, 6},
     {2, 3, 0, 1, 6, 7, 4, 5},
     {3, 2, 1, 0, 7, 6, 5, 4}},
    {{0, 1, 2, 3, 4, 5, 6, 7},
     {1, 0, 3, 2, 5, 4, 7, 6},
     {2, 3, 0, 1, 6, 7, 4, 5},
     {3, 2, 1, 0, 7, 6, 5, 4},
     {4, 5, 6, 7, 0, 1, 2, 3},
     {5, 4, 7, 6, 1, 0, 3, 2},
     {6, 7, 4, 5, 2, 3, 0, 1},
     {7, 6, 5, 4, 3, 2, 1, 0}}};

/// Address of byte `address` of an unswizzled layout, by the tables.
static uint32_t lookUp(uint32_t address, Swizzle swizzle) {
  const auto &table = tables[unsigned(swizzle)];
  const auto &line = table[address / 128 % table.size()];
  for (unsigned place = 0; place < 8; ++place)
    if (line[place] == address / 16 % 8)
      return address / 128 * 128 + place * 16 + address % 16;
  return 0;
}

TEST(Swizzle, Tables) {
  for (unsigned mode = 0; mode < 4; ++mode) {
    const Swizzle swizzle = Swizzle(mode);
    for (uint32_t address = 0; address < 4096; ++address)
      EXPECT_EQ(swizzled(address, swizzle), lookUp(address, swizzle));
    EXPECT_EQ(swizzleRepeat(swizzle), mode ? 128 * tables[mode].size() : 16);
  }
}

namespace {
struct Place {
  bool inside;
  uint64_t global;
  bool operator==(const Place &other) const {
    return inside == other.inside && (!inside || global == other.global);
  }
};
} // namespace

/// Every shared byte of a box, element by element.
static std::map<uint32_t, Place> expectedBytes(const TensorMap &map,
                                               const int32_t *coordinates,
                                               uint32_t shared) {
  std::map<uint32_t, Place> result;
  unsigned counts[5] = {1, 1, 1, 1, 1}, total = 1;
  for (unsigned d = 0; d < map.rank; ++d) {
    const unsigned step = d ? map.elementStrides[d] : 1;
    for (counts[d] = 0; counts[d] * step < map.box[d];)
      ++counts[d];
    total *= counts[d];
  }
  const unsigned rowBytes = counts[0] * map.elementBytes();
  const unsigned pitch = std::max(rowBytes, map.swizzleBytes());
  for (unsigned i = 0; i < total; ++i) {
    Place place{true, map.base};
    const unsigned at =
        i / counts[0] * pitch + i % counts[0] * map.elementBytes();
    unsigned rest = i;
    for (unsigned d = 0; d < map.rank; ++d) {
      const int64_t index =
          coordinates[d] +
          int64_t(rest % counts[d]) * (d ? map.elementStrides[d] : 1);
      rest /= counts[d];
      place.inside &= index >= 0 && index < int64_t(map.dims[d]);
      place.global += uint64_t(index * int64_t(map.byteStrides[d]));
    }
    for (unsigned b = 0; b < map.elementBytes(); ++b)
      result[lookUp(shared + at + b, map.swizzle)] = {place.inside,
                                                      place.global + b};
  }
  return result;
}

TEST(TensorBox, AgainstSingleElements) {
  std::mt19937 random(1);
  auto pick = [&](unsigned low, unsigned high) {
    return low + unsigned(random() % (high - low + 1));
  };
  unsigned missed = 0, clipped = 0;
  for (unsigned round = 0; round < 600; ++round) {
    TensorMap map;
    map.element =
        std::array{TensorMap::Element::U8, TensorMap::Element::BF16,
                   TensorMap::Element::F32, TensorMap::Element::U64}[round % 4];
    const unsigned element = map.elementBytes();
    map.swizzle = Swizzle(pick(0, 3));
    map.rank = pick(1, 5);
    map.base = 0x7000'0000'0000 + 128 * pick(0, 9);
    const bool narrow = pick(0, 3) == 0;
    map.box[0] = (map.swizzle == Swizzle::None ? 16 * pick(1, 5)
                  : narrow ? 16 * pick(1, map.swizzleBytes() / 16)
                           : map.swizzleBytes()) /
                 element;
    map.dims[0] = pick(1, 3 * map.box[0]);
    map.byteStrides[0] = element;
    uint64_t stride = (map.dims[0] * element + 15) / 16 * 16;
    int32_t coordinates[5];
    for (unsigned d = 0; d < map.rank; ++d) {
      if (d) {
        map.box[d] = pick(1, 5);
        map.dims[d] = pick(1, 9);
        map.elementStrides[d] = pick(0, 2) ? 1 : pick(2, 3);
        map.byteStrides[d] = stride;
        stride *= map.dims[d];
      }
      const int32_t box = int32_t(map.box[d]);
      coordinates[d] = int32_t(pick(0, unsigned(map.dims[d]) + box)) - box / 2;
      if (pick(0, 15) == 0)
        coordinates[d] -= box;
    }
    const uint32_t shared = 128 * pick(0, 20);

    const TensorBox box(map, coordinates);
    const auto expected = expectedBytes(map, coordinates, shared);
    std::map<uint32_t, Place> found;
    bool anyInside = false, anyOutside = false;
    box.forEachRun(shared, [&](const BoxRun &run) {
      EXPECT_GT(run.bytes, 0u);
      for (uint32_t b = 0; b < run.bytes; ++b) {
        const uint32_t shared = run.shared + (b ^ uint32_t(run.chunkXor) * 16);
        EXPECT_TRUE(
            found.insert({shared, Place{run.inside, run.global + b}}).second)
            << "written twice";
      }
      (run.inside ? anyInside : anyOutside) = true;
    });
    EXPECT_EQ(box.bytes(), expected.size());
    EXPECT_EQ(box.sharedExtent(shared), expected.rbegin()->first + 1 - shared);
    EXPECT_TRUE(found == expected) << "round " << round;
    EXPECT_EQ(box.missesTensor(), !anyInside) << "round " << round;
    missed += !anyInside;
    clipped += anyInside && anyOutside;
  }
  EXPECT_GT(missed, 50u);
  EXPECT_GT(clipped, 50u);
}

TEST(TensorBox, UnswizzledRowsAreOneRun) {
  TensorMap map;
  map.element = TensorMap::Element::U64;
  map.rank = 2;
  map.dims = {512, 64, 1, 1, 1};
  map.byteStrides = {8, 4096};
  map.box = {256, 8, 1, 1, 1};
  unsigned runs = 0;
  const int32_t at[] = {256, 8};
  TensorBox(map, at).forEachRun(0, [&](const BoxRun &run) {
    EXPECT_EQ(run.global, 2048 + (8 + runs) * 4096);
    EXPECT_EQ(run.bytes, 2048u);
    ++runs;
  });
  EXPECT_EQ(runs, 8u);
}

TEST(TensorBox, FarCoordinatesDoNotWrap) {
  TensorMap map;
  map.element = TensorMap::Element::U8;
  map.dims[0] = uint64_t(1) << 32;
  map.byteStrides[0] = 1;
  map.box[0] = 16;
  for (int32_t x : {INT32_MIN, -16, INT32_MAX}) {
    const TensorBox box(map, &x);
    EXPECT_EQ(box.missesTensor(), x < 0) << x;
    box.forEachRun(0, [&](const BoxRun &run) {
      EXPECT_EQ(run.inside, x >= 0);
      EXPECT_EQ(run.bytes, 16u);
    });
  }
}

TEST(TensorBox, FarFromTensor) {
  TensorMap map;
  map.element = TensorMap::Element::U8;
  map.rank = 2;
  map.dims = {100, 10, 1, 1, 1};
  map.byteStrides = {1, 112};
  map.box = {32, 4, 1, 1, 1};
  auto isFar = [&](int32_t x, int32_t y) {
    const int32_t at[] = {x, y};
    return TensorBox(map, at).farFromTensor();
  };
  EXPECT_FALSE(isFar(0, 0));
  EXPECT_FALSE(isFar(-31, -3));
  EXPECT_TRUE(isFar(-32, 0));
  EXPECT_TRUE(isFar(0, -4));
  EXPECT_FALSE(isFar(100 + 4 * 32 - 1, 10 + 4 * 4 - 1));
  EXPECT_TRUE(isFar(100 + 4 * 32, 0));
  EXPECT_TRUE(isFar(0, 10 + 4 * 4));
}

TEST(TensorBox, FillAndUnsupported) {
  TensorMap map;
  map.element = TensorMap::Element::BF16;
  map.box[0] = 64;
  EXPECT_EQ(TensorBox::fillPattern(map), 0u);
  map.fill = TensorMap::Fill::Nan;
  EXPECT_EQ(TensorBox::fillPattern(map), 0x7ff77ff77ff77ff7u);

  EXPECT_EQ(TensorBox::unsupported(map, true), "");
  map.swizzle = Swizzle::Bytes128;
  EXPECT_EQ(TensorBox::unsupported(map, true), "");
  map.swizzle = Swizzle::Bytes64;
  EXPECT_EQ(TensorBox::unsupported(map, false),
            "a box row of 128 bytes with a swizzle of 64 bytes");
  map.box[0] = 8;
  EXPECT_EQ(TensorBox::unsupported(map, true), "");
  map.element = TensorMap::Element::TF32;
  EXPECT_EQ(TensorBox::unsupported(map, false), "");
  EXPECT_EQ(TensorBox::unsupported(map, true),
            "element type tf32 in copies to global memory");
  map.interleave = TensorMap::Interleave::Bytes16;
  EXPECT_EQ(TensorBox::unsupported(map, false), "interleaved layouts");
}
