//===- DriverTypesTest.cpp - our driver declarations against cuda.h -------===//
#include "lib/Runtime/Driver.h"
#include "lib/Runtime/TensorMapRules.h"

#include "gtest/gtest.h"

#if __has_include(<cuda.h>)
// The names of cuda.h are global, ours are in a namespace.
#include <cuda.h>

#include <cstddef>
#include <type_traits>

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
  EXPECT_EQ(ours::kFunctionLargeClusters,
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  EXPECT_EQ(ours::kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(ours::kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(ours::kLaunchClusterDimension,
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(ours::kLaunchCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_EQ(ours::kLaunchDependent,
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  EXPECT_EQ(ours::kInvalidValue, CUDA_ERROR_INVALID_VALUE);
#if CUDA_VERSION >= 12040
  EXPECT_TRUE(
      (std::is_same_v<decltype(cuFuncGetParamInfo) *,
                      CUresult (*)(CUfunction, size_t, size_t *, size_t *)>));
#endif
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

TEST(DriverTypes, TensorMapsAgreeWithCudaHeader) {
  EXPECT_EQ(sizeof(CUtensorMap), size_t(WNA16_TENSOR_MAP_BYTES));
  EXPECT_TRUE(
      (std::is_same_v<decltype(cuTensorMapEncodeTiled) *,
                      CUresult (*)(CUtensorMap *, CUtensorMapDataType, uint32_t,
                                   void *, const cuuint64_t *,
                                   const cuuint64_t *, const uint32_t *,
                                   const uint32_t *, CUtensorMapInterleave,
                                   CUtensorMapSwizzle, CUtensorMapL2promotion,
                                   CUtensorMapFloatOOBfill)>));
  const auto named = [](int type) { return ours::tensorMapTypes[type].name; };
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_UINT8), "u8");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_UINT16), "u16");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_UINT32), "u32");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_INT32), "s32");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_UINT64), "u64");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_INT64), "s64");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_FLOAT16), "f16");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_FLOAT32), "f32");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_FLOAT64), "f64");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16), "bf16");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ), "f32_ftz");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32), "tf32");
  EXPECT_EQ(named(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ), "tf32_ftz");
  // What counts 0, 32, 64, 128 and 0, 64, 128, 256 bytes.
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_128B - CU_TENSOR_MAP_SWIZZLE_32B, 2);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_32B, 1);
  EXPECT_EQ(CU_TENSOR_MAP_L2_PROMOTION_L2_64B, 1);
  EXPECT_EQ(CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3);
}

#else

TEST(DriverTypes, AgreeWithCudaHeader) {
  GTEST_SKIP() << "no cuda.h on this machine to compare with";
}

#endif
