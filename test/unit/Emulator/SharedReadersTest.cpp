//===- SharedReadersTest.cpp - who has read shared memory -----------------===//
//
// Random reads, writes and synchronisation of several warps against a model
// that keeps every reader of every byte.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/SharedMemory.h"

#include <gtest/gtest.h>
#include <random>

using namespace wna16::emulator;

namespace {

constexpr uint32_t warps = 5, bytes = 64, alive = ~0u;

struct Model {
  ClusterClock clock{warps};
  WarpClock warp[warps];
  SharedMemory shared;
  /// Times of the last accesses by each warp; 0: none.
  uint32_t reads[bytes][warps] = {}, writer[bytes] = {}, wrote[bytes] = {};
  uint32_t conflicts = 0, fine = 0;

  Model() {
    shared.reset(bytes);
    for (uint32_t i = 0; i < warps; ++i)
      warp[i].id = i;
  }

  SharedMemory::Agent agent(uint32_t id) { return {warp[id], clock, 0, id}; }
  bool ordered(uint32_t other, uint32_t time, uint32_t id) {
    return !time || other == id || time < clock.everyone() ||
           time < warp[id].view.known.of(other);
  }

  void read(uint32_t id, uint32_t offset, uint32_t count) {
    shared.read(agent(id), offset, count);
    for (uint32_t i = offset; i < offset + count; ++i)
      reads[i][id] = clock.now();
  }

  void write(uint32_t id, uint32_t offset, uint32_t count) {
    // Of its own warp's reads the shadow may not know the lane.
    clock.syncLanes(warp[id], alive, alive);
    Conflict expected;
    for (uint32_t i = offset;
         i < offset + count && expected.kind == Conflict::None; ++i) {
      if (!ordered(writer[i], wrote[i], id))
        expected = {Conflict::Write, i, {}};
      for (uint32_t other = 0; other < warps && expected.kind == Conflict::None;
           ++other)
        if (!ordered(other, reads[i][other], id))
          expected = {Conflict::Read, i, {}};
    }
    const Conflict found = shared.write(agent(id), offset, count, true);
    ASSERT_EQ(found.kind, expected.kind);
    ASSERT_EQ(found.offset, expected.offset);
    ++(found.kind == Conflict::None ? fine : conflicts);
    for (uint32_t i = offset; i < offset + count; ++i) {
      writer[i] = id;
      wrote[i] = clock.now();
      std::fill_n(reads[i], warps, 0);
    }
  }

  void hand(uint32_t from, uint32_t to) {
    View joined;
    clock.release(warp[from], alive, alive, joined);
    clock.acquire(warp[to], alive, alive, joined);
  }
};

} // namespace

TEST(SharedReaders, AgainstEveryReaderOfEveryByte) {
  std::mt19937 random(9);
  Model model;
  for (unsigned step = 0; step < 400'000; ++step) {
    const uint32_t id = uint32_t(random() % warps);
    const uint32_t offset = uint32_t(random() % bytes);
    const uint32_t count = 1 + uint32_t(random() % (bytes - offset));
    const uint32_t what = uint32_t(random() % 1000);
    // Mostly reads at ever new times, so that unused rows pile up.
    if (what < 600) {
      model.read(id, offset, count);
    } else if (what < 950) {
      model.hand(id, uint32_t(random() % warps));
    } else if (what < 970 && random() % 20 == 0) {
      model.clock.syncAll();
    } else if (what > 990) {
      model.write(id, offset, count);
      if (HasFatalFailure())
        FAIL() << "step " << step;
    }
  }
  EXPECT_GT(model.conflicts, 100u);
  EXPECT_GT(model.fine, 100u);
}
