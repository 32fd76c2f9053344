//===- RunPrograms.cpp - The programs of a run with several ---------------===//

#include "reprise/Run/RunPrograms.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

using namespace reprise;
using namespace reprise::driver;

using Clock = std::chrono::steady_clock;

namespace {
/// Adds the seconds of its lifetime.
class Stopwatch {
public:
  explicit Stopwatch(double &total) : total(total) {}
  ~Stopwatch() {
    total += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  double &total;
  Clock::time_point begin = Clock::now();
};
} // namespace

//===----------------------------------------------------------------------===//
// Choice of the program
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

const ProgramMode &RunPrograms::modeOf(size_t phase) const {
  auto other = isOther.find(phase);
  return other != isOther.end() && other->second ? plan.onOutOfMemory
                                                 : plan.phases[phase].mode;
}

std::string RunPrograms::nameOf(const Key &key) const {
  const std::string &mode = modeOf(key.first).text;
  if (key.second == kOwnSize)
    return mode.empty() ? "the model's own" : mode;
  std::string size = plan.buckets[key.second].str();
  return mode.empty() ? size : mode + ", " + size;
}

RunSource RunPrograms::sourceOf(size_t phase) const {
  RunSource of = source;
  if (of.request)
    setMode(*of.request, modeOf(phase));
  return of;
}

/// Returns the run's own request, in a mode and for the images of a bucket.
rt::Expected<ModelRequest> RunPrograms::requestFor(const ProgramMode &mode,
                                                   size_t bucket) const {
  ModelRequest of = own;
  if (!mode.isOwn()) {
    setMode(of, mode);
    REPRISE_RETURN_IF_ERROR(settleCosts(of));
  }
  if (bucket == kOwnSize)
    return of;
  of.model.height = plan.buckets[bucket].height;
  of.model.width = plan.buckets[bucket].width;
  of.model.batch = int64_t(plan.buckets[bucket].batch);
  return of;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Returns the ticket of a needed program, whose compilation begins if it has
/// not.
RunPrograms::Ticket RunPrograms::ticketOf(const Key &key) {
  auto [found, isNew] = coming.try_emplace(key);
  if (isNew)
    found->second = queue.add(
        [wanted = requestOf(key),
         describes = request.describes]() -> rt::Expected<BuiltProgram> {
          if (!wanted.ok())
            return wanted.status();
          auto build = ProgramBuild::begin(*wanted, describes);
          return build.ok() ? (*build)->finish() : build.status();
        });
  return found->second;
}

bool RunPrograms::awaitTicket(const Key &key, const std::atomic<bool> *stop) {
  Ticket ticket = ticketOf(key);
  queue.prefer(ticket);
  Activity activity("compiling the program for " + nameOf(key));
  Stopwatch watch(awaited);
  return queue.await(ticket, stop);
}

rt::Expected<BuiltProgram> RunPrograms::programOf(const Key &key) {
  if (auto found = programs.find(key); found != programs.end())
    return found->second;
  awaitTicket(key, /*stop=*/nullptr);
  rt::Expected<BuiltProgram> program = queue.take(coming[key]);
  coming.erase(key);
  if (!program.ok())
    return program;
  programs[key] = *program;
  return program;
}

/// Settles the device, the target and the model once for all programs, which
/// reads the data. Gives every bucket a batch.
rt::Status RunPrograms::settle() {
  if (!plan.buckets.empty() && (!source.request || !zooModel(source.source)))
    return misuse("--buckets compiles a program for each size, which takes a "
                  "model of the zoo; '" +
                  source.source + "' has one size");
  RunSource settled = source;
  std::string target;
  REPRISE_RETURN_IF_ERROR(settleDevice(settled, target));
  REPRISE_EXPECT(model, modelRequest(settled, request));
  own = std::move(*model);
  for (rt::Bucket &bucket : plan.buckets)
    if (!bucket.batch)
      bucket.batch = size_t(batchOf(own));
  return {};
}

/// If nothing is evaluated, no image has the model's own size unless a bucket
/// has it: the smallest bucket of its batch then replaces it.
void RunPrograms::takeSizeOfBucket() {
  const zoo::ModelInfo *info = zooModel(own.source);
  if (!info)
    return;
  int64_t height = own.model.height.value_or(*info->defaults.height);
  int64_t width = own.model.width.value_or(*info->defaults.width);
  const rt::Bucket *smallest = nullptr;
  for (const rt::Bucket &bucket : plan.buckets) {
    if (bucket.height == height && bucket.width == width)
      return;
    bool isSmaller = !smallest || bucket.height * bucket.width <
                                      smallest->height * smallest->width;
    if (isSmaller && int64_t(bucket.batch) == batchOf(own))
      smallest = &bucket;
  }
  if (!smallest)
    return;
  own.model.height = smallest->height;
  own.model.width = smallest->width;
  source.request->model.height = smallest->height;
  source.request->model.width = smallest->width;
}

/// Checks that a model for another size has the variables of the run's own:
/// variables with a number for each place of an image differ.
rt::Status
RunPrograms::checkVariables(const rt::Bucket &bucket,
                            const std::vector<ModelVariable> &mine,
                            const std::vector<ModelVariable> &theirs) const {
  for (size_t i = 0; i < mine.size(); ++i)
    if (i >= theirs.size() || !(mine[i] == theirs[i]))
      return invalid("images of " + bucket.str() + ": '" + source.source +
                     "' has parameters whose shapes follow from the size of "
                     "images, such as '" +
                     mine[i].name + "'; its images are of one size");
  return {};
}

std::vector<rt::Bucket> RunPrograms::buckets() const {
  std::vector<rt::Bucket> all = plan.buckets;
  for (rt::Bucket &bucket : all)
    bucket.batch *= own.compile.microBatches;
  return all;
}

/// Returns true if the run's own program takes images of the bucket's size.
bool RunPrograms::isOwnSize(const rt::Bucket &bucket) const {
  rp_program *program = running.program.get();
  for (size_t i = 0, n = rp_program_input_count(program, "train_step"); i < n;
       ++i) {
    rp_tensor_info info = {};
    bool isRead =
        rt::takeStatus(rp_program_input(program, "train_step", i, &info)).ok();
    if (isRead && info.binding == RP_BINDING_DATA && info.rank == 4)
      return info.shape[0] ==
                 int64_t(bucket.batch * own.compile.microBatches) &&
             info.shape[1] == bucket.height && info.shape[2] == bucket.width;
  }
  return false;
}

/// Begins a program: plans it if it may be refused, because it has a budget or
/// the process a limit.
rt::Expected<std::shared_ptr<ProgramBuild>>
RunPrograms::build(const rt::Expected<ModelRequest> &wanted, Advice advice) {
  if (!wanted.ok())
    return wanted.status();
  Stopwatch watch(planned);
  REPRISE_EXPECT(begun, ProgramBuild::begin(*wanted, request.describes));
  std::shared_ptr<ProgramBuild> build = std::move(*begun);
  if (wanted->compile.budget || source.memoryLimit) {
    REPRISE_RETURN_IF_ERROR(build->plan(advice, /*isQuiet=*/false));
    REPRISE_RETURN_IF_ERROR(checkArena(build->arenaBytes(), predicted.sum()));
  }
  return build;
}

/// Plans the programs of all sizes if they may be refused: one that does not
/// fit ends the run, or its size is left out. Begins to compile the others.
rt::Status RunPrograms::prepareBuckets(size_t phase) {
  REPRISE_EXPECT(ownBuild, ProgramBuild::begin(own, /*describes=*/false));
  REPRISE_RETURN_IF_ERROR((*ownBuild)->checkState(request.state));
  Advice advice = plan.skipsLarge ? Advice::Numbers : Advice::Alternatives;
  std::vector<rt::Bucket> fitting;
  for (size_t k = 0; k < plan.buckets.size(); ++k) {
    const rt::Bucket &bucket = plan.buckets[k];
    Key key = {phase, fitting.size()};
    if (isOwnSize(bucket)) {
      programs[key] = running;
      fitting.push_back(bucket);
      continue;
    }
    auto begun = build(requestOf({phase, k}), advice);
    if (begun.ok()) {
      REPRISE_RETURN_IF_ERROR(checkVariables(bucket, (*ownBuild)->variables(),
                                             (*begun)->variables()));
      coming[key] = queue.add([build = *begun] { return build->finish(); });
      fitting.push_back(bucket);
      continue;
    }
    if (takeOther({phase, k}, begun.status()))
      return prepareBuckets(phase);
    if (!plan.skipsLarge || isMisuse(begun.status()))
      return rt::Status::error(begun.status().code(),
                               "images of " + bucket.str() + ": " +
                                   begun.status().message());
    warn("images of " + bucket.str() +
         " are left out: " + begun.status().message());
  }
  if (fitting.empty())
    return invalid("none of the sizes of --buckets fits");
  plan.buckets = std::move(fitting);
  return {};
}

/// Returns the phases from the current one on, in every size.
std::vector<RunPrograms::Key> RunPrograms::keysToCome() const {
  std::vector<Key> keys;
  for (size_t phase = current.first; phase < plan.phases.size(); ++phase) {
    for (size_t bucket = 0; bucket < plan.buckets.size(); ++bucket)
      keys.push_back({phase, bucket});
    if (plan.buckets.empty())
      keys.push_back({phase, kOwnSize});
  }
  return keys;
}

/// Plans all programs that may be refused, because they have a budget or the
/// process a limit; this must happen before the first step, not in a later
/// epoch.
rt::Status RunPrograms::preparePhases() {
  for (const Key &key : keysToCome()) {
    bool mayBeRefused = modeOf(key.first).budget || source.memoryLimit;
    if (!mayBeRefused || programs.count(key) || coming.count(key))
      continue;
    auto begun = build(requestOf(key), Advice::Alternatives);
    if (!begun.ok() && takeOther(key, begun.status()))
      return preparePhases();
    if (!begun.ok())
      return rt::Status::error(begun.status().code(),
                               "the program for " + nameOf(key) + ": " +
                                   begun.status().message());
    coming[key] = queue.add([build = *begun] { return build->finish(); });
  }
  if (!plan.onOutOfMemory.budget)
    return {};
  auto begun =
      build(requestFor(plan.onOutOfMemory, kOwnSize), Advice::Alternatives);
  if (!begun.ok())
    return rt::Status::error(begun.status().code(),
                             "on_out_of_memory: " + begun.status().message());
  // It stays in the program cache until it is needed.
  Ticket other = queue.add([build = *begun] { return build->finish(); });
  if (!source.memoryLimit)
    return {};
  Activity activity("compiling the program for " + plan.onOutOfMemory.text);
  Stopwatch watch(awaited);
  queue.await(other, /*stop=*/nullptr);
  return {};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

bool RunPrograms::takeOther(const Key &key, const rt::Status &status) {
  bool isNew = !isOther[key.first];
  if (status.code() != RP_OUT_OF_MEMORY || plan.onOutOfMemory.isOwn() || !isNew)
    return false;
  warn("'" + nameOf(key) + "' does not fit: " + status.message() +
       "; continuing with " + plan.onOutOfMemory.text);
  isOther[key.first] = true;
  // The programs of the mode that does not fit.
  for (auto it = programs.begin(); it != programs.end();)
    it = it->first.first == key.first ? programs.erase(it) : std::next(it);
  for (auto it = coming.begin(); it != coming.end();) {
    if (it->first.first != key.first) {
      ++it;
      continue;
    }
    queue.drop(it->second);
    it = coming.erase(it);
  }
  return true;
}

rt::Expected<RunningProgram> RunPrograms::open(uint64_t epoch) {
  REPRISE_RETURN_IF_ERROR(settle());
  if (!plan.buckets.empty() && request.neverEvaluates)
    takeSizeOfBucket();
  current = {phaseOf(epoch), kOwnSize};
  RunRequest asked = request;
  asked.choosesBudget = plan.onOutOfMemory.isOwn();
  auto opened = RunningProgram::open(sourceOf(current.first), asked);
  if (!opened.ok() && takeOther(current, opened.status())) {
    opened = RunningProgram::open(sourceOf(current.first), asked);
    if (!opened.ok())
      return rt::Status::error(opened.status().code(),
                               "on_out_of_memory: " +
                                   opened.status().message());
  }
  if (!opened.ok() && !plan.buckets.empty() && !isMisuse(opened.status()))
    return rt::Status::error(
        opened.status().code(),
        "the model's own size (--image), which is also that of evaluation: " +
            opened.status().message());
  if (!opened.ok())
    return opened;
  programs[current] = first = running = opened->opened();
  predicted = opened->process();
  if (!plan.buckets.empty())
    REPRISE_RETURN_IF_ERROR(prepareBuckets(current.first));
  REPRISE_RETURN_IF_ERROR(preparePhases());
  // Compiling takes memory too, which must not be needed while steps run.
  if (source.memoryLimit)
    for (const Key &key : keysToCome())
      REPRISE_RETURN_IF_ERROR(programOf(key).status());
  beforeSteps = std::max(0.0, queue.seconds() - awaited);
  return opened;
}

rt::Status RunPrograms::note(rt::Backend &backend) {
  if (!hasTrained)
    return {};
  REPRISE_EXPECT(stats, backend.memory());
  const rt::EntryInfo *entry = backend.entry("train_step");
  if (entry)
    memory[current] = {nameOf(current), entry->peakBytes,
                       stats->high_water_bytes, stats->changed_bytes};
  return {};
}

/// Checks that a process of `held` bytes may hold another arena in place of its
/// own.
rt::Status RunPrograms::checkArena(uint64_t wanted, uint64_t held) const {
  uint64_t has = rp_program_arena_bytes(running.program.get());
  bool fits = !source.memoryLimit || wanted <= has ||
              held + (wanted - has) <= source.memoryLimit;
  if (fits)
    return {};
  return rt::Status::error(RP_OUT_OF_MEMORY,
                           "with its arena of " + std::to_string(wanted) +
                               " bytes the process would hold more than "
                               "--memory-limit, which is " +
                               std::to_string(source.memoryLimit) + " bytes");
}

rt::Status RunPrograms::switchTo(rt::Backend &backend, const Key &key) {
  REPRISE_EXPECT(program, programOf(key));
  rp_program *next = program->program.get();
  REPRISE_RETURN_IF_ERROR(
      checkArena(rp_program_arena_bytes(next), rt::residentBytes()));
  REPRISE_RETURN_IF_ERROR(backend.switchTo(next));
  current = key;
  running = *program;
  hasTrained = false;
  return {};
}

void RunPrograms::expect(const std::vector<rt::StepPlace> &places) {
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    if (auto found = coming.find(keyOf(*place)); found != coming.end())
      queue.prefer(found->second);
}

bool RunPrograms::await(const rt::StepPlace &place,
                        const std::atomic<bool> *stop) {
  Key key = keyOf(place);
  return key == current || programs.count(key) || awaitTicket(key, stop);
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
  Key next = {key.first + 1, key.second};
  if (next.first < plan.phases.size() && !programs.count(next))
    ticketOf(next);
  return {};
}

rt::Status RunPrograms::useForEvaluation(rt::Backend &backend) {
  Key own = {current.first, kOwnSize};
  REPRISE_RETURN_IF_ERROR(note(backend));
  if (own == current)
    return {};
  // The program that the run was opened with, whatever its mode: the bits are
  // the same.
  auto found = std::find_if(programs.begin(), programs.end(), [](auto &entry) {
    return entry.first.second == kOwnSize;
  });
  return switchTo(backend, found == programs.end() ? own : found->first);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Returns the steps of train_step in the form of a trace.
static std::vector<rt::TracedOp> tracedOps(const ProgramFacts &facts) {
  std::vector<rt::TracedOp> ops;
  const EntryFacts *entry = facts.entry("train_step");
  if (!entry)
    return ops;
  std::vector<std::vector<uint64_t>> live = liveBytes(*entry);
  for (const StepFacts &step : entry->steps) {
    const std::vector<uint64_t> &now = live[ops.size()];
    ops.push_back({step.name, step.module, termName(step.phase),
                   termName(step.action), step.bytes, step.flops,
                   std::accumulate(now.begin(), now.end(), uint64_t(0))});
  }
  return ops;
}

std::shared_ptr<const rt::TracedProgram>
driver::tracedProgram(const BuiltProgram &of, const std::string &name) {
  auto traced = std::make_shared<rt::TracedProgram>();
  traced->name = name;
  traced->ops = tracedOps(*of.facts);
  traced->fixedBytes = rp_program_fixed_bytes(of.program.get());
  return traced;
}

rt::Expected<rt::ProcessMemory> RunPrograms::process() const {
  rt::ProcessMemory of = predicted;
  std::vector<const rp_program *> others;
  for (const auto &[key, program] : programs)
    if (memory.count(key) && program.program != first.program)
      others.push_back(program.program.get());
  REPRISE_RETURN_IF_ERROR(rt::addPrograms(first.program.get(), others, of));
  return of;
}

std::shared_ptr<const rt::TracedProgram> RunPrograms::traced() {
  std::shared_ptr<const rt::TracedProgram> &found = traces[current];
  if (!found)
    found = tracedProgram(running, nameOf(current));
  return found;
}

std::vector<UsedProgram> RunPrograms::used() const {
  std::vector<UsedProgram> list;
  for (const auto &[key, program] : memory)
    list.push_back(program);
  return list;
}
