//===- RunSource.cpp - A model ready to run -------------------------------===//

#include "reprise/Run/RunSource.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Budget/LimitRefusal.h"
#include "reprise/Console/Console.h"
#include "reprise/IR/Sg.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Run/ProgramBuild.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/HostProcessors.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include "reprise/Text/Size.h"
#include <algorithm>
#include <malloc.h>

using namespace reprise;
using namespace reprise::driver;

rt::DataSpec RunSource::dataSpec() const {
  rt::DataSpec spec;
  spec.source = data;
  spec.syntheticSize = syntheticSize;
  spec.images = images;
  spec.isUnlabelled = isUnlabelled;
  spec.classNames = classNames;
  spec.testSplit = testSplit;
  spec.loaderThreads = loaderThreads;
  return spec;
}

rt::DatasetOptions RunSource::dataOptions() const {
  rt::DatasetOptions options;
  if (request && request->compile.loss.ignoreIndex)
    options.ignored = *request->compile.loss.ignoreIndex;
  return options;
}

/// Returns the rows that determine the model: the training rows, if there are
/// some.
static rt::Split splitOfModel(const rt::DataSpec &spec) {
  return rt::traitsOf(spec).hasTraining() ? rt::Split::Train : rt::Split::Test;
}

/// Takes only the classes from images that are resized to the model's input.
static rt::Status takeClasses(const RunSource &source,
                              zoo::ModelOptions &options) {
  if (!options.classes && !source.classNames.empty())
    options.classes = int64_t(source.classNames.size());
  if (options.classes || source.isUnlabelled)
    return {};
  rt::DataSpec spec = source.dataSpec();
  spec.images = source.images.ofRows();
  REPRISE_EXPECT(
      data, rt::openDataset(spec, splitOfModel(spec), source.dataOptions()));
  options.classes = (*data)->classes();
  return {};
}

/// Takes the model's settings from the data: the images' extents, and for a
/// directory the classes. A file may hold a few images of many classes, so its
/// labels do not determine the model's.
static rt::Status takeFromData(const RunSource &source,
                               const zoo::ModelInfo &info,
                               zoo::ModelOptions &options) {
  if (rt::traitsOf(source.dataSpec()).anySize)
    return takeClasses(source, options);
  if (source.data == "synthetic" ||
      (options.height && options.width && options.channels && options.classes &&
       options.frames.has_value() == info.defaults.frames.has_value()))
    return {};
  REPRISE_EXPECT(data, rt::openDataset(source.dataSpec(),
                                       splitOfModel(source.dataSpec()),
                                       source.dataOptions()));
  const rt::Column &image = (*data)->columns().front();
  bool isVolume = image.shape.size() == 4;
  bool isCase = isVolume && options.views.value_or(1) > 1;
  if (isVolume && !isCase && !info.defaults.frames)
    return rt::Status::error(
        RP_INVALID_ARGUMENT,
        "'" + source.data + "' holds volumes of " + rt::formatRow(image) +
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
  if (rt::traitsOf(source.dataSpec()).allClasses && !options.classes)
    options.classes = source.classNames.empty()
                          ? (*data)->classes()
                          : int32_t(source.classNames.size());
  return {};
}

/// Opens the training data for their labels alone: resizable images get the
/// smallest possible size, and other columns are left out if columns have
/// names.
static rt::Expected<std::unique_ptr<rt::Dataset>>
openLabels(const RunSource &source, int32_t classes) {
  rt::DataSpec spec = source.dataSpec();
  rt::DatasetOptions options = source.dataOptions();
  rt::DataTraits traits = rt::traitsOf(spec);
  if (traits.namesColumns) {
    options.columns = {rt::labelColumn()};
  } else if (traits.anySize) {
    // The labels of files that are left out do not count.
    spec.images = source.images.ofRows();
    options.columns = {rt::imageColumn({1, 1, 3}), rt::labelColumn()};
  } else if (source.data == "synthetic") {
    options.classes = classes;
    options.columns = {rt::imageColumn({1, 1, 1}), rt::labelColumn()};
  }
  return rt::openDataset(spec, rt::Split::Train, options);
}

/// Computes for each class the mean number of rows of all classes, divided by
/// its own: all classes then have the same total weight.
static rt::Status balanceClasses(const RunSource &source,
                                 ModelRequest &wanted) {
  int64_t classes = 0;
  const zoo::ModelInfo *info = zooModel(wanted.source);
  if (info)
    classes = wanted.model.classes.value_or(info->defaults.classes.value_or(0));
  auto data = openLabels(source, int32_t(classes));
  if (!data.ok())
    return rt::Status::error(data.status().code(),
                             "--class-weights balanced counts the labels of "
                             "samples: " +
                                 data.status().message());
  if (!info)
    classes = (*data)->classes();
  std::vector<uint64_t> counts(size_t(std::max<int64_t>(classes, 0)));
  uint64_t rows = (*data)->size(), counted = 0;
  for (uint64_t row = 0; row < rows; ++row) {
    REPRISE_EXPECT(label, (*data)->label(row));
    if (source.request->compile.loss.ignoreIndex == *label)
      continue;
    if (*label < 0 || *label >= classes)
      return invalid("--class-weights balanced: row " + std::to_string(row) +
                     " of '" + source.data + "' has the label " +
                     std::to_string(*label) + ", and the model " +
                     std::to_string(classes) + " classes");
    ++counts[size_t(*label)];
    ++counted;
  }
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0)
      return invalid("--class-weights balanced: '" + source.data +
                     "' has nothing of class " + std::to_string(k) +
                     "; give the weights as numbers");
    wanted.compile.loss.classWeights.push_back(
        double(counted) / (double(counts.size()) * double(counts[k])));
  }
  return {};
}

rt::Expected<ModelRequest> driver::modelRequest(const RunSource &source,
                                                const RunRequest &request) {
  ModelRequest wanted = *source.request;
  wanted.compile.emitGradients = request.gradients;
  wanted.compile.emitNonFinite = request.checkFinite;
  Activity activity("looking at the data");
  if (const zoo::ModelInfo *info = zooModel(source.source)) {
    REPRISE_RETURN_IF_ERROR(misfit(takeFromData(source, *info, wanted.model)));
    if (!wanted.model.batch)
      wanted.model.batch = request.batch;
  }
  // Larger batches use the program that training compiles and caches.
  wanted.compile.onlyEvaluates =
      request.onlyEvaluates && wanted.model.batch.value_or(1) == 1;
  if (wanted.balancesClasses)
    REPRISE_RETURN_IF_ERROR(balanceClasses(source, wanted));
  REPRISE_RETURN_IF_ERROR(settleCosts(wanted));
  return wanted;
}

/// Returns an input or output of a model's function.
static rt::TensorInfo tensorInfo(mlir::Type type, mlir::DictionaryAttr named) {
  auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  rt::TensorInfo info;
  if (auto name = named.getAs<mlir::StringAttr>(sg::SgDialect::kNameAttr))
    info.name = name.str();
  info.type = elementTypeOf(tensor.getElementType());
  info.shape = tensor.getShape().vec();
  info.bytes = size_t(tensor.getNumElements()) *
               ((tensor.getElementTypeBitWidth() + 7) / 8);
  info.binding = rp_binding_role(sg::roleOf(named));
  return info;
}

/// Returns the label that a model's loss leaves out, if it is to leave one out.
static std::optional<int64_t> ignoredLabel(const RunSource &source,
                                           mlir::ModuleOp model) {
  std::optional<int64_t> ignored = source.dataOptions().ignored;
  model.walk([&](sg::CrossEntropyOp loss) {
    if (auto label = loss.getIgnoreIndexAttr(); label && !ignored)
      ignored = label.getInt();
  });
  return ignored;
}

/// Returns the ranges that a front end gave to an argument.
static std::vector<rt::IndexRange> rangesOf(mlir::func::FuncOp function,
                                            unsigned argument) {
  std::vector<rt::IndexRange> ranges;
  auto given = function.getArgAttrOfType<mlir::ArrayAttr>(
      argument, sg::SgDialect::kIndexRangesAttr);
  if (!given)
    return ranges;
  for (auto from : given.getAsRange<sg::IndexRangeAttr>()) {
    rt::IndexRange &range = ranges.emplace_back();
    range.use = rp_index_use(from.getUse());
    range.limit = from.getLimit();
    range.ignored = from.getIgnored();
    for (size_t k = 0; k < from.getRuns().size(); k += 2)
      range.runs.emplace_back(from.getRuns()[k], from.getRuns()[k + 1]);
  }
  return ranges;
}

/// Refuses training data that do not fit the model, which is not compiled yet.
static rt::Status checkData(const RunSource &source, mlir::ModuleOp model) {
  rt::IndexRange labels;
  labels.limit = INT32_MAX;
  labels.runs = {{0, 1}};
  labels.ignored = ignoredLabel(source, model);
  for (auto function : model.getOps<mlir::func::FuncOp>()) {
    rt::EntryInfo step;
    step.name = "train_step";
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      step.inputs.push_back(tensorInfo(
          type, mlir::function_interface_impl::getArgAttrDict(function, i)));
    for (auto [i, input] : llvm::enumerate(step.inputs)) {
      input.ranges = rangesOf(function, unsigned(i));
      if (input.binding == RP_BINDING_LABEL)
        input.ranges = {labels};
    }
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      step.outputs.push_back(tensorInfo(
          type, mlir::function_interface_impl::getResultAttrDict(function, i)));
    if (step.output(RP_BINDING_LOSS))
      REPRISE_RETURN_IF_ERROR(
          misfit(rt::checkTrainingData(source.dataSpec(), step)));
  }
  return {};
}

/// Compiles, or takes the cache's program.
static rt::Expected<BuiltProgram> compileSource(const RunSource &source,
                                                const RunRequest &request) {
  REPRISE_EXPECT(wanted, modelRequest(source, request));
  Activity activity("compiling " + wanted->source);
  REPRISE_EXPECT(build,
                 ProgramBuild::begin(std::move(*wanted), request.describes,
                                     ProgramBuild::Warnings::Shown));
  REPRISE_RETURN_IF_ERROR((*build)->checkState(request.state));
  if (mlir::ModuleOp model = (*build)->model();
      model && request.trainsInOwnSize)
    REPRISE_RETURN_IF_ERROR(checkData(source, model));
  return (*build)->finish();
}

static rt::Expected<BuiltProgram> openProgram(const RunSource &source,
                                              const RunRequest &request) {
  return source.request ? compileSource(source, request)
                        : openFile(source.source, request.describes);
}

/// Returns true if a model is compiled within a budget.
static bool hasBudget(const RunSource &source) {
  return source.request && source.request->compile.budget;
}

/// Returns the budget with which a process that holds `growth` more bytes than
/// now would stay within its limit; 0 if the arena is not the cause.
static uint64_t fittingBudget(const rp_program *program,
                              const rt::ProcessMemory &memory, uint64_t limit,
                              uint64_t growth) {
  uint64_t arena = rp_program_arena_bytes(program);
  uint64_t beside = memory.growth() - arena;
  uint64_t left = rt::tightestMemoryLimit().left;
  if (limit) {
    uint64_t held = memory.items.front().bytes + growth + rt::kRunVariation;
    left = std::min(left, limit > held ? limit - held : 0);
  }
  return left > beside && left - beside < arena ? left - beside : 0;
}

/// Returns a refusal with the budget that would help.
static rt::Status refuseProcess(const rt::Status &status, uint64_t budget,
                                const RunSource &source,
                                const PreparedRun &prepared) {
  uint64_t beside = prepared.memory.sum() + rt::kRunVariation -
                    rp_program_arena_bytes(prepared.program.get());
  std::string help = "; a smaller batch or data set would help";
  bool mayFit = budget > rp_program_fixed_bytes(prepared.program.get());
  if (mayFit && !hasBudget(source))
    help =
        "; with --budget " + std::to_string(budget >> 10) + "KiB it would fit";
  else if (source.memoryLimit && beside >= source.memoryLimit)
    help = "; without the arena it would still take " +
           text::formatSize(beside) + ", so that only a larger limit helps";
  return rt::Status::error(status.code(), status.message() + help);
}

rt::Status driver::settleDevice(RunSource &source, std::string &target) {
  bool isCompiled = !source.request;
  if (isCompiled && source.device.empty())
    return {};
  std::string compiled =
      isCompiled ? "" : source.request->compile.target.device;
  std::string wanted = source.device.empty() ? compiled : source.device;
  std::string base = wanted.substr(0, wanted.find(':'));
  bool isSame = isCompiled || base == compiled;
  if (!isSame && source.request->hasTarget)
    return misuse("--device is '" + source.device +
                  "', but --target compiles for '" + compiled +
                  "'; give one of them alone");
  REPRISE_EXPECT(device, rt::openDevice(wanted));
  if (isSame)
    return {};
  REPRISE_EXPECT(summary, (*device)->summary());
  if (summary->target.empty())
    return rt::Status::error(
        RP_UNAVAILABLE,
        "no target is known for " + summary->name + " (" + summary->features +
            "); describe it with 'reprise "
            "device describe " +
            source.device + " -o FILE.json' and give --target " + base +
            ":FILE.json");
  target = summary->target;
  CompileOptions &compile = source.request->compile;
  compile.target = TargetName::parse(target);
  rt::Expected<std::unique_ptr<Target>> made =
      createTarget(compile.target, compile.threads);
  if (!made.ok())
    return misuse("--target: " + made.status().message());
  return (*made)->prepare();
}

rt::Expected<PreparedRun> driver::prepareRun(const RunSource &asked,
                                             const RunRequest &request) {
  RunSource source = asked;
  std::string target;
  REPRISE_RETURN_IF_ERROR(settleDevice(source, target));
  REPRISE_EXPECT(built, openProgram(source, request));
  const std::shared_ptr<rp_program> &program = built->program;
  Activity activity("looking at the data");
  // Returns the compiler's freed memory to the system before it is measured.
  ::malloc_trim(0);
  auto memory = rt::predictProcessMemory(program.get(), source.dataSpec(),
                                         request.split, request.saves);
  if (!memory.ok())
    return misfit(memory.status());
  if (request.evaluates ||
      (request.mayEvaluate && rt::traitsOf(source.dataSpec()).hasTest()))
    REPRISE_RETURN_IF_ERROR(
        rt::addEvaluationMemory(program.get(), source.dataSpec(), *memory));
  if (source.checkMemory)
    memory->items.push_back({"copy of the arena, to check memory",
                             rp_program_arena_bytes(program.get())});
  return PreparedRun{program, *memory, target, built->facts};
}

/// Returns true if a budget may be chosen for a limit on the process.
static bool mayChooseBudget(const RunSource &source,
                            const RunRequest &request) {
  return request.choosesBudget && source.memoryLimit && source.request &&
         !hasBudget(source);
}

/// Returns an error that explains why a run with a limit does not fit and which
/// settings would fit. `isKnown`: the run was refused; otherwise this succeeds
/// unless there is a proof.
static rt::Status explainLimit(const RunSource &source,
                               const RunRequest &request,
                               const rt::Status &tooLarge, uint64_t left,
                               bool isKnown) {
  REPRISE_EXPECT(wanted, modelRequest(source, request));
  rt::Expected<StepFloor> floor = floorOf(*wanted);
  if (!floor.ok() || (!isKnown && floor->proven <= left))
    return floor.status();
  return refuseLimit(*wanted, tooLarge, *floor, {source.memoryLimit, left});
}

/// Compiles again with the budget that fits a limit on the process. Memory left
/// by planning counts towards the limit, hence several attempts; each leaves
/// room for what the one before it added.
static rt::Expected<PreparedRun> prepareWithin(const RunSource &source,
                                               const RunRequest &request) {
  constexpr int kAttempts = 3;
  RunSource smaller = source;
  rt::Status tooLarge;
  uint64_t left = 0; // of the limit, for the program
  uint64_t held = 0; // by the process, after the attempt before
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
        prepared->memory, source.memoryLimit, text::formatSize);
    if (fits.ok() && attempt > 0)
      warn("by itself the model takes more than --memory-limit; it was "
           "compiled with --budget " +
           std::to_string(left) + " (" + text::formatSize(left) + ")");
    if (fits.ok())
      return prepared;
    uint64_t now = prepared->memory.items.front().bytes;
    uint64_t growth = attempt > 0 && now > held ? now - held : 0;
    held = now;
    uint64_t budget = fittingBudget(prepared->program.get(), prepared->memory,
                                    source.memoryLimit, growth);
    if (!budget || attempt == kAttempts || !mayChooseBudget(source, request))
      return refuseProcess(fits, budget, source, *prepared);
    if (attempt == 0)
      tooLarge = fits;
    left = budget;
    setBudget(*smaller.request, plan::Budget::ofBytes(budget));
    // A search would take long and find nothing.
    if (attempt == 0)
      REPRISE_RETURN_IF_ERROR(
          explainLimit(smaller, request, tooLarge, left, /*isKnown=*/false));
  }
}

rt::Expected<RunningProgram> RunningProgram::open(const RunSource &source,
                                                  const RunRequest &request) {
  REPRISE_EXPECT(prepared, prepareWithin(source, request));
  Activity activity("loading the program");
  RunningProgram running;
  running.program = prepared->program;
  running.memory = prepared->memory;
  running.targetOfDevice = prepared->target;
  running.described = prepared->facts;
  rp_session_options options = {};
  options.device = source.device.empty() ? nullptr : source.device.c_str();
  options.check_memory = source.checkMemory;
  REPRISE_EXPECT(session,
                 rt::openSessionBackend(running.program.get(), options));
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
