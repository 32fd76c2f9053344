//===- CheckOptions.cpp - Check the options of a run ----------------------===//

#include "CheckOptions.h"
#include "EntryBindings.h"
#include "reprise/Runtime/Expect.h"

using namespace reprise::rt;

static Status invalid(const std::string &message,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT, message, file, line);
}

Status reprise::rt::checkOptions(const TrainOptions &options) {
  bool resumed = !options.resumePath.empty();
  bool both = options.epochs > 0 && options.steps > 0;
  bool none = options.epochs == 0 && options.steps == 0;
  if (both || (none && !resumed))
    return invalid("give either the number of epochs or the number of steps");
  if (!options.resumePath.empty() && !options.weightsPath.empty())
    return invalid("a run begins either from a state or from weights, not "
                   "from both '" +
                   options.resumePath + "' and '" + options.weightsPath + "'");
  if (options.saveEvery > 0 && options.savePath.empty())
    return invalid("a state is to be saved every " +
                   std::to_string(options.saveEvery) +
                   " steps, but no file is named");
  if (!options.overridden.empty() && !resumed)
    return invalid("only the settings of a state can be overridden, and none "
                   "is named");
  return checkOverrides(options.overridden);
}

Status reprise::rt::checkOutputs(Backend &backend, const TrainOptions &options,
                                 PathLock &lock) {
  if (!options.savePath.empty()) {
    REPRISE_RETURN_IF_ERROR(checkWritable(options.savePath));
    REPRISE_RETURN_IF_ERROR(checkSavable(backend, options.savePath, {}));
    REPRISE_EXPECT(acquired, PathLock::acquire(options.savePath));
    lock = std::move(*acquired);
  }
  if (options.gradientsPath.empty())
    return Status();
  REPRISE_RETURN_IF_ERROR(checkGradients(backend, entryName(StepKind::Train),
                                         options.gradientsPath));
  return checkWritable(options.gradientsPath);
}
