//===- TensorCopyTest.cpp - copies through tensor maps --------------------===//
//
// Loads, stores and reductions of boxes with and without swizzle, inside the
// tensor and over its border.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Swizzle.h"
#include "test/unit/Emulator/TensorHarness.h"

using namespace wna16::emulator;
using Swizzle = TensorMap::Swizzle;
using Kernel = TensorKernel;

static constexpr Swizzle swizzles[] = {Swizzle::None, Swizzle::Bytes32,
                                       Swizzle::Bytes64, Swizzle::Bytes128};

TEST(TensorCopy, LoadsBoxes) {
  struct Place {
    int x, y;
  };
  for (Swizzle swizzle : swizzles)
    for (Completion completion :
         {Completion::Late, Completion::Early, Completion::Random})
      for (Place at : {Place{0, 0}, {8, 3}, {100, 28}, {-5, -2}, {-8, 30}}) {
        const unsigned width = swizzle == Swizzle::None
                                   ? 24
                                   : 8u << unsigned(swizzle),
                       height = 7, bytes = width * height * 2;
        Kernel kernel(128, 32, width, height, swizzle);
        kernel.options.completion = completion;
        kernel.map.fill =
            at.x < 0 ? TensorMap::Fill::Nan : TensorMap::Fill::Zero;
        kernel.body = load(at.x, at.y, bytes) + dump(bytes);
        const Outcome outcome = kernel.runClean();
        uint64_t insideBytes = 0;
        for (unsigned r = 0; r < height; ++r)
          for (unsigned c = 0; c < width; ++c) {
            const int x = at.x + int(c), y = at.y + int(r);
            const bool inside = x >= 0 && x < 128 && y >= 0 && y < 32;
            insideBytes += inside ? 2 : 0;
            EXPECT_EQ(
                element(outcome.out, swizzled((r * width + c) * 2, swizzle)),
                inside     ? y * 128 + x
                : at.x < 0 ? 0x7ff7
                           : 0)
                << "row " << r << ", column " << c;
          }
        EXPECT_EQ(outcome.counters.buffers.at("x").read, insideBytes);
      }
}

TEST(TensorCopy, StoresBoxes) {
  struct Place {
    int x, y;
  };
  for (Swizzle swizzle : swizzles)
    for (Place at : {Place{0, 0}, {8, 3}, {100, 28}, {-8, -2}}) {
      const unsigned width = swizzle == Swizzle::None ? 32
                                                      : 8u << unsigned(swizzle),
                     height = 6, bytes = width * height * 2;
      Kernel kernel(128, 32, width, height, swizzle);
      kernel.writable = true;
      kernel.body = fill(bytes, 5000) + store(at.x, at.y);
      kernel.runClean();
      for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 128; ++x) {
          const int r = y - at.y, c = x - at.x;
          const bool inside =
              r >= 0 && r < int(height) && c >= 0 && c < int(width);
          const uint32_t byte =
              swizzled(uint32_t(r * int(width) + c) * 2, swizzle);
          EXPECT_EQ(kernel.after[size_t(y * 128 + x)],
                    inside ? 5000 + byte / 2 : unsigned(y * 128 + x))
              << x << ", " << y;
        }
    }
}

TEST(TensorCopy, ReducesFromManyBlocks) {
  Kernel kernel(64, 8, 64, 4, Swizzle::Bytes128);
  kernel.writable = true;
  kernel.map.element = TensorMap::Element::S32;
  kernel.map.dims[0] = 32;
  kernel.map.byteStrides = {4, 128};
  kernel.map.box[0] = 32;
  kernel.blocks = 20;
  kernel.x.assign(64 * 8, 0);
  kernel.body = fill(512, 1) + store(0, 2, ".add");
  kernel.runClean();
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned x = 0; x < 32; ++x) {
      uint32_t found;
      std::memcpy(&found, &kernel.after[(y * 32 + x) * 2], 4);
      uint32_t once = 0;
      if (y >= 2 && y < 6) {
        const uint32_t byte =
            swizzled((y - 2) * 128 + x * 4, Swizzle::Bytes128);
        once = (1 + byte / 2) | (2 + byte / 2) << 16;
      }
      EXPECT_EQ(found, once * 20);
    }
  kernel.poisoned = true;
  kernel.expect(Check::Uninitialized, "reduction into memory that was never");
}

TEST(TensorCopy, BulkReduction) {
  Kernel kernel(64, 8, 64, 4, Swizzle::None);
  kernel.blocks = 3;
  kernel.body = R"(
mov.b32 %r20, 0x3c00c000; // 1, -2
shl.b32 %r3, %r1, 2;
add.u32 %r3, %r3, %r0;
st.shared.b32 [%r3], %r20;
fence.proxy.async;
bar.warp.sync -1;
@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd2], [%r0], 128;
@%p1 cp.async.bulk.commit_group;
@%p1 cp.async.bulk.wait_group 0;
)";
  kernel.expect(Check::Uninitialized, "reduction into memory that was never");
  kernel.poisonOut = false;
  const Outcome outcome = kernel.runClean();
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(outcome.out[i], i < 32 ? 0x4200c600u : 0u); // 3, -6
  // Two reductions into the same bytes in flight; a plain store is an error.
  const std::string again = "@%p1 cp.reduce.async.bulk.global.shared::cta."
                            "bulk_group.add.noftz.f16 [%rd2], [%r0], 128;\n";
  const size_t commit = kernel.body.find("@%p1 cp.async.bulk.commit_group");
  kernel.body.insert(commit, again);
  kernel.runClean();
  kernel.body.insert(commit, "@%p1 st.global.b32 [%rd2+4], %r20;\n");
  kernel.expect(Check::Async, "while the asynchronous operation of line");
}

TEST(TensorCopy, Multicast) {
  Kernel kernel(64, 16, 64, 8, Swizzle::Bytes128);
  kernel.blocks = kernel.cluster = 2;
  kernel.body = R"(
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
mov.u32 %r5, %cluster_ctarank;
setp.eq.and.u32 %p4, %r5, 0, %p1;
mov.b16 %rs1, 3;
@%p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%rd1, {0, 8}], [%r2], %rs1;
)" + std::string(waitBarrier) +
                R"(
shl.b32 %r6, %r5, 10;
cvt.u64.u32 %rd12, %r6;
add.u64 %rd2, %rd2, %rd12;
)" + dump(1024);
  const Outcome outcome = kernel.runClean();
  for (uint32_t byte = 0; byte < 1024; byte += 2)
    for (uint32_t block = 0; block < 2; ++block)
      EXPECT_EQ(element(outcome.out,
                        block * 1024 + swizzled(byte, Swizzle::Bytes128)),
                8 * 64 + byte / 2);
}

TEST(TensorCopy, OtherRanks) {
  for (unsigned rank : {1u, 3u, 4u, 5u}) {
    Kernel kernel(64, 16, 64, 8, Swizzle::None);
    kernel.map.rank = rank;
    kernel.map.dims = {64, 1, 1, 1, 1};
    kernel.map.box = {64, 1, 1, 1, 1};
    std::string coordinates = "0";
    uint64_t stride = 128;
    for (unsigned d = 1; d < rank; ++d) {
      kernel.map.dims[d] = 2;
      kernel.map.byteStrides[d] = stride;
      stride *= 2;
      coordinates += ", 1";
    }
    kernel.body =
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\n@%p1 "
        "cp.async.bulk.tensor." +
        std::to_string(rank) +
        "d.shared::cta.global.mbarrier::complete_tx::bytes [%r0], [%rd1, {" +
        coordinates + "}], [%r2];\n" + waitBarrier + dump(128);
    const Outcome outcome = kernel.runClean();
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(element(outcome.out, i * 2), stride / 2 - 64 + i) << rank;
  }
}

TEST(TensorCopy, FillsWideElements) {
  Kernel kernel(64, 16, 64, 8, Swizzle::Bytes64);
  kernel.map.element = TensorMap::Element::F64;
  kernel.map.dims = {16, 16, 1, 1, 1};
  kernel.map.byteStrides = {8, 128};
  kernel.map.box = {8, 8, 1, 1, 1};
  kernel.map.fill = TensorMap::Fill::Nan;
  kernel.body = load(12, 0, 512) + dump(512);
  const Outcome outcome = kernel.runClean();
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned c = 0; c < 8; ++c) {
      const uint32_t at = swizzled(r * 64 + c * 8, Swizzle::Bytes64) / 4;
      const uint32_t first = (r * 64 + (12 + c) * 4) % 65536;
      EXPECT_EQ(outcome.out[at],
                c < 4 ? first | (first + 1) << 16 : 0x7ff77ff7u);
      EXPECT_EQ(outcome.out[at + 1],
                c < 4 ? (first + 2) | (first + 3) << 16 : 0x7ff77ff7u);
    }
}

TEST(TensorCopy, Prefetches) {
  Kernel kernel(64, 16, 64, 8, Swizzle::None);
  const std::string prefetch = "@%p1 prefetch.tensormap [%rd1];\n";
  kernel.body = prefetch + "@%p1 cp.async.bulk.prefetch.tensor.2d.L2.global "
                           "[%rd1, {0, 8}];\n";
  kernel.runClean();
  kernel.body = "@%p1 prefetch.tensormap [%rd2];\n";
  kernel.expect(Check::TensorMap, "are no tensor map of this launch");
}
