//===- Evaluation.cpp - Evaluating a session with progress ----------------===//

#include "Evaluation.h"
#include "Console.h"
#include "Interrupts.h"
#include "text/Size.h"
#include <sys/stat.h>

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

std::string tools::describe(const rt::EvaluateResult &result) {
  return text::formatFixed(result.accuracy() * 100, 2) + "% of " +
         text::formatInteger(result.images) + " images, loss " +
         text::formatFixed(result.loss, 4);
}

std::string tools::describeSplit(const std::string &source, rt::Split split) {
  struct stat info;
  bool isFile = source != "synthetic" && ::stat(source.c_str(), &info) == 0 &&
                S_ISREG(info.st_mode);
  if (isFile)
    return "accuracy";
  return split == rt::Split::Test ? "test accuracy" : "training accuracy";
}
