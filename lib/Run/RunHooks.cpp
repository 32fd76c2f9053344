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
#include <algorithm>
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

namespace {
struct OptionNames final : HookOptions {
  void add(const char *option, uint64_t &) override { all.push_back(option); }
  void add(const char *option, double &) override { all.push_back(option); }
  void add(const char *option, std::string &) override {
    all.push_back(option);
  }
  std::vector<std::string> all;
};
} // namespace

static rt::Status checkKind(HookKind &kind, const GivenOptions &command) {
  OptionNames options;
  kind.addOptions(options);
  const std::string &whole = options.all.front();
  if (command.has(whole))
    return kind.check();
  for (const std::string &part : options.all)
    if (command.has(part))
      return misuse(part + " needs " + whole);
  return {};
}

bool RunHooks::evaluates() const {
  return !best.directory.empty() ||
         std::any_of(kinds.begin(), kinds.end(),
                     [](const auto &kind) { return kind->evaluates(); });
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
      {"--trace-steps", "--profile-trace"}};
  for (const auto &[part, whole] : pairs)
    if (command.has(part) && !command.has(whole))
      return misuse(std::string(part) + " needs " + whole);
  if (!traceSteps.empty())
    REPRISE_RETURN_IF_ERROR(readTraceSteps(traceSteps, trace));
  const std::tuple<const char *, uint64_t, const char *> counts[] = {
      {"--log-freq", logger.every, "a step"},
      {"--save-cur-freq", best.saveLatestEvery, "an epoch"},
      {"--test-start", best.testStart, "the first epoch, 1,"},
      {"--save-start", best.saveStart, "the first epoch, 1,"}};
  for (const auto &[option, count, least] : counts)
    if (command.has(option))
      REPRISE_RETURN_IF_ERROR(checkCount(option, count, least));
  for (const auto &kind : kinds)
    REPRISE_RETURN_IF_ERROR(checkKind(*kind, command));
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

std::vector<rt::Hook *> RunHooks::make(const std::string &text,
                                       const rt::MemoryMonitorOptions &memory) {
  logger.text = text;
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
  for (const auto &kind : kinds)
    if (kind->isRequested())
      hooks.push_back(kind->make(memory));
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
