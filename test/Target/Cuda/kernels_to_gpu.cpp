//===- kernels_to_gpu.cpp - Kernels of a file as functions of a GPU -------===//
//
//   kernels-to-gpu FILE.mlir                prints the gpu.module
//   kernels-to-gpu FILE.mlir --ptx ARCH     prints PTX
//   kernels-to-gpu FILE.mlir --uses ARCH    assembles it and prints what each
//                                           function takes
//
// FILE may be -, and holds sg.kernel or rt.kernel anywhere in it. Exits with 2
// where --uses finds no assembler.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "Ptx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace reprise;

/// The kernels of a file, those of an equal name once.
static LogicalResult emitKernels(ModuleOp source, gpu::GPUModuleOp module) {
  std::set<std::string> names;
  WalkResult walk = source.walk([&](Operation *op) {
    std::string name;
    if (auto kernel = dyn_cast<sg::KernelOp>(op))
      name = kernel.getPath().str();
    else if (auto kernel = dyn_cast<rt_dialect::KernelOp>(op))
      name = kernel.getSymName().str();
    else
      return WalkResult::advance();
    if (!names.insert(name).second)
      return WalkResult::advance();
    return WalkResult(emitGpuKernel(module, name, op->getRegion(0).front()));
  });
  return failure(walk.wasInterrupted());
}

static int printUses(Location loc, const std::string &ptx,
                     StringRef architecture) {
  FailureOr<std::optional<Cubin>> made = assemble(loc, ptx, architecture);
  if (failed(made) || !*made)
    return failed(made) ? 1 : 2;
  const Cubin &cubin = **made;
  for (const PtxUse &use : cubin.uses)
    llvm::outs() << use.function << ": " << use.registers << " registers, "
                 << use.sharedBytes << " bytes shared, " << use.spilledBytes
                 << " bytes spilled\n";
  llvm::outs() << cubin.uses.size() << " functions, " << cubin.code.size()
               << " bytes\n";
  return 0;
}

int main(int argc, char **argv) {
  StringRef form = argc > 2 ? argv[2] : "";
  if (argc != 2 && !(argc == 4 && (form == "--ptx" || form == "--uses"))) {
    llvm::errs() << "usage: kernels-to-gpu FILE.mlir [--ptx|--uses ARCH]\n";
    return 1;
  }
  MLIRContext context;
  loadGpuDialects(context);
  loadPtxDialects(context);
  context
      .loadDialect<sg::SgDialect, rt_dialect::RtDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> source = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!source)
    return 1;
  OpBuilder b(&context);
  OwningOpRef<ModuleOp> top = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(top->getBody());
  auto module = gpu::GPUModuleOp::create(b, b.getUnknownLoc(), "kernels");
  if (failed(emitKernels(*source, module)))
    return 1;
  if (form.empty()) {
    top->print(llvm::outs());
    return 0;
  }
  if (failed(expandMath(module, populateRoundByInstruction)))
    return 1;
  FailureOr<std::string> ptx = emitPtx(module, argv[3]);
  if (failed(ptx))
    return 1;
  if (form == "--uses")
    return printUses(module.getLoc(), *ptx, argv[3]);
  llvm::outs() << *ptx;
  return 0;
}
