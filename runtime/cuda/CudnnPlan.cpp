//===- CudnnPlan.cpp - Choose cuDNN's plan of a convolution ---------------===//
//
// Input:   a convolution, a device by its properties or by a handle, and the
//          name of a plan or permission to use the heuristics.
// Output:  a finalized plan.
// Method:  heuristics (mode A, then FALLBACK) list configurations, best first.
//          The first one whose engine computes as the runtime promises and
//          that cuDNN finalizes wins, unless it takes too much workspace. A
//          name is turned into engine and knobs directly.
//
//===----------------------------------------------------------------------===//
#include "CudnnGraph.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace reprise::rt::cuda {

Expected<CudnnDevice> describedDevice(const std::string &properties) {
  REPRISE_EXPECT(library, cudnnFunctions());
  auto d = std::make_shared<CudnnDescriptor>(
      **library, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  if (!d->status().ok())
    return Status::error(RP_UNAVAILABLE,
                         "this cuDNN does not plan for described devices: " +
                             d->status().message());
  d->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
         int64_t(properties.size()), properties.data());
  Status status = d->finalize();
  if (!status.ok())
    return Status::error(RP_INVALID_ARGUMENT,
                         "cuDNN refuses the device's properties: " +
                             status.message());
  return CudnnDevice{std::move(d), nullptr};
}

Expected<std::string> CudnnPlan::json() const {
  return descriptors.back()->text(
      CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct Knob {
  cudnnBackendKnobType_t type;
  int64_t value;
};

/// The parts of a plan's name.
struct Configuration {
  int64_t engine = 0;
  std::vector<Knob> knobs;
};
} // namespace

static std::string nameOf(const Configuration &c) {
  std::string name = "cudnn eng" + std::to_string(c.engine);
  for (const Knob &knob : c.knobs)
    name += " k" + std::to_string(int(knob.type)) + "=" +
            std::to_string(knob.value);
  return name;
}

/// Takes `before` and a number from the beginning of `rest`.
static bool takeNumber(std::string_view &rest, std::string_view before,
                       int64_t &number) {
  if (rest.substr(0, before.size()) != before)
    return false;
  rest.remove_prefix(before.size());
  auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), number);
  rest.remove_prefix(end - rest.data());
  return error == std::errc();
}

static std::optional<Configuration> configurationOf(std::string_view name) {
  Configuration c;
  std::string_view rest = name;
  if (!takeNumber(rest, "cudnn eng", c.engine))
    return std::nullopt;
  while (!rest.empty()) {
    int64_t type = 0, value = 0;
    if (!takeNumber(rest, " k", type) || !takeNumber(rest, "=", value) ||
        type < 0 || type >= CUDNN_KNOB_TYPE_COUNTS)
      return std::nullopt;
    c.knobs.push_back({cudnnBackendKnobType_t(type), value});
  }
  // Each configuration has exactly one name.
  if (nameOf(c) != name)
    return std::nullopt;
  return c;
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

using NumericalNotes = std::vector<cudnnBackendNumericalNote_t>;

static Expected<NumericalNotes> notesOf(const CudnnDescriptor &engine) {
  return engine.values<cudnnBackendNumericalNote_t>(
      CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
      CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
}

/// Returns true if the engine is deterministic, multiplies unrounded operands,
/// sums in f32, and has its kernels in the library.
static Expected<bool> suits(const CudnnDescriptor &engine,
                            const NumericalNotes &notes, bool isF32,
                            bool allowTf32) {
  for (cudnnBackendNumericalNote_t note : notes) {
    if (note == CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP)
      continue;
    // Tensor cores round f32 to TF32.
    if (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && (!isF32 || allowTf32))
      continue;
    return false;
  }
  REPRISE_EXPECT(behavior,
                 engine.values<cudnnBackendBehaviorNote_t>(
                     CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                     CUDNN_BEHAVIOR_NOTE_TYPE_COUNT));
  for (cudnnBackendBehaviorNote_t note : *behavior)
    if (note != CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API &&
        note != CUDNN_BEHAVIOR_NOTE_CUBLASLT_DEPENDENCY)
      return false;
  return true;
}

static Expected<Configuration> configurationOf(const CudnnDescriptor &config,
                                               const CudnnDescriptor &engine) {
  Configuration c;
  REPRISE_EXPECT(index, engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  c.engine = *index;
  REPRISE_EXPECT(choices, config.list(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                      CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                                      CUDNN_KNOB_TYPE_COUNTS));
  for (const auto &choice : *choices) {
    auto type = choice->values<cudnnBackendKnobType_t>(
        CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1);
    Expected<int64_t> value = choice->number(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
    if (!type.ok() || !value.ok() || type->empty())
      return Status::error(RP_INTERNAL, "cuDNN: a knob without a value");
    c.knobs.push_back({type->front(), *value});
  }
  return c;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Makes plans of one convolution for one device.
class CudnnPlanner {
public:
  static Expected<CudnnPlanner> open(const CudnnDevice &device,
                                     const ConvolutionForm &form);
  Expected<CudnnPlan> choose(const CudnnChoice &choice) const;
  std::vector<LibraryCallInfo> list() const;
  Expected<CudnnPlan> rebuild(const Configuration &configuration) const;

private:
  CudnnPlanner(const CudnnFunctions &library, const CudnnDevice &device,
               const ConvolutionForm &form, CudnnDescriptors graph)
      : library(library), device(device), form(form), graph(std::move(graph)) {}
  std::shared_ptr<CudnnDescriptor>
  make(cudnnBackendDescriptorType_t type) const {
    return std::make_shared<CudnnDescriptor>(library, type);
  }
  bool isF32() const { return form.x.type == RP_F32 && form.w.type == RP_F32; }
  Expected<CudnnDescriptors> ask(cudnnBackendHeurMode_t mode) const;
  /// Returns nothing if the engine does not suit, or cuDNN does not finalize
  /// the plan or rebuild it from its name.
  std::optional<CudnnPlan> tryPlan(const std::shared_ptr<CudnnDescriptor> &cfg,
                                   bool allowTf32) const;
  bool isRebuilt(const CudnnPlan &plan,
                 const Configuration &configuration) const;
  Expected<CudnnPlan> finish(CudnnDescriptors parts,
                             const Configuration &configuration) const;

  const CudnnFunctions &library;
  CudnnDevice device;
  ConvolutionForm form;
  CudnnDescriptors graph;
};

Expected<CudnnPlanner> CudnnPlanner::open(const CudnnDevice &device,
                                          const ConvolutionForm &form) {
  REPRISE_EXPECT(library, cudnnFunctions());
  REPRISE_EXPECT(graph, convolutionGraph(**library, device.handle, form));
  return CudnnPlanner(**library, device, form, std::move(*graph));
}

/// Returns configurations in the order of the heuristics.
Expected<CudnnDescriptors>
CudnnPlanner::ask(cudnnBackendHeurMode_t mode) const {
  auto heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics->set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, *graph.back())
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  if (device.properties)
    heuristics->set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *device.properties);
  REPRISE_RETURN_IF_ERROR(heuristics->finalize());
  return heuristics->list(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                          CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
}

Expected<CudnnPlan>
CudnnPlanner::finish(CudnnDescriptors parts,
                     const Configuration &configuration) const {
  auto plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan->set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *parts.back());
  if (device.handle)
    plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1,
              &device.handle);
  else
    plan->set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *device.properties);
  REPRISE_RETURN_IF_ERROR(plan->finalize());
  REPRISE_EXPECT(bytes, plan->number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  CudnnPlan result;
  result.label = nameOf(configuration);
  result.workspace = uint64_t(*bytes);
  result.operands = {form.x.operand, form.w.operand, form.y.operand};
  result.descriptors = graph;
  for (std::shared_ptr<CudnnDescriptor> &part : parts)
    result.descriptors.push_back(std::move(part));
  result.descriptors.push_back(std::move(plan));
  return result;
}

/// Returns true if the name alone gives the same plan, as a device will build
/// it.
bool CudnnPlanner::isRebuilt(const CudnnPlan &plan,
                             const Configuration &configuration) const {
  Expected<CudnnPlan> again = rebuild(configuration);
  if (!again.ok())
    return false;
  Expected<std::string> first = plan.json(), second = again->json();
  return first.ok() && second.ok() && *first == *second &&
         plan.workspaceBytes() == again->workspaceBytes();
}

std::optional<CudnnPlan>
CudnnPlanner::tryPlan(const std::shared_ptr<CudnnDescriptor> &config,
                      bool allowTf32) const {
  Expected<CudnnDescriptors> engine = config->list(
      CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  if (!engine.ok() || engine->size() != 1)
    return std::nullopt;
  Expected<NumericalNotes> notes = notesOf(*engine->front());
  if (!notes.ok())
    return std::nullopt;
  Expected<bool> isGood = suits(*engine->front(), *notes, isF32(), allowTf32);
  if (!isGood.ok() || !*isGood)
    return std::nullopt;
  Expected<Configuration> configuration =
      configurationOf(*config, *engine->front());
  if (!configuration.ok())
    return std::nullopt;
  Expected<CudnnPlan> plan = finish({engine->front(), config}, *configuration);
  if (!plan.ok() || !isRebuilt(*plan, *configuration))
    return std::nullopt;
  plan->onTensorCores = std::count(notes->begin(), notes->end(),
                                   CUDNN_NUMERICAL_NOTE_TENSOR_CORE) > 0;
  return std::move(*plan);
}

Expected<CudnnPlan> CudnnPlanner::choose(const CudnnChoice &choice) const {
  std::optional<CudnnPlan> smallest;
  std::string reason;
  for (cudnnBackendHeurMode_t mode :
       {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    Expected<CudnnDescriptors> configs = ask(mode);
    if (!configs.ok()) {
      reason = ": " + configs.status().message();
      continue;
    }
    for (const std::shared_ptr<CudnnDescriptor> &config : *configs) {
      std::optional<CudnnPlan> plan = tryPlan(config, choice.allowTf32);
      if (!plan)
        continue;
      if (plan->workspaceBytes() <= choice.workspaceCap)
        return std::move(*plan);
      if (!smallest || plan->workspaceBytes() < smallest->workspaceBytes())
        smallest = std::move(plan);
    }
  }
  if (smallest)
    return std::move(*smallest);
  std::string types;
  for (const ConvolutionTensor *t : {&form.x, &form.w, &form.y})
    types += std::string(t == &form.x ? "" : ", ") + elementName(t->type);
  return Status::error(RP_UNAVAILABLE,
                       "cuDNN has no deterministic kernel with sums in f32 "
                       "for input, filter and result of " +
                           types + reason);
}

std::vector<LibraryCallInfo> CudnnPlanner::list() const {
  std::vector<LibraryCallInfo> result;
  std::set<std::string> names;
  for (cudnnBackendHeurMode_t mode :
       {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    Expected<CudnnDescriptors> configs = ask(mode);
    if (!configs.ok())
      continue;
    for (const std::shared_ptr<CudnnDescriptor> &config : *configs) {
      std::optional<CudnnPlan> plan = tryPlan(config, /*allowTf32=*/false);
      if (plan && names.insert(plan->name()).second)
        result.push_back({plan->workspaceBytes(), plan->name()});
    }
  }
  return result;
}

Expected<CudnnPlan>
CudnnPlanner::rebuild(const Configuration &configuration) const {
  auto engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, *graph.back())
      .set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, configuration.engine);
  if (device.properties)
    engine->set(CUDNN_ATTR_ENGINE_DEVICEPROP, *device.properties);
  REPRISE_RETURN_IF_ERROR(engine->finalize());
  REPRISE_EXPECT(notes, notesOf(*engine));
  REPRISE_EXPECT(isGood, suits(*engine, *notes, isF32(), /*allowTf32=*/true));
  if (!*isGood)
    return Status::error(RP_INCOMPATIBLE, "its engine is not deterministic, "
                                          "or does not sum in f32");
  CudnnDescriptors parts = {engine};
  std::vector<cudnnBackendDescriptor_t> choices;
  for (const Knob &knob : configuration.knobs) {
    auto choice = make(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    choice->set(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1,
                &knob.type);
    choice->set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, knob.value);
    REPRISE_RETURN_IF_ERROR(choice->finalize());
    choices.push_back(choice->get());
    parts.push_back(std::move(choice));
  }
  auto config = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  config->set(CUDNN_ATTR_ENGINECFG_ENGINE, *engine);
  if (!choices.empty())
    config->set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                CUDNN_TYPE_BACKEND_DESCRIPTOR, int64_t(choices.size()),
                choices.data());
  REPRISE_RETURN_IF_ERROR(config->finalize());
  parts.push_back(std::move(config));
  return finish(std::move(parts), configuration);
}

Expected<CudnnPlan> chooseCudnnPlan(const CudnnDevice &device,
                                    const ConvolutionForm &form,
                                    const CudnnChoice &choice) {
  REPRISE_EXPECT(planner, CudnnPlanner::open(device, form));
  return planner->choose(choice);
}

Expected<std::vector<LibraryCallInfo>>
listCudnnPlans(const CudnnDevice &device, const ConvolutionForm &form) {
  REPRISE_EXPECT(planner, CudnnPlanner::open(device, form));
  return planner->list();
}

bool isCudnnName(const std::string &name) {
  return configurationOf(name).has_value();
}

/// Matches kernels of clusters, which have a knob for the cluster size; for the
/// long sums of a filter's gradient also those with a knob for the workspace.
bool splitsByDevice(const std::string &name, const ConvolutionForm &form) {
  std::optional<Configuration> c = configurationOf(name);
  bool isLong = form.kind == ConvolutionKind::FilterGrad;
  return c && std::any_of(c->knobs.begin(), c->knobs.end(), [&](const Knob &k) {
           return k.type == CUDNN_KNOB_TYPE_TILE_CGA_M ||
                  (isLong && k.type == CUDNN_KNOB_TYPE_WORKSPACE &&
                   k.value > 0);
         });
}

Expected<CudnnPlan> rebuildCudnnPlan(const CudnnDevice &device,
                                     const ConvolutionForm &form,
                                     const std::string &name) {
  std::optional<Configuration> configuration = configurationOf(name);
  if (!configuration)
    return Status::error(RP_INCOMPATIBLE,
                         "no kernel of cuDNN is called '" + name + "'");
  REPRISE_EXPECT(planner, CudnnPlanner::open(device, form));
  Expected<CudnnPlan> plan = planner->rebuild(*configuration);
  if (!plan.ok())
    return Status::error(RP_INCOMPATIBLE,
                         "this cuDNN has no '" + name +
                             "' for the call: " + plan.status().message());
  return plan;
}

} // namespace reprise::rt::cuda
