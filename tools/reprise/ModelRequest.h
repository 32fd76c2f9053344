//===- ModelRequest.h - The model and options to compile --------*- C++ -*-===//
#ifndef REPRISE_TOOLS_MODELREQUEST_H
#define REPRISE_TOOLS_MODELREQUEST_H

#include "CompileFlags.h"
#include "ModelFlags.h"
#include "ModelSource.h"

namespace reprise::tools {

/// A model named by a command line, and its compile options.
struct ModelRequest {
  std::string source;
  SourceKind kind = SourceKind::Zoo;
  zoo::ModelOptions model;
  CompileOptions compile;
  bool isScheduled = false; // its mode or budget is one of several, by epochs
};

/// Reads a request for a model of the zoo or a file of MLIR; rejects artifacts,
/// and options of the zoo's models for others.
rt::Expected<ModelRequest> readRequest(const std::string &source,
                                       const ModelFlags &model,
                                       const CompileFlags &compile);

/// Fails if a flag was given together with an artifact, which no option of a
/// model or a compilation can change; succeeds if `given` is "".
rt::Status refuseFlag(const std::string &artifact, const std::string &given);
/// The same for the first given flag.
rt::Status refuseFlags(const std::string &artifact, const ModelFlags &model,
                       const CompileFlags &compile);

/// Returns a request's batch, the model's default included; 0 for models not of
/// the zoo.
int64_t batchOf(const ModelRequest &request);

/// Plans, and the compiler that holds the IR they refer to.
struct PlannedRequest {
  PlannedRequest() = default;
  PlannedRequest(PlannedRequest &&) = default;
  // Plans must not outlive their compiler, as assigned-over ones would.
  PlannedRequest &operator=(PlannedRequest &&) = delete;

  std::unique_ptr<Compiler> compiler;
  std::unique_ptr<BudgetPlans> plans;
};

/// The work of a search for no recomputation, which needs none.
constexpr double kNoSearch = 0;

/// Returns the plans among which a budget of the request chooses, with the
/// effort `work`; with `withinBytes` only those that BudgetPlans::chooseWithin
/// needs.
rt::Expected<PlannedRequest> planRequest(const ModelRequest &request,
                                         double work, uint64_t withinBytes = 0);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_MODELREQUEST_H
