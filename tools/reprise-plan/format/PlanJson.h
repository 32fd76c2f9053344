//===- PlanJson.h - Placed plans as JSON ------------------------*- C++ -*-===//
//
// The schema is in docs/plan-json.md. A plan refers to ops and values of its
// graph by name.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_FORMAT_PLANJSON_H
#define REPRISE_PLAN_FORMAT_PLANJSON_H

#include "format/JsonText.h"
#include "reprise/Plan/Recompute.h"

namespace reprise::plan::format {

/// Reads a plan without checking it; validatePlan does.
rt::Expected<Plan> readPlan(const std::string &name, std::string text,
                            const Graph &graph);

std::string writePlan(const Graph &graph, const Plan &plan);

} // namespace reprise::plan::format

#endif // REPRISE_PLAN_FORMAT_PLANJSON_H
