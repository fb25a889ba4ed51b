//===- Data.h - the arguments of one launch -------------------------------===//
//
// Sizes from the record and the symbols; contents from files or generated.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_DATA_H
#define WNA16_LIB_RUN_DATA_H

#include "lib/Run/Request.h"

namespace wna16::run {

/// An argument, and the contents if it is a buffer.
struct ArgumentData {
  const LaunchArgument *argument = nullptr;
  /// Buffers: contents, and per byte 1 where it is undefined (padding between
  /// rows, outputs). `undefined` is empty if everything is defined.
  std::vector<uint8_t> bytes, undefined;
  /// Buffers: evaluated shape and strides, in elements.
  std::vector<int64_t> shape, strides;

  bool isBuffer() const { return argument->isBuffer(); }
  bool isWritten() const {
    return isBuffer() && argument->access != LaunchArgument::Access::Read;
  }
};

/// Element `index` of a buffer as a number.
double elementAt(const ArgumentData &data, int64_t index);

/// Values for all symbols: those given, else the least allowed, at least 1.
llvm::Expected<SymbolValues> completeSymbols(const LaunchRecord &record,
                                             const SymbolValues &given);

llvm::Expected<std::vector<ArgumentData>>
prepareArguments(const LaunchRecord &record, const SymbolValues &symbols,
                 const Request &request);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_DATA_H
