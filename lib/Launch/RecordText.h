//===- RecordText.h - the words of a launch record's text -----------------===//
//
// Names of enumerators, in their order, for writer and reader. Private to
// lib/Launch.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAUNCH_RECORDTEXT_H
#define WNA16_LIB_LAUNCH_RECORDTEXT_H

#include "llvm/ADT/StringRef.h"

namespace wna16::text {

inline constexpr llvm::StringRef kinds[] = {"buffer", "scalar", "pointer",
                                            "tensor_map", "struct"};
inline constexpr llvm::StringRef dtypes[] = {"f16", "bf16", "f32", "f64",
                                             "i8",  "i16",  "i32", "i64"};
inline constexpr llvm::StringRef accesses[] = {"read", "write", "read_write"};
inline constexpr llvm::StringRef ids[] = {"none", "row", "expert"};
inline constexpr llvm::StringRef initials[] = {"random", "zero", "undefined"};
inline constexpr llvm::StringRef outsides[] = {"zero", "nan"};

} // namespace wna16::text

#endif // WNA16_LIB_LAUNCH_RECORDTEXT_H
