//===- TensorCopyRulesTest.cpp - reports about tensor copies --------------===//
//
// What the tensor-map check and its neighbours say about wrong copies.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Emulator/TensorHarness.h"

using namespace wna16::emulator;
using Swizzle = TensorMap::Swizzle;
using Kernel = TensorKernel;

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
  // Rows of 16 bytes in lines of 128: the last one decides where the box ends.
  kernel.map.box = {8, 8, 1, 1, 1};
  kernel.body = "add.u32 %r0, %r0, 19456;\n" + load(0, 0, 128);
  kernel.runClean();
  kernel.body = "add.u32 %r0, %r0, 19584;\n" + load(0, 0, 128);
  kernel.expect(Check::Bounds, "outside the 20480 bytes");
  kernel.map.box = {64, 8, 1, 1, 1};
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
  for (auto element : {TensorMap::Element::F32Ftz, TensorMap::Element::TF32,
                       TensorMap::Element::TF32Ftz}) {
    Kernel other(64, 16, 32, 8, Swizzle::Bytes128);
    other.writable = true;
    other.map.element = element;
    other.map.dims[0] = 32;
    other.map.byteStrides[0] = 4;
    for (const char *reduction : {"", ".add"}) {
      other.body = fill(1024, 0) + store(0, 0, reduction);
      other.expect(Check::Unsupported,
                   "element type " + std::string(TensorMap::name(element)) +
                       " in copies to global memory");
    }
  }
  kernel.map.element = TensorMap::Element::F32;
  kernel.map.dims[0] = kernel.map.box[0] = 32;
  kernel.map.byteStrides[0] = 4;
  kernel.body = fill(1024, 0) + store(0, 0, ".min");
  kernel.expect(Check::TensorMap, "is not defined for the element type f32");
}

TEST(TensorCopyRules, WgmmaReadsWithTheSameSwizzle) {
  Kernel kernel(64, 16, 64, 8, Swizzle::Bytes128);
  kernel.threads = 128;
  auto bodyWith = [](const char *mode) {
    return "bar.sync 0;\n" + load(0, 0, 1024) + R"(
.reg .f32 %f<4>;
mov.b32 %r20, 0;
shr.u32 %r21, %r0, 4;
cvt.u64.u32 %rd20, %r21;
or.b64 %rd20, %rd20, )" +
           mode + R"(00004000000000;
setp.ne.u32 %p5, 0, 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
  {%f0, %f1, %f2, %f3}, {%r20, %r20, %r20, %r20}, %rd20, %p5, 1, 1, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
)";
  };
  kernel.body = bodyWith("0x40");
  kernel.runClean();
  kernel.body = bodyWith("0x80");
  kernel.expect(Check::Wgmma,
                "the descriptor of B says a swizzle of 64 bytes, but the "
                "tensor copy of line");
}
