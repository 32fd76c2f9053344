//===- RunHooks.cpp - The hooks of a run ----------------------------------===//

#include "reprise/Run/RunHooks.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Interrupts.h"
#include "reprise/Console/Verbosity.h"
#include "reprise/Driver/SettingValues.h"
#include "reprise/Run/Evaluation.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Trainer/CHook.h"
#include "reprise/Text/Size.h"
#include <cerrno>
#include <charconv>
#include <unistd.h>

using namespace reprise;
using namespace reprise::driver;

/// Names the hook in an error of its output.
static rt::Status ofHook(const char *hook, const rt::Status &status) {
  return status.ok()
             ? status
             : rt::Status::error(status.code(), std::string("hook '") + hook +
                                                    "': " + status.message());
}

rt::Status RunHooks::checkOutputs() const {
  const std::pair<const char *, const std::string &> folders[] = {
      {"train_val_logger", logger.directory},
      {"auto_save_best", best.directory}};
  for (const auto &[hook, path] : folders)
    if (!path.empty())
      REPRISE_RETURN_IF_ERROR(ofHook(hook, checkOutputFolder(path)));
  const std::pair<const char *, const std::string &> files[] = {
      {"auto_checkpoint", checkpoint},
      {"epoch_table", tablePath},
      {"profile_trace", trace.path}};
  for (const auto &[hook, path] : files)
    if (!path.empty())
      REPRISE_RETURN_IF_ERROR(ofHook(hook, checkOutput(path)));
  return {};
}

/// Reads "2-4", or "3" alone.
static rt::Status readTraceSteps(const std::string &text,
                                 rt::ProfileTraceOptions &trace) {
  size_t dash = text.find('-');
  std::string last = dash == std::string::npos ? text : text.substr(dash + 1);
  auto read = [](const std::string &digits, uint64_t &value) {
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  constexpr uint64_t most = 1000; // each has some thousand events
  if (read(text.substr(0, dash), trace.first) && read(last, trace.last) &&
      trace.first >= 1 && trace.last >= trace.first &&
      trace.last - trace.first < most)
    return {};
  return misuse("--trace-steps is '" + text +
                "'; write the first and the last step, counted from 1, as "
                "2-4, a thousand at most");
}

rt::Status RunHooks::check(const GivenOptions &command) {
  // Options, and the ones that they require.
  const std::pair<const char *, const char *> pairs[] = {
      {"--log-freq", "--log-dir"},
      {"--log-skip", "--log-dir"},
      {"--test-freq", "--save-best"},
      {"--test-start", "--save-best"},
      {"--save-freq", "--save-best"},
      {"--save-start", "--save-best"},
      {"--save-cur-start", "--save-best"},
      {"--save-cur-freq", "--save-cur-start"},
      {"--keep-last", "--save-best"},
      {"--trace-steps", "--profile-trace"},
      {"--early-stop-freq", "--early-stop"},
      {"--early-stop-delta", "--early-stop"},
      {"--early-stop-metric", "--early-stop"}};
  for (const auto &[part, whole] : pairs)
    if (command.has(part) && !command.has(whole))
      return misuse(std::string(part) + " needs " + whole);
  if (!traceSteps.empty())
    REPRISE_RETURN_IF_ERROR(readTraceSteps(traceSteps, trace));
  const std::tuple<const char *, uint64_t, const char *> counts[] = {
      {"--log-freq", logger.every, "a step"},
      {"--save-cur-freq", best.saveLatestEvery, "an epoch"},
      {"--test-start", best.testStart, "the first epoch, 1,"},
      {"--save-start", best.saveStart, "the first epoch, 1,"},
      {"--early-stop", stop.patience, "an evaluation"},
      {"--early-stop-freq", stop.every, "an epoch"},
      {"--memory-monitor", memoryEvery, "a step"}};
  for (const auto &[option, count, least] : counts)
    if (command.has(option) && count == 0)
      return misuse(std::string(option) + " is 0; it must be " + least +
                    " or more");
  REPRISE_RETURN_IF_ERROR(checkRange("--early-stop-delta", stop.least));
  if (stopMetric != "accuracy" && stopMetric != "loss")
    return misuse("--early-stop-metric is '" + stopMetric +
                  "'; choose accuracy or loss");
  return checkOutputs();
}

rt::Status RunHooks::reload(rt::TrainOptions &train) const {
  if (reloadPath.empty())
    return {};
  if (!train.resumePath.empty())
    return misuse("--resume and --reload are both given; keep one of them");
  if (::access(reloadPath.c_str(), F_OK) == 0) {
    train.resumePath = reloadPath;
    train.mayBeDone = true; // the same command may be repeated
    // The state replaces the initial weights.
    train.weightsPath.clear();
  } else if (errno != ENOENT) {
    return rt::systemError("read", reloadPath, errno);
  } else {
    train.overridden.clear(); // for a state that does not exist yet
  }
  return {};
}

rt::Status RunHooks::load() {
  for (const std::string &library : libraries) {
    REPRISE_EXPECT(hook, rt::loadHook(library));
    hooks.push_back(std::move(*hook));
  }
  return {};
}

std::function<void(const rt::RunSpan &)>
RunHooks::makeTrace(decltype(rt::ProfileTraceOptions::program) program,
                    rt::Backend &backend, std::vector<rt::Hook *> &all) {
  trace.program = std::move(program);
  trace.backend = &backend;
  auto hook = std::make_unique<rt::ProfileTrace>(trace);
  rt::ProfileTrace *made = hook.get();
  hooks.push_back(std::move(hook));
  all.insert(all.begin(), made);
  return [made](const rt::RunSpan &span) { made->add(span); };
}

rt::Status RunHooks::saveCheckpoint(rt::Backend &backend,
                                    const rt::RunPosition &position) {
  if (!autoCheckpoint || autoCheckpoint->hasSaved())
    return {};
  saving() = true;
  rt::Status status = autoCheckpoint->save(backend, position);
  saving() = false;
  return ofHook("auto_checkpoint", status);
}

void RunHooks::warnOfTrace(uint64_t steps) const {
  if (traces() && steps < trace.first)
    warn("no step of the run is in '" + trace.path + "': it had " +
         std::to_string(steps) + ", and those from " +
         std::to_string(trace.first) + " on were to be traced");
}

/// Returns one line.
static std::string textOf(const rt::MemoryReading &memory) {
  std::vector<std::string> arena = text::formatSizesApart(
      {memory.fixedBytes, memory.peakBytes, memory.arenaBytes});
  return "memory after step " + std::to_string(memory.step) +
         ": arena: fixed " + arena[0] + ", peak " + arena[1] + " of " +
         arena[2] + "; process " + text::formatSize(memory.residentBytes) +
         ", at most " + text::formatSize(memory.residentPeakBytes) + "; " +
         (memory.limit.bytes == UINT64_MAX
              ? "no limit is known"
              : "limit " + text::formatSize(memory.limit.bytes) + " of " +
                    memory.limit.name + ", " +
                    text::formatSize(memory.limit.left) + " left");
}

std::vector<rt::Hook *> RunHooks::make(const std::string &text,
                                       rt::MemoryMonitorOptions memory) {
  logger.text = text;
  stop.byLoss = stopMetric == "loss";
  if (!logger.directory.empty())
    hooks.push_back(rt::makeTrainValLogger(logger));
  // Before the hooks that save, so that their states hold it.
  if (!tablePath.empty()) {
    auto hook = std::make_unique<rt::EpochTable>(tablePath);
    table = hook.get();
    hooks.push_back(std::move(hook));
  }
  if (evaluates() || hasLibraries()) {
    auto hook = std::make_unique<rt::EvaluationTeller>(
        [](const auto &result, const auto &here, const auto &best) {
          if (verbosity() != Verbosity::Quiet)
            note(describeEvaluation(result, here, best));
        },
        // A library's hook may leave the bits of states unchanged.
        evaluates());
    teller = hook.get();
    hooks.push_back(std::move(hook));
  }
  if (!best.directory.empty())
    hooks.push_back(rt::makeAutoSaveBest(best));
  if (stop.patience > 0)
    hooks.push_back(rt::makeEarlyStop(stop));
  if (memoryEvery > 0) {
    memory.every = memoryEvery;
    memory.show = [](const rt::MemoryReading &reading) {
      note(textOf(reading));
    };
    hooks.push_back(rt::makeMemoryMonitor(memory));
  }
  // Last, so that its state holds the memory of the others.
  if (!checkpoint.empty()) {
    auto hook = std::make_unique<rt::AutoCheckpoint>(checkpoint);
    autoCheckpoint = hook.get();
    hooks.push_back(std::move(hook));
  }
  std::vector<rt::Hook *> all;
  for (const auto &hook : hooks)
    all.push_back(hook.get());
  return all;
}
