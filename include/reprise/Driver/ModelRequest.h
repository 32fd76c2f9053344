//===- ModelRequest.h - The model and options to compile --------*- C++ -*-===//
#ifndef REPRISE_DRIVER_MODELREQUEST_H
#define REPRISE_DRIVER_MODELREQUEST_H

#include "reprise/Driver/MachineCosts.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Plan/Budget.h"

namespace reprise::driver {

/// A mode of checkpointing, or a budget, of a program.
struct ProgramMode {
  std::string text; // as the user says it; "": the request's own
  Checkpointing checkpointing;
  std::optional<plan::Budget> budget;

  bool isOwn() const { return text.empty(); }
};

/// A model of a source, and its compile options.
struct ModelRequest {
  std::string source;
  zoo::ModelOptions model;
  CompileOptions compile;
  bool isScheduled = false; // its mode or budget is one of several, by epochs
  bool hasMode = false;     // the user's, which a budget keeps
  bool hasTarget = false;   // the user's
  /// True if weights of classes are computed from their counts in the data.
  bool balancesClasses = false;
  CostSource costs;
};

/// Sets the costs of a request that needs them, for its target: it has a
/// budget, or its source of costs says so. This machine's speed is measured
/// once and cached.
rt::Status settleCosts(ModelRequest &request);

/// Replaces a request's mode and budget by one of a schedule, unless that is
/// the request's own. Costs have to be settled afterwards.
void setMode(ModelRequest &request, const ProgramMode &mode);

/// Adds a budget, which keeps the mode of the user. Costs have to be settled
/// afterwards.
void setBudget(ModelRequest &request, const plan::Budget &budget);

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
