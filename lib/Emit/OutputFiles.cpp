//===- OutputFiles.cpp - writes several files or none ---------------------===//
#include "lib/Emit/OutputFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::SmallString;
using llvm::StringRef;

namespace wna16 {

static Error failure(StringRef verb, StringRef path, std::error_code error) {
  return llvm::createStringError("cannot " + verb + " '" + path +
                                 "': " + error.message());
}

OutputFiles::~OutputFiles() {
  for (const File &file : files)
    llvm::sys::fs::remove(file.temporaryPath);
}

Error OutputFiles::prepare() {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return failure("create the folder", directory, error);
  if (!llvm::sys::fs::is_directory(directory))
    return failure("write into the folder", directory,
                   std::make_error_code(std::errc::not_a_directory));
  if (std::error_code error =
          llvm::sys::fs::access(directory, llvm::sys::fs::AccessMode::Write))
    return failure("write into the folder", directory, error);
  return Error::success();
}

Error OutputFiles::add(StringRef name, StringRef contents) {
  SmallString<128> path(directory), temporaryPath;
  llvm::sys::path::append(path, name);
  SmallString<128> model(directory);
  llvm::sys::path::append(model, "." + name + "-%%%%%%%%.tmp");
  int descriptor = -1;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          model, descriptor, temporaryPath, llvm::sys::fs::OF_None,
          llvm::sys::fs::all_read | llvm::sys::fs::owner_write))
    return failure("write", path, error);
  files.push_back({temporaryPath.str().str(), path.str().str()});

  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  if (std::error_code error = stream.error()) {
    stream.clear_error();
    return failure("write", path, error);
  }
  return Error::success();
}

Error OutputFiles::commit() {
  // What is bound to fail must not cost the files that are there.
  for (const File &file : files)
    if (llvm::sys::fs::is_directory(file.path))
      return failure("write", file.path,
                     std::make_error_code(std::errc::is_a_directory));
  for (size_t index = 0; index < files.size(); ++index) {
    std::error_code error =
        llvm::sys::fs::rename(files[index].temporaryPath, files[index].path);
    if (!error)
      continue;
    for (size_t done = 0; done < index; ++done)
      llvm::sys::fs::remove(files[done].path);
    return failure("write", files[index].path, error);
  }
  files.clear();
  return Error::success();
}

/// Devices and pipes are written to, not replaced.
static Error writeInPlace(StringRef path, StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::CD_OpenExisting);
  if (error)
    return failure("write", path, error);
  stream << contents;
  stream.close();
  error = stream.error();
  stream.clear_error();
  return error ? failure("write", path, error) : Error::success();
}

Error writeOutputFile(StringRef directory, StringRef name, StringRef contents) {
  SmallString<128> path(directory), target;
  llvm::sys::path::append(path, name);
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_directory(path)) {
    if (!llvm::sys::fs::is_regular_file(path))
      return writeInPlace(path, contents);
    // A link stays one; the file that it names is replaced.
    if (llvm::sys::fs::is_symlink_file(path) &&
        !llvm::sys::fs::real_path(path, target)) {
      directory = llvm::sys::path::parent_path(target);
      name = llvm::sys::path::filename(target);
    }
  }
  OutputFiles files(directory);
  if (Error error = files.prepare())
    return error;
  if (Error error = files.add(name, contents))
    return error;
  return files.commit();
}

} // namespace wna16
