//===- DeclaredPrograms.h - Models in MLIR, trained -------------*- C++ -*-===//
#ifndef REPRISE_TEST_ENDTOEND_DECLAREDPROGRAMS_H
#define REPRISE_TEST_ENDTOEND_DECLAREDPROGRAMS_H

#include "CompiledRun.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <gtest/gtest.h>

namespace reprise::end_to_end {

/// A matrix "m" and a vector "v" whose gradients are the same numbers, those of
/// the rows of "a" and "b".
extern const char *const kMatrixAndVector;

/// Of step t, from 0.
std::vector<double> gradientAt(int t);

/// A model that is compiled and trained on rows of a file.
class DeclaredPrograms : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// A session of the model, compiled; adds a failure where there is none.
  void open(const char *text, const CompileOptions &options);
  /// Ends the session, for the next one.
  void close();
  /// Trains `steps` steps of rate 0.125 on rows that writeRows writes.
  void trainSteps(int steps);
  /// Rows of "a" and "b", which add up to gradientAt of each.
  void writeRows(int steps);
  /// The same of any gradients, four numbers each.
  void writeRows(const std::vector<std::vector<double>> &gradients);
  std::vector<float> read(const char *variable) {
    std::vector<float> values(4);
    EXPECT_TRUE(backend->readVariable(variable, values.data(), 16).ok());
    return values;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string folder;
  rp_program *program = nullptr;
  std::unique_ptr<rt::Backend> backend;
};

} // namespace reprise::end_to_end

#endif // REPRISE_TEST_ENDTOEND_DECLAREDPROGRAMS_H
