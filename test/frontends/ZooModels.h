//===- ZooModels.h - Options and variables of the zoo's tests ---*- C++ -*-===//
#ifndef REPRISE_TEST_FRONTENDS_ZOOMODELS_H
#define REPRISE_TEST_FRONTENDS_ZOOMODELS_H

#include "reprise/IR/Sg.h"
#include "reprise/Zoo/Zoo.h"

namespace reprise::test {

inline zoo::ModelOptions batchOf(int64_t images) {
  zoo::ModelOptions options;
  options.batch = images;
  return options;
}

/// A variable as files hold it: "NAME 64x3x7x7".
inline std::string describe(sg::VariableOp variable) {
  llvm::ArrayRef<int64_t> shape = variable.getTensorType().getShape();
  std::string line = (variable.getSymName() + " ").str();
  llvm::raw_string_ostream stream(line);
  for (size_t d = 0; d < shape.size(); ++d) {
    auto permutation = variable.getFilePermutation();
    stream << (d ? "x" : "") << shape[permutation ? (*permutation)[d] : d];
  }
  return line;
}

} // namespace reprise::test

#endif // REPRISE_TEST_FRONTENDS_ZOOMODELS_H
