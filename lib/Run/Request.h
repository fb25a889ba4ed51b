//===- Request.h - what wna16-run is asked to do --------------------------===//
//
// The command line as a value.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_REQUEST_H
#define WNA16_LIB_RUN_REQUEST_H

#include "lib/Emulator/Options.h"
#include "lib/Launch/LaunchRecord.h"

#include "llvm/ADT/ArrayRef.h"

namespace wna16::run {

/// Where inputs come from when no file is given.
enum class DataKind {
  Random,      ///< normal activations, random codes, distinct scales
  Adversarial, ///< extreme codes, scales over many binades, large activations
  OneHot       ///< one weight per column differs from zero
};

/// Where the slots of a mixture of experts go.
enum class RoutingKind {
  Uniform, ///< to any expert
  Skewed,  ///< half to the first one, a quarter to the next, ...
  Last,    ///< all to the last one
  Dropped, ///< a third of them nowhere
  Broken   ///< tables with numbers out of range
};

enum class DeviceKind { Emulator, Gpu };

struct Request {
  std::string input;  ///< FILE.ptx, FILE.json or FILE.mlir
  std::string launch; ///< --launch; may be empty
  /// FILE.mlir: what to compile it for, and which of its kernels to run. May be
  /// empty.
  std::string target, kernel;
  SymbolValues symbols;
  std::map<std::string, std::string> inputFiles, outputFiles; ///< by argument
  uint64_t seed = 0;
  DataKind data = DataKind::Random;
  RoutingKind routing = RoutingKind::Uniform;
  DeviceKind device = DeviceKind::Emulator;
  /// Runs with different interleavings, from number `firstSchedule` on; number
  /// 0 is round robin.
  unsigned schedules = 1, firstSchedule = 0;
  /// Random interleavings also start blocks in random order, unless told how.
  bool blockOrderGiven = false;
  bool compare = true; ///< against fp64, if the record has a problem
  bool counters = false, json = false, help = false;
  bool countLines = false; ///< which lines execute most
  emulator::Options emulator;
  /// The command line, but for the options that choose interleavings.
  std::string command;
};

/// Reads the arguments after the program's name.
llvm::Expected<Request>
parseCommandLine(llvm::ArrayRef<const char *> arguments);

/// The help text.
llvm::StringRef usage();

} // namespace wna16::run

#endif // WNA16_LIB_RUN_REQUEST_H
