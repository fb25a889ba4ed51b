//===- LaunchArgument.h - what is passed to a kernel ----------------------===//
//
// The parameters of a launch record: pointers to buffers, numbers, tensor maps
// and structs of these. Values that are known at launch only are names of
// symbols.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAUNCH_LAUNCHARGUMENT_H
#define WNA16_LIB_LAUNCH_LAUNCHARGUMENT_H

#include "lib/Runtime/wna16_runtime.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wna16 {

/// Values of the symbols of one launch.
using SymbolValues = std::map<std::string, int64_t>;

/// A number that is known now, or the name of a symbol known at launch.
struct Extent {
  int64_t value = 0;
  /// Empty for a number.
  std::string symbol;

  Extent() = default;
  Extent(int64_t value) : value(value) {}
  Extent(std::string symbol) : symbol(std::move(symbol)) {}
  Extent(const char *symbol) : symbol(symbol) {}

  bool isSymbol() const { return !symbol.empty(); }
  /// The number; none if the symbol has no value in `values`.
  std::optional<int64_t> evaluate(const SymbolValues &values) const;
  bool operator==(const Extent &) const = default;
};

/// What a tensor copy knows about its tensor; see cuTensorMapEncodeTiled.
/// Dimension 0 is the innermost one, as in PTX and unlike in buffers.
struct LaunchTensorMap {
  std::vector<Extent> dims;
  /// In elements, of dimensions 1, 2, ...
  std::vector<Extent> strides;
  std::vector<int64_t> box;
  /// Empty means 1 in each dimension.
  std::vector<int64_t> elementStrides;
  /// In bytes; 0 for none.
  int64_t swizzle = 0, l2Promotion = 0;
  /// What elements outside the tensor read as.
  enum class OutOfBounds { Zero, Nan } outOfBounds = OutOfBounds::Zero;
  bool operator==(const LaunchTensorMap &) const = default;
};

/// One parameter of the kernel, or one field of a struct parameter.
struct LaunchArgument {
  enum class Kind {
    Buffer,    ///< memory, and (unless isParameter is false) its address
    Scalar,    ///< a number
    Pointer,   ///< an address within a buffer that another entry describes
    TensorMap, ///< 128 bytes by value
    Struct     ///< several of the other kinds by value
  };
  enum class Access { Read, Write, ReadWrite };
  /// What the numbers in a buffer stand for.
  enum class Ids { None, Row, Expert };
  /// Contents before the launch, for launchers that make up data.
  enum class Initial { Random, Zero, Undefined };

  std::string name;
  Kind kind = Kind::Buffer;
  /// f16, bf16, f32, f64, i8, i16, i32 or i64; a tensor map's are those of
  /// runtime::tensorMapTypes. Pointers and structs have none.
  std::string dtype;
  /// In bytes, a power of two. Buffers: what their address is a multiple of.
  /// Tensor maps and structs: that of the parameter.
  int64_t alignment = 1;

  /// \name Buffers
  /// @{
  /// False: only pointers and tensor maps of other entries lead to it.
  bool isParameter = true;
  Access access = Access::Read;
  std::vector<Extent> shape;
  /// In elements, one per dimension; empty means contiguous.
  std::vector<Extent> strides;
  /// "row_major", or the name of a packed layout; packed buffers are
  /// one-dimensional and their shape is a number.
  std::string layout = "row_major";
  /// Shape of the tensor that a packed buffer stands for; may be empty.
  std::vector<int64_t> logicalShape;
  /// Width of a code and the number subtracted from it; packed weights only.
  std::optional<int64_t> bits;
  std::optional<int64_t> offset;
  /// The kernel in front of this one in the stream writes it, and that may
  /// still be running: not to be touched before griddepcontrol.wait.
  bool afterDependency = false;
  /// The launcher provides it, with `initialContents()`, which the kernel
  /// leaves there if they are zeros: later launches on the stream may use it.
  bool isWorkspace = false;
  Ids ids = Ids::None;
  /// None: random if it is read only, else undefined.
  std::optional<Initial> initial;
  /// Random integers are below this; none: see wna16-run.
  std::optional<Extent> below;
  /// @}

  /// Scalars: what is passed. A float may have a fraction.
  Extent value;
  std::optional<double> fraction;

  /// \name Pointers and tensor maps: where they point to
  /// @{
  /// Name of a buffer; empty is the null pointer.
  std::string buffer;
  int64_t byteOffset = 0;
  /// @}

  LaunchTensorMap map;

  /// \name Structs
  /// @{
  int64_t size = 0;
  std::vector<LaunchArgument> fields;
  /// @}
  /// Fields: place in the struct.
  int64_t fieldOffset = 0;

  bool operator==(const LaunchArgument &) const = default;

  bool isBuffer() const { return kind == Kind::Buffer; }
  Initial initialContents() const {
    return initial.value_or(access == Access::Read ? Initial::Random
                                                   : Initial::Undefined);
  }
  /// Bytes of a contiguous buffer whose shape has no symbols.
  int64_t constantBytes() const;
  /// Size and alignment of what is passed; size 0 if nothing is.
  int64_t parameterBytes() const;
  int64_t parameterAlignment() const;

  /// The values of a tensor map at one launch, checked but for the address,
  /// which the caller fills in. Errors begin with the field.
  llvm::Expected<wna16_tensor_map>
  evaluateMap(const SymbolValues &values) const;
};

/// Bytes of one element of a dtype of buffers and scalars; 0 if unknown.
unsigned dtypeBytes(llvm::StringRef dtype);

} // namespace wna16

#endif // WNA16_LIB_LAUNCH_LAUNCHARGUMENT_H
