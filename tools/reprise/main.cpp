//===- main.cpp - The users' driver ---------------------------------------===//
//
// Parses the command line, runs one command. Exit codes: 0 success, 1 failure,
// 2 an invalid command line, 75 a run with --auto-checkpoint that a signal or
// an error ended, or another command that a signal ended before its work was
// done, 130 an interrupted run or evaluation (see Interrupts.h).
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "OutOfMemory.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/TypedCommand.h"
#include "reprise/Console/Verbosity.h"
#include "reprise/Run/ProgramQueue.h"
#include "reprise/Runtime/ProcessStart.h"
#include "reprise/Target/Target.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

using namespace reprise;
using namespace reprise::driver;

/// Returns the name and version of the compiler that built this.
static std::string compilerText() {
#ifdef __clang__
  return "clang " + std::to_string(__clang_major__) + "." +
         std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " __VERSION__;
#endif
}

/// Returns the version, and the build's properties that are useful in bug
/// reports.
static std::string versionText() {
  std::string text = "reprise " REPRISE_VERSION "\nLLVM " LLVM_VERSION_STRING
                     ", compiled by " +
                     compilerText();
#ifndef NDEBUG
  text += ", with assertions";
#endif
  text += "\nbuild type " REPRISE_BUILD_TYPE;
  for (const std::string &name : targetNames())
    if (auto target = createTargetOf(name, /*features=*/"", /*threads=*/1);
        target.ok() && !(*target)->library().empty())
      text += "\n" + name + ": " + (*target)->library();
#ifdef REPRISE_CUDA_TOOLKIT
  text += "\nCUDA toolkit " REPRISE_CUDA_TOOLKIT;
#endif
  return text;
}

/// Adds the options that may come before or after a command.
static void addGeneralFlags(CLI::App &app) {
  app.add_flag_callback(
      "-q,--quiet", [] { verbosity() = Verbosity::Quiet; }, "Show no progress");
  app.add_flag_callback(
      "-v,--verbose", [] { verbosity() = Verbosity::Verbose; },
      "Show the source location of errors");
  std::vector<CLI::App *> commands = app.get_subcommands({});
  if (!commands.empty())
    app.add_flag("--json", "Print JSON, where the command can");
  for (CLI::App *command : commands)
    addGeneralFlags(*command);
}

/// Passes a --json before the command on to it.
static rt::Status takeJson(CLI::App &command) {
  bool isBefore = false;
  for (CLI::App *app = command.get_parent(); app; app = app->get_parent())
    isBefore |= app->get_option("--json")->count() > 0;
  CLI::Option *json = command.get_option_no_throw("--json");
  if (isBefore && !json)
    return misuse("'" + fullName(command) +
                  "' prints no JSON; leave out --json");
  if (isBefore && !json->count()) {
    json->add_result("true");
    json->run_callback();
  }
  wantsJson() = json && json->count();
  return {};
}

static int run(int argc, char **argv) {
  registerAllTargets();
  CLI::App app("Compiles networks into training programs whose peak memory is "
               "known to the byte, and runs them.",
               "reprise");
  // Computed late: libraries settle their instruction sets when they are
  // queried.
  app.set_version_flag("--version", versionText);
  app.set_help_flag("--help", "Show this help and exit");
  useHelpFormat(app);
  addExamples(app, "  reprise plan resnet50 --batch 8\n"
                   "  reprise train resnet18 --data "
                   "/usr/share/datasets/fashion-mnist --batch 128 --epochs 1\n"
                   "  reprise help train");
  app.require_subcommand(1);
  rememberCommand(argc, argv);
  Invocation invocation;
  addZooCommand(app, invocation);
  addOnnxCommand(app, invocation);
  addRematerializeCommand(app, invocation);
  addCompileCommand(app, invocation);
  addPlanCommand(app, invocation);
  addWhyCommand(app, invocation);
  addProfileCommand(app, invocation);
  addRecipeCommand(app, invocation);
  addTrainCommand(app, invocation);
  addEvalCommand(app, invocation);
  addPredictCommand(app, invocation);
  addReportCommand(app, invocation);
  addDeviceCommand(app, invocation);
  addInspectCommand(app, invocation);
  addCacheCommand(app, invocation);
  addShellCommands(app, invocation);
  addGeneralFlags(app);
  guardValues(app);
  // A guess from the words until the command line is parsed.
  wantsJson() = std::any_of(argv, argv + argc, [](const char *word) {
    return word == std::string_view("--json");
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return explain(app, error);
  } catch (const RecipeRefused &refused) {
    return refused.code;
  }
  if (rt::Status json = takeJson(*chosenCommand(app)); !json.ok())
    return fail(json);
  if (rt::Status status = ProgressReporter::checkEnvironment(); !status.ok())
    return fail(misuse(status.message()));
  ProgressReporter reporter(fullName(*chosenCommand(app)));
  return invocation();
}

/// LLVM throws nothing if an allocation fails, and exceptions of the system's
/// library do not pass through it.
static void failOnBadAllocations() {
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { die(kOutOfMemory); });
  // Handles threads that cannot be created, among others.
  llvm::install_fatal_error_handler(
      [](void *, const char *reason, bool) { die(reason); });
  std::set_terminate([] {
    try {
      if (std::current_exception())
        throw;
    } catch (const std::bad_alloc &) {
      die(kOutOfMemory);
    } catch (const std::exception &error) {
      die(error.what());
    } catch (...) {
    }
    die("ended for an unknown reason");
  });
}

static int runGuarded(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    return fail(rt::Status::error(RP_OUT_OF_MEMORY, kOutOfMemory));
  } catch (const std::exception &error) {
    return fail(rt::Status::error(RP_INTERNAL, error.what()));
  }
}

int main(int argc, char **argv) {
  rt::prepareProcess();
  failOnBadAllocations();
  int code = runGuarded(argc, argv);
  endBesideCompilation(code);
  return code;
}
