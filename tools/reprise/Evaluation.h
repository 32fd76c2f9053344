//===- Evaluation.h - Evaluating a session with progress --------*- C++ -*-===//
#ifndef REPRISE_TOOLS_EVALUATION_H
#define REPRISE_TOOLS_EVALUATION_H

#include "Progress.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::tools {

/// rt::evaluate with a progress line. `options.onProgress` and `stop` are set
/// here; an interrupt is an error, which wasInterrupted tells from others.
rt::Expected<rt::EvaluateResult>
evaluateWithProgress(rt::Backend &backend, rt::EvaluateOptions options);

/// Returns a callback that shows the progress of an evaluation on `line`.
std::function<void(uint64_t done, uint64_t total)>
tellEvaluation(ProgressLine &line);

/// "epoch 3: validation 52.70%, loss 1.2345, best so far", or what is.
std::string describeEvaluation(const rt::EvaluateResult &result,
                               const rt::BestEvaluation &here,
                               const rt::BestEvaluation &best);
/// "52.70% behind epoch 3".
std::string describeBest(const rt::BestEvaluation &best);

/// "88.21% (top 5: 99.70%) of 10,000 images, loss 0.3342"; without the second
/// number where there are five classes or fewer.
std::string describe(const rt::EvaluateResult &result);

/// Names a result for a line of results: "val accuracy"; "accuracy" of data
/// that have one set.
std::string describeSplit(const rt::DataSpec &data, rt::Split split,
                          const rt::EvaluateResult &result);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_EVALUATION_H
