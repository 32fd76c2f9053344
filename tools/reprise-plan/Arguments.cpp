//===- Arguments.cpp - Arguments of several commands ----------------------===//

#include "Command.h"

using namespace reprise::plan;

void tool::addGraph(CLI::App &command, std::string &path) {
  command
      .add_option("graph", path,
                  "Graph as JSON (docs/plan-json.md); - for standard input")
      ->required();
}

void tool::addSolverOptions(CLI::App &command,
                            search::SolverSettings &settings) {
  command.add_option(
      "--time-limit", settings.timeLimit,
      "Time limit of the search: 10s, 500ms, 2min; without one, work is "
      "counted, and the result is the same on every machine");
  command
      .add_option("--work", settings.work,
                  "Work of searches, in levels of 1/64, 1/8, 1, 2, 4 and so "
                  "on; 1 (default) is a few seconds for a thousand ops")
      ->check(CLI::Range(0.0, 1e6));
  command
      .add_option("--effort", settings.effort,
                  "The part of that work to do: quick, normal, thorough "
                  "(default)")
      ->type_name("EFFORT");
  command
      .add_option("--threads", settings.threads,
                  "Threads to use; all of the machine's by default")
      ->check(CLI::Range(0u, 1024u));
}
