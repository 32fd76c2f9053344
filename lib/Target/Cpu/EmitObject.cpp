//===- EmitObject.cpp - Machine code of lowered kernels -------------------===//
//
// No flag allows LLVM to change a rounding: no fast-math, no contraction of a
// product and a sum.
//
//===----------------------------------------------------------------------===//

#include "../WriteCode.h"
#include "MachineCode.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace reprise;

/// Returns the oldest processor with these features: code for equal features is
/// equal on every compiling machine.
static StringRef tuningFor(ArrayRef<StringRef> features) {
  if (llvm::is_contained(features, "avx512vl"))
    return "x86-64-v4";
  if (llvm::is_contained(features, "avx2"))
    return "x86-64-v3";
  return llvm::is_contained(features, "sse4.2") ? "x86-64-v2" : "x86-64";
}

Processor reprise::chooseProcessor(StringRef target) {
  SmallVector<StringRef> features;
  target.split(features, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  Processor processor{"x86_64-unknown-linux-gnu", "x86-64", "",
                      tuningFor(features).str()};
  for (StringRef feature : features)
    processor.features +=
        (processor.features.empty() ? "+" : ",+") + feature.str();
  return processor;
}

void reprise::initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

static std::unique_ptr<llvm::TargetMachine>
createMachine(const Processor &processor, std::string &error) {
  initializeTargets();
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
  for (llvm::Function &function : *code)
    if (!function.isDeclaration())
      function.addFnAttr("tune-cpu", processor.tuning);
  ObjectFile object;
  if (failed(writeCode(*code, *machine, llvm::CodeGenFileType::ObjectFile,
                       object)))
    return module.emitError("LLVM cannot emit objects for processor '")
           << processor.cpu << "' with " << processor.features;
  return object;
}
