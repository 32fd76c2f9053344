//===- main.cpp - The planner on files ------------------------------------===//
//
// Parses the command line, runs one command. Exit codes: 0 success, 1 failure
// or a budget that is not met, 2 an invalid command line.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "reprise/Console/Verbosity.h"
#include "reprise/Runtime/ProcessStart.h"
#include <exception>
#include <new>

using namespace reprise;
using namespace reprise::driver;
using namespace reprise::plan::tool;

static int run(int argc, char **argv) {
  CLI::App app("Plans what to recompute and when, and places buffers, for "
               "graphs in JSON and buffers in CSV.",
               "reprise-plan");
  app.set_version_flag("--version", "reprise-plan " REPRISE_VERSION);
  app.add_flag_callback(
      "-q,--quiet", [] { verbosity() = Verbosity::Quiet; },
      "Show no progress (before the command)");
  app.set_help_flag("--help", "Show this help and exit");
  useHelpFormat(app);
  addExamples(app, "  reprise-plan solve graph.json --budget 60% -o plan.json\n"
                   "  reprise-plan sweep graph.json\n"
                   "  reprise-plan solve --help");
  app.require_subcommand(1);
  Invocation invocation;
  addSolveCommand(app, invocation);
  addBoundCommand(app, invocation);
  addValidateCommand(app, invocation);
  addSweepCommand(app, invocation);
  addPlaceCommand(app, invocation);
  guardValues(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return explain(app, error);
  }
  rt::Status status = ProgressReporter::checkEnvironment();
  if (!status.ok())
    return fail(misuse(status.message()));
  ProgressReporter reporter(fullName(*chosenCommand(app)));
  status = invocation();
  return status.ok() ? kSuccess : fail(status);
}

int main(int argc, char **argv) {
  rt::prepareProcess();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    return fail(
        rt::Status::error(RP_OUT_OF_MEMORY, "out of memory on the host"));
  } catch (const std::exception &error) {
    return fail(rt::Status::error(RP_INTERNAL, error.what()));
  }
}
