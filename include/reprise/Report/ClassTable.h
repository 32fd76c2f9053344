//===- ClassTable.h - Evaluation results by class ---------------*- C++ -*-===//
#ifndef REPRISE_REPORT_CLASSTABLE_H
#define REPRISE_REPORT_CLASSTABLE_H

#include "reprise/Runtime/Trainer/Trainer.h"
#include <nlohmann/json_fwd.hpp>

namespace reprise::driver {

// All functions require a result with a confusion matrix.

/// Returns for each class: images, precision (the right part of the images
/// predicted as it), recall (the part of its images predicted as it); "-" if
/// the divisor would be 0.
std::string classTable(const rt::EvaluateResult &result);

/// Adds the same as "per_class"; null if the divisor would be 0.
void addClassJson(const rt::EvaluateResult &result,
                  nlohmann::ordered_json &json);

/// Returns the matrix as CSV (RFC 4180): a title line of the predicted classes,
/// then a line for each label.
std::string confusionCsv(const rt::EvaluateResult &result);

} // namespace reprise::driver

#endif // REPRISE_REPORT_CLASSTABLE_H
