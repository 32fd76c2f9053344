//===- TranslateProgram.cpp - From rt.program to an artifact --------------===//
//
// Input:   a program that passed rt-verify-program, and its machine code.
// Output:  the sealed container around the FlatBuffer of program.fbs.
// Method:  one to one, op by table. The schema's enums and the dialect's have
//          the same numbers.
// Cost:    linear.
// Fails:   on a constant or initial value without elements in memory; on a
//          payload that the runtime's verifier refuses, so that no bad file is
//          ever written.
//
//===----------------------------------------------------------------------===//
#include "reprise/Translate/TranslateProgram.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "reprise/Analysis/PlanSummary.h"
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/IR/Origin.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/program_generated.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;
namespace fb = reprise::rt::fb;

namespace {

class Translator {
public:
  explicit Translator(rt_dialect::ProgramOp program) : program(program) {}
  FailureOr<fb::ProgramT> run(ArrayRef<uint8_t> code,
                              const std::optional<TrainingNote> &training);

private:
  LogicalResult addVariable(VariableOp variable);
  LogicalResult addConstant(ConstantOp constant);
  void addEntry(EntryOp entry);
  std::unique_ptr<fb::StepT> translateStep(StepOpInterface step);

  rt_dialect::ProgramOp program;
  fb::ProgramT result;
  llvm::DenseMap<StringAttr, uint32_t> kernels;
};

} // namespace

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static std::unique_ptr<fb::ViewT> translate(ViewAttr view) {
  auto result = std::make_unique<fb::ViewT>();
  result->buffer = view.getBuffer();
  result->offset = view.getOffset();
  result->type = static_cast<fb::ElementType>(
      elementTypeOf(view.getType().getElementType()));
  result->shape = view.getType().getShape().vec();
  result->strides = view.getStrides().vec();
  return result;
}

static std::unique_ptr<fb::BufferT> translate(BufferOp buffer) {
  auto result = std::make_unique<fb::BufferT>();
  result->name = buffer.getName().str();
  result->kind = static_cast<fb::BufferKind>(buffer.getKind());
  result->offset = buffer.getOffset();
  result->size = buffer.getSize();
  result->first_step = buffer.getFirstStep().value_or(0);
  result->last_step = buffer.getLastStep().value_or(0);
  if (std::optional<Reason> reason = buffer.getReason())
    result->reason = static_cast<fb::Reason>(*reason);
  return result;
}

static std::unique_ptr<fb::IndexRangeT> translate(sg::IndexRangeAttr range) {
  auto result = std::make_unique<fb::IndexRangeT>();
  result->use = static_cast<fb::IndexUse>(range.getUse());
  result->limit = range.getLimit();
  if (range.getIgnored())
    result->ignored = *range.getIgnored();
  result->runs = range.getRuns().vec();
  return result;
}

static std::unique_ptr<fb::BindingT> translate(BindingAttr binding) {
  auto result = std::make_unique<fb::BindingT>();
  result->name = binding.getName().str();
  result->view = translate(binding.getView());
  result->role = static_cast<fb::BindingRole>(binding.getRole());
  if (sg::BindingAttr role = binding.getBinding(); role && role.getVariable())
    result->variable = role.getVariable().str();
  if (binding.getRanges())
    for (auto range : binding.getRanges().getAsRange<sg::IndexRangeAttr>())
      result->ranges.push_back(translate(range));
  return result;
}

/// The elements in the arena's form: an i1 is a byte of 0 or 1.
static std::vector<uint8_t> bytesOf(DenseElementsAttr value) {
  std::vector<uint8_t> bytes;
  if (value.getElementType().isInteger(1)) {
    for (bool bit : value.getValues<bool>())
      bytes.push_back(bit);
    return bytes;
  }
  uint64_t size = sg::byteSize(value.getType());
  ArrayRef<char> raw = value.getRawData();
  bytes.reserve(size);
  // A splat holds one element.
  while (bytes.size() < size)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

/// The bytes of an initial value, whose size the verifier has checked; none if
/// the resource is missing.
static std::optional<std::vector<uint8_t>> bytesOf(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return bytesOf(dense);
  auto resource = cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return std::nullopt;
  return std::vector<uint8_t>(blob->getData().begin(), blob->getData().end());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static fb::LibraryCallT translateCall(CallOp call) {
  fb::LibraryCallT result;
  result.op = static_cast<fb::LibraryOp>(call.getOp());
  for (auto view : call.getInputs().getAsRange<ViewAttr>())
    result.inputs.push_back(translate(view));
  for (auto view : call.getOutputs().getAsRange<ViewAttr>())
    result.outputs.push_back(translate(view));
  result.ints = call.getInts().vec();
  for (double number : call.getFloatList())
    result.floats.push_back(number);
  for (LibraryEpilogue epilogue : call.getEpilogueList())
    result.epilogues.push_back(static_cast<fb::Epilogue>(epilogue));
  if (std::optional<ViewAttr> workspace = call.getWorkspace())
    result.workspace = translate(*workspace);
  result.implementation = call.getImplementation().str();
  return result;
}

static fb::KernelLaunchT translateLaunch(LaunchOp launch, uint32_t kernel) {
  fb::KernelLaunchT result;
  result.kernel = kernel;
  for (auto view : launch.getInputs().getAsRange<ViewAttr>())
    result.args.push_back(translate(view));
  for (auto view : launch.getOutputs().getAsRange<ViewAttr>()) {
    result.writes.push_back(result.args.size());
    result.args.push_back(translate(view));
  }
  if (std::optional<ViewAttr> workspace = launch.getWorkspace()) {
    result.writes.push_back(result.args.size());
    result.args.push_back(translate(*workspace));
  }
  result.grains = launch.getGrains();
  // Outputs follow the inputs.
  uint32_t inputs = launch.getInputs().size();
  for (auto [k, number] :
       llvm::enumerate(launch.getInPlace().value_or(ArrayRef<int32_t>())))
    result.in_place.push_back(k % 2 ? number : inputs + number);
  return result;
}

static fb::CopyT translateCopy(CopyOp copy) {
  fb::CopyT result;
  result.source = translate(copy.getSource());
  result.target = translate(copy.getTarget());
  return result;
}

static fb::OffloadT translateOffload(OffloadOp offload) {
  fb::OffloadT result;
  result.source = translate(offload.getSource());
  result.host = offload.getHost();
  return result;
}

static fb::FetchT translateFetch(FetchOp fetch) {
  fb::FetchT result;
  result.host = fetch.getHost();
  result.target = translate(fetch.getTarget());
  return result;
}

std::unique_ptr<fb::StepT> Translator::translateStep(StepOpInterface step) {
  auto result = std::make_unique<fb::StepT>();
  llvm::TypeSwitch<Operation *>(step.getOperation())
      .Case<CallOp>([&](auto op) { result->action.Set(translateCall(op)); })
      .Case<LaunchOp>([&](auto op) {
        uint32_t kernel = kernels.lookup(op.getKernelAttr().getAttr());
        result->action.Set(translateLaunch(op, kernel));
      })
      .Case<CopyOp>([&](auto op) { result->action.Set(translateCopy(op)); })
      .Case<OffloadOp>(
          [&](auto op) { result->action.Set(translateOffload(op)); })
      .Case<FetchOp>([&](auto op) { result->action.Set(translateFetch(op)); });
  StepAttr info = step.getStepInfo();
  result->name = info.getName().str();
  result->module_ = info.getModule().str();
  result->location = sg::sourceOf(step->getLoc());
  result->phase = static_cast<fb::Phase>(info.getPhase());
  result->flops = info.getFlops();
  result->bytes = info.getBytes();
  result->picoseconds = info.getPicoseconds();
  if (info.getCloneOf())
    result->clone_of = *info.getCloneOf();
  result->asked = info.getIsAsked();
  return result;
}

//===----------------------------------------------------------------------===//
// Certificates
//===----------------------------------------------------------------------===//

static std::unique_ptr<fb::PointT> translate(PointAttr point) {
  auto result = std::make_unique<fb::PointT>();
  result->bytes = point.getBytes();
  result->picoseconds = point.getPicoseconds();
  if (point.getKernels())
    result->kernels = point.getKernels().str();
  return result;
}

static std::unique_ptr<fb::PinnedT> translate(PinnedAttr pinned) {
  auto result = std::make_unique<fb::PinnedT>();
  result->name = pinned.getName().str();
  result->module_ = pinned.getModule().str();
  result->bytes = pinned.getBytes();
  result->picoseconds = pinned.getPicoseconds();
  return result;
}

static std::unique_ptr<fb::CertificateT>
translate(CertificateAttr certificate) {
  auto result = std::make_unique<fb::CertificateT>();
  result->budget = certificate.getBudget();
  result->plan = translate(certificate.getPlan());
  result->plain = translate(certificate.getPlain());
  result->smallest = translate(certificate.getSmallest());
  result->bound = certificate.getBound();
  result->price = certificate.getPrice();
  result->proven_bytes = certificate.getProvenBytes();
  result->proven_at = certificate.getProvenAt().str();
  for (PinnedAttr pinned : certificate.getPinned())
    result->pinned.push_back(translate(pinned));
  return result;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

LogicalResult Translator::addVariable(VariableOp variable) {
  auto translated = std::make_unique<fb::VariableT>();
  translated->name = variable.getName().str();
  translated->role = static_cast<fb::Role>(variable.getRole());
  translated->view = translate(variable.getView());
  translated->init = static_cast<fb::InitKind>(variable.getInit().getKind());
  translated->init_value = variable.getInit().getParameter();
  if (ElementsAttr elements = variable.getInit().getElements()) {
    std::optional<std::vector<uint8_t>> bytes = bytesOf(elements);
    if (!bytes)
      return variable.emitOpError()
             << "begins with elements whose resource is missing: " << elements;
    translated->init_data = std::move(*bytes);
  }
  if (std::optional<ArrayRef<int32_t>> order = variable.getFilePermutation())
    translated->file_permutation = order->vec();
  if (std::optional<ArrayRef<int64_t>> whole = variable.getWholeShape())
    translated->whole_shape = whole->vec();
  result.variables.push_back(std::move(translated));
  return success();
}

LogicalResult Translator::addConstant(ConstantOp constant) {
  auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!value)
    return constant.emitOpError()
           << "needs its elements as dense<...>, but has "
           << constant.getValue().getAbstractAttribute().getName();
  auto translated = std::make_unique<fb::ConstantT>();
  translated->buffer = constant.getBuffer();
  translated->data = bytesOf(value);
  result.constants.push_back(std::move(translated));
  return success();
}

void Translator::addEntry(EntryOp entry) {
  auto translated = std::make_unique<fb::EntryT>();
  translated->name = entry.getSymName().str();
  for (auto buffer : entry.getBody().getOps<BufferOp>())
    translated->buffers.push_back(translate(buffer));
  for (auto binding : entry.getInputs().getAsRange<BindingAttr>())
    translated->inputs.push_back(translate(binding));
  for (auto binding : entry.getOutputs().getAsRange<BindingAttr>())
    translated->outputs.push_back(translate(binding));
  for (auto step : entry.getBody().getOps<StepOpInterface>())
    translated->steps.push_back(translateStep(step));
  translated->peak_bytes = entry.getPeakBytes();
  translated->max_live_bytes = entry.getMaxLiveBytes();
  translated->base_flops = entry.getBaseFlops();
  translated->forward_steps = entry.getForwardSteps().value_or(0);
  translated->kept_bytes = entry.getKeptBytes().value_or(0);
  if (std::optional<CertificateAttr> certificate = entry.getCertificate())
    translated->certificate = translate(*certificate);
  result.entries.push_back(std::move(translated));
}

FailureOr<fb::ProgramT>
Translator::run(ArrayRef<uint8_t> code,
                const std::optional<TrainingNote> &training) {
  result.producer = "reprise " REPRISE_VERSION;
  result.model = program.getSymName().str();
  result.device = program.getTarget().getDevice().str();
  result.target = program.getTarget().getFeatures().str();
  result.alignment = program.getTarget().getAlignment();
  result.threads = program.getThreads();
  result.library = program.getLibrary().str();
  result.arena_bytes = program.getArenaBytes();
  result.fixed_bytes = program.getFixedBytes();
  result.checkpointing = program.getCheckpointing().value_or("").str();
  if (auto command = program->getAttrOfType<StringAttr>(
          rt_dialect::RtDialect::kCommandAttr))
    result.command = command.getValue().str();
  Region &body = program.getBody();
  for (auto buffer : body.getOps<BufferOp>())
    result.buffers.push_back(translate(buffer));
  for (auto variable : body.getOps<VariableOp>())
    if (failed(addVariable(variable)))
      return failure();
  for (auto constant : body.getOps<ConstantOp>())
    if (failed(addConstant(constant)))
      return failure();
  for (auto kernel : body.getOps<KernelOp>()) {
    kernels[kernel.getSymNameAttr()] = result.kernels.size();
    result.kernels.push_back(kernel.getSymName().str());
  }
  result.code = code.vec();
  for (auto entry : body.getOps<EntryOp>())
    addEntry(entry);
  PlanSummary summary = summarizePlan(program);
  summary.training = training;
  result.plan_note = toJson(summary);
  return std::move(result);
}

/// Loads the artifact as a user would.
static LogicalResult checkLoads(rt_dialect::ProgramOp program,
                                const std::vector<uint8_t> &sealed) {
  rp_program *loaded = nullptr;
  rp_status *status =
      rp_program_from_memory(sealed.data(), sealed.size(), &loaded);
  rp_program_close(loaded);
  if (!status)
    return success();
  std::string message = rp_status_message(status);
  rp_status_free(status);
  return program.emitOpError()
         << "makes an artifact that is refused: " << message;
}

/// FlatBuffers addresses less than 2 GiB.
static LogicalResult checkSize(rt_dialect::ProgramOp program,
                               const fb::ProgramT &translated) {
  constexpr uint64_t limit = uint64_t(1) << 30;
  uint64_t bytes = translated.code.size();
  for (const auto &constant : translated.constants)
    bytes += constant->data.size();
  for (const auto &variable : translated.variables)
    bytes += variable->init_data.size();
  if (bytes <= limit)
    return success();
  return program.emitOpError()
         << "has constants, initial values and code of " << bytes
         << " bytes; an artifact holds " << limit << " bytes of them (make "
         << "large constants variables, and load what variables begin with)";
}

FailureOr<std::vector<uint8_t>>
reprise::translateProgram(rt_dialect::ProgramOp program, ArrayRef<uint8_t> code,
                          const std::optional<TrainingNote> &training) {
  FailureOr<fb::ProgramT> translated = Translator(program).run(code, training);
  if (failed(translated) || failed(checkSize(program, *translated)))
    return failure();
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishProgramBuffer(builder, fb::Program::Pack(builder, &*translated));
  std::vector<uint8_t> sealed =
      rt::sealArtifact(builder.GetBufferPointer(), builder.GetSize());
  if (failed(checkLoads(program, sealed)))
    return failure();
  return sealed;
}

FailureOr<std::vector<uint8_t>>
reprise::describeProgram(rt_dialect::ProgramOp program) {
  FailureOr<fb::ProgramT> translated =
      Translator(program).run({}, std::nullopt);
  if (failed(translated) || failed(checkSize(program, *translated)))
    return failure();
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishProgramBuffer(builder, fb::Program::Pack(builder, &*translated));
  return std::vector<uint8_t>(builder.GetBufferPointer(),
                              builder.GetBufferPointer() + builder.GetSize());
}
