#include "Meaning.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <ostream>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;
using namespace reprise::rt_dialect;

static std::string apply(StringRef name, ArrayRef<std::string> arguments,
                         unsigned result) {
  return (name + "(" + llvm::join(arguments, ",") + ")#" + Twine(result)).str();
}

static std::string textOf(Attribute value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static std::string nameOf(Operation *op) {
  if (auto kernel = dyn_cast<sg::KernelOp>(op))
    return kernel.getPath().str();
  return op->getName().stripDialect().str();
}

Meaning test::meaningOf(func::FuncOp function) {
  Meaning meaning;
  auto module = function->getParentOfType<mlir::ModuleOp>();
  for (auto variable : module.getOps<sg::VariableOp>())
    meaning.variables[variable.getSymName().str()] =
        "old:" + variable.getSymName().str();
  llvm::DenseMap<Value, std::string> values;
  for (BlockArgument argument : function.getArguments())
    values[argument] = "arg" + std::to_string(argument.getArgNumber());
  std::map<std::string, std::string> written;
  for (Operation &op : function.getBody().front()) {
    if (auto read = dyn_cast<sg::ReadOp>(op))
      values[read.getResult()] = "old:" + read.getVariable().str();
    else if (auto constant = dyn_cast<sg::ConstantOp>(op))
      values[constant.getResult()] = textOf(constant.getValue());
    else if (auto write = dyn_cast<sg::WriteOp>(op))
      written[write.getVariable().str()] = values.lookup(write.getValue());
    else if (auto barrier = dyn_cast<sg::BarrierOp>(op))
      for (auto [in, out] :
           llvm::zip_equal(barrier.getInputs(), barrier.getResults()))
        values[out] = values.lookup(in);
    else if (auto reshape = dyn_cast<sg::ReshapeOp>(op))
      values[reshape.getResult()] = values.lookup(reshape.getOperand());
    else {
      SmallVector<std::string> arguments;
      for (Value operand : op.getOperands())
        arguments.push_back(values.lookup(operand));
      for (OpResult result : op.getResults())
        values[result] =
            apply(nameOf(&op), arguments, result.getResultNumber());
    }
  }
  for (auto &[name, value] : written)
    meaning.variables[name] = value;
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(terminator->getOperands()))
    meaning.results["result" + std::to_string(number)] = values.lookup(value);
  return meaning;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

class Memory {
public:
  explicit Memory(EntryOp entry) {
    auto program = entry->getParentOfType<rt_dialect::ProgramOp>();
    for (Region *region : {&program.getBody(), &entry.getBody()})
      for (auto buffer : region->getOps<BufferOp>())
        offsets.push_back(buffer.getOffset());
  }

  void write(ViewAttr view, std::string text) {
    auto [begin, end] = rangeOf(view);
    for (auto it = bytes.begin(); it != bytes.end();)
      it = it->first < end && begin < it->second.first ? bytes.erase(it)
                                                       : std::next(it);
    bytes[begin] = {end, std::move(text)};
  }

  std::string read(ViewAttr view) const {
    auto [begin, end] = rangeOf(view);
    auto found = bytes.find(begin);
    return found == bytes.end() || found->second.first != end
               ? "garbage"
               : found->second.second;
  }

private:
  std::pair<uint64_t, uint64_t> rangeOf(ViewAttr view) const {
    uint64_t begin = offsets[view.getBuffer()] + view.getOffset();
    return {begin, begin + view.getBytes()};
  }

  std::vector<uint64_t> offsets;
  std::map<uint64_t, std::pair<uint64_t, std::string>> bytes; // by begin
};

} // namespace

Meaning test::meaningOf(EntryOp entry) {
  Memory memory(entry);
  auto program = entry->getParentOfType<rt_dialect::ProgramOp>();
  for (auto variable : program.getBody().getOps<VariableOp>())
    memory.write(variable.getView(), "old:" + variable.getName().str());
  SmallVector<BufferOp> buffers(program.getBody().getOps<BufferOp>());
  for (auto constant : program.getBody().getOps<ConstantOp>())
    memory.write(ViewAttr::get(
                     entry.getContext(), constant.getBuffer(), 0,
                     cast<RankedTensorType>(constant.getValue().getType()), {}),
                 textOf(constant.getValue()));
  for (auto [number, input] :
       llvm::enumerate(entry.getInputs().getAsRange<BindingAttr>()))
    memory.write(input.getView(), "arg" + std::to_string(number));
  for (auto step : entry.getBody().getOps<StepOpInterface>()) {
    SmallVector<std::string> arguments;
    for (ViewAttr view : step.getReads())
      arguments.push_back(memory.read(view));
    for (auto [number, view] : llvm::enumerate(step.getWrites()))
      memory.write(view, isa<CopyOp>(step) ? arguments.front()
                                           : apply(step.getStepInfo().getName(),
                                                   arguments, number));
  }
  Meaning meaning;
  for (auto variable : program.getBody().getOps<VariableOp>())
    meaning.variables[variable.getName().str()] =
        memory.read(variable.getView());
  for (auto [number, output] :
       llvm::enumerate(entry.getOutputs().getAsRange<BindingAttr>()))
    meaning.results["result" + std::to_string(number)] =
        memory.read(output.getView());
  return meaning;
}

std::ostream &test::operator<<(std::ostream &os, const Meaning &meaning) {
  for (auto &[name, value] : meaning.results)
    os << "\n  " << name << " = " << value;
  for (auto &[name, value] : meaning.variables)
    os << "\n  @" << name << " = " << value;
  return os;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

FailureOr<KernelTraits> FakeTarget::kernelTraits(Block &body) {
  auto kernel = cast<sg::KernelOp>(body.getParentOp());
  KernelTraits traits{4, {}};
  if (kernel.getPath().starts_with("ew"))
    for (OpResult result : kernel.getResults())
      for (OpOperand &operand : kernel->getOpOperands())
        if (operand.get().getType() == result.getType())
          traits.inPlace.push_back(
              {result.getResultNumber(), operand.getOperandNumber()});
  return traits;
}

FailureOr<rt::LibraryCallInfo>
FakeTarget::libraryCall(Operation *, const rt::LibraryCallDesc &) {
  ++calls;
  return rt::LibraryCallInfo{256, "fake"};
}

Lowered::Lowered(const std::string &source) {
  context.loadDialect<sg::SgDialect, RtDialect, func::FuncDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
  });
  module = parseSourceString<mlir::ModuleOp>(source, &context);
  if (!module)
    return;
  FailureOr<FixedStorage> fixed = layOutFixed(*module, target);
  if (failed(fixed))
    return;
  std::vector<PlannedEntry> entries;
  for (auto function : module->getOps<func::FuncOp>()) {
    FailureOr<PlanProblem> problem = buildPlanProblem(function, *fixed, target);
    if (failed(problem))
      return;
    FailureOr<PlanSolution> solution = solvePlan(*problem);
    if (failed(solution))
      return;
    entries.push_back({std::move(*problem), std::move(*solution)});
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto recorded = TargetAttr::get(&context, "fake", "none", kAlignment);
  ProgramOptions options{"m", 2, recorded, "none", "annotated"};
  program = buildProgram(builder, *module, options, *fixed, entries);
  if (failed(verify(*module)))
    program = {};
}

EntryOp Lowered::entry(StringRef name) {
  return cast<EntryOp>(SymbolTable::lookupSymbolIn(program, name));
}

func::FuncOp Lowered::function(StringRef name) {
  return cast<func::FuncOp>(SymbolTable::lookupSymbolIn(*module, name));
}
