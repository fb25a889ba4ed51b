//===- Parameters.h - the bytes that a kernel is passed -------------------===//
//
// Pointers, numbers, tensor maps and structs of a launch record become bytes.
// Devices differ in where buffers lie and in what a tensor map looks like.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_PARAMETERS_H
#define WNA16_LIB_RUN_PARAMETERS_H

#include "lib/Emulator/Ast.h"
#include "lib/Launch/LaunchRecord.h"

namespace wna16::run {

/// What parameters depend on besides the record.
class ParameterDevice {
public:
  virtual ~ParameterDevice() = default;
  /// Address and size of argument number `index`, a buffer.
  virtual uint64_t address(size_t index) = 0;
  virtual uint64_t size(size_t index) = 0;
  /// WNA16_TENSOR_MAP_BYTES bytes for a map that was checked.
  virtual llvm::Expected<std::vector<uint8_t>>
  encode(const wna16_tensor_map &map) = 0;
};

/// The bytes of every parameter, in order. Errors name the argument.
llvm::Expected<std::vector<std::vector<uint8_t>>>
makeParameters(const LaunchRecord &record, const SymbolValues &symbols,
               ParameterDevice &device);

/// Fails if the kernel has its parameters at other offsets, in terms of PTX,
/// than the record: an alignment is wrong then. Numbers and sizes are left to
/// the device.
llvm::Error checkOffsets(const LaunchRecord &record,
                         const emulator::ast::Function &entry);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_PARAMETERS_H
