//===- ModelRequest.h - The model and options to compile --------*- C++ -*-===//
#ifndef REPRISE_DRIVER_MODELREQUEST_H
#define REPRISE_DRIVER_MODELREQUEST_H

#include "reprise/Driver/ModelSource.h"

namespace reprise::driver {

/// A model of a source, and its compile options.
struct ModelRequest {
  std::string source;
  SourceKind kind = SourceKind::Zoo;
  zoo::ModelOptions model;
  CompileOptions compile;
  bool isScheduled = false; // its mode or budget is one of several, by epochs
};

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

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MODELREQUEST_H
