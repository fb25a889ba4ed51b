//===- RepackReference.h - what a repack has to write ---------------------===//
//
// By the packer, which follows bits from storage to storage and shares no index
// arithmetic with the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_REPACKREFERENCE_H
#define WNA16_LIB_RUN_REPACKREFERENCE_H

#include "lib/Run/Data.h"

namespace wna16::run {

/// The bits of word or element `index` of a buffer, as a number.
double itemAt(const ArgumentData &data, int64_t index);

/// The items of `y` when `x` has been repacked into it.
llvm::Expected<std::vector<double>> repackedItems(const ArgumentData &x,
                                                  const ArgumentData &y);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_REPACKREFERENCE_H
