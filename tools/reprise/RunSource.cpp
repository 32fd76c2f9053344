//===- RunSource.cpp - A model ready to run -------------------------------===//

#include "RunSource.h"
#include "Console.h"
#include "LimitRefusal.h"
#include "ModelRequest.h"
#include "ProgramBuild.h"
#include "artifact/ArtifactFile.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/HostProcessors.h"
#include "text/Size.h"
#include <algorithm>
#include <malloc.h>

using namespace reprise;
using namespace reprise::tools;

/// Returns the rows that determine the model: the training rows, if there are
/// some.
static rt::Split splitOfModel(const rt::DataSpec &spec) {
  return rt::traitsOf(spec).hasTraining() ? rt::Split::Train : rt::Split::Test;
}

/// Takes only the classes from images that are resized to the model's input.
static rt::Status takeClasses(const RunFlags &flags,
                              zoo::ModelOptions &options) {
  if (!options.classes && !flags.classNames.empty())
    options.classes = int64_t(flags.classNames.size());
  if (options.classes)
    return {};
  rt::DataSpec spec = flags.dataSpec();
  spec.images = flags.images.ofRows();
  auto data = rt::openDataset(spec, splitOfModel(spec), flags.dataOptions());
  if (!data.ok())
    return data.status();
  options.classes = (*data)->classes();
  return {};
}

/// Takes the model's settings from the data: the images' extents, and for a
/// directory the classes. A file may hold a few images of many classes, so its
/// labels do not determine the model's.
static rt::Status takeFromData(const RunFlags &flags,
                               const zoo::ModelInfo &info,
                               zoo::ModelOptions &options) {
  if (rt::traitsOf(flags.dataSpec()).anySize)
    return takeClasses(flags, options);
  if (flags.data == "synthetic" ||
      (options.height && options.width && options.channels && options.classes &&
       options.frames.has_value() == info.defaults.frames.has_value()))
    return {};
  auto data = rt::openDataset(flags.dataSpec(), splitOfModel(flags.dataSpec()),
                              flags.dataOptions());
  if (!data.ok())
    return data.status();
  const rt::Column &image = (*data)->columns().front();
  bool isVolume = image.shape.size() == 4;
  bool isCase = isVolume && options.views.value_or(1) > 1;
  if (isVolume && !isCase && !info.defaults.frames)
    return rt::Status::error(
        RP_INVALID_ARGUMENT,
        "'" + flags.data + "' holds volumes of " + rt::formatRow(image) +
            ", but model '" + info.name + "' takes images" +
            (info.defaults.views ? "; where these are views of one case, "
                                   "use --views " +
                                       std::to_string(image.shape.front())
                                 : std::string()));
  rt::ImageShape shape = rt::imageShapeOf(image);
  const zoo::ModelOptions &defaults = info.defaults;
  // Images without extents (N,F) fit a model that flattens them.
  bool flat = shape.height == 1 && shape.width == 1 &&
              int64_t(shape.elements()) ==
                  *defaults.height * *defaults.width * *defaults.channels;
  if (isVolume && !isCase && !options.frames)
    options.frames = image.shape.front();
  if (!flat && !options.height)
    options.height = shape.height;
  if (!flat && !options.width)
    options.width = shape.width;
  if (!flat && !options.channels)
    options.channels = shape.channels;
  if (rt::traitsOf(flags.dataSpec()).allClasses && !options.classes)
    options.classes = flags.classNames.empty()
                          ? (*data)->classes()
                          : int32_t(flags.classNames.size());
  return {};
}

/// Opens the training data for their labels alone: resizable images get the
/// smallest possible size, and other columns are left out if columns have
/// names.
static rt::Expected<std::unique_ptr<rt::Dataset>>
openLabels(const RunFlags &flags, int32_t classes) {
  rt::DataSpec spec = flags.dataSpec();
  rt::DatasetOptions options = flags.dataOptions();
  rt::DataTraits traits = rt::traitsOf(spec);
  if (traits.namesColumns) {
    options.columns = {rt::labelColumn()};
  } else if (traits.anySize) {
    // The labels of files that are left out do not count.
    spec.images = flags.images.ofRows();
    options.columns = {rt::imageColumn({1, 1, 3}), rt::labelColumn()};
  } else if (flags.data == "synthetic") {
    options.classes = classes;
    options.columns = {rt::imageColumn({1, 1, 1}), rt::labelColumn()};
  }
  return rt::openDataset(spec, rt::Split::Train, options);
}

/// Computes for each class the mean number of rows of all classes, divided by
/// its own: all classes then have the same total weight.
static rt::Status balanceClasses(const RunFlags &flags, ModelRequest &wanted) {
  int64_t classes = 0;
  if (wanted.kind == SourceKind::Zoo) {
    rt::Expected<const zoo::ModelInfo *> info = findModel(wanted.source);
    if (!info.ok())
      return info.status();
    classes =
        wanted.model.classes.value_or((*info)->defaults.classes.value_or(0));
  }
  auto data = openLabels(flags, int32_t(classes));
  if (!data.ok())
    return data.status();
  if (wanted.kind != SourceKind::Zoo)
    classes = (*data)->classes();
  std::vector<uint64_t> counts(size_t(std::max<int64_t>(classes, 0)));
  uint64_t rows = (*data)->size(), counted = 0;
  for (uint64_t row = 0; row < rows; ++row) {
    rt::Expected<int32_t> label = (*data)->label(row);
    if (!label.ok())
      return label.status();
    if (flags.compile.ignoredLabel() == *label)
      continue;
    if (*label < 0 || *label >= classes)
      return invalid("--class-weights balanced: row " + std::to_string(row) +
                     " of '" + flags.data + "' has the label " +
                     std::to_string(*label) + ", and the model " +
                     std::to_string(classes) + " classes");
    ++counts[size_t(*label)];
    ++counted;
  }
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0)
      return invalid("--class-weights balanced: '" + flags.data +
                     "' has nothing of class " + std::to_string(k) +
                     "; give the weights as numbers");
    wanted.compile.loss.classWeights.push_back(
        double(counted) / (double(counts.size()) * double(counts[k])));
  }
  return {};
}

rt::Expected<ModelRequest> tools::modelRequest(const RunFlags &flags,
                                               const RunRequest &request) {
  rt::Expected<ModelRequest> wanted =
      readRequest(flags.source, flags.model, flags.compile);
  if (!wanted.ok())
    return wanted;
  wanted->compile.emitGradients = request.gradients;
  wanted->compile.emitNonFinite = request.checkFinite;
  Activity activity("looking at the data");
  if (wanted->kind == SourceKind::Zoo) {
    rt::Expected<const zoo::ModelInfo *> info = findModel(flags.source);
    if (!info.ok())
      return info.status();
    REPRISE_RETURN_IF_ERROR(misfit(takeFromData(flags, **info, wanted->model)));
    if (!wanted->model.batch)
      wanted->model.batch = request.batch;
  }
  // Larger batches use the program that training compiles and caches.
  wanted->compile.onlyEvaluates =
      request.onlyEvaluates && wanted->model.batch.value_or(1) == 1;
  if (flags.compile.balancesClasses())
    REPRISE_RETURN_IF_ERROR(balanceClasses(flags, *wanted));
  return wanted;
}

/// Compiles, or takes the cache's program.
static rt::Expected<BuiltProgram> compileSource(const RunFlags &flags,
                                                const RunRequest &request) {
  rt::Expected<ModelRequest> wanted = modelRequest(flags, request);
  if (!wanted.ok())
    return wanted.status();
  Activity activity("compiling " + wanted->source);
  auto build = ProgramBuild::begin(std::move(*wanted), request.describes,
                                   ProgramBuild::Warnings::Shown);
  return build.ok() ? (*build)->finish() : build.status();
}

/// Takes a program, and its facts from `artifact` if requested.
template <typename Artifact>
static rt::Expected<BuiltProgram> take(rp_program *program, bool describes,
                                       Artifact artifact) {
  BuiltProgram built;
  built.program = std::shared_ptr<rp_program>(program, rp_program_close);
  if (!describes)
    return built;
  rt::Expected<ArtifactFile> file = artifact();
  if (!file.ok())
    return file.status();
  built.facts = std::make_shared<ProgramFacts>(factsOf(*file));
  return built;
}

rt::Expected<BuiltProgram> tools::openBytes(const std::vector<uint8_t> &bytes,
                                            bool describes) {
  rp_program *program = nullptr;
  REPRISE_RETURN_IF_ERROR(rt::takeStatus(
      rp_program_from_memory(bytes.data(), bytes.size(), &program)));
  return take(program, describes, [&] {
    return ArtifactFile::fromMemory(bytes.data(), bytes.size());
  });
}

/// Warns of an artifact with more threads than processors.
static void warnOfThreads(const rp_program *program, const std::string &path) {
  rt::ProcessorLimit limit = rt::usableProcessors();
  uint32_t threads = rp_program_threads(program);
  if (std::string(rp_program_device(program)) != "cpu" ||
      threads <= limit.processors)
    return;
  warn("'" + path + "' is compiled for " + std::to_string(threads) +
       " threads, but " + limit.name + " leaves this process " +
       std::to_string(limit.processors) +
       (limit.processors == 1 ? " processor" : " processors") +
       "; its steps are slower than planned: compile it with --threads " +
       std::to_string(limit.processors));
}

static rt::Expected<BuiltProgram> openFile(const std::string &path,
                                           bool describes) {
  rp_program *program = nullptr;
  REPRISE_RETURN_IF_ERROR(
      rt::takeStatus(rp_program_open(path.c_str(), &program)));
  warnOfThreads(program, path);
  return take(program, describes, [&] { return ArtifactFile::open(path); });
}

static rt::Expected<BuiltProgram> openProgram(const RunFlags &flags,
                                              const RunRequest &request) {
  rt::Expected<SourceKind> kind = classifySource(flags.source);
  if (!kind.ok())
    return kind.status();
  if (*kind == SourceKind::Artifact) {
    REPRISE_RETURN_IF_ERROR(
        refuseFlags(flags.source, flags.model, flags.compile));
    return openFile(flags.source, request.describes);
  }
  return compileSource(flags, request);
}

/// Returns the budget with which the process would stay within its limit; 0 if
/// the arena is not the cause.
static uint64_t fittingBudget(const rp_program *program,
                              const rt::ProcessMemory &memory, uint64_t limit) {
  uint64_t arena = rp_program_arena_bytes(program);
  uint64_t beside = memory.growth() - arena;
  uint64_t left = rt::tightestMemoryLimit().left;
  if (limit) {
    uint64_t held = memory.items.front().bytes;
    left = std::min(left, limit > held ? limit - held : 0);
  }
  return left > beside && left - beside < arena ? left - beside : 0;
}

/// Returns a refusal with the budget that would help.
static rt::Status refuseProcess(const rt::Status &status, uint64_t budget,
                                const RunFlags &flags) {
  std::string help = "; a smaller batch or data set would help";
  if (budget && !flags.compile.hasBudget())
    help =
        "; with --budget " + std::to_string(budget >> 10) + "KiB it would fit";
  return rt::Status::error(status.code(), status.message() + help);
}

rt::Status tools::settleDevice(RunFlags &flags, std::string &target) {
  rt::Expected<SourceKind> kind = classifySource(flags.source);
  if (!kind.ok())
    return kind.status();
  bool isCompiled = *kind == SourceKind::Artifact;
  if (isCompiled && flags.device.empty())
    return {};
  std::string wanted =
      flags.device.empty() ? flags.compile.device() : flags.device;
  std::string base = wanted.substr(0, wanted.find(':'));
  bool isSame = isCompiled || base == flags.compile.device();
  if (!isSame && flags.compile.hasTarget())
    return misuse("--device is '" + flags.device +
                  "', but --target compiles for '" + flags.compile.device() +
                  "'; give one of them alone");
  auto device = rt::openDevice(wanted);
  if (!device.ok())
    return device.status();
  if (isSame)
    return {};
  rt::Expected<rt::DeviceSummary> summary = (*device)->summary();
  if (!summary.ok())
    return summary.status();
  if (summary->target.empty())
    return rt::Status::error(
        RP_UNAVAILABLE, "no target is known for " + summary->name + " (" +
                            summary->features +
                            "); describe it with 'reprise "
                            "device describe " +
                            flags.device + " -o FILE.json' and give --target " +
                            base + ":FILE.json");
  target = summary->target;
  flags.compile.setTarget(target);
  return {};
}

rt::Expected<PreparedRun> tools::prepareRun(const RunFlags &asked,
                                            const RunRequest &request) {
  RunFlags flags = asked;
  std::string target;
  REPRISE_RETURN_IF_ERROR(settleDevice(flags, target));
  rt::Expected<BuiltProgram> built = openProgram(flags, request);
  if (!built.ok())
    return built.status();
  const std::shared_ptr<rp_program> &program = built->program;
  Activity activity("looking at the data");
  // Returns the compiler's freed memory to the system before it is measured.
  ::malloc_trim(0);
  auto memory = rt::predictProcessMemory(program.get(), flags.dataSpec(),
                                         request.split, request.saves);
  if (!memory.ok())
    return misfit(memory.status());
  if (request.evaluates ||
      (request.mayEvaluate && rt::traitsOf(flags.dataSpec()).hasTest()))
    REPRISE_RETURN_IF_ERROR(
        rt::addEvaluationMemory(program.get(), flags.dataSpec(), *memory));
  if (flags.checkMemory)
    memory->items.push_back({"copy of the arena, to check memory",
                             rp_program_arena_bytes(program.get())});
  return PreparedRun{program, *memory, target, built->facts};
}

/// Returns true if a budget may be chosen for a limit on the process.
static bool mayChooseBudget(const RunFlags &flags, const RunRequest &request) {
  rt::Expected<SourceKind> kind = classifySource(flags.source);
  return request.choosesBudget && flags.memoryLimit &&
         !flags.compile.hasBudget() && kind.ok() &&
         *kind != SourceKind::Artifact;
}

/// Returns an error that explains why a run with a limit does not fit and which
/// settings would fit. `isKnown`: the run was refused; otherwise this succeeds
/// unless there is a proof.
static rt::Status explainLimit(const RunFlags &flags, const RunRequest &request,
                               const rt::Status &tooLarge, uint64_t left,
                               bool isKnown) {
  rt::Expected<ModelRequest> wanted = modelRequest(flags, request);
  if (!wanted.ok())
    return wanted.status();
  rt::Expected<StepFloor> floor = floorOf(*wanted);
  if (!floor.ok() || (!isKnown && floor->proven <= left))
    return floor.status();
  return refuseLimit(*wanted, tooLarge, *floor, {flags.memoryLimit, left});
}

/// Compiles again with the budget that fits a limit on the process. Memory left
/// by planning counts towards the limit, hence several attempts.
static rt::Expected<PreparedRun> prepareWithin(const RunFlags &flags,
                                               const RunRequest &request) {
  constexpr int kAttempts = 3;
  RunFlags smaller = flags;
  rt::Status tooLarge;
  uint64_t left = 0; // of the limit, for the program
  for (int attempt = 0;; ++attempt) {
    auto prepared = prepareRun(smaller, request);
    bool isRefused = !prepared.ok() && attempt > 0 &&
                     prepared.status().message().find("cannot be trained in") !=
                         std::string::npos;
    if (isRefused)
      return explainLimit(smaller, request, tooLarge, left, /*isKnown=*/true);
    if (!prepared.ok())
      return prepared;
    rt::Status fits = rt::checkProcessMemory(
        prepared->memory, flags.memoryLimit, text::formatSize);
    if (fits.ok() && attempt > 0)
      warn("by itself the model takes more than --memory-limit; it was "
           "compiled with --budget " +
           std::to_string(left) + " (" + text::formatSize(left) + ")");
    if (fits.ok())
      return prepared;
    uint64_t budget = fittingBudget(prepared->program.get(), prepared->memory,
                                    flags.memoryLimit);
    if (!budget || attempt == kAttempts || !mayChooseBudget(flags, request))
      return refuseProcess(fits, budget, flags);
    if (attempt == 0)
      tooLarge = fits;
    left = budget;
    smaller.compile.setBudget(std::to_string(budget));
    // A search would take long and find nothing.
    if (attempt == 0)
      REPRISE_RETURN_IF_ERROR(
          explainLimit(smaller, request, tooLarge, left, /*isKnown=*/false));
  }
}

rt::Expected<RunningProgram> RunningProgram::open(const RunFlags &flags,
                                                  const RunRequest &request) {
  auto prepared = prepareWithin(flags, request);
  if (!prepared.ok())
    return prepared.status();
  Activity activity("loading the program");
  RunningProgram running;
  running.program = prepared->program;
  running.memory = prepared->memory;
  running.targetOfDevice = prepared->target;
  running.described = prepared->facts;
  rp_session_options options = {};
  options.device = flags.device.empty() ? nullptr : flags.device.c_str();
  options.check_memory = flags.checkMemory;
  auto session = rt::openSessionBackend(running.program.get(), options);
  if (!session.ok())
    return session.status();
  running.session = std::move(*session);
  return running;
}

unsigned RunningProgram::threads() const {
  return rp_program_threads(program.get());
}

static std::string join(const std::vector<int64_t> &shape, size_t first) {
  std::string text;
  for (size_t i = first; i < shape.size(); ++i)
    text += (text.empty() ? "" : "x") + std::to_string(shape[i]);
  return text;
}

std::string RunningProgram::describe() const {
  std::string text = session->model();
  const rt::EntryInfo *entry = session->entry("train_step");
  entry = entry ? entry : session->entry("eval_step");
  const rt::TensorInfo *rows = entry ? entry->input(RP_BINDING_DATA) : nullptr;
  if (!rows || rows->shape.empty())
    return text;
  const rt::TensorInfo *logits = entry->output(RP_BINDING_LOGITS);
  return text + " (" + join(rows->shape, 1) +
         (logits ? ", " + std::to_string(logits->shape.back()) + " classes"
                 : std::string()) +
         ", batch " + std::to_string(rows->shape.front()) + ")";
}
