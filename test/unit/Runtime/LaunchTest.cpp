//===- LaunchTest.cpp - modules, contexts and launches on a fake driver ---===//
#include "lib/Runtime/wna16_runtime.h"
#include "test/unit/Runtime/FakeDriver.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Arguments {
  void *pointers[4];
  int32_t m, ldx;
};

/// Parameters are declared as in PTX; that is all the stand-in reads.
constexpr char kImage[] = R"(
.visible .entry wna16_gemm(
  .param .u64 .ptr .global .align 16 a, .param .u64 b, .param .u64 c,
  .param .u64 d, .param .u32 m, .param .u32 ldx
) { ret; }
.visible .entry wna16_mapped(
  .param .u64 .ptr .global .align 16 a, .param .u32 m,
  .param .align 64 .b8 map[128], .param .b8 flag
) { ret; }
)";

class Launch : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(wna16_module_load(1, kImage, sizeof(kImage) - 1, &module),
              WNA16_OK)
        << wna16_last_error();
    ASSERT_EQ(wna16_module_function(module, "wna16_gemm", 150528, &function),
              WNA16_OK)
        << wna16_last_error();
  }
  void TearDown() override {
    wna16_module_unload(module);
    EXPECT_EQ(fakeRetained(), 0);
    EXPECT_EQ(fakeStackDepth(), 0);
  }

  wna16_status launch() {
    return wna16_launch(function, &config, &arguments, sizeof(arguments),
                        offsets, 6);
  }

  wna16_module *module = nullptr;
  wna16_function *function = nullptr;
  uint32_t offsets[6] = {0, 8, 16, 24, 32, 36};
  wna16_launch_config config = {{96, 1, 1}, {256, 1, 1},
                                {1, 1, 1},  150528,
                                0,          reinterpret_cast<void *>(0x77)};
  Arguments arguments = {{nullptr, nullptr, nullptr, nullptr}, 7, 4096};
};

TEST_F(Launch, PassesEverythingOn) {
  int before = fakeLaunches(nullptr);
  ASSERT_EQ(launch(), WNA16_OK);
  FakeLaunch seen;
  EXPECT_EQ(fakeLaunches(&seen), before + 1);
  EXPECT_EQ(seen.grid[0], 96u);
  EXPECT_EQ(seen.block[0], 256u);
  EXPECT_EQ(seen.sharedBytes, 150528u);
  EXPECT_EQ(seen.stream, reinterpret_cast<void *>(0x77));
  EXPECT_EQ(seen.context, fakePrimaryContext(1));
  ASSERT_EQ(seen.argumentBytes, sizeof(arguments));
  EXPECT_EQ(std::memcmp(seen.arguments, &arguments, sizeof(arguments)), 0);
  EXPECT_EQ(fakeSharedLimit(), 150528);
}

/// A map that begins at an odd byte, and gaps between the parameters.
class MappedLaunch : public Launch {
protected:
  void SetUp() override {
    Launch::SetUp();
    ASSERT_EQ(wna16_module_function(module, "wna16_mapped", 0, &function),
              WNA16_OK);
    for (size_t i = 0; i < sizeof(data); ++i)
      data[i] = uint8_t(i);
  }
  wna16_status launch(size_t bytes, uint32_t count = 4) {
    return wna16_launch(function, &config, data, bytes, offsets, count);
  }
  /// What the driver took, in the order of the kernel's parameters.
  void expectParameters() {
    FakeLaunch seen;
    fakeLaunches(&seen);
    const size_t sizes[] = {8, 4, 128, 1};
    ASSERT_EQ(seen.argumentBytes, 141u);
    const uint8_t *next = seen.arguments;
    for (unsigned i = 0; i < 4; next += sizes[i++])
      EXPECT_EQ(std::memcmp(next, data + offsets[i], sizes[i]), 0) << i;
  }

  uint8_t data[200];
  uint32_t offsets[4] = {145, 140, 3, 199};
};

TEST_F(MappedLaunch, ParametersLieWhereTheOffsetsSay) {
  ASSERT_EQ(launch(sizeof(data)), WNA16_OK) << wna16_last_error();
  expectParameters();
  // The other way to launch.
  std::swap(offsets[0], offsets[1]);
  config.cluster[0] = 2;
  ASSERT_EQ(launch(sizeof(data)), WNA16_OK) << wna16_last_error();
  expectParameters();
}

TEST_F(MappedLaunch, ParametersEndWithinTheArguments) {
  int before = fakeLaunches(nullptr);
  EXPECT_EQ(launch(199), WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(),
               "wna16_launch: parameter 3 at byte 199 with 1 bytes ends after "
               "the 199 bytes of all arguments");
  offsets[2] = 73; // the last byte of 128 would be byte 200
  EXPECT_EQ(launch(sizeof(data)), WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(),
               "wna16_launch: parameter 2 at byte 73 with 128 bytes ends after "
               "the 200 bytes of all arguments");
  offsets[2] = ~0u;
  EXPECT_EQ(launch(sizeof(data)), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(fakeLaunches(nullptr), before);
  offsets[2] = 72;
  EXPECT_EQ(launch(sizeof(data)), WNA16_OK) << wna16_last_error();
}

TEST_F(MappedLaunch, TheNumberOfParametersIsTheKernels) {
  int before = fakeLaunches(nullptr);
  EXPECT_EQ(launch(sizeof(data), 3), WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(),
               "wna16_launch: the kernel has 4 parameters, found 3; the launch "
               "record is not that of this kernel");
  EXPECT_EQ(wna16_launch(function, &config, data, sizeof(data), nullptr, 4),
            WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(), "wna16_launch: an argument is null");
  std::vector<uint32_t> many(129);
  EXPECT_EQ(
      wna16_launch(function, &config, data, sizeof(data), many.data(), 129),
      WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(),
               "wna16_launch: expected at most 128 parameters, found 129");
  EXPECT_EQ(fakeLaunches(nullptr), before);
}

TEST_F(MappedLaunch, OlderDriversDoNotTellSizes) {
  fakeTellParameters(0);
  wna16_status found =
      wna16_module_function(module, "wna16_mapped", 0, &function);
  fakeTellParameters(1);
  ASSERT_EQ(found, WNA16_OK) << wna16_last_error();
  ASSERT_EQ(launch(sizeof(data)), WNA16_OK) << wna16_last_error();
  expectParameters();
  EXPECT_EQ(launch(199), WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(),
               "wna16_launch: parameter 3 at byte 199 with at least 1 bytes "
               "ends after the 199 bytes of all arguments");
}

TEST_F(Launch, ClusterIsAnAttribute) {
  config.cluster[1] = 2;
  ASSERT_EQ(launch(), WNA16_OK);
  FakeLaunch seen;
  fakeLaunches(&seen);
  EXPECT_EQ(seen.cluster[0], 1u);
  EXPECT_EQ(seen.cluster[1], 2u);
  EXPECT_EQ(seen.cluster[2], 1u);
  EXPECT_EQ(seen.grid[0], 96u);
  EXPECT_EQ(seen.argumentBytes, sizeof(arguments));
}

TEST_F(Launch, FlagsAreAttributes) {
  config.flags = WNA16_LAUNCH_COOPERATIVE;
  ASSERT_EQ(launch(), WNA16_OK);
  FakeLaunch seen;
  fakeLaunches(&seen);
  EXPECT_EQ(seen.cooperative, 1);
  EXPECT_EQ(seen.dependent, 0);
  EXPECT_EQ(seen.cluster[0], 1u);
  EXPECT_EQ(seen.stream, reinterpret_cast<void *>(0x77));

  config.flags = WNA16_LAUNCH_DEPENDENT | WNA16_LAUNCH_COOPERATIVE;
  config.cluster[0] = 4;
  ASSERT_EQ(launch(), WNA16_OK);
  fakeLaunches(&seen);
  EXPECT_EQ(seen.cooperative, 1);
  EXPECT_EQ(seen.dependent, 1);
  EXPECT_EQ(seen.cluster[0], 4u);
  EXPECT_EQ(fakeLargeClusters(), 0);

  config.flags = 8;
  EXPECT_EQ(launch(), WNA16_ERROR_ARGUMENT);
  EXPECT_STREQ(wna16_last_error(), "wna16_launch: an unknown flag is set");
}

TEST_F(Launch, LargeClustersAreAllowedFirst) {
  config.cluster[0] = 16;
  ASSERT_EQ(launch(), WNA16_OK);
  EXPECT_EQ(fakeLargeClusters(), 1);
}

TEST_F(Launch, EmptyGridDoesNothing) {
  int before = fakeLaunches(nullptr);
  config.grid[1] = 0;
  EXPECT_EQ(launch(), WNA16_OK);
  EXPECT_EQ(fakeLaunches(nullptr), before);
}

TEST_F(Launch, DriverErrorHasCodeNameAndText) {
  fakeFailNext("cuLaunchKernel", 700);
  EXPECT_EQ(launch(), WNA16_ERROR_DRIVER);
  EXPECT_EQ(wna16_last_driver_code(), 700);
  std::string text = wna16_last_error();
  EXPECT_NE(text.find("launching the kernel"), std::string::npos) << text;
  EXPECT_NE(text.find("CUDA_ERROR_FAKE (700"), std::string::npos) << text;
  // Another thread has its own last error.
  std::thread([] { EXPECT_STREQ(wna16_last_error(), ""); }).join();
}

TEST_F(Launch, UnknownKernelNamesIt) {
  wna16_function *other = nullptr;
  EXPECT_EQ(wna16_module_function(module, "no_such_kernel", 0, &other),
            WNA16_ERROR_DRIVER);
  EXPECT_EQ(other, nullptr);
  EXPECT_NE(std::string(wna16_last_error()).find("no_such_kernel"),
            std::string::npos);
}

TEST_F(Launch, TooMuchSharedMemorySaysHowMuch) {
  fakeFailNext("cuFuncSetAttribute", 1);
  wna16_function *other = nullptr;
  EXPECT_EQ(wna16_module_function(module, "wna16_big", 999999, &other),
            WNA16_ERROR_DRIVER);
  EXPECT_NE(std::string(wna16_last_error()).find("999999 bytes"),
            std::string::npos);
}

TEST_F(Launch, ThreadsLaunchTogether) {
  int before = fakeLaunches(nullptr);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        EXPECT_EQ(launch(), WNA16_OK);
      EXPECT_EQ(fakeStackDepth(), 0);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fakeLaunches(nullptr), before + 800);
}

TEST_F(Launch, QueryReadsResources) {
  wna16_function_info info;
  ASSERT_EQ(wna16_function_query(function, &info), WNA16_OK);
  EXPECT_EQ(info.registers, 82);
  EXPECT_EQ(info.max_threads, 256);
}

TEST(Module, PtxIsTerminatedAndItsLogReported) {
  wna16_module *module = nullptr;
  // Three of these characters are the image; the driver must see no more.
  EXPECT_EQ(wna16_module_load(0, "bad PTX", 3, &module), WNA16_ERROR_DRIVER);
  EXPECT_EQ(module, nullptr);
  EXPECT_STREQ(fakeLastImage(), "bad");
  EXPECT_NE(std::string(wna16_last_error()).find("no such opcode"),
            std::string::npos)
      << wna16_last_error();
  EXPECT_EQ(fakeRetained(), 0);
  EXPECT_EQ(fakeStackDepth(), 0);
}

TEST(Module, BadDeviceIsAnError) {
  wna16_module *module = nullptr;
  EXPECT_EQ(wna16_module_load(7, "image", 5, &module), WNA16_ERROR_DRIVER);
  EXPECT_EQ(module, nullptr);
}

TEST(Device, QueryAndVersion) {
  int version = 0, count = 0;
  ASSERT_EQ(wna16_driver_version(&version), WNA16_OK);
  EXPECT_EQ(version, 13000);
  ASSERT_EQ(wna16_device_count(&count), WNA16_OK);
  EXPECT_EQ(count, 2);
  wna16_device_info info;
  ASSERT_EQ(wna16_device_query(1, &info), WNA16_OK);
  EXPECT_STREQ(info.name, "Fake GPU 1");
  EXPECT_EQ(info.compute_major, 9);
  EXPECT_EQ(info.max_shared_bytes, 232448);
}

TEST(Device, CaptureIsSeen) {
  int capturing = -1;
  fakeSetCapturing(1);
  EXPECT_EQ(wna16_stream_capturing(0, nullptr, &capturing), WNA16_OK);
  EXPECT_EQ(capturing, 1);
  fakeSetCapturing(0);
  EXPECT_EQ(wna16_stream_capturing(0, nullptr, &capturing), WNA16_OK);
  EXPECT_EQ(capturing, 0);
  EXPECT_EQ(fakeRetained(), 0);
}

TEST(Memory, BeginsAsZerosAndKeepsItsContext) {
  uint64_t address = 0;
  ASSERT_EQ(wna16_memory_allocate(1, 1000, &address), WNA16_OK)
      << wna16_last_error();
  EXPECT_EQ(fakeRetained(), 1);
  const auto *bytes = reinterpret_cast<const uint8_t *>(uintptr_t(address));
  EXPECT_EQ(std::count(bytes, bytes + 1000, 0), 1000);
  EXPECT_EQ(wna16_memory_free(1, address), WNA16_OK);
  EXPECT_EQ(fakeRetained(), 0);
  EXPECT_EQ(wna16_memory_free(1, 0), WNA16_OK);
  EXPECT_EQ(fakeStackDepth(), 0);
}

TEST(Memory, FailuresLeaveNothingBehind) {
  uint64_t address = 1;
  EXPECT_EQ(wna16_memory_allocate(0, 0, &address), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(wna16_memory_allocate(0, 8, nullptr), WNA16_ERROR_ARGUMENT);
  for (const char *function : {"cuMemAlloc", "cuMemsetD8"}) {
    address = 1;
    fakeFailNext(function, 2);
    EXPECT_EQ(wna16_memory_allocate(0, 8, &address), WNA16_ERROR_DRIVER);
    EXPECT_EQ(address, 0u);
    EXPECT_EQ(fakeRetained(), 0);
  }
}

TEST(Arguments, NullIsAnErrorNotACrash) {
  EXPECT_EQ(wna16_device_count(nullptr), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(wna16_module_load(0, nullptr, 0, nullptr), WNA16_ERROR_ARGUMENT);
  EXPECT_EQ(wna16_launch(nullptr, nullptr, nullptr, 8, nullptr, 1),
            WNA16_ERROR_ARGUMENT);
  wna16_module_unload(nullptr);
}

} // namespace
