//===- WgmmaTest.cpp - wgmma instructions ---------------------------------===//
//
// Whole instructions of every form against plain loops, and each rule of their
// asynchrony broken once.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/MatrixDescriptor.h"
#include "lib/Emulator/Numerics.h"
#include "lib/Emulator/WarpgroupMatrix.h"
#include "test/unit/Emulator/Harness.h"

#include <cmath>
#include <random>

using namespace wna16::emulator;
using Element = MatrixElement;
using Swizzle = TensorMap::Swizzle;

namespace {

/// A kernel of four warps. Its input starts with an image that is copied to
/// shared memory by generic stores and made visible to the async proxy; %r0 is
/// the start of that, %rd4 and %rd5 this thread's word of input and output.
struct Kernel {
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
    RunResult result = ::run(*std::get<0>(parsed), device, launch, options);
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

std::string list(const char *prefix, unsigned count, unsigned first = 0) {
  std::string out = "{";
  for (unsigned i = 0; i < count; ++i)
    out += (i ? ", " : "") + (prefix + std::to_string(first + i));
  return out + "}";
}

/// %rdN = the descriptor `d`, with the start relative to shared memory.
std::string descriptor(unsigned n, MatrixDescriptor d) {
  const std::string rd = "%rd" + std::to_string(n);
  const uint32_t start = d.start;
  d.start = 0;
  return "add.u32 %r4, %r0, " + std::to_string(start) +
         ";\nshr.u32 %r4, %r4, 4;\nand.b32 %r4, %r4, 0x3fff;\n"
         "cvt.u64.u32 " +
         rd + ", %r4;\nor.b64 " + rd + ", " + rd + ", " +
         std::to_string(d.encode()) + ";\n";
}

const char *nameOf(Element element) {
  constexpr const char *names[] = {"f16",  "bf16", "tf32", "e4m3",
                                   "e5m2", "s8",   "u8"};
  return names[unsigned(element)];
}

/// Small values, exact in every type and sum.
uint32_t encode(Element element, int value) {
  const float x = float(value) / 4;
  switch (element) {
  case Element::F16:
    return floatToHalf(x);
  case Element::BF16:
    return floatToBfloat(x);
  case Element::TF32:
    return std::bit_cast<uint32_t>(x);
  case Element::E4M3:
    return uint32_t(roundTo<4, 3>(x, Rounding::Nearest));
  case Element::E5M2:
    return floatToHalf(x) >> 8;
  case Element::S8:
    return uint32_t(value) & 0xff;
  case Element::U8:
    return uint32_t(value + 8);
  }
  return 0;
}
double valueOf(Element element, int value) {
  return element == Element::U8   ? value + 8
         : element == Element::S8 ? value
                                  : value / 4.0;
}

struct Form {
  Element a, b;
  const char *accumulator;
  unsigned columns;
  bool registers = false;
  Swizzle swizzle = Swizzle::Bytes128;
  bool transposeA = false, transposeB = false;
  int scaleA = 1, scaleB = 1;
  int scaleD = 1;
  bool saturate = false;
};

/// Places an operand of `rows` x K into `image` behind what is there, for a
/// descriptor of the given form.
MatrixDescriptor place(std::vector<uint8_t> &image, Element element,
                       unsigned rows, bool mnMajor, Swizzle swizzle,
                       const std::vector<std::vector<int>> &values) {
  MatrixDescriptor d;
  const unsigned span = 16u << unsigned(swizzle);
  image.resize((image.size() + 1023) / 1024 * 1024);
  d.start = uint32_t(image.size());
  d.swizzle = swizzle;
  if (!mnMajor) {
    d.strideOffset = 8 * span;
    d.leadingOffset = swizzle == Swizzle::None ? rows * 16 : 16;
  } else {
    d.leadingOffset = 16 * span; // 16 lines of K per panel
    d.strideOffset = 8 * span;
    if (swizzle == Swizzle::None)
      std::swap(d.leadingOffset, d.strideOffset);
  }
  const unsigned bytes = bytesOf(element), perSpan = span / 2;
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

void check(const Form &form, Completion completion = Completion::Late) {
  std::mt19937 random(11);
  const unsigned k = 32 / bytesOf(form.a);
  const bool f16 = form.accumulator == std::string("f16"),
             s32 = form.accumulator == std::string("s32");
  auto matrix = [&](unsigned rows) {
    std::vector<std::vector<int>> values(rows, std::vector<int>(k));
    for (auto &row : values)
      for (int &value : row)
        value = int(random() % 15) - 7;
    return values;
  };
  const auto a = matrix(64), b = matrix(form.columns);
  Kernel kernel;
  kernel.options.completion = completion;
  if (!form.registers)
    kernel.body += descriptor(
        10, place(kernel.image, form.a, 64, form.transposeA, form.swizzle, a));
  kernel.body += descriptor(11, place(kernel.image, form.b, form.columns,
                                      form.transposeB, form.swizzle, b));
  // Registers of A, then of C, one word per thread each.
  if (form.registers) {
    kernel.in.resize(4 * 128);
    const unsigned bytes = bytesOf(form.a), per = 4 / bytes;
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned thread = 0; thread < 128; ++thread)
        for (unsigned e = 0; e < per; ++e) {
          const unsigned lane = thread % 32;
          const unsigned row = thread / 32 * 16 + lane / 4 + i % 2 * 8;
          const unsigned column = (i / 2 * 4 + lane % 4) * per + e;
          kernel.in[i * 128 + thread] |= encode(form.a, a[row][column])
                                         << (8 * bytes * e);
        }
    for (unsigned i = 0; i < 4; ++i)
      kernel.body += "ld.global.b32 %r" + std::to_string(20 + i) + ", [%rd4+" +
                     std::to_string(i * 512) + "];\n";
  }
  const unsigned registers = form.columns / (f16 ? 4 : 2);
  const size_t cStart = kernel.in.size();
  std::vector<int> c(64 * form.columns);
  for (int &value : c)
    value = int(random() % 100) - 50;
  auto rowOf = [](unsigned i, unsigned thread) {
    return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
  };
  auto columnOf = [](unsigned i, unsigned thread) {
    return i / 4 * 8 + thread % 4 * 2 + i % 2;
  };
  const char *prefix = f16 || s32 ? "%d" : "%f";
  kernel.in.resize(cStart + registers * 128);
  for (unsigned i = 0; i < registers; ++i) {
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned half = 0; half < (f16 ? 2u : 1u); ++half) {
        const unsigned e = f16 ? i * 2 + half : i;
        const int value =
            c[rowOf(e, thread) * form.columns + columnOf(e, thread)];
        kernel.in[cStart + i * 128 + thread] |=
            s32   ? uint32_t(value)
            : f16 ? floatToHalf(float(value)) << (16 * half)
                  : std::bit_cast<uint32_t>(float(value));
      }
    kernel.body += std::string("ld.global.b32 ") + prefix + std::to_string(i) +
                   ", [%rd4+" + std::to_string((cStart + i * 128) * 4) + "];\n";
  }
  kernel.body +=
      "setp.ne.b32 %p1, " + std::to_string(form.scaleD) +
      ", 0;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned."
      "m64n" +
      std::to_string(form.columns) + "k" + std::to_string(k) +
      (form.saturate ? ".satfinite." : ".") + form.accumulator + "." +
      nameOf(form.a) + "." + nameOf(form.b) + " " + list(prefix, registers) +
      ", " + (form.registers ? list("%r", 4, 20) : "%rd10") + ", %rd11, %p1";
  if (!s32)
    kernel.body +=
        ", " + std::to_string(form.scaleA) + ", " + std::to_string(form.scaleB);
  if (bytesOf(form.a) == 2)
    kernel.body += (form.registers ? std::string()
                                   : ", " + std::to_string(form.transposeA)) +
                   ", " + std::to_string(form.transposeB);
  kernel.body += ";\nwgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;\n";
  for (unsigned i = 0; i < registers; ++i)
    kernel.body += "st.global.b32 [%rd5+" + std::to_string(i * 512) + "], " +
                   prefix + std::to_string(i) + ";\n";
  const Outcome outcome = kernel.run();
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  for (unsigned i = 0; i < registers; ++i)
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned half = 0; half < (f16 ? 2u : 1u); ++half) {
        const unsigned e = f16 ? i * 2 + half : i;
        const unsigned row = rowOf(e, thread), column = columnOf(e, thread);
        double sum = form.scaleD ? c[row * form.columns + column] : 0;
        for (unsigned j = 0; j < k; ++j)
          sum += form.scaleA * form.scaleB * valueOf(form.a, a[row][j]) *
                 valueOf(form.b, b[column][j]);
        const uint32_t bits = outcome.out[i * 128 + thread];
        const double found =
            s32   ? double(int32_t(bits))
            : f16 ? double(halfToFloat(bits >> (16 * half) & 0xffff))
                  : double(std::bit_cast<float>(bits));
        ASSERT_EQ(found,
                  f16 ? double(halfToFloat(floatToHalf(float(sum)))) : sum)
            << "row " << row << ", column " << column << "\n"
            << kernel.body.substr(kernel.body.find("wgmma.mma_async"), 60);
      }
}

} // namespace

TEST(Wgmma, ElementTypes) {
  for (Element a : {Element::F16, Element::BF16, Element::TF32, Element::E4M3,
                    Element::E5M2, Element::S8, Element::U8})
    for (bool registers : {false, true}) {
      const bool integer = a == Element::S8 || a == Element::U8;
      Form form{a, a, integer ? "s32" : "f32", 32};
      form.registers = registers;
      check(form);
      if (a == Element::E4M3)
        form.b = Element::E5M2;
      if (a == Element::S8)
        form.b = Element::U8;
      check(form);
      form.columns = 48;
      form.saturate = integer;
      check(form);
      if (a == Element::F16 || a == Element::E4M3) {
        form.accumulator = "f16";
        check(form);
      }
    }
}

TEST(Wgmma, EveryN) {
  for (unsigned columns = 8; columns <= 256; columns += 8) {
    Form form{Element::BF16, Element::BF16, "f32", columns};
    form.registers = columns % 16 == 0;
    check(form);
  }
}

TEST(Wgmma, LayoutsAndScales) {
  for (Swizzle swizzle :
       {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
    for (unsigned transposes = 0; transposes < 4; ++transposes) {
      Form form{Element::F16, Element::F16, "f32", 64};
      form.swizzle = swizzle;
      form.transposeA = transposes & 1;
      form.transposeB = transposes & 2;
      form.scaleA = transposes == 1 ? -1 : 1;
      form.scaleB = transposes == 2 ? -1 : 1;
      form.scaleD = transposes != 3;
      check(form, Completion(transposes % 3));
      form.registers = true;
      form.transposeA = false;
      check(form);
    }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {

const char *mma =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, "
    "%f2, %f3}, %rd10, %rd11, 1, 1, 1, 0, 0;\n";
const char *mmaRegisters =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "
    "{%r20, %r21, %r22, %r23}, %rd11, 1, 1, 1, 0;\n";
const char *fence = "wgmma.fence.sync.aligned;\n";
const char *commit = "wgmma.commit_group.sync.aligned;\n";
const char *waitAll = "wgmma.wait_group.sync.aligned 0;\n";

/// Operands in shared memory, zero accumulators and registers of A.
Kernel ready() {
  Kernel kernel;
  const std::vector<std::vector<int>> ones(64, std::vector<int>(16, 4));
  kernel.body = descriptor(10, place(kernel.image, Element::F16, 64, false,
                                     Swizzle::Bytes128, ones));
  kernel.body += descriptor(
      11, place(kernel.image, Element::F16, 8, false, Swizzle::Bytes128, ones));
  for (int i = 0; i < 8; ++i)
    kernel.body += "mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
  for (int i = 20; i < 24; ++i)
    kernel.body += "mov.b32 %r" + std::to_string(i) + ", 0x3c003c00;\n";
  return kernel;
}

Kernel with(const std::string &body) {
  Kernel kernel = ready();
  kernel.body += body;
  return kernel;
}

} // namespace

TEST(WgmmaRules, RightOnesAreSilent) {
  const std::string store = "st.global.f32 [%rd5], %f0;\n";
  with(std::string(fence) + mma + commit + waitAll + store).expectNothing();
  // A chain of the same shape, and a second group in flight.
  with(std::string(fence) + mma + mma + commit + mma + commit + waitAll + store)
      .expectNothing();
  // A register is written again once its group is over.
  with(std::string(fence) + mmaRegisters + commit + waitAll +
       "mov.b32 %r20, 0;\n" + fence + mmaRegisters + commit + waitAll + store)
      .expectNothing();
  for (Completion completion : {Completion::Early, Completion::Random}) {
    Kernel kernel =
        with(std::string(fence) + mma + mma + commit + waitAll + store);
    kernel.options.completion = completion;
    const Outcome outcome = kernel.run();
    EXPECT_TRUE(outcome.reports.empty());
    EXPECT_EQ(outcome.out[0], std::bit_cast<uint32_t>(32.0f));
  }
}

TEST(WgmmaRules, AccumulatorsBeforeTheWait) {
  with(std::string(fence) + mma + commit + "st.global.f32 [%rd5], %f2;\n" +
       waitAll)
      .expect(Check::Wgmma, "st.global.f32 [%rd5], %f2",
              "register %f2, an accumulator of the wgmma of line");
  with(std::string(fence) + mma + commit + "mov.f32 %f3, 0f00000000;\n" +
       waitAll)
      .expect(Check::Wgmma, "mov.f32 %f3, 0f00000000;\nwgmma.wait",
              "is written while that is in flight");
  // The wait leaves one group in flight, or the wgmma is in no group at all.
  with(std::string(fence) + mma + commit +
       "wgmma.wait_group.sync.aligned 1;\nst.global.f32 [%rd5], %f0;\n" +
       waitAll)
      .expect(Check::Wgmma, "st.global.f32", "is read while");
  with(std::string(fence) + mma + waitAll + "st.global.f32 [%rd5], %f0;\n" +
       commit + waitAll)
      .expect(Check::Wgmma, "st.global.f32", "is read while");
}

TEST(WgmmaRules, RegistersOfABeforeTheWait) {
  with(std::string(fence) + mmaRegisters + commit + "mov.b32 %r22, 0;\n" +
       waitAll)
      .expect(Check::Wgmma, "mov.b32 %r22, 0;",
              "register %r22, a register of A of the wgmma of line");
  with(std::string(fence) + mmaRegisters + commit + waitAll +
       "mov.b32 %r22, 0;\n" + fence + mmaRegisters +
       "st.global.b32 [%rd5], %r23;\n" + commit + waitAll)
      .expect(Check::Wgmma, "st.global.b32", "is read while");
}

TEST(WgmmaRules, Fences) {
  with(std::string(mma) + commit + waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async", "no wgmma.fence comes before");
  with(std::string(fence) + "mov.f32 %f1, 0f3f800000;\n" + mma + commit +
       waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async",
              "register %f1, an accumulator of this wgmma, was read or written "
              "at line");
  with(std::string(fence) + mmaRegisters + commit + waitAll +
       "mov.b32 %r21, 0;\n// second\n" + mmaRegisters + commit + waitAll)
      .expect(Check::Wgmma,
              std::string(mmaRegisters) + commit + waitAll + "\nret",
              "register %r21, a register of A of this wgmma");
  // Another shape on the same accumulators.
  with(std::string(fence) + mma +
       "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0, %f1, %f2, "
       "%f3, %f4, %f5, %f6, %f7}, %rd10, %rd11, 1, 1, 1, 0, 0;\n" +
       commit + waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async.sync.aligned.m64n16",
              "which has another shape");
}

TEST(WgmmaRules, SharedOperands) {
  // Row 0 of B, which all warps read.
  const std::string write = "st.shared.b32 [%r0+16384], %r20;\n";
  const std::string lane0 = "setp.eq.u32 %p2, %r1, 0;\n@%p2 ";
  with(std::string(fence) + mma + commit + lane0 + write + waitAll)
      .expect(Check::Wgmma, "@%p2 st.shared",
              "is overwritten while the wgmma of line");
  // Another warp reads it still.
  with(std::string(fence) + mma + commit + waitAll + lane0 + write)
      .expect(Check::Race, "@%p2 st.shared", "not synchronised with the read");
  with(std::string(fence) + mma + commit + waitAll + "bar.sync 0;\n" + lane0 +
       write)
      .expectNothing();
  Kernel unfenced = with(std::string(fence) + mma + commit + waitAll);
  unfenced.publish = "bar.sync 0;\n";
  unfenced.expect(Check::Proxy, "wgmma.mma_async",
                  "nothing makes the generic write of line");
  Kernel unsynchronised = with(std::string(fence) + mma + commit + waitAll);
  unsynchronised.publish = "fence.proxy.async;\n";
  unsynchronised.expect(Check::Race, "wgmma.mma_async",
                        "not synchronised with the write");
}

TEST(WgmmaRules, Warpgroup) {
  const std::string warp1 = "shr.u32 %r5, %r1, 5;\nsetp.eq.u32 %p2, %r5, 1;\n";
  with(warp1 + fence + "@%p2 bra skip;\n" + mma + "skip:\n" + commit + waitAll)
      .expect(Check::Divergence, "wgmma.commit_group",
              "all four warps must execute the same wgmma instructions");
  with(warp1 + fence + "@%p2 bra skip;\n" + mma + commit + waitAll + "skip:\n")
      .expect(Check::Wgmma, "wgmma.mma_async", "without executing this");
  with(warp1 + "@%p2 add.u64 %rd11, %rd11, 2;\n" + fence + mma + commit +
       waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async",
              "the descriptor of B differs between warp");
  with("and.b32 %r5, %r1, 1;\ncvt.u64.u32 %rd12, %r5;\n"
       "add.u64 %rd11, %rd11, %rd12;\n" +
       std::string(fence) + mma + commit + waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async", "differs between lanes");
  Kernel small = with(std::string(fence) + mma + commit + waitAll);
  small.threads = 64;
  small.prologue = "// IMAGE\n";
  small.expect(Check::Wgmma, "wgmma.fence", "a warpgroup is four warps");
  with("setp.lt.u32 %p2, %r1, 5;\n@%p2 bra skip;\n" + std::string(fence) +
       "skip:\n")
      .expect(Check::Divergence, "wgmma.fence", "are missing");
}

TEST(WgmmaRules, DescriptorsAndEnd) {
  with("or.b64 %rd11, %rd11, 0x4000;\n" + std::string(fence) + mma + commit +
       waitAll)
      .expect(Check::Wgmma, "wgmma.mma_async", "has bits outside its fields");
  with("or.b64 %rd11, %rd11, 0x3fff;\n" + std::string(fence) + mma + commit +
       waitAll)
      .expect(Check::Bounds, "wgmma.mma_async",
              "outside the 65536 bytes of shared memory");
  with(std::string(fence) + mma + commit)
      .expect(Check::Wgmma, "wgmma.mma_async", "this warp exits while");
}

TEST(WgmmaRules, UndefinedRowsTaintTheirResults) {
  // Row 5 of B is never written: column 5, in lanes with t = 2, half 1.
  const std::string body = std::string(fence) + mma + commit + waitAll;
  auto kernel = [&](const std::string &store) {
    Kernel result = with(body + store);
    // B lies behind A; its rows are 128 bytes.
    result.prologue =
        "mov.u32 %r10, 0x3c003c00;\nLOOP:\n"
        "setp.ge.u32 %p0, %r2, IMAGE;\n@%p0 bra DONE;\n"
        "shr.u32 %r3, %r2, 7;\nsetp.eq.u32 %p1, %r3, ROW;\n"
        "add.u32 %r3, %r0, %r2;\n"
        "@!%p1 st.shared.v4.b32 [%r3], {%r10, %r10, %r10, %r10};\n"
        "add.u32 %r2, %r2, 2048;\nbra LOOP;\nDONE:\n";
    const size_t row = result.prologue.find("ROW");
    result.prologue.replace(row, 3, std::to_string(16384 / 128 + 5));
    return result;
  };
  kernel("st.global.f32 [%rd5], %f0;\n").expectNothing();
  const Outcome outcome = kernel("st.global.f32 [%rd5], %f1;\n").run();
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].check, Check::Uninitialized);
  EXPECT_EQ(outcome.reports[0].lane, 2);
}

TEST(WgmmaRules, Refused) {
  auto refuses = [](const std::string &line, const std::string &words) {
    Kernel kernel = ready();
    kernel.body += line;
    const Outcome outcome = kernel.run();
    ASSERT_FALSE(outcome.reports.empty()) << line;
    EXPECT_NE(outcome.reports[0].str().find(words), std::string::npos)
        << outcome.reports[0].str();
  };
  const std::string op = "wgmma.mma_async.sync.aligned.";
  refuses("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, "
          "%f2, %f3}, %rd10, %rd11, %r5, 0, 1, 1, 1, 0, 0;\n",
          "sparse wgmma is not supported");
  refuses(op + "m64n12k16.f32.f16.f16 {%f0}, %rd10, %rd11, 1, 1, 1, 0, 0;\n",
          "expected a shape");
  refuses(op + "m64n8k16.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %rd10, %rd11, 1, "
               "1, 1;\n",
          "does not go with elements of 32 bits");
  refuses(op + "m64n8k16.f32.f16.bf16 {%f0, %f1, %f2, %f3}, %rd10, %rd11, 1, "
               "1, 1, 0, 0;\n",
          "do not go together");
  refuses(op + "m64n40k32.s32.s8.s8 " + list("%d", 20) + ", %rd10, %rd11, 1;\n",
          "integer wgmma needs an N");
  refuses(op + "m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd10, %rd11, 1, 2, "
               "1, 0, 0;\n",
          "expected a scale of 1 or -1");
}
