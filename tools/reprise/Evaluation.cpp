//===- Evaluation.cpp - Evaluating a session with progress ----------------===//

#include "Evaluation.h"
#include "Console.h"
#include "Interrupts.h"
#include "reprise/Runtime/NameText.h"
#include "text/Size.h"

using namespace reprise;
using namespace reprise::tools;

rt::Expected<rt::EvaluateResult>
tools::evaluateWithProgress(rt::Backend &backend, rt::EvaluateOptions options) {
  ProgressLine line;
  bool begun = false;
  options.onProgress = [&](uint64_t done, uint64_t total) {
    using Place = ProgressLine::Place;
    Place place = !begun          ? Place::First
                  : done == total ? Place::Last
                                  : Place::Middle;
    begun = true;
    if (line.wants(place))
      line.show("evaluating " +
                text::formatPercent(double(done) / double(total)) + " of " +
                text::formatInteger(total) + " images");
  };
  options.stop = &interrupted();
  auto result = rt::evaluate(backend, options);
  lastStepDone();
  if (result.ok() && interrupted())
    return invalid("interrupted after " + text::formatInteger(result->images) +
                   " images; no accuracy is given");
  return result;
}

void tools::warnOfSkipped(const rt::SkippedRows &skipped) {
  if (skipped.count > 0)
    warn("files that cannot be read or decoded and were left out: " +
         text::formatInteger(skipped.count) + ", the first of them '" +
         rt::nameText(skipped.first) + "'");
}

std::string tools::describe(const rt::EvaluateResult &result) {
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

std::string tools::describeSplit(const rt::DataSpec &data, rt::Split split,
                                 const rt::EvaluateResult &result) {
  std::string what = result.hasAccuracy ? "accuracy" : "evaluation";
  if (!rt::traitsOf(data).hasSplits)
    return what;
  return (split == rt::Split::Test ? "test " : "training ") + what;
}
