//===- TemporaryFile.h - files that other programs read and write ---------===//
#ifndef WNA16_LIB_EMIT_TEMPORARYFILE_H
#define WNA16_LIB_EMIT_TEMPORARYFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace wna16 {

/// A temporary file that is removed unless it is kept.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);
  TemporaryFile(TemporaryFile &&other) : path(std::move(other.path)) {
    other.path.clear();
  }
  ~TemporaryFile();

  llvm::StringRef get() const { return path; }
  void keep() { path.clear(); }

  /// All bytes of the file.
  llvm::Expected<std::string> read() const;
  llvm::Error write(llvm::StringRef contents) const;

private:
  explicit TemporaryFile(std::string path) : path(std::move(path)) {}
  std::string path;
};

} // namespace wna16

#endif // WNA16_LIB_EMIT_TEMPORARYFILE_H
