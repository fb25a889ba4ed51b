//===- Reference.h - is the result right? ---------------------------------===//
//
// A plain fp64 loop over the very data of a run, independent of the compiler:
// it uses the layouts to find operands and nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_RUN_REFERENCE_H
#define WNA16_LIB_RUN_REFERENCE_H

#include "lib/Run/Data.h"

namespace wna16::run {

struct Comparison {
  double relativeError = 0; ///< ||out - reference|| / ||reference||
  double maxError = 0;      ///< largest |out - reference|
  int64_t elements = 0, nans = 0, unwritten = 0;
  double tolerance = 0;

  bool ok() const {
    return nans == 0 && unwritten == 0 && relativeError <= tolerance;
  }
};

/// What should be there.
struct Reference {
  /// [M][N], or the items of a repack or of all tables of a routing.
  std::vector<double> values;
  /// Rows that are specified: in a mixture of experts only those that a segment
  /// covers; empty where every bit is compared.
  std::vector<bool> covered;
};

/// The exact result of the record's problem.
llvm::Expected<Reference>
computeReference(const LaunchRecord &record,
                 const std::vector<ArgumentData> &arguments);

/// Compares the covered rows of argument `problem.y` with the reference; a
/// repack and tables of a routing must be exact.
Comparison compareWithReference(const LaunchRecord &record,
                                const std::vector<ArgumentData> &arguments,
                                const Reference &reference);

} // namespace wna16::run

#endif // WNA16_LIB_RUN_REFERENCE_H
