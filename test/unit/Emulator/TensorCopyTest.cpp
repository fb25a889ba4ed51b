//===- TensorCopyTest.cpp - copies through tensor maps --------------------===//
//
// Loads, stores and reductions of boxes with and without swizzle, inside the
// tensor and over its border; what the tensor-map check reports.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Swizzle.h"
#include "test/unit/Emulator/Harness.h"

using namespace wna16::emulator;
using Swizzle = TensorMap::Swizzle;

namespace {

/// One warp per block. %rd1: the map of buffer "x", %rd2: the words of "out",
/// %r0: shared memory, %r1: the thread, %r2: an mbarrier behind 16 KiB.
struct Kernel {
  TensorMap map;
  std::vector<uint16_t> x; ///< the tensor
  bool writable = false, poisoned = false, poisonOut = true;
  std::string body;
  uint32_t blocks = 1, cluster = 1;
  Options options;
  std::vector<uint16_t> after; ///< the tensor then
  uint32_t line = 0;

  /// A tensor of `width` x `height` 16-bit elements, each its own index, and
  /// boxes of `boxWidth` x `boxHeight`.
  Kernel(unsigned width, unsigned height, unsigned boxWidth, unsigned boxHeight,
         Swizzle swizzle) {
    map.element = TensorMap::Element::BF16;
    map.rank = 2;
    map.dims = {width, height, 1, 1, 1};
    map.byteStrides = {2, width * 2};
    map.box = {boxWidth, boxHeight, 1, 1, 1};
    map.swizzle = swizzle;
    for (unsigned i = 0; i < width * height; ++i)
      x.push_back(uint16_t(i));
  }

  std::string text() const {
    return R"(
.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)
{
.reg .pred %p<10>;
.reg .b16 %rs<10>;
.reg .b32 %r<100>;
.reg .b64 %rd<40>;
mov.b64 %rd3, map;
cvta.param.u64 %rd1, %rd3;
ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r0, smem;
add.u32 %r2, %r0, 16384;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [%r2], 1;
@%p1 fence.mbarrier_init.release.cluster;
bar.warp.sync -1;
)" + body + "\nret;\n}\n";
  }

  Outcome run() {
    ParseResult parsed = parsePtx(text(), "test.ptx");
    Outcome outcome;
    if (auto *diagnostic = std::get_if<Diagnostic>(&parsed)) {
      ADD_FAILURE() << diagnostic->str();
      return outcome;
    }
    Device device;
    std::vector<uint8_t> bytes(x.size() * 2);
    std::memcpy(bytes.data(), x.data(), bytes.size());
    Buffer &input = device.addBuffer("x", bytes, 128, !writable);
    if (poisoned)
      input.poison();
    Buffer &output = device.addBuffer("out", 16384, 128);
    if (poisonOut)
      output.poison();
    map.base = input.base;
    LaunchSpec launch;
    launch.entry = "k";
    launch.grid = {blocks, 1, 1};
    launch.block = {32, 1, 1};
    launch.cluster = {cluster, 1, 1};
    launch.sharedBytes = 20480;
    launch.params = {Device::tensorMapBytes(device.addTensorMap(map)),
                     paramBytes(output.base)};
    RunResult result = ::run(*std::get<0>(parsed), device, launch, options);
    outcome.reports = std::move(result.reports);
    outcome.counters = std::move(result.counters);
    outcome.out.resize(4096);
    std::memcpy(outcome.out.data(), output.bytes.data(), output.bytes.size());
    after.resize(x.size());
    std::memcpy(after.data(), input.bytes.data(), input.bytes.size());
    return outcome;
  }

  Outcome runClean() {
    Outcome outcome = run();
    for (const Report &report : outcome.reports)
      ADD_FAILURE() << report.str();
    return outcome;
  }
  void expect(Check check, const std::string &words) {
    const Outcome outcome = run();
    ASSERT_FALSE(outcome.reports.empty());
    EXPECT_EQ(outcome.reports[0].check, check) << outcome.reports[0].str();
    EXPECT_NE(outcome.reports[0].str().find(words), std::string::npos)
        << outcome.reports[0].str();
  }
};

const char *waitBarrier = R"(
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;
@!%p2 bra WAIT;
)";

/// Loads the box at (x, y) to the start of shared memory and waits.
std::string load(int x, int y, unsigned bytes) {
  return "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], " +
         std::to_string(bytes) +
         ";\n@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
         "::complete_tx::bytes [%r0], [%rd1, {" +
         std::to_string(x) + ", " + std::to_string(y) + "}], [%r2];\n" +
         waitBarrier;
}

/// Copies `bytes` of shared memory to "out".
std::string dump(unsigned bytes) {
  return "shl.b32 %r10, %r1, 2;\nDUMP:\nadd.u32 %r11, %r0, %r10;\n"
         "ld.shared.b32 %r12, [%r11];\ncvt.u64.u32 %rd10, %r10;\n"
         "add.u64 %rd11, %rd2, %rd10;\nst.global.b32 [%rd11], %r12;\n"
         "add.u32 %r10, %r10, 128;\nsetp.lt.u32 %p3, %r10, " +
         std::to_string(bytes) + ";\n@%p3 bra DUMP;\n";
}

/// Fills `bytes` of shared memory with 16-bit elements base, base + 1, ...
std::string fill(unsigned bytes, unsigned base) {
  return "mov.u32 %r10, %r1;\nFILL:\nshl.b32 %r11, %r10, 2;\n"
         "add.u32 %r11, %r0, %r11;\nshl.b32 %r12, %r10, 1;\n"
         "add.u32 %r12, %r12, " +
         std::to_string(base) +
         ";\nshl.b32 %r13, %r12, 16;\nadd.u32 %r13, %r13, 65536;\n"
         "or.b32 %r12, %r12, %r13;\nst.shared.b32 [%r11], %r12;\n"
         "add.u32 %r10, %r10, 32;\nsetp.lt.u32 %p3, %r10, " +
         std::to_string(bytes / 4) +
         ";\n@%p3 bra FILL;\nfence.proxy.async;\nbar.warp.sync -1;\n";
}

/// Stores (or reduces) the start of shared memory to the box at (x, y).
std::string store(int x, int y, const std::string &reduction = "") {
  return std::string("@%p1 cp.") + (reduction.empty() ? "" : "reduce.") +
         "async.bulk.tensor.2d.global.shared::cta" + reduction +
         ".tile.bulk_group [%rd1, {" + std::to_string(x) + ", " +
         std::to_string(y) +
         "}], [%r0];\n@%p1 cp.async.bulk.commit_group;\n"
         "@%p1 cp.async.bulk.wait_group 0;\n";
}

uint16_t element(const std::vector<uint32_t> &words, uint32_t byte) {
  return uint16_t(words[byte / 4] >> (byte % 4 * 8));
}

constexpr Swizzle swizzles[] = {Swizzle::None, Swizzle::Bytes32,
                                Swizzle::Bytes64, Swizzle::Bytes128};

} // namespace

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
                : at.x < 0 ? 0x7fff
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

TEST(TensorCopy, Prefetches) {
  Kernel kernel(64, 16, 64, 8, Swizzle::None);
  const std::string prefetch = "@%p1 prefetch.tensormap [%rd1];\n";
  kernel.body = prefetch + "@%p1 cp.async.bulk.prefetch.tensor.2d.L2.global "
                           "[%rd1, {0, 8}];\n";
  kernel.runClean();
  kernel.body = "@%p1 prefetch.tensormap [%rd2];\n";
  kernel.expect(Check::TensorMap, "are no tensor map of this launch");
}

TEST(TensorCopyRules, Reports) {
  Kernel kernel(64, 16, 64, 8, Swizzle::Bytes128);
  kernel.body = load(64, 0, 1024); // a tile at the edge may
  kernel.runClean();
  kernel.body = load(320, 0, 1024);
  kernel.expect(Check::TensorMap,
                "the box at (320, 0) lies far outside the tensor of 64 x 16 "
                "elements: the copy brings fill values only");
  kernel.body = load(0, -8, 1024);
  kernel.expect(Check::TensorMap, "far outside");
  kernel.body = load(0, 0, 1008);
  kernel.expect(Check::Mbarrier, "");
  // Addresses and maps.
  kernel.body = "add.u32 %r0, %r0, 64;\n" + load(0, 0, 1024);
  kernel.expect(Check::TensorMap, "is not a multiple of 128");
  kernel.body = "add.u32 %r0, %r0, 19968;\n" + load(0, 0, 1024);
  kernel.expect(Check::Bounds, "outside the 20480 bytes");
  kernel.body = "add.u64 %rd1, %rd1, 64;\n" + load(0, 0, 1024);
  kernel.expect(Check::Bounds, "param");
  kernel.body = "mov.u64 %rd1, %rd2;\n" + load(0, 0, 1024);
  kernel.expect(Check::TensorMap, "are no tensor map of this launch");
  kernel.body = load(0, 0, 1024);
  kernel.map.rank = 3;
  kernel.expect(Check::TensorMap,
                "a copy of 2 dimensions through a tensor map of 3");
  kernel.map.rank = 2;
  kernel.map.dims[1] = 64; // more than the buffer has
  kernel.body = load(0, 10, 1024);
  kernel.expect(Check::Bounds, "the tensor map describes more than there is");
  kernel.map.dims[1] = 16;
  kernel.map.interleave = TensorMap::Interleave::Bytes32;
  kernel.expect(Check::Unsupported, "tensor maps with interleaved layouts");
}

TEST(TensorCopyRules, Stores) {
  Kernel kernel(64, 16, 64, 8, Swizzle::Bytes128);
  kernel.body = fill(1024, 0) + store(0, 0);
  kernel.expect(Check::Access, "which the launch declares read-only");
  kernel.writable = true;
  kernel.runClean();
  kernel.body = store(0, 0);
  kernel.expect(Check::Uninitialized, "were never written");
  // The last row only: of the rest nothing is stored.
  kernel.body = fill(128, 0) + store(0, 15);
  kernel.runClean();
  std::string unfenced = fill(1024, 0);
  unfenced.erase(unfenced.find("fence.proxy.async;\n"), 19);
  kernel.body = unfenced + store(0, 0);
  kernel.expect(Check::Proxy, "nothing makes the generic write of line");
  // The source changes before the store has read it.
  kernel.body = fill(1024, 0) + store(0, 0);
  const size_t wait = kernel.body.find("@%p1 cp.async.bulk.wait_group");
  kernel.body.insert(wait, "@%p1 st.shared.b32 [%r0+512], %r1;\n");
  kernel.expect(Check::Async, "is overwritten while an asynchronous operation");
  kernel.map.element = TensorMap::Element::F32;
  kernel.map.dims[0] = kernel.map.box[0] = 32;
  kernel.map.byteStrides[0] = 4;
  kernel.body = fill(1024, 0) + store(0, 0, ".min");
  kernel.expect(Check::TensorMap, "is not defined for the element type f32");
}
