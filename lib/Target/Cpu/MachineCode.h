//===- MachineCode.h - From the LLVM dialect to a shared object -*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_CPU_MACHINECODE_H
#define REPRISE_LIB_TARGET_CPU_MACHINECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise {

/// A processor in LLVM's terms.
struct Processor {
  std::string triple;
  std::string cpu;      // which `features` add to
  std::string features; // "+avx,+avx2"
  std::string tuning;   // the processor whose costs guide the choice of code
};

/// Returns a processor with exactly the features `target` ("avx,avx2").
Processor chooseProcessor(llvm::StringRef target);

/// Registers LLVM's targets, once.
void initializeTargets();

/// Another name for a function of the module.
struct SymbolAlias {
  std::string name, function;
};

using ObjectFile = llvm::SmallVector<char, 0>;

/// Optimizes and emits a relocatable, position-independent ELF object. Safe to
/// call from several threads for different modules. `name` is the object's.
mlir::FailureOr<ObjectFile> emitObject(mlir::ModuleOp module,
                                       llvm::StringRef name,
                                       llvm::ArrayRef<SymbolAlias> aliases,
                                       const Processor &processor);

/// Links objects into a shared object. Symbols of the C library may stay
/// undefined; loading resolves them. Reports failures at `loc`.
mlir::FailureOr<std::vector<uint8_t>>
linkSharedObject(llvm::ArrayRef<ObjectFile> objects, mlir::Location loc);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CPU_MACHINECODE_H
