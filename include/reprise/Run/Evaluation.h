//===- Evaluation.h - Evaluate a session with progress ----------*- C++ -*-===//
#ifndef REPRISE_RUN_EVALUATION_H
#define REPRISE_RUN_EVALUATION_H

#include "reprise/Console/Progress.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::driver {

/// Calls rt::evaluate with a progress line. Sets `options.onProgress` and
/// `stop`; an interrupt is an error, which interrupted() distinguishes.
rt::Expected<rt::EvaluateResult>
evaluateWithProgress(rt::Backend &backend, rt::EvaluateOptions options);

/// Shows how a command that evaluates ended, after an interrupt with the
/// command line that starts again; returns its exit code.
int endEvaluation(const rt::Status &status);

/// Returns a callback that shows the progress of an evaluation on `line`.
std::function<void(uint64_t done, uint64_t total)>
tellEvaluation(ProgressLine &line);

/// Returns "epoch 3: validation 52.70%, loss 1.2345, best so far", or the best
/// so far.
std::string describeEvaluation(const rt::EvaluateResult &result,
                               const rt::BestEvaluation &here,
                               const rt::BestEvaluation &best);
/// Returns "52.70% after epoch 3".
std::string describeBest(const rt::BestEvaluation &best);

/// Returns "88.21% (top 5: 99.70%) of 10,000 images, loss 0.3342"; without the
/// second number if there are five classes or fewer.
std::string describe(const rt::EvaluateResult &result);

/// Returns the name of a result for a line of results: "val accuracy";
/// "accuracy" for data with one set.
std::string describeSplit(const rt::DataSpec &data, rt::Split split,
                          const rt::EvaluateResult &result);

} // namespace reprise::driver

#endif // REPRISE_RUN_EVALUATION_H
