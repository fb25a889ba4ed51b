//===- BulkInstructions.h - copies of the async engine --------------------===//
//
// What other families hand on to BulkInstructions.cpp, and what the copies
// through tensor maps share with it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_BULKINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_BULKINSTRUCTIONS_H

#include "lib/Emulator/AsyncEngine.h"
#include "lib/Emulator/AtomicOps.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/MemoryAccess.h"

namespace wna16::emulator {

/// cp.async.bulk and cp.reduce.async.bulk, after those words; st.async.
bool decodeBulk(Decoder &d);
bool decodeBulkReduce(Decoder &d);
bool decodeAsyncStore(Decoder &d);
/// red.async, after those words.
bool decodeAsyncReduction(Decoder &d);
/// The same with .tensor, after that word, and cp.async.bulk.prefetch.tensor.
bool decodeTensorCopy(Decoder &d);
bool decodeTensorReduce(Decoder &d);
bool decodeTensorPrefetch(Decoder &d);
/// prefetch.tensormap, after "prefetch".
bool decodeMapPrefetch(Decoder &d);

/// Finds the bytes of one side of a copy; false and a report if they cannot be
/// accessed.
bool findSide(Warp &warp, const Instr &instr, Space space, AccessKind kind,
              unsigned lane, const LaneAddresses &addresses, uint32_t bytes,
              AsyncRun::Side &side);
/// Reports a size that is no multiple of 16; false if there is nothing to do.
bool checkBulkSize(Warp &warp, const Instr &instr, unsigned lane,
                   uint32_t bytes);
/// Reports undefined bytes of shared memory that would go to global memory and,
/// if `reduces`, undefined bytes there.
void requireDefinedRun(Warp &warp, const Instr &instr, unsigned lane,
                       const AsyncRun &run, bool reduces);

/// \name Reductions
/// @{
bool canReduce(AtomicOp op, Type type);
bool canReduceShared(AtomicOp op, Type type);
/// Consumes the operation into Instr::imm.
bool takeReduction(Decoder &d);
/// For AsyncOperation::combine.
std::function<void(uint8_t *, const uint8_t *, uint32_t)> reduction(AtomicOp op,
                                                                    Type type);
/// @}

/// The operation of one lane, issued for every block in `blocks` (a multicast
/// mask, by rank): its runs go to the same offsets there and signal the
/// mbarrier at the same offset. 0: to where `operation` says.
void issueMulticast(Warp &warp, const Instr &instr,
                    const AsyncOperation &operation, uint32_t blocks);
/// Makes `operation` a member of the bulk group that its lane has open.
void joinBulkGroup(Warp &warp, AsyncOperation &operation);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_BULKINSTRUCTIONS_H
