//===- onnx_cases.cpp - ONNX's own test cases -----------------------------===//
//
// onnx_cases ROOT < LIST compares the result of each case "FOLDER: RESULT" with
// the list; onnx_cases ROOT FOLDER... prints such lines.
//
//===----------------------------------------------------------------------===//

#include "OnnxCases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Reference/Evaluator.h"
#include <iostream>

using namespace reprise;

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<sg::SgDialect, mlir::func::FuncDialect>();
  reference::registerReferenceModels(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string root = argc > 1 ? argv[1] : ".";
  for (int k = 2; k < argc; ++k)
    std::cout << argv[k] << ": " << onnx::runCase(context, root + "/" + argv[k])
              << "\n";
  if (argc > 2)
    return 0;
  size_t cases = 0, passed = 0, different = 0;
  for (std::string line; std::getline(std::cin, line); ++cases) {
    size_t colon = line.find(": ");
    std::string folder = line.substr(0, colon), want = line.substr(colon + 2);
    std::string got = onnx::runCase(context, root + "/" + folder);
    passed += got == "pass";
    if (got == want)
      continue;
    ++different;
    std::cout << folder << ": " << got << "\n  the list says: " << want << "\n";
  }
  std::cout << cases << " cases, " << passed << " pass, " << different
            << " differ from the list\n";
  return cases == 0 || different != 0;
}
