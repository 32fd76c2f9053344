//===- PlanJson.h - Placed plans as JSON ------------------------*- C++ -*-===//
//
// The schema is in docs/plan-json.md. A plan refers to ops and values of its
// graph by name.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLANFORMAT_PLANJSON_H
#define REPRISE_PLANFORMAT_PLANJSON_H

#include "reprise/Plan/Recompute.h"
#include "reprise/PlanFormat/JsonText.h"

namespace reprise::plan::format {

/// Reads a plan without checking it; validatePlan does.
rt::Expected<Plan> readPlan(const std::string &name, std::string text,
                            const Graph &graph);

std::string writePlan(const Graph &graph, const Plan &plan);

} // namespace reprise::plan::format

#endif // REPRISE_PLANFORMAT_PLANJSON_H
