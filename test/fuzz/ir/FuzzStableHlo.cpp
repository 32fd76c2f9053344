//===- FuzzStableHlo.cpp - Any text as a step in StableHLO ----------------===//
//
// Input:   a step's text.
// Holds:   no crash; the step is planned or refused with a reason; a planned
//          step is text that is read and planned again.
//
//===----------------------------------------------------------------------===//
#include "../FuzzedFile.h"
#include "reprise/Budget/StepFile.h"

using namespace reprise;
using namespace reprise::driver;

static rt::Expected<StepAnswer> planStep(fuzz::FuzzedFile &file,
                                         double percent) {
  StepRequest request;
  request.file = file.path();
  request.budget = plan::Budget::ofPercent(percent);
  request.effort = plan::Effort::Quick;
  request.threads = 1;
  return rematerializeStep(request);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::FuzzedFile file;
  file.write(data, size);
  rt::Expected<StepAnswer> answer = planStep(file, 80);
  if (!answer.ok()) {
    fuzz::require(!answer.status().message().empty(), "a refusal has no text");
    return 0;
  }
  if (!answer->plan) {
    fuzz::require(!answer->refusal.empty(), "a refusal has no text");
    return 0;
  }
  file.write(answer->text.data(), answer->text.size());
  rt::Expected<StepAnswer> again = planStep(file, 1000);
  fuzz::require(again.ok() && again->plan, "a planned step is refused");
  return 0;
}
