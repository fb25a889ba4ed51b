//===- FakeDriver.h - what the stand-in for the CUDA driver remembers -----===//
#ifndef WNA16_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define WNA16_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include <cstddef>

extern "C" {

struct FakeLaunch {
  unsigned grid[3], block[3], cluster[3];
  unsigned sharedBytes;
  void *stream;
  void *context;                ///< current when the launch arrived
  unsigned char arguments[512]; ///< the parameters, without gaps
  size_t argumentBytes;
  int cooperative, dependent; ///< attributes
};

/// What the last tensor map was made from. The map itself is its address (8
/// bytes) and zeros.
struct FakeTensorMap {
  int type;
  unsigned rank;
  unsigned long long dims[5], strides[4];
  unsigned box[5], elementStrides[5];
  int interleave, swizzle, l2Promotion, fill;
  void *context; ///< current when it was made
};

/// Number of launches so far, and the last one if `last` is not null.
int fakeLaunches(FakeLaunch *last);
/// Number of tensor maps made, and the last one if `last` is not null.
int fakeTensorMaps(FakeTensorMap *last);
/// Whether the driver tells the sizes of parameters, as new ones do.
void fakeTellParameters(int tell);
/// The next call of the named entry point returns `code`.
void fakeFailNext(const char *function, int code);
/// Primary contexts retained and not released, over all devices.
int fakeRetained();
/// Depth of this thread's context stack, and a context to start from.
int fakeStackDepth();
void *fakePrimaryContext(int device);
/// The image that the last module was loaded from (a copy, zero-terminated).
const char *fakeLastImage();
/// Dynamic shared memory that the last kernel was allowed.
int fakeSharedLimit();
/// Whether a kernel was allowed clusters of more than 8 blocks.
int fakeLargeClusters();
/// Whether streams report that they are being captured.
void fakeSetCapturing(int capturing);
}

#endif // WNA16_TEST_UNIT_RUNTIME_FAKEDRIVER_H
