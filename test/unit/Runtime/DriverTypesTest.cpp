//===- DriverTypesTest.cpp - our driver declarations against cuda.h -------===//
#include "lib/Runtime/Driver.h"

#include "gtest/gtest.h"

#if __has_include(<cuda.h>)
// The names of cuda.h are global, ours are in a namespace.
#include <cuda.h>

#include <cstddef>

namespace ours = wna16::runtime;

TEST(DriverTypes, EnumeratorsAgreeWithCudaHeader) {
  EXPECT_EQ(ours::kDeviceMultiprocessors,
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(ours::kDeviceComputeMajor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(ours::kDeviceComputeMinor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(ours::kDeviceMaxSharedOptin,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(ours::kFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(ours::kFunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EXPECT_EQ(ours::kFunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  EXPECT_EQ(ours::kFunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
  EXPECT_EQ(ours::kFunctionMaxDynamicShared,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(ours::kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(ours::kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(ours::kLaunchClusterDimension,
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(ours::kLaunchEnd, CU_LAUNCH_PARAM_END);
  EXPECT_EQ(ours::kLaunchBuffer, CU_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(ours::kLaunchBufferSize, CU_LAUNCH_PARAM_BUFFER_SIZE);
}

TEST(DriverTypes, LaunchStructsAgreeWithCudaHeader) {
  EXPECT_EQ(sizeof(ours::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(ours::LaunchAttribute, raw),
            offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(ours::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(ours::LaunchConfig, sharedBytes),
            offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(ours::LaunchConfig, stream),
            offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(ours::LaunchConfig, attributes),
            offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(ours::LaunchConfig, numAttributes),
            offsetof(CUlaunchConfig, numAttrs));
}

#else

TEST(DriverTypes, AgreeWithCudaHeader) {
  GTEST_SKIP() << "no cuda.h on this machine to compare with";
}

#endif
