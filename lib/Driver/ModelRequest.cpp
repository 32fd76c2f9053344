//===- ModelRequest.cpp - The model and options to compile ----------------===//

#include "reprise/Driver/ModelRequest.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Expect.h"

using namespace reprise;
using namespace reprise::driver;

rt::Status driver::settleCosts(ModelRequest &request) {
  CompileOptions &compile = request.compile;
  compile.roofline = rt::Roofline();
  compile.profile.clear();
  rt::Expected<std::unique_ptr<Target>> device =
      createTarget(compile.target, compile.threads);
  if (!device.ok())
    return misuse("--target: " + device.status().message());
  if (!compile.budget && !request.costs.isWanted &&
      !(*device)->describedRoofline())
    return {};
  REPRISE_EXPECT(costs, costModelOf(request.costs, **device, compile.threads));
  warnElsewhere(request.costs, *costs, **device, compile.threads);
  compile.roofline = costs->roofline;
  compile.profile = request.costs.profile;
  return {};
}

void driver::setMode(ModelRequest &request, const ProgramMode &mode) {
  if (mode.isOwn())
    return;
  request.compile.checkpointing = mode.checkpointing;
  request.compile.budget = mode.budget;
  if (!mode.budget)
    request.compile.keep.clear(); // only for a budget's plan
  request.isScheduled = true;
}

void driver::setBudget(ModelRequest &request, const plan::Budget &budget) {
  request.compile.budget = budget;
  if (!request.hasMode)
    request.compile.checkpointing = {};
}

rt::Expected<PlannedRequest> driver::planRequest(const ModelRequest &request,
                                                 double work,
                                                 uint64_t withinBytes) {
  PlannedRequest planned;
  planned.compiler = std::make_unique<Compiler>();
  Compiler &compiler = *planned.compiler;
  REPRISE_RETURN_IF_ERROR(compiler.load(request.source, request.model));
  compiler.hideWarnings(); // the run's own compilation has them
  CompileOptions options = request.compile;
  options.planWork = work;
  REPRISE_EXPECT(plans, compiler.budgetPlans(options, withinBytes));
  planned.plans = std::make_unique<BudgetPlans>(std::move(*plans));
  return planned;
}

int64_t driver::batchOf(const ModelRequest &request) {
  const zoo::ModelInfo *info = zooModel(request.source);
  return info ? request.model.batch.value_or(info->defaults.batch.value_or(0))
              : 0;
}
