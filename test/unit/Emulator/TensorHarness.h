//===- TensorHarness.h - kernels around tensor copies ---------------------===//
//
// A kernel with a tensor map and an output buffer around a body given as text,
// and the pieces of such bodies.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_TEST_UNIT_EMULATOR_TENSORHARNESS_H
#define WNA16_TEST_UNIT_EMULATOR_TENSORHARNESS_H

#include "test/unit/Emulator/Harness.h"

namespace wna16::emulator {

/// %rd1: the map of buffer "x", %rd2: the words of "out",
/// %r0: shared memory, %r1: the thread, %r2: an mbarrier behind 16 KiB.
struct TensorKernel {
  TensorMap map;
  std::vector<uint16_t> x; ///< the tensor
  bool writable = false, poisoned = false, poisonOut = true;
  std::string body;
  uint32_t blocks = 1, cluster = 1, threads = 32;
  Options options;
  std::vector<uint16_t> after; ///< the tensor then
  uint32_t line = 0;

  /// A tensor of `width` x `height` 16-bit elements, each its own index, and
  /// boxes of `boxWidth` x `boxHeight`.
  TensorKernel(unsigned width, unsigned height, unsigned boxWidth,
               unsigned boxHeight, TensorMap::Swizzle swizzle) {
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
    launch.block = {threads, 1, 1};
    launch.cluster = {cluster, 1, 1};
    launch.sharedBytes = 20480;
    launch.params = {Device::tensorMapBytes(device.addTensorMap(map)),
                     paramBytes(output.base)};
    RunResult result =
        emulator::run(*std::get<0>(parsed), device, launch, options);
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

inline const char *waitBarrier = R"(
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;
@!%p2 bra WAIT;
)";

/// Loads the box at (x, y) to the start of shared memory and waits.
inline std::string load(int x, int y, unsigned bytes) {
  return "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], " +
         std::to_string(bytes) +
         ";\n@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
         "::complete_tx::bytes [%r0], [%rd1, {" +
         std::to_string(x) + ", " + std::to_string(y) + "}], [%r2];\n" +
         waitBarrier;
}

/// Copies `bytes` of shared memory to "out".
inline std::string dump(unsigned bytes) {
  return "shl.b32 %r10, %r1, 2;\nDUMP:\nadd.u32 %r11, %r0, %r10;\n"
         "ld.shared.b32 %r12, [%r11];\ncvt.u64.u32 %rd10, %r10;\n"
         "add.u64 %rd11, %rd2, %rd10;\nst.global.b32 [%rd11], %r12;\n"
         "add.u32 %r10, %r10, 128;\nsetp.lt.u32 %p3, %r10, " +
         std::to_string(bytes) + ";\n@%p3 bra DUMP;\n";
}

/// Fills `bytes` of shared memory with 16-bit elements base, base + 1, ...
inline std::string fill(unsigned bytes, unsigned base) {
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
inline std::string store(int x, int y, const std::string &reduction = "") {
  return std::string("@%p1 cp.") + (reduction.empty() ? "" : "reduce.") +
         "async.bulk.tensor.2d.global.shared::cta" + reduction +
         ".tile.bulk_group [%rd1, {" + std::to_string(x) + ", " +
         std::to_string(y) +
         "}], [%r0];\n@%p1 cp.async.bulk.commit_group;\n"
         "@%p1 cp.async.bulk.wait_group 0;\n";
}

inline uint16_t element(const std::vector<uint32_t> &words, uint32_t byte) {
  return uint16_t(words[byte / 4] >> (byte % 4 * 8));
}

} // namespace wna16::emulator

#endif // WNA16_TEST_UNIT_EMULATOR_TENSORHARNESS_H
