//===- WgmmaTest.cpp - wgmma instructions ---------------------------------===//
//
// Whole instructions of every form against plain loops.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/WgmmaHarness.h"

#include <random>

using namespace wna16::emulator;
using Element = MatrixElement;
using Swizzle = TensorMap::Swizzle;

namespace {

const char *nameOf(Element element) {
  constexpr const char *names[] = {"f16",  "bf16", "tf32", "e4m3",
                                   "e5m2", "s8",   "u8"};
  return names[unsigned(element)];
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

void check(const Form &form, Completion completion = Completion::Late) {
  std::mt19937 random(11);
  const unsigned k = 32 / (bitsOf(form.a) / 8);
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
  WgmmaKernel kernel;
  kernel.options.completion = completion;
  if (!form.registers)
    kernel.body += descriptor(
        10, place(kernel.image, form.a, 64, form.transposeA, form.swizzle, a));
  kernel.body += descriptor(11, place(kernel.image, form.b, form.columns,
                                      form.transposeB, form.swizzle, b));
  // Registers of A, then of C, one word per thread each.
  if (form.registers) {
    kernel.in.resize(4 * 128);
    const unsigned bytes = (bitsOf(form.a) / 8), per = 4 / bytes;
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
  if ((bitsOf(form.a) / 8) == 2)
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
