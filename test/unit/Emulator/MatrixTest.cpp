//===- MatrixTest.cpp - ldmatrix and mma ----------------------------------===//
//
// Distributions against the tables of the PTX document, written as closed
// forms; products against plain loops; definedness per row and column.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Numerics.h"
#include "test/unit/Emulator/Harness.h"
#include "test/unit/Emulator/TensorCoreModel.h"

#include <random>

using namespace wna16::emulator;

/// Fills shared memory with element (row, column) = row * 8 + column of 32
/// rows.
static const char *fillShared = R"(
mov.u32 %r20, 0;
FILL:
shl.b32 %r21, %r20, 7;
shl.b32 %r22, %r1, 2;
add.s32 %r23, %r21, %r22;
add.s32 %r24, %r2, %r23;
shr.u32 %r25, %r23, 1;
add.s32 %r26, %r25, 1;
shl.b32 %r27, %r26, 16;
or.b32 %r28, %r27, %r25;
st.shared.b32 [%r24], %r28;
add.s32 %r20, %r20, 1;
setp.lt.u32 %p9, %r20, 4;
@%p9 bra FILL;
bar.warp.sync -1;
shl.b32 %r30, %r1, 4;
add.s32 %r31, %r2, %r30;
)";

TEST(Ldmatrix, Distribution) {
  for (bool transposed : {false, true})
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      std::string registers[] = {"%r40", "%r41", "%r42", "%r43"};
      Outcome outcome =
          runBody(std::string(fillShared) + "ldmatrix.sync.aligned.m8n8.x4" +
                  (transposed ? ".trans" : "") +
                  ".shared.b16 {%r40, %r41, %r42, %r43}, [%r31];\n"
                  "st.global.b32 [%rd5], " +
                  registers[matrix] + ";");
      for (const Report &report : outcome.reports)
        ADD_FAILURE() << report.str();
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned half = 0; half < 2; ++half) {
          const unsigned major = lane / 4, minor = lane % 4 * 2 + half;
          const unsigned expected =
              matrix * 64 +
              (transposed ? minor * 8 + major : major * 8 + minor);
          EXPECT_EQ(outcome.out[lane] >> (16 * half) & 0xffff, expected);
        }
    }
}

TEST(Movmatrix, Transposes) {
  auto out = lanes("shl.b32 %r6, %r1, 1; add.s32 %r7, %r6, 1; "
                   "shl.b32 %r7, %r7, 16; or.b32 %r6, %r6, %r7; "
                   "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r6;");
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane] & 0xffff, (lane % 4 * 2) * 8 + lane / 4);
}

/// What `store` leaves in 16 bytes of shared memory per lane, from registers
/// %r40 to %r43 whose byte b in lane l is 4 l + b + 128 i.
static std::vector<uint32_t> stored(const std::string &store) {
  std::string body = "shl.b32 %r30, %r1, 4; add.s32 %r31, %r2, %r30;\n"
                     "cvt.u64.u32 %rd8, %r31; cvta.shared.u64 %rd9, %rd8;\n"
                     "st.shared.v4.b32 [%r31], {0, 0, 0, 0};\n"
                     "mul.lo.u32 %r40, %r1, 0x04040404; add.u32 %r40, %r40, "
                     "0x03020100;\n";
  for (int i = 1; i < 4; ++i)
    body += "xor.b32 %r4" + std::to_string(i) + ", %r40, 0x" +
            std::string(i & 1 ? "80808080" : "00000000") + ";\n";
  const Outcome outcome =
      runBody(body + "bar.warp.sync -1;\n" + store +
              "\nld.shared.v4.b32 {%r50, %r51, %r52, %r53}, [%r31]; "
              "mul.wide.u32 %rd10, "
              "%r1, 16; add.s64 %rd10, %rd2, %rd10;"
              "st.global.v4.b32 [%rd10], {%r50, %r51, %r52, %r53};");
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << report.str();
  return outcome.out;
}

TEST(Stmatrix, Distribution) {
  for (bool transposed : {false, true})
    for (bool generic : {false, true}) {
      const auto out =
          stored(std::string("stmatrix.sync.aligned.m8n8.x2") +
                 (transposed ? ".trans" : "") + (generic ? "" : ".shared") +
                 ".b16 [" + (generic ? "%rd9" : "%r31") + "], {%r40, %r41};");
      const auto *halves = reinterpret_cast<const uint16_t *>(out.data());
      for (unsigned matrix = 0; matrix < 2; ++matrix)
        for (unsigned row = 0; row < 8; ++row)
          for (unsigned column = 0; column < 8; ++column) {
            const unsigned r = transposed ? column : row,
                           c = transposed ? row : column;
            const unsigned lane = r * 4 + c / 2, byte = 4 * lane + c % 2 * 2;
            const unsigned expected =
                (byte | (byte + 1) << 8) ^ (matrix ? 0x8080u : 0u);
            EXPECT_EQ(halves[(matrix * 8 + row) * 8 + column], expected);
          }
      EXPECT_EQ(out[16 * 4], 0u); // the third matrix is not there
    }
}

TEST(Stmatrix, BytesAreStoredByColumns) {
  const auto out =
      stored("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r31], {%r40, "
             "%r41};");
  const auto *bytes = reinterpret_cast<const uint8_t *>(out.data());
  for (unsigned matrix = 0; matrix < 2; ++matrix)
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        // As in an accumulator: two columns of row g, two of row g + 8.
        const unsigned lane = row % 8 * 4 + column / 2,
                       byte = column % 2 + row / 8 * 2;
        EXPECT_EQ(bytes[(matrix * 8 + column) * 16 + row],
                  (4 * lane + byte) ^ (matrix ? 0x80u : 0u));
      }
}

/// Runs one mma on given fragments; out[i * 32 + lane] is register i.
static Outcome runMma(const std::vector<uint32_t> &in, const char *type) {
  std::string body;
  for (int i = 0; i < 10; ++i)
    body += "ld.global.b32 %r" + std::to_string(40 + i) + ", [%rd4+" +
            std::to_string(i * 128) + "];\n";
  body += std::string("mov.b32 %f1, %r46; mov.b32 %f2, %r47; mov.b32 %f3, "
                      "%r48; mov.b32 %f4, %r49;\n"
                      "mma.sync.aligned.m16n8k16.row.col.f32.") +
          type + "." + type +
          ".f32 {%f5, %f6, %f7, %f8}, {%r40, %r41, %r42, %r43}, {%r44, %r45}, "
          "{%f1, %f2, %f3, %f4};\n";
  for (int i = 0; i < 4; ++i)
    body += "st.global.f32 [%rd5+" + std::to_string(i * 128) + "], %f" +
            std::to_string(5 + i) + ";\n";
  return runBody(body, in);
}

TEST(Mma, RandomProducts) {
  std::mt19937 random(7);
  for (bool bfloat : {false, true}) {
    double a[16][16], b[16][8];
    float c[16][8];
    std::vector<uint32_t> in(320);
    auto encode = [&](float x) {
      return bfloat ? floatToBfloat(x) : floatToHalf(x);
    };
    auto decode = [&](uint32_t x) {
      return bfloat ? bfloatToFloat(x) : halfToFloat(x);
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned g = lane / 4, t = lane % 4;
      for (unsigned i = 0; i < 6; ++i)
        for (unsigned half = 0; half < 2; ++half) {
          const uint32_t bits =
              encode(float(int(random() % 2001) - 1000) / 256.0f);
          in[i * 32 + lane] |= bits << (16 * half);
          if (i < 4)
            a[g + i % 2 * 8][t * 2 + half + i / 2 * 8] = decode(bits);
          else
            b[t * 2 + half + (i - 4) * 8][g] = decode(bits);
        }
      for (unsigned i = 0; i < 4; ++i) {
        const float x = float(random() % 1000) / 7.0f;
        in[(6 + i) * 32 + lane] = std::bit_cast<uint32_t>(x);
        c[g + i / 2 * 8][t * 2 + i % 2] = x;
      }
    }
    Outcome outcome = runMma(in, bfloat ? "bf16" : "f16");
    for (const Report &report : outcome.reports)
      ADD_FAILURE() << report.str();
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = lane / 4 + i / 2 * 8,
                       column = lane % 4 * 2 + i % 2;
        const int least = bfloat ? -126 : -14;
        std::vector<model::Element> left, right;
        for (unsigned k = 0; k < 16; ++k) {
          left.push_back({a[row][k], least});
          right.push_back({b[k][column], least});
        }
        EXPECT_EQ(
            std::bit_cast<float>(outcome.out[i * 32 + lane]),
            model::toFloat(model::sum(left, right, {c[row][column], -126})));
      }
  }
}

TEST(Mma, UndefinedColumnTaintsThatColumnOnly) {
  // Column 3 of B (lanes 12..15) is undefined: D may be stored except there.
  const char *body = R"(
mov.u32 %r40, 0x3c003c00;
setp.lt.u32 %p1, %r1, 12;
setp.gt.u32 %p2, %r1, 15;
@%p1 mov.u32 %r41, 0x3c003c00;
@%p2 mov.u32 %r41, 0x3c003c00;
mov.f32 %f1, 0f00000000;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r40, %r40, %r40, %r40}, {%r41, %r41}, {%f1, %f1, %f1, %f1};
and.b32 %r42, %r1, 3;
setp.ne.u32 %p3, %r42, 1;
st.global.f32 [%rd5], %f5;
)";
  Outcome good =
      runBody(std::string(body) + "@%p3 st.global.f32 [%rd5+128], %f6;");
  for (const Report &report : good.reports)
    ADD_FAILURE() << report.str();
  EXPECT_EQ(good.out[0], std::bit_cast<uint32_t>(16.0f));
  Outcome bad = runBody(std::string(body) + "st.global.f32 [%rd5+128], %f6;");
  ASSERT_EQ(bad.reports.size(), 1u);
  EXPECT_EQ(bad.reports[0].check, Check::Uninitialized);
  EXPECT_EQ(bad.reports[0].lane, 1); // lane 1 holds columns 2 and 3
}
