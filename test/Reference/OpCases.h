//===- OpCases.h - Each op on odd shapes and attributes ---------*- C++ -*-===//
//
// In f64, so that constants which rules and decompositions emit are exact to
// the evaluator's precision.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_REFERENCE_OPCASES_H
#define REPRISE_TEST_REFERENCE_OPCASES_H

#include "Support.h"

namespace reprise::reference::testing {

/// A function with these arguments ("%x: tensor<...>") and this body, which
/// ends in "return".
Case make(std::string name, std::string arguments, std::string results,
          std::string body, double low = -1.0, double high = 1.0);

/// A function of sg.`op` on one tensor.
Case unary(std::string op, double low = -1.0, double high = 1.0);

/// Ops that gradients flow through.
std::vector<Case> differentiableCases();

/// The gradient ops, which need no gradient of their own.
std::vector<Case> gradientCases();

/// Of both, those of transformers.
std::vector<Case> transformerCases();
std::vector<Case> transformerGradientCases();

/// The name of a case as GoogleTest shows it.
std::string caseName(const ::testing::TestParamInfo<Case> &info);

/// The names of the sg ops that the functions of `cases` hold.
std::set<std::string> opsIn(const std::vector<Case> &cases);

} // namespace reprise::reference::testing

#endif // REPRISE_TEST_REFERENCE_OPCASES_H
