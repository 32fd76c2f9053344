//===- ModelRequest.h - What a command line wants compiled ------*- C++ -*-===//
#ifndef REPRISE_TOOLS_MODELREQUEST_H
#define REPRISE_TOOLS_MODELREQUEST_H

#include "CompileFlags.h"
#include "ModelFlags.h"
#include "ModelSource.h"

namespace reprise::tools {

/// A model as a command line names it, and what it is compiled for.
struct ModelRequest {
  std::string source;
  SourceKind kind = SourceKind::Zoo;
  zoo::ModelOptions model;
  CompileOptions compile;
  bool isScheduled = false; // its mode or budget is one of several, by epochs
};

/// Of a model of the zoo or a file of MLIR; refuses artifacts, and options of
/// the zoo's models for others.
rt::Expected<ModelRequest> readRequest(const std::string &source,
                                       const ModelFlags &model,
                                       const CompileFlags &compile);

/// An error where a flag was given beside an artifact, which can't heed what a
/// model or a compilation is told; none where `given` is "".
rt::Status refuseFlag(const std::string &artifact, const std::string &given);
/// The same of the first flag that was given.
rt::Status refuseFlags(const std::string &artifact, const ModelFlags &model,
                       const CompileFlags &compile);

/// The batch that a request asks for, the model's default included; 0 for what
/// is not of the zoo.
int64_t batchOf(const ModelRequest &request);

/// Plans, and the compiler that holds the IR they refer to.
struct PlannedRequest {
  PlannedRequest() = default;
  PlannedRequest(PlannedRequest &&) = default;
  // Plans must not outlive their compiler, as those that are assigned over
  // would.
  PlannedRequest &operator=(PlannedRequest &&) = delete;

  std::unique_ptr<Compiler> compiler;
  std::unique_ptr<BudgetPlans> plans;
};

/// Of the search where what computes nothing again is wanted, which needs none.
constexpr double kNoSearch = 0;

/// The plans among which a budget of the request chooses, by the effort that
/// `work` says; with `withinBytes` only what BudgetPlans::chooseWithin needs.
rt::Expected<PlannedRequest> planRequest(const ModelRequest &request,
                                         double work, uint64_t withinBytes = 0);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_MODELREQUEST_H
