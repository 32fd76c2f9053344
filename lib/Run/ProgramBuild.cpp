//===- ProgramBuild.cpp - Build one program of a run ----------------------===//

#include "reprise/Run/ProgramBuild.h"
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Budget/ModeAdvice.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/KeptPlan.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/State.h"

using namespace reprise;
using namespace reprise::driver;

/// Returns a variable as the program will have it.
static rt::TensorInfo tensorOf(sg::VariableOp variable) {
  mlir::RankedTensorType type = variable.getWholeType();
  rt::TensorInfo tensor;
  tensor.name = variable.getSymName().str();
  tensor.type = elementTypeOf(type.getElementType());
  tensor.shape = type.getShape().vec();
  tensor.bytes = sg::byteSize(type);
  if (auto order = variable.getFilePermutation())
    tensor.filePermutation = order->vec();
  return tensor;
}

static std::vector<ModelVariable> variablesOf(mlir::ModuleOp module) {
  std::vector<ModelVariable> variables;
  for (auto variable : module.getOps<sg::VariableOp>()) {
    std::string type;
    llvm::raw_string_ostream(type) << variable.getType();
    variables.push_back(
        {variable.getSymName().str(), std::move(type), tensorOf(variable)});
  }
  return variables;
}

/// Returns a compiler that has loaded the model.
rt::Expected<std::unique_ptr<Compiler>>
ProgramBuild::load(const ModelRequest &model) const {
  auto compiler = std::make_unique<Compiler>();
  if (warnings == Warnings::Hidden)
    compiler->hideWarnings();
  REPRISE_RETURN_IF_ERROR(compiler->load(model.source, model.model));
  return compiler;
}

rt::Status ProgramBuild::checkState(const std::string &path) const {
  if (path.empty())
    return {};
  std::vector<rt::TensorInfo> tensors;
  for (const ModelVariable &variable : holds)
    tensors.push_back(variable.tensor);
  return misfit(rt::checkState(path, tensors));
}

/// Takes the cache's entry under the name, unless it is damaged.
void ProgramBuild::find() {
  auto bytes = cache.find(name, ProgramCache::Kind::Program);
  if (!bytes)
    return;
  auto program = openBytes(*bytes, describes);
  if (!program.ok()) {
    cache.drop(name, ProgramCache::Kind::Program);
    return;
  }
  found = std::move(*program);
  arena = rp_program_arena_bytes(found->program.get());
  compiler->warnOf(wanted.compile);
  compiler.reset();
  tellKept("the program");
}

rt::Expected<std::unique_ptr<ProgramBuild>>
ProgramBuild::begin(ModelRequest wanted, bool describes, Warnings warnings) {
  REPRISE_EXPECT(cache, ProgramCache::ofUser());
  std::unique_ptr<ProgramBuild> build(new ProgramBuild(
      std::move(wanted), describes, warnings, std::move(*cache)));
  REPRISE_EXPECT(loaded, build->load(build->wanted));
  build->compiler = std::move(*loaded);
  build->holds = variablesOf(build->compiler->module());
  REPRISE_EXPECT(name, ProgramCache::nameOf(build->wanted, *build->compiler));
  build->name = std::move(*name);
  build->find();
  return build;
}

mlir::ModuleOp ProgramBuild::model() const {
  return compiler && !isPlanned ? compiler->module() : mlir::ModuleOp();
}

/// Returns true if the step without recomputation and copies is within the
/// budget: then none is cheaper, and a search would choose it.
rt::Expected<bool> ProgramBuild::planPlainly() {
  const std::optional<plan::Budget> &budget = wanted.compile.budget;
  if (!budget || budget->kind == plan::Budget::Kind::Knee)
    return false;
  ModelRequest plain = wanted;
  plain.compile.planWork = kNoSearch;
  plain.compile.host = {};
  REPRISE_EXPECT(attempt, load(plain));
  if (!lowerLoaded(**attempt, plain, CompileLevel::Program, Advice::Numbers)
           .ok())
    return false;
  compiler = std::move(*attempt);
  return true;
}

rt::Status ProgramBuild::plan(Advice advice, bool isQuiet) {
  if (found || isPlanned)
    return {};
  std::optional<Activity> activity;
  if (!isQuiet)
    activity.emplace("planning " + wanted.source);
  REPRISE_EXPECT(isPlain, planPlainly());
  if (!*isPlain)
    REPRISE_RETURN_IF_ERROR(
        lowerLoaded(*compiler, wanted, CompileLevel::Program, advice));
  auto programs = compiler->module().getOps<rt_dialect::ProgramOp>();
  arena = uint64_t((*programs.begin()).getArenaBytes());
  isPlanned = true;
  return {};
}

rt::Expected<BuiltProgram> ProgramBuild::finish() {
  if (found)
    return *found;
  REPRISE_RETURN_IF_ERROR(plan(Advice::Alternatives, /*isQuiet=*/true));
  if (warnings == Warnings::Shown)
    warnOfMode(wanted, *compiler);
  rt::Expected<std::vector<uint8_t>> bytes = compiler->emit();
  compiler.reset();
  if (!bytes.ok())
    return bytes.status();
  auto program = openBytes(*bytes, describes);
  if (program.ok())
    cache.keep(name, ProgramCache::Kind::Program, *bytes);
  return program;
}
