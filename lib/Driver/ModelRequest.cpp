//===- ModelRequest.cpp - The model and options to compile ----------------===//

#include "reprise/Driver/ModelRequest.h"
#include "reprise/Console/Console.h"

using namespace reprise;
using namespace reprise::driver;

rt::Expected<PlannedRequest> driver::planRequest(const ModelRequest &request,
                                                 double work,
                                                 uint64_t withinBytes) {
  PlannedRequest planned;
  planned.compiler = std::make_unique<Compiler>();
  Compiler &compiler = *planned.compiler;
  REPRISE_RETURN_IF_ERROR(
      compiler.load(request.source, request.kind, request.model));
  CompileOptions options = request.compile;
  options.planWork = work;
  rt::Expected<BudgetPlans> plans = compiler.budgetPlans(options, withinBytes);
  if (!plans.ok())
    return plans.status();
  planned.plans = std::make_unique<BudgetPlans>(std::move(*plans));
  return planned;
}

int64_t driver::batchOf(const ModelRequest &request) {
  if (request.kind != SourceKind::Zoo)
    return 0;
  if (request.model.batch)
    return *request.model.batch;
  rt::Expected<const zoo::ModelInfo *> info = findModel(request.source);
  return info.ok() ? (*info)->defaults.batch.value_or(0) : 0;
}
