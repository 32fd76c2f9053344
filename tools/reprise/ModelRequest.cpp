//===- ModelRequest.cpp - The model and options to compile ----------------===//

#include "ModelRequest.h"
#include "Console.h"

using namespace reprise;
using namespace reprise::tools;

rt::Expected<ModelRequest> tools::readRequest(const std::string &source,
                                              const ModelFlags &model,
                                              const CompileFlags &compile) {
  rt::Expected<SourceKind> kind = classifySource(source);
  if (!kind.ok())
    return kind.status();
  if (*kind == SourceKind::Artifact)
    return misuse("'" + source +
                  "' is compiled already; 'reprise inspect' shows it");
  if (*kind == SourceKind::Text && !model.firstGiven().empty())
    return misuse(model.firstGiven() + " is an option of the zoo's models; '" +
                  source + "' says itself what it is");
  rt::Expected<zoo::ModelOptions> modelOptions = model.options();
  if (!modelOptions.ok())
    return modelOptions.status();
  if (*kind == SourceKind::Zoo) {
    rt::Expected<const zoo::ModelInfo *> info = findModel(source);
    if (!info.ok())
      return info.status();
    REPRISE_RETURN_IF_ERROR(model.checkFor(**info));
  }
  rt::Expected<CompileOptions> compileOptions = compile.options();
  if (!compileOptions.ok())
    return compileOptions.status();
  // The zoo's annotations are used only on request.
  bool isAsked = compile.hasCheckpointing() || modelOptions->annotate;
  if (*kind == SourceKind::Zoo && !isAsked)
    compileOptions->checkpointing = "none";
  return ModelRequest{source, *kind, *modelOptions, *compileOptions,
                      compile.hasSetMode()};
}

rt::Status tools::refuseFlag(const std::string &artifact,
                             const std::string &given) {
  if (given.empty())
    return {};
  return misuse("'" + artifact + "' is compiled already; " + given +
                " belongs to 'reprise compile'");
}

rt::Status tools::refuseFlags(const std::string &artifact,
                              const ModelFlags &model,
                              const CompileFlags &compile) {
  std::string given = model.firstGiven();
  return refuseFlag(artifact, given.empty() ? compile.firstGiven() : given);
}

rt::Expected<PlannedRequest> tools::planRequest(const ModelRequest &request,
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

int64_t tools::batchOf(const ModelRequest &request) {
  if (request.kind != SourceKind::Zoo)
    return 0;
  if (request.model.batch)
    return *request.model.batch;
  rt::Expected<const zoo::ModelInfo *> info = findModel(request.source);
  return info.ok() ? (*info)->defaults.batch.value_or(0) : 0;
}
