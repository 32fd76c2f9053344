//===- ProfileTrace.cpp - A timeline of some steps of a run ---------------===//
//
// The file is JSON in the trace event format that Perfetto and chrome://tracing
// open: complete events ("X") of the run's spans and of the program's steps
// within them, and counters ("C") of the bytes that the plan has in use. Calls
// between ranks, and copies to and from host memory, that run beside the steps
// have threads of their own. In a run of several programs, spans and steps name
// their program.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

using namespace reprise::rt;
using nlohmann::ordered_json;

static constexpr int kProcess = 1, kRunThread = 1, kDataThread = 2,
                     kRanksThread = 3, kCopiesThread = 4;

static ordered_json nameOf(const char *what, int thread,
                           const std::string &name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", kProcess},
          {"tid", thread},
          {"args", {{"name", name}}}};
}

static ordered_json complete(const std::string &name, const std::string &kind,
                             int thread, double begin, double seconds) {
  return {{"name", name},      {"cat", kind},          {"ph", "X"},
          {"ts", begin * 1e6}, {"dur", seconds * 1e6}, {"pid", kProcess},
          {"tid", thread}};
}

Status ProfileTrace::begin(HookContext &run) {
  REPRISE_RETURN_IF_ERROR(checkWritable(options.path));
  model = run.model();
  start = run.position().step;
  return options.first == 1 ? options.backend->setProfile(true) : Status();
}

void ProfileTrace::add(const RunSpan &span) {
  if (std::string(span.what) == "step")
    stepBegin = span.begin;
  uint64_t number = span.step - start;
  if (!written && number >= options.first && number <= options.last)
    spans.push_back(span);
}

Status ProfileTrace::afterStep(HookContext &run, const Progress &step) {
  uint64_t number = step.step - start;
  if (number >= options.first && number <= options.last) {
    REPRISE_EXPECT(times, options.backend->stepTimes("train_step"));
    std::shared_ptr<const TracedProgram> program = options.program();
    if (times->size() != program->ops.size())
      return Status::error(RP_INTERNAL,
                           "the program has " + std::to_string(times->size()) +
                               " steps, but its description " +
                               std::to_string(program->ops.size()));
    steps.push_back({step.step, stepBegin, std::move(*times), program});
  }
  if (number + 1 == options.first)
    return options.backend->setProfile(true);
  if (number == options.last)
    return options.backend->setProfile(false);
  return number > options.last ? write() : Status();
}

/// Appends the program's steps, what ran beside them, and their bytes in use.
static void addSteps(const ProfileTrace::Timed &timed, double origin,
                     ordered_json &events) {
  const TracedProgram &program = *timed.program;
  double start = timed.begin - origin;
  for (size_t k = 0; k < timed.times.size(); ++k) {
    const TracedOp &op = program.ops[k];
    auto add = [&](int thread, double begin, double end) {
      ordered_json event =
          complete(op.name, op.kind, thread, start + begin, end - begin);
      event["args"] = {{"module", op.module}, {"phase", op.phase},
                       {"bytes", op.bytes},   {"flops", op.flops},
                       {"index", k},          {"step", timed.step}};
      if (!program.name.empty())
        event["args"]["program"] = program.name;
      events.push_back(std::move(event));
    };
    const rp_step_times &times = timed.times[k];
    add(kRunThread, times.begin, times.end);
    if (times.beside_end > 0)
      add(op.kind == "library" ? kRanksThread : kCopiesThread,
          times.beside_begin, times.beside_end);
    events.push_back(
        {{"name", "memory of the arena"},
         {"ph", "C"},
         {"ts", (start + times.begin) * 1e6},
         {"pid", kProcess},
         {"args", {{"fixed", program.fixedBytes}, {"live", op.liveBytes}}}});
  }
}

/// Returns the event of a span of the run; steps have the name of their
/// program, if it has one.
static ordered_json spanEvent(const RunSpan &span, double origin,
                              const std::string &program) {
  std::string what = span.what;
  int thread = what == "data" ? kDataThread : kRunThread;
  if (what == "step" && !program.empty())
    what += " of " + program;
  ordered_json event =
      complete(what, "run", thread, span.begin - origin, span.end - span.begin);
  event["args"] = {{"step", span.step}};
  if (!program.empty())
    event["args"]["program"] = program;
  return event;
}

static bool hasEvents(const ordered_json &events, int thread) {
  return std::any_of(events.begin(), events.end(),
                     [&](const ordered_json &event) {
                       return event["ph"] == "X" && event["tid"] == thread;
                     });
}

Status ProfileTrace::write() {
  if (written)
    return {};
  written = true;
  double origin = spans.empty() ? 0 : spans.front().begin;
  for (const RunSpan &span : spans)
    origin = std::min(origin, span.begin);
  ordered_json events = ordered_json::array();
  events.push_back(nameOf("process_name", 0, "reprise train " + model));
  events.push_back(nameOf("thread_name", kRunThread, "run"));
  events.push_back(nameOf("thread_name", kDataThread, "data"));
  std::map<uint64_t, std::string> programs; // by step
  for (const Timed &timed : steps)
    programs[timed.step] = timed.program->name;
  for (const RunSpan &span : spans)
    events.push_back(spanEvent(span, origin, programs[span.step]));
  for (const Timed &timed : steps)
    addSteps(timed, origin, events);
  for (auto [thread, name] :
       {std::pair(kRanksThread, "calls between ranks, beside steps"),
        std::pair(kCopiesThread, "copies to and from host memory")})
    if (hasEvents(events, thread))
      events.push_back(nameOf("thread_name", thread, name));
  ordered_json file = {{"displayTimeUnit", "ms"},
                       {"traceEvents", std::move(events)}};
  // Names may contain invalid UTF-8.
  std::string text =
      file.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return writeFile(options.path, text.data(), text.size());
}
