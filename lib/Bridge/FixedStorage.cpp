//===- FixedStorage.cpp - Bytes of variables and constants ----------------===//
//
// Input:   a module with variables and flat functions.
// Output:  a range for each variable and each distinct constant, and one for
//          the inputs of the next step, with the bytes of the entry whose
//          inputs are largest.
// Fails:   on a tensor without elements, which has no bytes to name.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/PlanProblem.h"
#include "reprise/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace reprise;

static BufferKind kindOf(sg::Role role) {
  switch (role) {
  case sg::Role::Parameter:
    return BufferKind::Parameter;
  case sg::Role::OptimizerState:
    return BufferKind::OptimizerState;
  case sg::Role::RunningStatistics:
  case sg::Role::Counter:
  case sg::Role::Seed:
    return BufferKind::State;
  }
  llvm_unreachable("unknown role");
}

/// Appends a range of `type` and returns its number.
static FailureOr<uint32_t> addRange(FixedStorage &fixed, Operation *op,
                                    Type type, std::string name,
                                    BufferKind kind, uint64_t alignment) {
  uint64_t size = sg::byteSize(type);
  if (size == 0)
    return op->emitError() << "a tensor without elements cannot be placed: "
                           << type;
  fixed.ranges.push_back({std::move(name), kind, fixed.bytes, size});
  fixed.bytes += llvm::alignTo(size, alignment);
  return static_cast<uint32_t>(fixed.ranges.size() - 1);
}

/// Bytes of a function's inputs, one after another.
static uint64_t inputBytes(func::FuncOp function, uint64_t alignment) {
  uint64_t bytes = 0;
  for (Type type : function.getArgumentTypes())
    bytes += llvm::alignTo(sg::byteSize(type), alignment);
  return bytes;
}

/// Appends the range of kStagingName.
static void addStaging(FixedStorage &fixed, mlir::ModuleOp module,
                       uint64_t alignment) {
  uint64_t bytes = 0;
  for (auto function : module.getOps<func::FuncOp>())
    bytes = std::max(bytes, inputBytes(function, alignment));
  if (bytes == 0)
    return;
  fixed.ranges.push_back({kStagingName, BufferKind::Input, fixed.bytes, bytes});
  fixed.bytes += bytes;
}

FailureOr<FixedStorage> reprise::layOutFixed(mlir::ModuleOp module,
                                             const Target &target) {
  FixedStorage fixed;
  uint64_t alignment = target.alignment();
  for (auto variable : module.getOps<sg::VariableOp>()) {
    FailureOr<uint32_t> range = addRange(fixed, variable, variable.getType(),
                                         variable.getSymName().str(),
                                         kindOf(variable.getRole()), alignment);
    if (failed(range))
      return failure();
    fixed.variables[variable.getSymNameAttr()] = *range;
  }
  for (auto function : module.getOps<func::FuncOp>())
    for (auto constant : function.getOps<sg::ConstantOp>()) {
      auto value = cast<ElementsAttr>(constant.getValue());
      if (fixed.constants.count(value))
        continue;
      FailureOr<uint32_t> range =
          addRange(fixed, constant, constant.getType(),
                   "constant" + std::to_string(fixed.constants.size()),
                   BufferKind::Constant, alignment);
      if (failed(range))
        return failure();
      fixed.constants[value] = *range;
    }
  if (target.stagesInputs())
    addStaging(fixed, module, alignment);
  return fixed;
}
