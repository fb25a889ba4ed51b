// stream_read.cu - the limit: read bytes once, in the simplest fast way.
//
// What a kernel that reads this many bytes of weights cannot beat. One launch
// reads `count` 16-byte words; the xor keeps the loads alive.

#include <cstddef>
#include <cstdint>

namespace {

constexpr int kThreads = 512;

__device__ uint4 loadOnce(const uint4 *address) {
  return __ldcs(address); // streaming: evict first
}

template <int Unroll>
__device__ void readAll(const uint4 *data, uint64_t count, uint32_t *sink) {
  const uint64_t perBlock = (count + gridDim.x - 1) / gridDim.x;
  const uint64_t begin = perBlock * blockIdx.x;
  const uint64_t end = begin + perBlock < count ? begin + perBlock : count;
  uint32_t sum = 0;
  for (uint64_t i = begin + threadIdx.x; i < end; i += kThreads * Unroll) {
    uint4 values[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const uint64_t at = i + uint64_t(u) * kThreads;
      values[u] = at < end ? loadOnce(data + at) : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      sum ^= values[u].x ^ values[u].y ^ values[u].z ^ values[u].w;
  }
  if (sum == 0x12345678)
    *sink = sum;
}

} // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    stream_read_4(const uint4 *data, uint64_t count, uint32_t *sink) {
  readAll<4>(data, count, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    stream_read_8(const uint4 *data, uint64_t count, uint32_t *sink) {
  readAll<8>(data, count, sink);
}
