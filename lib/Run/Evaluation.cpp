//===- Evaluation.cpp - Evaluate a session with progress ------------------===//

#include "reprise/Run/Evaluation.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Interrupts.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/TypedCommand.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Text/Size.h"

using namespace reprise;
using namespace reprise::driver;

static std::string evaluatingText(uint64_t done, uint64_t total) {
  return "evaluating " + text::formatPercent(double(done) / double(total)) +
         " of " + text::formatInteger(total) + " images";
}

std::function<void(uint64_t done, uint64_t total)>
driver::tellEvaluation(ProgressLine &line) {
  return [&line](uint64_t done, uint64_t total) {
    if (line.wants(ProgressLine::Place::Middle))
      line.show(evaluatingText(done, total));
  };
}

rt::Expected<rt::EvaluateResult>
driver::evaluateWithProgress(rt::Backend &backend,
                             rt::EvaluateOptions options) {
  ProgressLine line;
  bool begun = false;
  options.onProgress = [&](uint64_t done, uint64_t total) {
    using Place = ProgressLine::Place;
    Place place = !begun          ? Place::First
                  : done == total ? Place::Last
                                  : Place::Middle;
    begun = true;
    if (line.wants(place))
      line.show(evaluatingText(done, total));
  };
  options.stop = &interrupted();
  auto result = rt::evaluate(backend, options);
  lastStepDone();
  if (result.ok() && interrupted())
    return rt::Status::error(RP_UNAVAILABLE,
                             "the evaluation was interrupted after " +
                                 text::formatInteger(result->images) +
                                 " images; no accuracy is given");
  return result;
}

int driver::endEvaluation(const rt::Status &status) {
  if (status.ok())
    return kSuccess;
  if (!interrupted())
    return fail(status);
  note(status.message() + "; to start again, run:\n  " + typedCommand().str());
  printJsonError(status.message());
  return kInterrupted;
}

/// Returns "52.70%", or "loss 1.2345" without an accuracy.
static std::string valueOf(const rt::BestEvaluation &of) {
  return of.isAccuracy ? text::formatFixed(of.value * 100, 2) + "%"
                       : "loss " + text::formatFixed(of.value, 4);
}

static std::string placeOf(const rt::BestEvaluation &of) {
  return of.epoch ? "epoch " + std::to_string(of.epoch)
                  : "step " + std::to_string(of.step);
}

std::string driver::describeBest(const rt::BestEvaluation &best) {
  return valueOf(best) + " after " + placeOf(best);
}

std::string driver::describeEvaluation(const rt::EvaluateResult &result,
                                       const rt::BestEvaluation &here,
                                       const rt::BestEvaluation &best) {
  std::string text = placeOf(here) + ": validation " + valueOf(here) +
                     (result.ofAverages ? " (EMA)" : "");
  if (here.isAccuracy)
    text += ", loss " + text::formatFixed(result.loss, 4);
  if (best.step == here.step)
    return text + ", best so far";
  return best.step ? text + "; best so far " + describeBest(best) : text;
}

std::string driver::describe(const rt::EvaluateResult &result) {
  std::string text;
  if (result.hasAccuracy)
    text =
        text::formatFixed(result.accuracy() * 100, 2) + "%" +
        (result.hasTop5()
             ? " (top 5: " + text::formatFixed(result.accuracyTop5() * 100, 2) +
                   "%)"
             : std::string()) +
        " of ";
  text += text::formatInteger(result.images) + " images, loss " +
          text::formatFixed(result.loss, 4);
  for (const auto &[name, value] : result.metrics)
    text += ", " + name + " " + text::formatFixed(value, 4);
  return text;
}

std::string driver::describeSplit(const rt::DataSpec &data, rt::Split split,
                                  const rt::EvaluateResult &result) {
  std::string what = result.hasAccuracy ? "accuracy" : "evaluation";
  if (result.ofAverages)
    what += " (EMA)";
  rt::DataTraits traits = rt::traitsOf(data);
  if (traits.splits.empty())
    return what;
  if (split == rt::Split::Train)
    return "training " + what;
  std::string name =
      data.testSplit.empty() ? traits.evaluation : data.testSplit;
  return (name.empty() ? "test" : rt::nameText(name)) + " " + what;
}
