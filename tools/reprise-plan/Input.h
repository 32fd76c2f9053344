//===- Input.h - Files the commands read ------------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PLAN_INPUT_H
#define REPRISE_TOOLS_PLAN_INPUT_H

#include "format/GraphJson.h"

namespace reprise::plan::tool {

/// The whole of a file, or of standard input for "-"; at most 256 MiB.
rt::Expected<std::string> readInput(const std::string &path);

/// What messages call an input.
std::string inputName(const std::string &path);

rt::Expected<format::GraphFile> loadGraph(const std::string &path);

} // namespace reprise::plan::tool

#endif // REPRISE_TOOLS_PLAN_INPUT_H
