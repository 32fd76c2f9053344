//===- BuildProgram.cpp - From solved plans to rt.program -----------------===//
//
// Input:   fixed ranges, and for each entry a problem and its solution.
// Output:  rt.program: buffers, variables, constants, kernels, then entries
//          with their steps in the schedule's order.
// Method:  buffers of the program keep the numbers of the fixed ranges; those
//          of an entry follow in the order of its liveness.
// Cost:    linear in ops and uses.
// Fails:   never on solved problems.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/BuildProgram.h"

#include "FirstSteps.h"
#include "KernelTable.h"
#include "reprise/Kept.h"
#include "reprise/Plan/BufferNames.h"
#include "reprise/Plan/Choice.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;
using plan::kNone;
using plan::OpId;
using plan::ValueId;

namespace {

/// Builds the body of one entry.
class EntryBuilder {
public:
  EntryBuilder(OpBuilder &builder, const FixedStorage &fixed,
               const PlannedEntry &entry, KernelTable &kernels)
      : builder(builder), fixed(fixed), problem(entry.problem),
        solution(entry.solution), kernels(kernels),
        certificate(problem.function->getAttrOfType<CertificateAttr>(
            RtDialect::kCertificateAttr)),
        isReadLater(plan::findReadLater(problem.graph)),
        firstStep(findFirstSteps(problem, solution.schedule, kernels)) {}

  void build();

private:
  ViewAttr viewOf(ValueId value) const;
  ArrayAttr viewsOf(const std::vector<ValueId> &values) const;
  ViewAttr workspaceOf(OpId op) const;
  StepAttr stepOf(OpId op) const;
  ArrayAttr bindInputs() const;
  ArrayAttr bindResults() const;
  BufferKind kindOf(const plan::Buffer &buffer) const;
  uint64_t sizeOf(const plan::Buffer &buffer) const {
    return touchedBytes(problem.graph, buffer);
  }
  Reason reasonOf(const plan::Buffer &buffer) const;
  bool isKept(ValueId value) const;
  uint64_t peak() const;
  uint64_t maxLive() const;
  uint64_t forwardSteps() const;
  uint64_t keptBytes(uint64_t forwardSteps) const;
  void addBuffers();
  void addCall(OpId id, ArrayAttr inputs, ArrayAttr outputs);
  void addOffload(OpId id);
  void addFetch(OpId id);
  void addStep(OpId op);
  uint64_t baseFlops() const;

  OpBuilder &builder;
  const FixedStorage &fixed;
  const PlanProblem &problem;
  const PlanSolution &solution;
  KernelTable &kernels;
  CertificateAttr certificate;     // of the entry, or null
  std::vector<bool> isReadLater;   // by ValueId, see findReadLater
  std::vector<uint32_t> firstStep; // by OpId, see findFirstSteps
  int64_t collectives = 0;         // added so far
  uint64_t hostBytes = 0;          // of the offloads added so far
  llvm::DenseMap<ValueId, uint64_t> hostOffsets; // of offloads' results
};

} // namespace

ViewAttr EntryBuilder::viewOf(ValueId value) const {
  ValueId root = problem.rootOf(value);
  uint32_t buffer = problem.fixedRange[root];
  if (buffer == kNone)
    buffer = fixed.ranges.size() + solution.liveness.bufferOfValue[root];
  return ViewAttr::get(builder.getContext(), buffer, 0,
                       cast<RankedTensorType>(problem.types[value]), {});
}

ArrayAttr EntryBuilder::viewsOf(const std::vector<ValueId> &values) const {
  SmallVector<Attribute> views;
  for (ValueId value : values)
    views.push_back(viewOf(value));
  return builder.getArrayAttr(views);
}

ViewAttr EntryBuilder::workspaceOf(OpId op) const {
  uint32_t buffer = solution.liveness.workspaceOfOp[op];
  if (buffer == kNone)
    return ViewAttr();
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(solution.liveness.buffers[buffer].bytes)},
      builder.getI8Type());
  return ViewAttr::get(builder.getContext(), fixed.ranges.size() + buffer, 0,
                       type, {});
}

StepAttr EntryBuilder::stepOf(OpId id) const {
  const PlannedOp &op = problem.ops[id];
  std::optional<uint64_t> cloneOf;
  if (firstStep[id] != kNone)
    cloneOf = firstStep[id];
  return StepAttr::get(builder.getContext(), op.name, op.module, op.phase,
                       op.flops, op.bytes, op.picoseconds, cloneOf, op.isAsked);
}

ArrayAttr EntryBuilder::bindInputs() const {
  SmallVector<Attribute> bindings;
  func::FuncOp function = problem.function;
  for (auto [number, input] : llvm::enumerate(problem.inputs))
    bindings.push_back(BindingAttr::get(
        builder.getContext(), problem.graph.values[input].name,
        function.getArgAttrOfType<sg::BindingAttr>(number,
                                                   sg::SgDialect::kBindingAttr),
        function.getArgAttrOfType<ArrayAttr>(number,
                                             sg::SgDialect::kIndexRangesAttr),
        viewOf(input)));
  return builder.getArrayAttr(bindings);
}

ArrayAttr EntryBuilder::bindResults() const {
  SmallVector<Attribute> bindings;
  func::FuncOp function = problem.function;
  for (auto [number, result] : llvm::enumerate(problem.results)) {
    auto name = function.getResultAttrOfType<StringAttr>(
        number, sg::SgDialect::kNameAttr);
    bindings.push_back(
        BindingAttr::get(builder.getContext(),
                         name ? name.str() : "result" + std::to_string(number),
                         function.getResultAttrOfType<sg::BindingAttr>(
                             number, sg::SgDialect::kBindingAttr),
                         /*ranges=*/nullptr, viewOf(result)));
  }
  return builder.getArrayAttr(bindings);
}

BufferKind EntryBuilder::kindOf(const plan::Buffer &buffer) const {
  if (buffer.workspaceOf != kNone)
    return BufferKind::Workspace;
  const plan::Value &first = problem.graph.values[buffer.values.front()];
  if (first.storage == plan::StorageClass::Input)
    return BufferKind::Input;
  for (ValueId value : buffer.values)
    if (problem.graph.values[value].storage == plan::StorageClass::Output)
      return BufferKind::Output;
  switch (problem.ops[first.producer].phase) {
  case Phase::Forward:
    return BufferKind::Activation;
  case Phase::Backward:
    return BufferKind::Gradient;
  case Phase::Recompute:
    return BufferKind::Recomputed;
  case Phase::Update:
    return BufferKind::Update;
  }
  llvm_unreachable("unknown phase");
}

/// Returns true if a value of the forward pass is read after it.
bool EntryBuilder::isKept(ValueId value) const {
  OpId producer = problem.graph.values[value].producer;
  return producer != kNone && isReadLater[value] &&
         problem.ops[producer].phase == Phase::Forward;
}

Reason EntryBuilder::reasonOf(const plan::Buffer &buffer) const {
  if (std::optional<Reason> ofKind = rt_dialect::reasonOf(kindOf(buffer)))
    return *ofKind;
  // If several values use the buffer in turn, the last kept one decides.
  auto kept = std::find_if(buffer.values.rbegin(), buffer.values.rend(),
                           [&](ValueId value) { return isKept(value); });
  if (kept == buffer.values.rend()) {
    OpId producer = problem.graph.values[buffer.values.front()].producer;
    if (kindOf(buffer) != BufferKind::Recomputed)
      return Reason::Passing;
    bool isFetched =
        problem.ops[producer].hostCopy == PlannedOp::HostCopy::Fetch;
    return isFetched ? Reason::Fetched : Reason::Again;
  }
  OpId producer = problem.graph.values[*kept].producer;
  const PlannedOp &op = problem.ops[producer];
  plan::Bargain bargain;
  bargain.runsOnce = problem.graph.ops[producer].runsOnce;
  bargain.isAsked = op.isAsked;
  bargain.picoseconds = op.picoseconds;
  bargain.bytes = sizeOf(buffer);
  bargain.picosecondsPerMiB = certificate ? certificate.getPrice() : 0;
  return plan::whyKept(bargain);
}

/// The forward pass ends with its last library call, or with its last step if
/// it has none: a scheduler may move forward steps that nothing waits for (the
/// loss, running statistics) into the backward pass, but hardly the last layer,
/// on which the loss depends.
uint64_t EntryBuilder::forwardSteps() const {
  uint64_t behindCall = 0, behindStep = 0;
  for (auto [number, id] : llvm::enumerate(solution.schedule.order)) {
    const PlannedOp &op = problem.ops[id];
    if (op.phase != Phase::Forward || op.hostCopy != PlannedOp::HostCopy::None)
      continue;
    behindStep = number + 1;
    if (!op.isCopy && !isa<sg::KernelOp, CollectiveOpInterface>(op.op))
      behindCall = number + 1;
  }
  return behindCall ? behindCall : behindStep;
}

uint64_t EntryBuilder::keptBytes(uint64_t forwardSteps) const {
  uint64_t bytes = 0;
  for (const plan::Buffer &buffer : solution.liveness.buffers)
    if (isKeptAfter(forwardSteps, buffer.firstStep, buffer.lastStep)) {
      bytes += sizeOf(buffer);
    }
  return bytes;
}

uint64_t EntryBuilder::peak() const {
  uint64_t highest = 0;
  for (auto [buffer, offset] :
       llvm::zip_equal(solution.liveness.buffers, solution.placement.offsets))
    highest = std::max(highest, offset + sizeOf(buffer));
  return fixed.bytes + highest;
}

uint64_t EntryBuilder::maxLive() const {
  // Unsigned wrap-around is harmless: the running sum is never negative.
  std::vector<uint64_t> change(solution.liveness.liveBytes.size() + 1, 0);
  for (const plan::Buffer &buffer : solution.liveness.buffers) {
    change[buffer.firstStep] += sizeOf(buffer);
    change[buffer.lastStep + 1] -= sizeOf(buffer);
  }
  uint64_t live = fixed.bytes, highest = live;
  for (uint64_t delta : change)
    highest = std::max(highest, live += delta);
  return highest;
}

void EntryBuilder::addBuffers() {
  std::vector<std::string> names =
      nameBuffers(problem.graph, solution.liveness,
                  nameValues(problem.graph, solution.schedule));
  for (auto [number, buffer] : llvm::enumerate(solution.liveness.buffers)) {
    Location loc = builder.getUnknownLoc();
    if (buffer.workspaceOf != kNone)
      loc = problem.ops[buffer.workspaceOf].op->getLoc();
    uint64_t offset = fixed.bytes + solution.placement.offsets[number];
    BufferOp::create(builder, loc, fixed.ranges.size() + number, names[number],
                     kindOf(buffer), offset, sizeOf(buffer),
                     builder.getI64IntegerAttr(buffer.firstStep),
                     builder.getI64IntegerAttr(buffer.lastStep),
                     ReasonAttr::get(builder.getContext(), reasonOf(buffer)));
  }
}

/// Null if there are no in-place pairs.
static DenseI32ArrayAttr inPlaceOf(OpBuilder &builder,
                                   const KernelTraits &kernel) {
  SmallVector<int32_t> pairs;
  for (auto [output, input] : kernel.inPlace)
    pairs.append({static_cast<int32_t>(output), static_cast<int32_t>(input)});
  return pairs.empty() ? DenseI32ArrayAttr()
                       : builder.getDenseI32ArrayAttr(pairs);
}

void EntryBuilder::addStep(OpId id) {
  const PlannedOp &op = problem.ops[id];
  const plan::Op &node = problem.graph.ops[id];
  Location loc = op.op->getLoc();
  if (op.isCopy) {
    CopyOp::create(builder, loc, viewOf(node.inputs.front()),
                   viewOf(node.outputs.front()), stepOf(id));
    return;
  }
  if (op.hostCopy == PlannedOp::HostCopy::Offload)
    return addOffload(id);
  if (op.hostCopy == PlannedOp::HostCopy::Fetch)
    return addFetch(id);
  ArrayAttr inputs = viewsOf(node.inputs), outputs = viewsOf(node.outputs);
  if (auto kernel = dyn_cast<sg::KernelOp>(op.op)) {
    LaunchOp::create(
        builder, loc, FlatSymbolRefAttr::get(kernels.symbolOf(kernel)), inputs,
        outputs, builder.getI64IntegerAttr(op.kernel.grains), workspaceOf(id),
        stepOf(id), inPlaceOf(builder, op.kernel));
    return;
  }
  addCall(id, inputs, outputs);
}

/// Gives the offloaded value bytes of host memory of its own: all offloads come
/// before the fetches of a step, so that there is nothing to share.
void EntryBuilder::addOffload(OpId id) {
  const plan::Op &node = problem.graph.ops[id];
  uint64_t bytes = problem.ops[id].bytes;
  hostOffsets[node.outputs.front()] = hostBytes;
  OffloadOp::create(builder, problem.ops[id].op->getLoc(),
                    viewOf(node.inputs.front()), hostBytes, stepOf(id));
  hostBytes += llvm::alignTo(bytes, kAlignment);
}

void EntryBuilder::addFetch(OpId id) {
  const plan::Op &node = problem.graph.ops[id];
  FetchOp::create(builder, problem.ops[id].op->getLoc(),
                  hostOffsets.at(node.inputs.front()),
                  viewOf(node.outputs.front()), stepOf(id));
}

/// Adds a library call; parts that it does not have get no attribute.
void EntryBuilder::addCall(OpId id, ArrayAttr inputs, ArrayAttr outputs) {
  const PlannedOp &op = problem.ops[id];
  DenseF64ArrayAttr floats;
  if (!op.call.floats.empty())
    floats = builder.getDenseF64ArrayAttr(op.call.floats);
  SmallVector<Attribute> epilogues;
  for (LibraryEpilogue epilogue : op.call.epilogues)
    epilogues.push_back(
        LibraryEpilogueAttr::get(builder.getContext(), epilogue));
  SmallVector<int64_t> ints(op.call.ints.begin(), op.call.ints.end());
  // The schedule decides the order of collectives, for all ranks alike.
  if (rt::functionOf(op.call).isCollective)
    ints.back() = collectives++;
  CallOp::create(
      builder, op.op->getLoc(), op.call.op, inputs, outputs, ints, floats,
      epilogues.empty() ? ArrayAttr() : builder.getArrayAttr(epilogues),
      builder.getStringAttr(op.callInfo.implementation), workspaceOf(id),
      stepOf(id));
}

uint64_t EntryBuilder::baseFlops() const {
  uint64_t sum = 0;
  for (const PlannedOp &op : problem.ops)
    if (op.phase != Phase::Recompute)
      sum += op.flops;
  return sum;
}

void EntryBuilder::build() {
  func::FuncOp function = problem.function;
  uint64_t forward = forwardSteps();
  auto entry = EntryOp::create(builder, function.getLoc(),
                               function.getSymName(), bindInputs(),
                               bindResults(), peak(), maxLive(), baseFlops(),
                               builder.getI64IntegerAttr(keptBytes(forward)),
                               builder.getI64IntegerAttr(forward), certificate);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&entry.getBody());
  addBuffers();
  for (OpId op : solution.schedule.order)
    addStep(op);
}

static void addFixedBuffers(OpBuilder &builder, mlir::ModuleOp module,
                            const FixedStorage &fixed) {
  Location loc = module.getLoc();
  for (auto [number, range] : llvm::enumerate(fixed.ranges))
    BufferOp::create(builder, loc, number, range.name, range.kind, range.offset,
                     range.size, IntegerAttr(), IntegerAttr(), ReasonAttr());
  for (auto variable : module.getOps<sg::VariableOp>()) {
    uint32_t range = fixed.variables.lookup(variable.getSymNameAttr());
    auto view = ViewAttr::get(builder.getContext(), range, 0,
                              variable.getTensorType(), {});
    VariableOp::create(builder, variable.getLoc(), variable.getSymName(), view,
                       variable.getRole(), variable.getInit(),
                       variable.getFilePermutationAttr(),
                       variable.getWholeShapeAttr());
  }
  for (auto [value, range] : fixed.constants)
    ConstantOp::create(builder, loc, range, value);
}

ProgramOp reprise::buildProgram(OpBuilder &builder, mlir::ModuleOp module,
                                const ProgramOptions &options,
                                const FixedStorage &fixed,
                                ArrayRef<PlannedEntry> entries) {
  uint64_t height = 0;
  for (const PlannedEntry &entry : entries)
    height = std::max(height, entry.solution.placement.height);
  auto program = ProgramOp::create(
      builder, module.getLoc(), options.model, options.threads, options.target,
      options.library, fixed.bytes + height, fixed.bytes,
      options.checkpointing.empty()
          ? StringAttr()
          : builder.getStringAttr(options.checkpointing));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&program.getBody());
  addFixedBuffers(builder, module, fixed);
  // All kernels first, so that they precede the entries.
  KernelTable kernels(builder);
  for (const PlannedEntry &entry : entries)
    for (OpId op : entry.solution.schedule.order)
      if (auto kernel = dyn_cast<sg::KernelOp>(entry.problem.ops[op].op))
        kernels.symbolOf(kernel);
  for (const PlannedEntry &entry : entries)
    EntryBuilder(builder, fixed, entry, kernels).build();
  return program;
}
