//===- OutputFiles.h - writes several files or none -----------------------===//
//
// Files are written under temporary names beside their final ones and renamed
// together at the end, so that an error leaves neither a half-written file nor
// a part of the set behind.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_EMIT_OUTPUTFILES_H
#define WNA16_LIB_EMIT_OUTPUTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace wna16 {

/// A set of files to be written together.
class OutputFiles {
public:
  explicit OutputFiles(llvm::StringRef directory) : directory(directory) {}
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  /// Removes the temporary files if `commit` was not reached.
  ~OutputFiles();

  /// Creates the directory with its parents where missing.
  llvm::Error prepare();
  /// Writes `contents` under a temporary name; `name` has no directory.
  llvm::Error add(llvm::StringRef name, llvm::StringRef contents);
  /// Gives all files their names. On an error none of them exists.
  llvm::Error commit();

private:
  struct File {
    std::string temporaryPath;
    std::string path;
  };
  std::string directory;
  std::vector<File> files;
};

/// Writes one file with the same care.
llvm::Error writeOutputFile(llvm::StringRef directory, llvm::StringRef name,
                            llvm::StringRef contents);

} // namespace wna16

#endif // WNA16_LIB_EMIT_OUTPUTFILES_H
