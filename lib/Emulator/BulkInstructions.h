//===- BulkInstructions.h - copies of the async engine --------------------===//
//
// What other families hand on to BulkInstructions.cpp, and what the copies
// through tensor maps share with it.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_BULKINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_BULKINSTRUCTIONS_H

#include "lib/Emulator/AsyncEngine.h"
#include "lib/Emulator/Decoder.h"

namespace wna16::emulator {

/// cp.async.bulk and cp.reduce.async.bulk, after those words; st.async.
bool decodeBulk(Decoder &d);
bool decodeBulkReduce(Decoder &d);
bool decodeAsyncStore(Decoder &d);
/// cp.async.bulk.tensor, after those words.
bool decodeTensorCopy(Decoder &d);

/// The operation of one lane, issued for every block in `blocks` (a multicast
/// mask, by rank): its runs go to the same offsets there and signal the
/// mbarrier at the same offset. 0: to where `operation` says.
void issueMulticast(Warp &warp, const Instr &instr,
                    const AsyncOperation &operation, uint32_t blocks);
/// Makes `operation` a member of the bulk group that its lane has open.
void joinBulkGroup(Warp &warp, AsyncOperation &operation);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_BULKINSTRUCTIONS_H
