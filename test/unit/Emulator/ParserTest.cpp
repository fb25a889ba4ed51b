//===- ParserTest.cpp - PTX text ------------------------------------------===//
//
// Syntax that trips parsers, messages, and input that is not PTX at all.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/Harness.h"

#include <random>

using namespace wna16::emulator;

TEST(Parser, NestedScopesWithTheSameNames) {
  Outcome outcome = runBody(R"(
mov.u32 %r6, 0;
{
.reg .b32 t;
mov.u32 t, 5;
bra.uni L;
L:
add.s32 %r6, %r6, t;
}
{
.reg .b32 t;
.reg .pred P;
mov.u32 t, 7;
setp.eq.u32 P, t, 7;
@!P bra L;
add.s32 %r6, %r6, t;
L:
}
st.global.b32 [%rd5], %r6;
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], 12u);
}

TEST(Parser, Spellings) {
  Outcome outcome = runBody(R"(
	.loc	1 10 3, function_name $L__info, inlined_at 1 5 2
	.pragma "nounroll";
	mov.b64 	{%r6,
	         	 %r7}, 0x0000000200000001; // over two lines
	/* a comment */ st.shared.v2.b32 	[smem+32], {%r6, %r7};
	ld.shared.b32 	%r8, [smem+36];
	mov.f32 %f1, 0f3F800000;
	mov.f64 %fd1, 0d3FF0000000000000;
	mov.f32 %f2, 1.5;
	setp.eq.f32 %p1|%p2, %f1, %f2;
	@!%p1 st.global.b32 [%rd5 + 0], %r8;
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], 2u);
}

TEST(Parser, ARegisterBesideARangeOfItsName) {
  // %w<2> declares %w0 and %w1 only.
  Outcome outcome = runBody(R"(
	{
	.reg .b32 %w<2>;
	.reg .b32 %w;
	mov.u32 %w, 3;
	mov.u32 %w0, 4;
	mov.u32 %w1, 5;
	mad.lo.u32 %w, %w0, %w1, %w;
	st.global.b32 [%rd5], %w;
	}
)");
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_EQ(outcome.out[0], 23u);
}

static std::string firstError(const std::string &text) {
  ParseResult result = parsePtx(text, "f.ptx");
  auto *diagnostic = std::get_if<Diagnostic>(&result);
  return diagnostic ? diagnostic->str() : "";
}

TEST(Parser, Messages) {
  EXPECT_EQ(firstError(""),
            "f.ptx:1:1: error: no .version and .target: this is not a PTX "
            "module");
  EXPECT_EQ(firstError(".version 8.0\n.target sm_90\n.entry k()\n{\n ret;\n"),
            "f.ptx:6:1: error: unexpected end of the file in the body of 'k', "
            "opened on line 4");
  EXPECT_EQ(firstError(".version 8.0\n.target sm_90\n.entry k() { add }"),
            "f.ptx:3:18: error: expected an operand, found '}'");
  EXPECT_EQ(firstError("ELF"),
            "f.ptx:1:1: error: expected a directive such as .entry, found "
            "'ELF'");
  EXPECT_EQ(firstError(".version 8.0 /* "),
            "f.ptx:1:14: error: comment is never closed by '*/'");
}

/// Decoding and a short run must also survive whatever the parser lets through.
static void tryRun(const std::string &text) {
  ParseResult parsed = parsePtx(text, "fuzz.ptx");
  auto *module = std::get_if<0>(&parsed);
  if (!module)
    return;
  for (const std::string &entry : entryNames(**module)) {
    Device device;
    Buffer &in = device.addBuffer("in", 4096, 16);
    LaunchSpec launch;
    launch.entry = entry;
    launch.block = {32, 1, 1};
    launch.sharedBytes = 4096;
    launch.params = {paramBytes(in.base), paramBytes(in.base)};
    Options options;
    options.threads = 1;
    options.maxSteps = 20000;
    for (bool allow : {false, true}) {
      options.allowUnsupported = allow;
      (void)run(**module, device, launch, options);
    }
  }
}

TEST(Parser, EveryTruncationIsAnErrorOrRuns) {
  const std::string text = kernelText("ld.global.u32 %r5, [%rd4];\n"
                                      "{ .reg .pred p; setp.eq.u32 p, %r5, 0; "
                                      "@p bra D; D: }\n"
                                      "st.global.u32 [%rd5], %r5;");
  for (size_t length = 0; length < text.size(); ++length)
    tryRun(text.substr(0, length));
}

TEST(Parser, MutatedTextNeverCrashes) {
  const std::string text = kernelText(R"(
cp.async.cg.shared.global [%r4], [%rd4], 16;
cp.async.commit_group;
cp.async.wait_group 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r4];
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r10, %r11}, {%f1, %f2, %f3, %f4};
shfl.sync.bfly.b32 %r14|%p1, %r10, 1, 31, -1;
@%p1 bra L;
mov.b64 {%r6, %r7}, %rd1;
L:
st.shared.v4.b32 [smem+16], {%r6, %r7, %r6, %r7};
bar.sync 0;
)");
  std::mt19937 random(11);
  const std::string alphabet = "%rdp.,;{}[]()<>@!|+-:_0123456789abfsu \n";
  for (int i = 0; i < 3000; ++i) {
    std::string mutated = text;
    for (unsigned n = 1 + random() % 4; n; --n) {
      const size_t at = random() % mutated.size();
      switch (random() % 4) {
      case 0:
        mutated[at] = alphabet[random() % alphabet.size()];
        break;
      case 1:
        mutated.erase(at, 1 + random() % 12);
        break;
      case 2:
        mutated.insert(
            at, mutated.substr(random() % mutated.size(), random() % 20));
        break;
      default:
        mutated[at] = char(random());
      }
    }
    tryRun(mutated);
  }
}
