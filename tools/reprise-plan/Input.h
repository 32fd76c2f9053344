//===- Input.h - Input files of the commands --------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PLAN_INPUT_H
#define REPRISE_TOOLS_PLAN_INPUT_H

#include "reprise/PlanFormat/GraphJson.h"

namespace reprise::plan::tool {

/// Reads a whole file, or standard input for "-"; at most 256 MiB.
rt::Expected<std::string> readInput(const std::string &path);

/// Returns the name of an input in messages.
std::string inputName(const std::string &path);

rt::Expected<format::GraphFile> loadGraph(const std::string &path);

} // namespace reprise::plan::tool

#endif // REPRISE_TOOLS_PLAN_INPUT_H
