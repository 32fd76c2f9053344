//===- CompileKernels.cpp - Kernels to machine code -----------------------===//
//
// Input:   blocks of sg primitives and the symbols they are to have.
// Output:  an ELF shared object.
// Method:  equal bodies are compiled once; the others are aliases. The bodies
//          are dealt to a fixed number of modules, each emitted, lowered and
//          compiled on a thread of MLIR's pool, then linked.
// Cost:    about 10 ms a body.
// Fails:   with a message, on ops that no kernel can run, and when LLVM has
//          no such processor.
//
//===----------------------------------------------------------------------===//

#include "CpuTarget.h"
#include "MachineCode.h"
#include "RoundBFloat16.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Threading.h"
#include "reprise/Codegen/Kernels.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace reprise;

namespace {
/// Kernels of one module.
struct Part {
  SmallVector<KernelSource> kernels;
  std::vector<SymbolAlias> aliases;
  OwningOpRef<ModuleOp> module;
  FailureOr<ObjectFile> object = failure();
};
} // namespace

/// Modules that kernels are dealt to: a constant, so that the image does not
/// depend on the machine that compiles it.
static constexpr unsigned kParts = 2;

/// A text that two bodies share if and only if they compute the same.
static std::string fingerprint(Block &body) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DenseMap<Value, unsigned> numbers;
  for (BlockArgument argument : body.getArguments()) {
    numbers[argument] = numbers.size();
    stream << argument.getType() << ';';
  }
  for (Operation &op : body) {
    stream << op.getName() << '(';
    for (Value operand : op.getOperands())
      stream << numbers.at(operand) << ',';
    stream << ')' << op.getAttrDictionary() << ':';
    for (Value result : op.getResults()) {
      numbers[result] = numbers.size();
      stream << result.getType();
    }
    stream << ';';
  }
  return text;
}

/// Equal bodies once, the others as aliases, dealt to parts in turn.
static std::vector<Part> dealKernels(ArrayRef<KernelSource> sources) {
  std::vector<Part> parts(kParts);
  std::map<std::string, std::pair<unsigned, std::string>> known;
  unsigned next = 0;
  for (const KernelSource &source : sources) {
    auto [at, isNew] = known.insert(
        {fingerprint(*source.body), {next % kParts, source.symbol}});
    if (isNew) {
      parts[next++ % kParts].kernels.push_back(source);
      continue;
    }
    auto &[part, function] = at->second;
    parts[part].aliases.push_back({source.symbol, function});
  }
  while (!parts.empty() && parts.back().kernels.empty())
    parts.pop_back();
  return parts;
}

static void compilePart(Part &part, StringRef name, const Processor &processor,
                        const KernelShape &shape, StringRef features) {
  for (const KernelSource &kernel : part.kernels)
    if (failed(emitKernel(*part.module, kernel.symbol, *kernel.body, shape)))
      return;
  auto roundings = [&](RewritePatternSet &patterns) {
    populateRoundingPatterns(patterns, features);
  };
  if (failed(lowerKernels(*part.module, roundings)))
    return;
  part.object = emitObject(*part.module, name, part.aliases, processor);
}

FailureOr<std::vector<uint8_t>>
reprise::compileForCpu(ArrayRef<KernelSource> sources, StringRef features,
                       const KernelShape &shape) {
  if (sources.empty())
    return std::vector<uint8_t>();
  MLIRContext &context = *sources.front().body->getParentOp()->getContext();
  Location loc = sources.front().body->getParentOp()->getLoc();
  loadKernelDialects(context);
  Processor processor = chooseProcessor(features);
  std::vector<Part> parts = dealKernels(sources);
  for (Part &part : parts)
    part.module = ModuleOp::create(UnknownLoc::get(&context));
  parallelFor(&context, 0, parts.size(), [&](size_t i) {
    compilePart(parts[i], ("kernels" + Twine(i)).str(), processor, shape,
                features);
  });
  SmallVector<ObjectFile> objects;
  for (Part &part : parts) {
    if (failed(part.object))
      return failure();
    objects.push_back(std::move(*part.object));
  }
  std::string error;
  FailureOr<std::vector<uint8_t>> elf = linkSharedObject(objects, error);
  if (failed(elf))
    return emitError(loc) << "kernels cannot be linked: " << error;
  return elf;
}
