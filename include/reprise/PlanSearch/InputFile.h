//===- InputFile.h - Input files of the planner ------------------*- C++
//-*-===//
#ifndef REPRISE_PLANSEARCH_INPUTFILE_H
#define REPRISE_PLANSEARCH_INPUTFILE_H

#include "reprise/PlanFormat/GraphJson.h"

namespace reprise::plan::search {

/// Reads a whole file, or standard input for "-"; at most 256 MiB.
rt::Expected<std::string> readInput(const std::string &path);

/// Returns the name of an input in messages.
std::string inputName(const std::string &path);

rt::Expected<format::GraphFile> loadGraph(const std::string &path);

} // namespace reprise::plan::search

#endif // REPRISE_PLANSEARCH_INPUTFILE_H
