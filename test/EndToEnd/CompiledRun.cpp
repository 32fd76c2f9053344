//===- CompiledRun.cpp - A model compiled and stepped ---------------------===//

#include "CompiledRun.h"
#include "StrippedLocations.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "reprise/Runtime/program_generated.h"
#include "reprise/Runtime/reprise.h"
#include "reprise/Translate/TranslateProgram.h"
#include <cstring>
#include <optional>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;
using reference::Tensor;

void end_to_end::loadDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerAllTargets();
  registerPipelineDialects(registry);
  reference::registerReferenceModels(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

void end_to_end::hideWarnings(MLIRContext &context) {
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
  });
}

namespace {

template <typename Number, typename Read> Bytes pack(int64_t count, Read read) {
  Bytes bytes(count * sizeof(Number));
  for (int64_t k = 0; k < count; ++k) {
    Number number = static_cast<Number>(read(k));
    std::memcpy(bytes.data() + k * sizeof(Number), &number, sizeof(Number));
  }
  return bytes;
}

template <typename Number> Number unpack(const Bytes &bytes, int64_t k) {
  Number number;
  std::memcpy(&number, bytes.data() + k * sizeof(Number), sizeof(Number));
  return number;
}

/// Closes what was opened, whatever happened.
struct Session {
  std::vector<rp_program *> programs;
  rp_program *program = nullptr; // the last of them
  rp_session *session = nullptr;
  ~Session() {
    if (session)
      rp_session_destroy(session);
    for (rp_program *each : programs)
      rp_program_close(each);
  }
};

std::string take(rp_status *status) {
  if (!status)
    return "";
  std::string message = rp_status_message(status);
  rp_status_free(status);
  return message;
}

} // namespace

#define RETURN_IF_WRONG(expr)                                                  \
  if (std::string wrong = take(expr); !wrong.empty())                          \
  return wrong

Bytes end_to_end::toBytes(const Tensor &tensor) {
  auto integer = [&](int64_t k) { return tensor.integer(k); };
  auto real = [&](int64_t k) { return tensor.real(k); };
  Type element = tensor.getElementType();
  if (element.isF32())
    return pack<float>(tensor.size(), real);
  if (element.isF64())
    return pack<double>(tensor.size(), real);
  if (element.isInteger(64))
    return pack<int64_t>(tensor.size(), integer);
  if (element.isInteger(32))
    return pack<int32_t>(tensor.size(), integer);
  return pack<int8_t>(tensor.size(), integer);
}

Tensor end_to_end::fromBytes(RankedTensorType type, const Bytes &bytes) {
  Tensor tensor(type);
  Type element = type.getElementType();
  for (int64_t k = 0; k < tensor.size(); ++k)
    if (element.isF32())
      tensor.real(k) = unpack<float>(bytes, k);
    else if (element.isF64())
      tensor.real(k) = unpack<double>(bytes, k);
    else if (element.isInteger(64))
      tensor.integer(k) = unpack<int64_t>(bytes, k);
    else if (element.isInteger(32))
      tensor.integer(k) = unpack<int32_t>(bytes, k);
    else
      tensor.integer(k) = unpack<int8_t>(bytes, k);
  return tensor;
}

/// Effort of a search in a test: random graphs are small.
static constexpr double kPlanWork = 0.02;

namespace {

/// Bytes of a model's step with the most recomputation and with none.
struct BudgetRange {
  uint64_t least = 0, most = 0;
};

} // namespace

static std::optional<BudgetRange> findBudgetRange(mlir::ModuleOp model,
                                                  CompileOptions options) {
  OwningOpRef<mlir::ModuleOp> clone = model.clone();
  options.checkpointing = {};
  FailureOr<BudgetPlans> plans = planBudgets(*clone, options);
  if (failed(plans))
    return std::nullopt;
  return BudgetRange{plans->smallest().bytes(), plans->plain().bytes()};
}

/// "budget=K/N": K parts of N of the way from the fewest bytes to those without
/// recomputation. Fills `range` when it is asked for first.
static bool setBudget(mlir::ModuleOp model, StringRef mode,
                      std::optional<BudgetRange> &range,
                      CompileOptions &options) {
  auto [part, whole] = mode.split('/');
  uint64_t k = 0, n = 1;
  if (part.getAsInteger(10, k) || whole.getAsInteger(10, n) || !n)
    return false;
  if (!range)
    range = findBudgetRange(model, options);
  if (!range)
    return false;
  options.checkpointing = {};
  options.budget = {plan::Budget::Kind::Bytes,
                    range->least + (range->most - range->least) / n * k, 0};
  return true;
}

std::string &end_to_end::trainingTarget() {
  static std::string target = "cpu:native";
  return target;
}

LossyKept &end_to_end::trainingLossyKept() {
  static LossyKept type = LossyKept::None;
  return type;
}

void end_to_end::widenCalls(mlir::ModuleOp model) {
  PassManager passes(model.getContext());
  passes.addNestedPass<func::FuncOp>(createSgWidenCalls({trainingTarget()}));
  LogicalResult widened = passes.run(model);
  assert(succeeded(widened) && "the target exists");
  (void)widened;
}

CompileOptions end_to_end::trainingOptions() {
  CompileOptions options;
  options.target = TargetName::parse(trainingTarget());
  options.evaluation = false;
  options.optimizer.values["weight-decay"] = 0.01;
  options.planWork = kPlanWork;
  options.halvedBytes = 0;
  options.sparedBytes = 0;
  options.lossyKept = trainingLossyKept();
  options.exactBytes = 0;
  return options;
}

CompileOptions end_to_end::trainingOptions(uint64_t seed) {
  CompileOptions options = trainingOptions();
  options.threads = seed % 8 < 2 || seed >= 1000000 ? 2 : 1;
  if (seed % 3 == 2)
    options.microBatches = 2;
  if (seed % 3 != 1)
    return options;
  options.optimizer.values["nesterov"] = 1;
  options.optimizer.values["norm-bias-weight-decay"] = 0;
  const NormType types[] = {NormType::Two, NormType::One, NormType::Infinity};
  options.clipping.mode = ClipMode(seed / 3 % 3);
  options.clipping.normType = types[seed / 9 % 3];
  if (options.clipping.isAverage())
    options.clipping.tolerance = 0.5;
  else
    options.clipping.norm = 0.5;
  options.clipping.momentum = 0.75;
  return options;
}

/// Lowers a clone of `model` to a program; null with `message`.
static OwningOpRef<mlir::ModuleOp> lower(mlir::ModuleOp model,
                                         const CompileOptions &options,
                                         std::string &message) {
  ScopedDiagnosticHandler handler(model.getContext(), [&](Diagnostic &d) {
    if (d.getSeverity() == DiagnosticSeverity::Error)
      message += (message.empty() ? "" : "; ") + d.str();
    return success();
  });
  OwningOpRef<mlir::ModuleOp> clone = model.clone();
  if (failed(lowerModel(*clone, options, CompileLevel::Program)))
    return nullptr;
  return clone;
}

static rt_dialect::ProgramOp programOf(mlir::ModuleOp module) {
  return *module.getOps<rt_dialect::ProgramOp>().begin();
}

/// Adds the kernels of a program, under names that start with `prefix`. Renames
/// all launches in one walk: SymbolTable::rename would walk for each kernel.
static void takeKernels(rt_dialect::ProgramOp program, const Twine &prefix,
                        std::vector<KernelSource> &sources) {
  auto renamed = [&](StringRef name) { return (prefix + name).str(); };
  for (auto kernel : program.getBody().getOps<rt_dialect::KernelOp>()) {
    kernel.setSymName(renamed(kernel.getSymName()));
    sources.push_back({kernel.getSymName().str(), &kernel.getBody().front()});
  }
  program.walk([&](rt_dialect::LaunchOp launch) {
    launch.setKernel(renamed(launch.getKernel()));
  });
}

std::string end_to_end::compileVariants(mlir::ModuleOp model,
                                        const std::vector<Variant> &variants,
                                        std::vector<Bytes> &files, Twin twin) {
  std::vector<OwningOpRef<mlir::ModuleOp>> programs;
  std::vector<KernelSource> sources;
  for (auto [k, variant] : llvm::enumerate(variants)) {
    std::string message;
    programs.push_back(lower(model, variant.options, message));
    if (!programs.back())
      return variant.label + ": does not compile: " + message;
    std::string wrong;
    if (twin == Twin::Stripped)
      wrong = compareStripped(model, *programs.back(), variant.options);
    if (!wrong.empty())
      return variant.label + ": " + wrong;
    takeKernels(programOf(*programs.back()), "mode" + Twine(k) + "_", sources);
  }
  auto target = createTarget(variants.front().options.target,
                             variants.front().options.threads);
  if (!target.ok())
    return target.status().message();
  FailureOr<std::vector<uint8_t>> image = (*target)->compileKernels(sources);
  for (auto [k, variant] : llvm::enumerate(variants)) {
    // Alone when they failed together, to name the mode.
    auto file = succeeded(image)
                    ? translateProgram(programOf(*programs[k]), *image)
                    : emitArtifact(*programs[k]);
    if (failed(file))
      return variant.label + ": does not compile: its kernels or its artifact";
    files.push_back(std::move(*file));
  }
  return "";
}

std::string end_to_end::compileModes(mlir::ModuleOp model,
                                     const std::vector<std::string> &modes,
                                     const CompileOptions &options,
                                     std::vector<Bytes> &files, Twin twin) {
  std::vector<Variant> variants;
  std::optional<BudgetRange> range;
  for (const std::string &mode : modes) {
    Variant variant{mode, options};
    StringRef budget = mode;
    // "host=K/N": the same budget, with host memory and a fast link.
    bool hasHost = budget.consume_front("host=");
    bool isBudget = hasHost || budget.consume_front("budget=");
    if (hasHost)
      variant.options.host = {uint64_t(1) << 40, {100e6, 1e-4}};
    if (isBudget && !setBudget(model, budget, range, variant.options))
      return mode + ": does not compile: its budget";
    auto known = parseCheckpointing(mode);
    if (!isBudget && !known)
      return mode + ": does not compile: it is no mode";
    if (known)
      variant.options.checkpointing = *known;
    variants.push_back(std::move(variant));
  }
  return compileVariants(model, variants, files, twin);
}

size_t end_to_end::countOffloads(const Bytes &file) {
  const uint8_t *payload = nullptr;
  size_t size = 0, count = 0;
  if (!rt::openContainer(file.data(), file.size(), &payload, &size).ok())
    return 0;
  for (const rt::fb::Entry *entry : *rt::fb::GetProgram(payload)->entries())
    for (const rt::fb::Step *step : *entry->steps())
      count += step->action_as_Offload() != nullptr;
  return count;
}

static std::string writeVariables(Session &s, const ByteStore &variables) {
  // Optimizer state is not in the model; it begins at zero, as created.
  for (auto &[name, bytes] : variables)
    RETURN_IF_WRONG(rp_session_write_variable(s.session, name.c_str(),
                                              bytes.data(), bytes.size()));
  return "";
}

static std::string readVariables(Session &s, ByteStore &variables) {
  for (size_t k = 0; k < rp_program_variable_count(s.program); ++k) {
    rp_tensor_info info;
    RETURN_IF_WRONG(rp_program_variable(s.program, k, &info));
    Bytes &bytes = variables[info.name];
    bytes.resize(info.bytes);
    RETURN_IF_WRONG(rp_session_read_variable(s.session, info.name, bytes.data(),
                                             bytes.size()));
  }
  return "";
}

static std::string readOutputs(Session &s, ByteStore &outputs) {
  size_t count = rp_program_output_count(s.program, "train_step");
  for (size_t k = 0; k < count; ++k) {
    rp_tensor_info info;
    RETURN_IF_WRONG(rp_program_output(s.program, "train_step", k, &info));
    Bytes &bytes = outputs[info.name];
    bytes.resize(info.bytes);
    RETURN_IF_WRONG(rp_session_get_output(s.session, "train_step", info.name,
                                          bytes.data(), bytes.size()));
  }
  return "";
}

static std::string step(Session &s, const ByteStore &inputs, CompiledRun &run) {
  for (size_t k = 0; k < rp_program_input_count(s.program, "train_step"); ++k) {
    rp_tensor_info info;
    RETURN_IF_WRONG(rp_program_input(s.program, "train_step", k, &info));
    auto found = inputs.find(info.name);
    if (found == inputs.end())
      return std::string("no value for input ") + info.name;
    RETURN_IF_WRONG(rp_session_set_input(s.session, "train_step", info.name,
                                         found->second.data(),
                                         found->second.size()));
  }
  RETURN_IF_WRONG(rp_session_run(s.session, "train_step"));
  float loss = 0;
  RETURN_IF_WRONG(rp_session_get_output(s.session, "train_step", "loss", &loss,
                                        sizeof(loss)));
  run.losses.push_back(loss);
  if (std::string wrong = readOutputs(s, run.outputs.emplace_back());
      !wrong.empty())
    return wrong;
  return readVariables(s, run.variables.emplace_back());
}

/// Creates the session of a program, or goes on with the program.
static std::string open(Session &s, const Bytes &file) {
  rp_program *program = nullptr;
  RETURN_IF_WRONG(rp_program_from_memory(file.data(), file.size(), &program));
  s.programs.push_back(s.program = program);
  if (s.session)
    return take(rp_session_switch(s.session, program));
  rp_session_options options = {/*device=*/nullptr, /*poison=*/1,
                                /*profile=*/0, /*check_memory=*/1};
  return take(rp_session_create(program, &options, &s.session));
}

std::string end_to_end::runSchedule(const std::vector<const Bytes *> &files,
                                    const ByteStore &variables,
                                    const ByteStore &inputs, CompiledRun &run) {
  Session s;
  for (const Bytes *file : files) {
    bool isFirst = !s.session;
    std::string wrong = open(s, *file);
    if (wrong.empty() && isFirst)
      wrong = writeVariables(s, variables);
    if (wrong.empty())
      wrong = step(s, inputs, run);
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

std::string end_to_end::runArtifact(const Bytes &file,
                                    const ByteStore &variables,
                                    const ByteStore &inputs, unsigned steps,
                                    CompiledRun &run) {
  Session s;
  std::string wrong = open(s, file);
  if (wrong.empty())
    wrong = writeVariables(s, variables);
  if (!wrong.empty())
    return wrong;
  for (unsigned k = 0; k < steps; ++k)
    if (std::string wrong = step(s, inputs, run); !wrong.empty())
      return wrong;
  rp_memory_stats memory;
  RETURN_IF_WRONG(rp_session_memory(s.session, &memory));
  run.measuredPeak = memory.high_water_bytes;
  run.changedPeak = memory.changed_bytes;
  RETURN_IF_WRONG(
      rp_program_peak_bytes(s.program, "train_step", &run.predictedPeak));
  return "";
}
