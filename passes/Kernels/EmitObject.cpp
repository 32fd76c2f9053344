//===- EmitObject.cpp - Machine code of lowered kernels -------------------===//
//
// No flag allows LLVM to change a rounding: no fast-math, no contraction of a
// product and a sum. Kernels are vectors already, so LLVM's vectorizers stay
// off: they would cost time and find nothing.
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace reprise;

Processor reprise::chooseProcessor(StringRef cpu, StringRef features) {
  Processor processor{"x86_64-unknown-linux-gnu", cpu.str(), features.str()};
  if (!cpu.empty() || !features.empty())
    return processor;
  processor.triple = llvm::sys::getDefaultTargetTriple();
  processor.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(names);
  processor.features = llvm::join(names, ",");
  return processor;
}

static std::unique_ptr<llvm::TargetMachine>
createMachine(const Processor &processor, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
  llvm::Triple triple(processor.triple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, processor.cpu, processor.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    error = "LLVM has no machine for processor '" + processor.cpu + "'";
  return machine;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder passes(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graphs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graphs, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

static LogicalResult generate(llvm::Module &module,
                              llvm::TargetMachine &machine,
                              ObjectFile &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return failure();
  passes.run(module);
  return success();
}

FailureOr<ObjectFile> reprise::emitObject(ModuleOp module, StringRef name,
                                          ArrayRef<SymbolAlias> aliases,
                                          const Processor &processor) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createMachine(processor, error);
  if (!machine)
    return module.emitError("kernels cannot be compiled: ") << error;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, name);
  if (!code)
    return module.emitError("kernels do not translate to LLVM IR");
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  for (const SymbolAlias &alias : aliases)
    llvm::GlobalAlias::create(alias.name, code->getFunction(alias.function));
  optimize(*code, *machine);
  ObjectFile object;
  if (failed(generate(*code, *machine, object)))
    return module.emitError("LLVM cannot emit objects for processor '")
           << processor.cpu << "'";
  return object;
}
