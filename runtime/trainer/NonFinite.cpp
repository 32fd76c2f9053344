//===- NonFinite.cpp - Steps whose loss is not finite ---------------------===//

#include "NonFinite.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include "reprise/Runtime/Trainer/RunSettings.h"

#include <cmath>

using namespace reprise::rt;

std::string reprise::rt::describe(const Backend::NonFinite &found) {
  if (found.origin == RP_ORIGIN_NONE)
    return "; run again in a checking mode it gave finite values alone, so "
           "that its first run cannot be explained";
  return "; run again in a checking mode: " + found.text;
}

static Expected<Backend::NonFinite> runAgain(Backend &backend,
                                             const StepAgain &step) {
  REPRISE_EXPECT(loader, step.data.load(step.batch));
  REPRISE_EXPECT(batch, (*loader)->next());
  if (!*batch)
    return Status::error(RP_INTERNAL, "its batch is not there again");
  const EntryBindings &form = step.form;
  REPRISE_RETURN_IF_ERROR(
      setBatch(backend, form, **batch, {step.batch.seed, step.number}));
  REPRISE_RETURN_IF_ERROR(backend.setInput(form.entry, form.learningRate,
                                           &step.rate, sizeof step.rate));
  return backend.findNonFinite(form.entry, form.loss);
}

std::string reprise::rt::tellFirstNonFinite(Backend &backend,
                                            const StepAgain &step) {
  // A search of one rank would wait for the others.
  if (step.batch.ranks > 1)
    return "";
  Expected<Backend::NonFinite> found = runAgain(backend, step);
  if (found.status().code() == RP_UNAVAILABLE)
    return "";
  if (!found.ok())
    return "; it could not be run again in a checking mode: " +
           found.status().message();
  std::string text = describe(*found);
  if (found->origin == RP_ORIGIN_VARIABLE && !step.isUnchanged)
    text +=
        ", which this step's own update may have written: it ran before the "
        "loss was known (with --check-finite it does not)";
  else if (found->origin == RP_ORIGIN_VARIABLE && step.number > 0)
    text += ", as an earlier update left it (--check-finite finds the step)";
  return text;
}

Expected<float> reprise::rt::readFiniteLoss(Backend &backend,
                                            const StepAgain &step) {
  const EntryBindings &form = step.form;
  float loss = 0;
  uint8_t bad = 0;
  std::string name = "step " + std::to_string(step.number + 1);
  if (Status read =
          backend.getOutput(form.entry, form.loss, &loss, sizeof loss);
      !read.ok())
    return Status::error(read.code(),
                         "training " + name + ": " + read.message());
  if (!form.nonFinite.empty() && std::isfinite(loss))
    REPRISE_RETURN_IF_ERROR(
        backend.getOutput(form.entry, form.nonFinite, &bad, sizeof bad));
  if (std::isfinite(loss) && !bad)
    return loss;
  std::string what =
      bad ? name + " computed something that is not finite ('" +
                form.nonFinite + "' of entry '" + form.entry + "')"
          : "the loss of " + name + " is " +
                (std::isnan(loss) ? "nan" : std::to_string(loss));
  if (step.labels == 0)
    return Status::error(RP_INVALID_ARGUMENT,
                         what + ": all labels of its batch are ignored");
  return Status::error(RP_INVALID_ARGUMENT,
                       what + " at a learning rate of " +
                           settingNumber(step.rate) +
                           tellFirstNonFinite(backend, step) +
                           "; lower the learning rate or check the data "
                           "(nothing was saved after this step)");
}
