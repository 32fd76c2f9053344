//===- CompileKernels.cpp - Kernels to machine code -----------------------===//
//
// Input:   blocks of sg primitives and the symbols of their functions.
// Output:  an ELF shared object.
// Method:  equal bodies are compiled once; the others are aliases. The bodies
//          are dealt to modules, whose number depends on the number of bodies;
//          each module is emitted, lowered and compiled on a thread of MLIR's
//          pool. Then the modules are linked.
// Cost:    about 10 ms a body.
// Fails:   with a message, on ops that no kernel can run, and if LLVM does not
//          know the processor.
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
#include <algorithm>
#include <atomic>
#include <map>

using namespace mlir;
using namespace reprise;

namespace {
/// The kernels of one module.
struct Part {
  SmallVector<KernelSource> kernels;
  std::vector<SymbolAlias> aliases;
  OwningOpRef<ModuleOp> module;
  FailureOr<ObjectFile> object = failure();
};
} // namespace

/// Returns the number of modules that `distinct` kernels are dealt to: enough
/// for many processors and for progress in small steps, but few enough that a
/// module's fixed cost does not matter. Independent of the compiling machine,
/// so that the image is, too.
static size_t countParts(size_t distinct) {
  return std::clamp<size_t>(distinct / 8, 2, 32);
}

/// Returns a text that is equal for two bodies if and only if they compute the
/// same.
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

/// Deals distinct bodies to parts in turn, with equal bodies as aliases.
static std::vector<Part> dealKernels(ArrayRef<KernelSource> sources) {
  llvm::MapVector<std::string, SmallVector<KernelSource>,
                  std::map<std::string, unsigned>>
      equal;
  for (const KernelSource &source : sources)
    equal[fingerprint(*source.body)].push_back(source);
  std::vector<Part> parts(std::min(countParts(equal.size()), equal.size()));
  size_t next = 0;
  for (auto &[text, kernels] : equal) {
    Part &part = parts[next++ % parts.size()];
    part.kernels.push_back(kernels.front());
    for (const KernelSource &other : llvm::drop_begin(kernels))
      part.aliases.push_back({other.symbol, kernels.front().symbol});
  }
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
                       const KernelShape &shape,
                       const std::function<void(double)> &progress) {
  if (sources.empty())
    return std::vector<uint8_t>();
  MLIRContext &context = *sources.front().body->getParentOp()->getContext();
  Location loc = sources.front().body->getParentOp()->getLoc();
  loadKernelDialects(context);
  Processor processor = chooseProcessor(features);
  std::vector<Part> parts = dealKernels(sources);
  for (Part &part : parts)
    part.module = ModuleOp::create(UnknownLoc::get(&context));
  std::atomic<size_t> compiled = 0;
  parallelFor(&context, 0, parts.size(), [&](size_t i) {
    compilePart(parts[i], ("kernels" + Twine(i)).str(), processor, shape,
                features);
    if (progress)
      progress(double(++compiled) / double(parts.size()));
  });
  SmallVector<ObjectFile> objects;
  for (Part &part : parts) {
    if (failed(part.object))
      return failure();
    objects.push_back(std::move(*part.object));
  }
  return linkSharedObject(objects, loc);
}
