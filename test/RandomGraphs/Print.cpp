//===- Print.cpp - Prints the random graph of a seed ----------------------===//
//
//   reprise-random-graph SEED [MAX-STEPS] > graph.mlir
//
// What a test names by its seed, as a file for reprise-opt and reprise-reduce.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "reprise/IR/Sg.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace reprise;

int main(int argc, char **argv) {
  uint64_t seed = 0;
  random_graphs::GraphOptions options;
  bool isValid = argc == 2 || argc == 3;
  isValid = isValid && !StringRef(argv[1]).getAsInteger(10, seed);
  if (isValid && argc == 3)
    isValid = !StringRef(argv[2]).getAsInteger(10, options.maxSteps) &&
              options.maxSteps > 0;
  if (!isValid) {
    llvm::errs() << "usage: reprise-random-graph SEED [MAX-STEPS]\n"
                    "both are numbers, MAX-STEPS at least 1\n";
    return 1;
  }
  options.minSteps = std::min(options.minSteps, options.maxSteps);
  MLIRContext context;
  context.loadDialect<sg::SgDialect, func::FuncDialect>();
  llvm::outs() << *random_graphs::generateGraph(&context, seed, options);
  return 0;
}
