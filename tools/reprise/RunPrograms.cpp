//===- RunPrograms.cpp - The programs of a run that has several -----------===//

#include "RunPrograms.h"
#include "Console.h"
#include "reprise/Runtime/HostMemory.h"
#include "text/Size.h"
#include <algorithm>
#include <chrono>
#include <sys/resource.h>
#include <unistd.h>

using namespace reprise;
using namespace reprise::tools;

using Clock = std::chrono::steady_clock;

static double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

//===----------------------------------------------------------------------===//
// Which program
//===----------------------------------------------------------------------===//

size_t RunPrograms::phaseOf(uint64_t epoch) const {
  size_t phase = 0;
  while (phase + 1 < plan.phases.size() &&
         plan.phases[phase + 1].first <= epoch)
    ++phase;
  return phase;
}

RunPrograms::Key RunPrograms::keyOf(const rt::StepPlace &place) const {
  return {phaseOf(place.epoch), plan.buckets.empty() ? kOwnSize : place.bucket};
}

bool RunPrograms::isSame(const rt::StepPlace &a, const rt::StepPlace &b) const {
  return keyOf(a) == keyOf(b);
}

std::string RunPrograms::modeOf(size_t phase) const {
  auto other = isOther.find(phase);
  return other != isOther.end() && other->second ? plan.onOutOfMemory
                                                 : plan.phases[phase].mode;
}

std::string RunPrograms::nameOf(const Key &key) const {
  std::string mode = modeOf(key.first);
  if (key.second == kOwnSize)
    return mode.empty() ? "the model's own" : mode;
  std::string size = plan.buckets[key.second].str();
  return mode.empty() ? size : mode + ", " + size;
}

RunFlags RunPrograms::flagsOf(const Key &key) const {
  RunFlags of = flags;
  if (std::string mode = modeOf(key.first); !mode.empty())
    of.compile.setMode(mode);
  if (key.second == kOwnSize)
    return of;
  const rt::Bucket &bucket = plan.buckets[key.second];
  of.model.setImage(std::to_string(bucket.height) + "x" +
                    std::to_string(bucket.width));
  of.model.setBatch(int64_t(bucket.batch));
  return of;
}

/// Looks at what every mode says, before anything is compiled.
rt::Status RunPrograms::checkModes() const {
  std::vector<std::string> modes = {plan.onOutOfMemory};
  for (const EpochPhase &phase : plan.phases)
    modes.push_back(phase.mode);
  for (const std::string &mode : modes) {
    RunFlags of = flags;
    if (mode.empty())
      continue;
    of.compile.setMode(mode);
    if (rt::Status read = readRequest(of.source, of.model, of.compile).status();
        !read.ok())
      return misuse("--checkpointing-schedule: " + read.message());
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Starts to compile what will be wanted, by a thread that yields to the run's.
void RunPrograms::compileAhead(const Key &key) {
  if (programs.count(key) || coming.count(key))
    return;
  coming[key] = std::async(std::launch::async, [this, of = flagsOf(key)] {
    // Of this thread alone, which is what Linux means.
    (void)::setpriority(PRIO_PROCESS, id_t(::gettid()), 10);
    return compileBeside(of, request, /*isQuiet=*/true);
  });
}

rt::Expected<RunPrograms::Program> RunPrograms::programOf(const Key &key) {
  if (auto found = programs.find(key); found != programs.end())
    return found->second;
  Clock::time_point begin = Clock::now();
  auto started = coming.find(key);
  rt::Expected<Program> program =
      started != coming.end()
          ? started->second.get()
          : compileBeside(flagsOf(key), request, /*isQuiet=*/false);
  if (started != coming.end())
    coming.erase(started);
  seconds += since(begin);
  if (program.ok())
    programs[key] = *program;
  return program;
}

/// A batch for every bucket, and all of them sizes that the model can have.
rt::Status RunPrograms::settleBuckets() {
  if (plan.buckets.empty())
    return {};
  rt::Expected<SourceKind> kind = classifySource(flags.source);
  if (!kind.ok())
    return kind.status();
  if (*kind != SourceKind::Zoo)
    return misuse("--buckets compiles a program for each size, which takes a "
                  "model of the zoo; '" +
                  flags.source + "' has one size");
  rt::Expected<ModelRequest> model = modelRequest(flags, request);
  if (!model.ok())
    return model.status();
  for (rt::Bucket &bucket : plan.buckets)
    if (!bucket.batch)
      bucket.batch = size_t(batchOf(*model));
  return {};
}

/// Whether a program for another size has the variables of the model's own:
/// those that hold a number for each place of an image have not.
rt::Status RunPrograms::checkVariables(const rt::Bucket &bucket,
                                       rp_program *program) {
  for (size_t i = 0, n = rp_program_variable_count(running.get()); i < n; ++i) {
    rp_tensor_info mine = {}, other = {};
    REPRISE_RETURN_IF_ERROR(
        rt::takeStatus(rp_program_variable(running.get(), i, &mine)));
    REPRISE_RETURN_IF_ERROR(
        rt::takeStatus(rp_program_variable(program, i, &other)));
    bool isSame = std::string_view(mine.name) == other.name &&
                  mine.rank == other.rank &&
                  std::equal(mine.shape, mine.shape + mine.rank, other.shape);
    if (!isSame)
      return invalid("images of " + bucket.str() + ": '" + flags.source +
                     "' has parameters whose shapes follow from the size of "
                     "images, such as '" +
                     mine.name + "'; its images are of one size");
  }
  return {};
}

/// Compiles the programs of all sizes; one that does not fit ends the run, or
/// its size is left out.
rt::Status RunPrograms::compileBuckets(size_t phase) {
  std::vector<rt::Bucket> fitting;
  std::map<Key, Program> compiled;
  for (size_t bucket = 0; bucket < plan.buckets.size(); ++bucket) {
    Key key = {phase, bucket};
    rt::Expected<Program> program = programOf(key);
    if (program.ok()) {
      REPRISE_RETURN_IF_ERROR(
          checkVariables(plan.buckets[bucket], program->get()));
      compiled[{phase, fitting.size()}] = *program;
      fitting.push_back(plan.buckets[bucket]);
      continue;
    }
    std::string size = plan.buckets[bucket].str();
    if (!plan.skipsLarge || isMisuse(program.status()))
      return rt::Status::error(program.status().code(),
                               "images of " + size + ": " +
                                   program.status().message());
    warn("images of " + size + " are left out: " + program.status().message());
  }
  if (fitting.empty())
    return invalid("none of the sizes of --buckets fits");
  auto own = programs.find({phase, kOwnSize});
  if (own != programs.end())
    compiled.insert(*own);
  programs = std::move(compiled);
  plan.buckets = std::move(fitting);
  return {};
}

/// Compiles whatever has a budget, which may be refused; that is to be said
/// before the first step, not in a later epoch.
rt::Status RunPrograms::compileBudgets() {
  auto hasBudget = [](const std::string &mode) {
    return mode.rfind("budget=", 0) == 0;
  };
  std::vector<size_t> sizes;
  for (size_t bucket = 0; bucket < plan.buckets.size(); ++bucket)
    sizes.push_back(bucket);
  if (sizes.empty())
    sizes.push_back(kOwnSize);
  for (size_t phase = 0; phase < plan.phases.size(); ++phase)
    for (size_t size : sizes) {
      if (!hasBudget(modeOf(phase)))
        continue;
      Key key = {phase, size};
      if (rt::Status status = programOf(key).status(); !status.ok())
        return rt::Status::error(status.code(), "the program for " +
                                                    nameOf(key) + ": " +
                                                    status.message());
    }
  if (!hasBudget(plan.onOutOfMemory))
    return {};
  // It lies in the cache of programs until it is wanted.
  RunFlags of = flags;
  of.compile.setMode(plan.onOutOfMemory);
  rt::Status status = compileBeside(of, request, /*isQuiet=*/false).status();
  return status.ok() ? status
                     : rt::Status::error(status.code(), "on_out_of_memory: " +
                                                            status.message());
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

bool RunPrograms::takeOther(const Key &key, const rt::Status &status) {
  bool isNew = !isOther[key.first];
  if (status.code() != RP_OUT_OF_MEMORY || plan.onOutOfMemory.empty() || !isNew)
    return false;
  warn("'" + nameOf(key) + "' does not fit: " + status.message() +
       "; goes on with " + plan.onOutOfMemory);
  isOther[key.first] = true;
  // Those of the mode that does not fit.
  for (auto it = programs.begin(); it != programs.end();)
    it = it->first.first == key.first ? programs.erase(it) : std::next(it);
  return true;
}

rt::Expected<RunningProgram> RunPrograms::open(uint64_t epoch) {
  REPRISE_RETURN_IF_ERROR(checkModes());
  REPRISE_RETURN_IF_ERROR(settleBuckets());
  current = {phaseOf(epoch), kOwnSize};
  auto opened = RunningProgram::open(flagsOf(current), request);
  if (!opened.ok() && takeOther(current, opened.status()))
    opened = RunningProgram::open(flagsOf(current), request);
  if (!opened.ok())
    return opened;
  programs[current] = running = opened->opened();
  if (!plan.buckets.empty())
    REPRISE_RETURN_IF_ERROR(compileBuckets(current.first));
  REPRISE_RETURN_IF_ERROR(compileBudgets());
  return opened;
}

rt::Status RunPrograms::note(rt::Backend &backend) {
  if (!hasTrained)
    return {};
  rt::Expected<rp_memory_stats> stats = backend.memory();
  if (!stats.ok())
    return stats.status();
  const rt::EntryInfo *entry = backend.entry("train_step");
  if (entry)
    memory[current] = {nameOf(current), entry->peakBytes,
                       stats->high_water_bytes};
  return {};
}

/// Whether the process may hold the arena of `next` in place of the one that it
/// has.
bool RunPrograms::mayTake(rp_program *next) const {
  uint64_t has = rp_program_arena_bytes(running.get()),
           wants = rp_program_arena_bytes(next);
  return !flags.memoryLimit || wants <= has ||
         rt::residentBytes() + (wants - has) <= flags.memoryLimit;
}

rt::Status RunPrograms::switchTo(rt::Backend &backend, const Key &key) {
  rt::Expected<Program> program = programOf(key);
  if (!program.ok())
    return program.status();
  if (!mayTake(program->get()))
    return rt::Status::error(
        RP_OUT_OF_MEMORY,
        "with its arena of " +
            std::to_string(rp_program_arena_bytes(program->get())) +
            " bytes the process would hold more than --memory-limit");
  REPRISE_RETURN_IF_ERROR(backend.switchTo(program->get()));
  current = key;
  running = *program;
  hasTrained = false;
  return {};
}

rt::Status RunPrograms::use(rt::Backend &backend, const rt::StepPlace &place) {
  Key key = keyOf(place);
  if (key != current) {
    REPRISE_RETURN_IF_ERROR(note(backend));
    rt::Status status = switchTo(backend, key);
    if (!status.ok() && takeOther(key, status))
      status = switchTo(backend, key);
    if (!status.ok())
      return rt::Status::error(status.code(), "the program for " + nameOf(key) +
                                                  ": " + status.message());
  }
  hasTrained = true;
  bool isLast = key.first + 1 == plan.phases.size();
  if (!isLast)
    compileAhead({key.first + 1, key.second});
  return {};
}

rt::Status RunPrograms::useForEvaluation(rt::Backend &backend) {
  Key own = {current.first, kOwnSize};
  REPRISE_RETURN_IF_ERROR(note(backend));
  if (own == current)
    return {};
  // The one that the run was opened with, whatever its mode: bits are the same.
  auto found = std::find_if(programs.begin(), programs.end(), [](auto &entry) {
    return entry.first.second == kOwnSize;
  });
  return switchTo(backend, found == programs.end() ? own : found->first);
}

std::vector<UsedProgram> RunPrograms::used() const {
  std::vector<UsedProgram> list;
  for (const auto &[key, program] : memory)
    list.push_back(program);
  return list;
}
