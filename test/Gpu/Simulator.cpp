//===- Simulator.cpp - Compiles kernels and hands them to launches --------===//

#include "Simulator.h"
#include "HostKernels.h"
#include "Launch.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/bit.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace reprise::gpu_test;

struct Simulator::Compiled {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<Kernel> kernels;
  LaunchPool pool;

  const Kernel *find(llvm::StringRef name) const {
    for (const Kernel &kernel : kernels)
      if (kernel.name == name)
        return &kernel;
    return nullptr;
  }
};

Simulator::Simulator() : compiled(std::make_unique<Compiled>()) {}
Simulator::~Simulator() = default;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// A machine of this computer that rounds every operation on its own.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder> hostMachine() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine;
  machine->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  machine->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return machine;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(module, modules);
}

/// Rounds to the nearest bf16, to even between two, and keeps a NaN quiet. A
/// processor without instructions for bf16 calls it as __truncsfbf2, which not
/// every C library has; it takes the lower half of the register of the result.
static float roundToBFloat16(float x) {
  uint32_t bits = llvm::bit_cast<uint32_t>(x);
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  uint32_t rounded =
      isNan ? (bits >> 16) | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return llvm::bit_cast<float>(rounded);
}

/// What the code calls: the simulator, and the C library's mathematics.
static llvm::Error defineSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  symbols[jit.mangleAndIntern("__truncsfbf2")] = {
      llvm::orc::ExecutorAddr::fromPtr(roundToBFloat16),
      llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  for (const RuntimeFunction &function : runtimeFunctions())
    symbols[jit.mangleAndIntern(function.symbol)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  jit.getMainJITDylib().addGenerator(std::move(*process));
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

/// Fills in where code and shared memory are.
static llvm::Error resolve(llvm::orc::LLJIT &jit, Kernel &kernel) {
  auto enter = jit.lookup(enterSymbol(kernel.name));
  if (!enter)
    return enter.takeError();
  kernel.enter = enter->toPtr<EnterFunction>();
  for (SharedBuffer &shared : kernel.shared) {
    auto data = jit.lookup(shared.symbol);
    if (!data)
      return data.takeError();
    shared.data = data->toPtr<void *>();
  }
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
load(ModuleOp module, std::vector<Kernel> &kernels) {
  auto builder = hostMachine();
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*builder))
                 .create();
  if (!jit)
    return jit;
  if (llvm::Error error = defineSymbols(**jit))
    return error;
  auto context = std::make_unique<llvm::LLVMContext>();
  auto code = translateModuleToLLVMIR(module, *context, "kernels");
  if (!code)
    return llvm::createStringError("kernels do not translate to LLVM IR");
  code->setDataLayout((*machine)->createDataLayout());
  code->setTargetTriple((*machine)->getTargetTriple());
  optimize(*code, **machine);
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(code), std::move(context))))
    return error;
  for (Kernel &kernel : kernels)
    if (llvm::Error error = resolve(**jit, kernel))
      return error;
  return jit;
}

std::unique_ptr<Simulator> Simulator::compile(Operation *source,
                                              const CompileOptions &options,
                                              std::string &error) {
  MLIRContext &context = *source->getContext();
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  error.clear();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += (error.empty() ? "" : "\n") + diagnostic.str();
    return success();
  });
  FailureOr<HostKernels> host = makeHostKernels(source, options);
  if (failed(host)) {
    if (error.empty())
      error = "kernels do not lower to the LLVM dialect";
    return nullptr;
  }
  auto jit = load(*host->module, host->kernels);
  if (!jit) {
    error += (error.empty() ? "" : "\n") + llvm::toString(jit.takeError());
    return nullptr;
  }
  std::unique_ptr<Simulator> simulator(new Simulator());
  simulator->compiled->jit = std::move(*jit);
  simulator->compiled->kernels = std::move(host->kernels);
  return simulator;
}

//===----------------------------------------------------------------------===//
// Use
//===----------------------------------------------------------------------===//

std::vector<std::string> Simulator::kernels() const {
  std::vector<std::string> names;
  for (const Kernel &kernel : compiled->kernels)
    names.push_back(kernel.name);
  return names;
}

unsigned Simulator::barriers(llvm::StringRef name) const {
  const Kernel *kernel = compiled->find(name);
  return kernel ? kernel->barriers : 0;
}

LaunchSize Simulator::size(llvm::StringRef name) const {
  const Kernel *kernel = compiled->find(name);
  return kernel ? LaunchSize{kernel->blocks, kernel->threads} : LaunchSize();
}

SimulationReport Simulator::launch(llvm::StringRef name,
                                   llvm::ArrayRef<Buffer> arguments,
                                   const SimulationOptions &options) {
  SimulationReport report;
  const Kernel *kernel = compiled->find(name);
  if (!kernel)
    report.problems = {"launch: there is no kernel '" + name.str() + "'"};
  else if (kernel->parameters != arguments.size())
    report.problems = {"launch: '" + name.str() + "' takes " +
                       std::to_string(kernel->parameters) + " buffers, not " +
                       std::to_string(arguments.size())};
  else
    report = Launch(*kernel, arguments, options, compiled->pool).run();
  return report;
}
