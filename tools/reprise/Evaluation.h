//===- Evaluation.h - Evaluating a session with progress --------*- C++ -*-===//
#ifndef REPRISE_TOOLS_EVALUATION_H
#define REPRISE_TOOLS_EVALUATION_H

#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::tools {

/// rt::evaluate with a progress line. `options.onProgress` and `stop` are set
/// here; an interrupt is an error.
rt::Expected<rt::EvaluateResult>
evaluateWithProgress(rt::Backend &backend, rt::EvaluateOptions options);

/// Says what data left out, where they did.
void warnOfSkipped(const rt::SkippedRows &skipped);

/// "88.21% (top 5: 99.70%) of 10,000 images, loss 0.3342"; without the second
/// number where there are five classes or fewer.
std::string describe(const rt::EvaluateResult &result);

/// What a result is, for a line of results: "test accuracy"; "accuracy" of data
/// that have one set.
std::string describeSplit(const rt::DataSpec &data, rt::Split split,
                          const rt::EvaluateResult &result);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_EVALUATION_H
