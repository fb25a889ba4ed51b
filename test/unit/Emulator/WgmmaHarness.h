//===- WgmmaHarness.h - kernels around wgmma ------------------------------===//
//
// A kernel of one warpgroup around a body given as text, and operands in the
// layouts that descriptors name.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_TEST_UNIT_EMULATOR_WGMMAHARNESS_H
#define WNA16_TEST_UNIT_EMULATOR_WGMMAHARNESS_H

#include "lib/Emulator/MatrixDescriptor.h"
#include "lib/Emulator/Numerics.h"
#include "lib/Emulator/WarpgroupMatrix.h"
#include "test/unit/Emulator/Harness.h"

namespace wna16::emulator {

/// A kernel of four warps. Its input starts with an image that is copied to
/// shared memory by generic stores and made visible to the async proxy; %r0 is
/// the start of that, %rd4 and %rd5 this thread's word of input and output.
struct WgmmaKernel {
  std::string prologue = R"(
loop:
setp.ge.u32 %p0, %r2, IMAGE;
@%p0 bra done;
cvt.u64.u32 %rd6, %r2;
add.u64 %rd7, %rd1, %rd6;
ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd7];
add.u32 %r3, %r0, %r2;
st.shared.v4.b32 [%r3], {%r10, %r11, %r12, %r13};
add.u32 %r2, %r2, 2048;
bra loop;
done:
)";
  std::string publish = "fence.proxy.async;\nbar.sync 0;\n";
  std::string body;
  std::vector<uint8_t> image;
  std::vector<uint32_t> in; ///< after the image
  Options options;
  uint32_t threads = 128;

  std::string text() const {
    std::string copy = prologue;
    copy.replace(copy.find("IMAGE"), 5, std::to_string(image.size()));
    return R"(
.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .pred %p<10>;
.reg .b16 %rs<9>;
.reg .b32 %r<100>;
.reg .b32 %d<200>;
.reg .f32 %f<300>;
.reg .b64 %rd<40>;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r0, smem;
shl.b32 %r2, %r1, 4;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd4, %rd4, )" +
           std::to_string(image.size()) + R"(;
add.s64 %rd5, %rd2, %rd3;
)" + copy + publish +
           body + "\nret;\n}\n";
  }

  Outcome run() const {
    ParseResult parsed = parsePtx(text(), "test.ptx");
    Outcome outcome;
    if (auto *diagnostic = std::get_if<Diagnostic>(&parsed)) {
      ADD_FAILURE() << diagnostic->str();
      return outcome;
    }
    Device device;
    std::vector<uint8_t> bytes = image;
    bytes.resize(image.size() + in.size() * 4);
    std::memcpy(bytes.data() + image.size(), in.data(), in.size() * 4);
    Buffer &input = device.addBuffer("in", bytes, 16, true);
    Buffer &output = device.addBuffer("out", 128 * 128 * 4, 16);
    output.poison();
    LaunchSpec launch;
    launch.entry = "k";
    launch.grid = {1, 1, 1};
    launch.block = {threads, 1, 1};
    launch.sharedBytes = 65536;
    launch.params = {paramBytes(input.base), paramBytes(output.base)};
    RunResult result =
        emulator::run(*std::get<0>(parsed), device, launch, options);
    outcome.reports = std::move(result.reports);
    outcome.out.resize(128 * 128);
    std::memcpy(outcome.out.data(), output.bytes.data(), output.bytes.size());
    return outcome;
  }

  /// Runs and expects one kind of report at the line that contains `at`.
  void expect(Check check, const std::string &at, const std::string &words) {
    const Outcome outcome = run();
    ASSERT_FALSE(outcome.reports.empty()) << body;
    const Report &report = outcome.reports[0];
    EXPECT_EQ(report.check, check) << report.str();
    EXPECT_NE(report.str().find(words), std::string::npos) << report.str();
    const std::string all = text();
    const size_t place = all.find(at);
    ASSERT_NE(place, std::string::npos) << at;
    EXPECT_EQ(
        report.line,
        1 + unsigned(std::count(all.begin(), all.begin() + long(place), '\n')))
        << report.str();
  }
  void expectNothing() {
    for (const Report &report : run().reports)
      ADD_FAILURE() << report.str();
  }
};

inline std::string list(const char *prefix, unsigned count,
                        unsigned first = 0) {
  std::string out = "{";
  for (unsigned i = 0; i < count; ++i)
    out += (i ? ", " : "") + (prefix + std::to_string(first + i));
  return out + "}";
}

/// %rdN = the descriptor `d`, with the start relative to shared memory.
inline std::string descriptor(unsigned n, MatrixDescriptor d) {
  const std::string rd = "%rd" + std::to_string(n);
  const uint32_t start = d.start;
  d.start = 0;
  return "add.u32 %r4, %r0, " + std::to_string(start) +
         ";\nshr.u32 %r4, %r4, 4;\nand.b32 %r4, %r4, 0x3fff;\n"
         "cvt.u64.u32 " +
         rd + ", %r4;\nor.b64 " + rd + ", " + rd + ", " +
         std::to_string(d.encode()) + ";\n";
}

/// Small values, exact in every type and sum.
inline uint32_t encode(MatrixElement element, int value) {
  const float x = float(value) / 4;
  switch (element) {
  case MatrixElement::F16:
    return floatToHalf(x);
  case MatrixElement::BF16:
    return floatToBfloat(x);
  case MatrixElement::TF32:
    return std::bit_cast<uint32_t>(x);
  case MatrixElement::E4M3:
    return uint32_t(roundTo<4, 3>(x, Rounding::Nearest));
  case MatrixElement::E5M2:
    return floatToHalf(x) >> 8;
  case MatrixElement::S8:
    return uint32_t(value) & 0xff;
  case MatrixElement::U8:
    return uint32_t(value + 8);
  case MatrixElement::B1:
    break;
  }
  return 0;
}

/// Places an operand of `rows` x K into `image` behind what is there, for a
/// descriptor of the given form.
inline MatrixDescriptor place(std::vector<uint8_t> &image,
                              MatrixElement element, unsigned rows,
                              bool mnMajor, TensorMap::Swizzle swizzle,
                              const std::vector<std::vector<int>> &values) {
  MatrixDescriptor d;
  const unsigned span = 16u << unsigned(swizzle);
  image.resize((image.size() + 1023) / 1024 * 1024);
  d.start = uint32_t(image.size());
  d.swizzle = swizzle;
  if (!mnMajor) {
    d.strideOffset = 8 * span;
    d.leadingOffset = swizzle == TensorMap::Swizzle::None ? rows * 16 : 16;
  } else {
    d.leadingOffset = 16 * span; // 16 lines of K per panel
    d.strideOffset = 8 * span;
    if (swizzle == TensorMap::Swizzle::None)
      std::swap(d.leadingOffset, d.strideOffset);
  }
  const unsigned bytes = (bitsOf(element) / 8), perSpan = span / 2;
  image.resize(image.size() + 8192 +
               (mnMajor ? (rows + perSpan - 1) / perSpan * 16 : rows) * 128);
  d.forEachChunk(mnMajor, 0, rows, [&](const OperandChunk &chunk) {
    for (unsigned i = 0; i < 16 / bytes; ++i) {
      const unsigned row = chunk.row + (mnMajor ? i : 0);
      const unsigned k = chunk.column / bytes + (mnMajor ? 0 : i);
      const uint32_t bits = encode(element, values[row][k]);
      std::memcpy(&image[chunk.address + i * bytes], &bits, bytes);
    }
  });
  return d;
}

} // namespace wna16::emulator

#endif // WNA16_TEST_UNIT_EMULATOR_WGMMAHARNESS_H
