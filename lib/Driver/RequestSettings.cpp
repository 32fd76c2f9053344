//===- RequestSettings.cpp - The request of a command line ----------------===//

#include "reprise/Driver/RequestSettings.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Expect.h"

using namespace reprise;
using namespace reprise::driver;

rt::Expected<ModelRequest> driver::readRequest(const std::string &source,
                                               const ModelSettings &model,
                                               const CompileSettings &compile,
                                               Costs costs) {
  REPRISE_EXPECT(artifact, isArtifact(source));
  if (*artifact)
    return misuse("'" + source +
                  "' is compiled already; 'reprise inspect' shows it");
  const zoo::ModelInfo *info = zooModel(source);
  frontend::Options taken = optionsOf(source);
  if (info)
    REPRISE_RETURN_IF_ERROR(model.checkFor(*info));
  else
    REPRISE_RETURN_IF_ERROR(model.checkTaken(source, taken));
  REPRISE_EXPECT(modelOptions, model.options());
  REPRISE_EXPECT(compileOptions, compile.options());
  // A front end's own annotations are used only on request.
  bool isAsked = compile.checkpointing || modelOptions->annotate;
  if (taken != frontend::Options::None && !isAsked)
    compileOptions->checkpointing = {};
  ModelRequest request;
  request.source = source;
  request.model = *modelOptions;
  request.compile = std::move(*compileOptions);
  request.hasMode = compile.checkpointing.has_value();
  request.hasTarget = compile.target.has_value();
  request.balancesClasses = compile.balancesClasses();
  request.costs = *compile.costSource();
  if (costs == Costs::Now)
    REPRISE_RETURN_IF_ERROR(settleCosts(request));
  return request;
}

rt::Status driver::refuseFlag(const std::string &artifact,
                              const std::string &given) {
  if (given.empty())
    return {};
  return misuse("'" + artifact + "' is compiled already; " + given +
                " belongs to 'reprise compile'");
}

rt::Status driver::refuseFlags(const std::string &artifact,
                               const ModelSettings &model,
                               const CompileSettings &compile) {
  if (compile.ranks > 1)
    return misuse("--ranks: '" + artifact +
                  "' is compiled already, for one rank; name the model itself");
  std::vector<std::string> given = model.command->namesIn(kModelGroup);
  if (given.empty())
    given = compile.command->namesIn(kCompileGroup);
  return refuseFlag(artifact, given.empty() ? "" : given.front());
}
