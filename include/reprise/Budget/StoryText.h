//===- StoryText.h - Stories of values as text and JSON ---------*- C++ -*-===//
#ifndef REPRISE_BUDGET_STORYTEXT_H
#define REPRISE_BUDGET_STORYTEXT_H

#include "reprise/Budget/ValueStory.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reprise::driver {

/// Returns the values in memory at the peak.
std::string peakText(const PlanStory &plan);
nlohmann::ordered_json peakJson(const PlanStory &plan);

/// Returns the story of one value of the plan.
std::string storyText(const PlanStory &plan, const ValueStory &story);
nlohmann::ordered_json storyJson(const PlanStory &plan,
                                 const ValueStory &story);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_STORYTEXT_H
