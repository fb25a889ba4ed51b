//===- wna16-layout.cpp - print and draw layouts by name ------------------===//

#include "lib/Layout/Gallery.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace wna16::layout;

int main(int argc, char **argv) {
  cl::OptionCategory cat("wna16-layout options");
  cl::opt<std::string> name(cl::Positional, cl::desc("NAME"), cl::cat(cat));
  cl::opt<int64_t> k("k", cl::desc("Rows of a storage layout"), cl::cat(cat));
  cl::opt<int64_t> n("n", cl::desc("Columns of one"), cl::cat(cat));
  cl::opt<unsigned> bits("bits", cl::desc("Width"), cl::init(4), cl::cat(cat));
  cl::opt<unsigned> cols("columns", cl::desc("Draw so many"), cl::cat(cat));
  cl::opt<bool> bases("bases", cl::desc("Print the bases only"), cl::cat(cat));
  cl::opt<bool> svg("svg", cl::desc("Draw as SVG"), cl::cat(cat));
  cl::opt<bool> list("list", cl::desc("List all layouts"), cl::cat(cat));
  cl::HideUnrelatedOptions(cat);
  cl::ParseCommandLineOptions(argc, argv, "Prints and draws data layouts\n");
  try {
    if (list)
      return outs() << listExhibits(), 0;
    Exhibit exhibit = makeExhibit(name, {k, n, bits});
    exhibit.options.firstColumns = cols;
    if (svg)
      outs() << drawOwnersSvg(exhibit.layout, exhibit.options);
    else if (bases)
      outs() << exhibit.layout.str() << "\n";
    else
      outs() << exhibit.description << "\n"
             << drawOwners(exhibit.layout, exhibit.options);
    return 0;
  } catch (const std::exception &error) {
    errs() << "wna16-layout: " << error.what() << "\n";
    return 1;
  }
}
