//===- ClassTable.h - An evaluation class by class --------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_CLASSTABLE_H
#define REPRISE_TOOLS_CLASSTABLE_H

#include "reprise/Runtime/Trainer/Trainer.h"
#include <nlohmann/json_fwd.hpp>

namespace reprise::tools {

// All take a result with a confusion matrix.

/// Of each class: images, precision (of those taken for it, the part that is),
/// recall (of those that are, the part that was taken for it); "-" where it
/// would be a part of nothing.
std::string classTable(const rt::EvaluateResult &result);

/// The same as "per_class"; null for a part of nothing.
void addClassJson(const rt::EvaluateResult &result,
                  nlohmann::ordered_json &json);

/// The matrix as CSV (RFC 4180): a title line of the classes taken for, then a
/// line for each label.
std::string confusionCsv(const rt::EvaluateResult &result);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_CLASSTABLE_H
