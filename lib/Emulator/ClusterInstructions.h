//===- ClusterInstructions.h - the cluster forms of barrier ---------------===//
//
// What other families hand on to ClusterInstructions.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMULATOR_CLUSTERINSTRUCTIONS_H
#define WNA16_LIB_EMULATOR_CLUSTERINSTRUCTIONS_H

#include "lib/Emulator/Decoder.h"

namespace wna16::emulator {

/// barrier.cluster, after those two words.
bool decodeClusterBarrier(Decoder &d);

} // namespace wna16::emulator

#endif // WNA16_LIB_EMULATOR_CLUSTERINSTRUCTIONS_H
