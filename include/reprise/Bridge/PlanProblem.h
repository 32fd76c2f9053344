//===- PlanProblem.h - A flat function as a planning problem ----*- C++ -*-===//
//
// A flat function (after sg-form-kernels) holds reads, writes, constants,
// views, library ops and kernels. As a problem it is a plan::Graph whose ops
// are library calls, kernel launches and copies, and whose values have their
// bytes and the places they may take:
//
//   sg.read, sg.constant      fixed storage, shared by all entries
//   sg.reshape, sg.barrier    views; readers of a barrier's result run after
//                             the values the barrier waits for
//   sg.write                  the value is computed in the variable's own bytes
//                             if its op can run after every other reader of the
//                             variable; else it is copied there
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BRIDGE_PLANPROBLEM_H
#define REPRISE_BRIDGE_PLANPROBLEM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "reprise/Bridge/CostModel.h"
#include "reprise/IR/Rt.h"
#include "reprise/Plan/Schedule.h"
#include "reprise/Target/Target.h"
#include "llvm/ADT/MapVector.h"

namespace reprise {

/// The bytes that persist from step to step: the module's variables in their
/// order, the functions' constants, each once, and, if the target needs it, a
/// place for the inputs of the next step.
struct FixedStorage {
  struct Range {
    std::string name;
    BufferKind kind;
    uint64_t offset; // multiple of the alignment
    uint64_t size;
  };
  std::vector<Range> ranges;
  llvm::MapVector<mlir::StringAttr, uint32_t> variables;   // to ranges
  llvm::MapVector<mlir::ElementsAttr, uint32_t> constants; // to ranges
  uint64_t bytes = 0; // multiple of the alignment
};

/// Ranges begin at multiples of the target's alignment.
mlir::FailureOr<FixedStorage> layOutFixed(mlir::ModuleOp module,
                                          const Target &target);

/// The meaning of a plan::Op.
struct PlannedOp {
  /// A library op, an sg.kernel or an sg.copy; for a copy without an op of its
  /// own, the op that needs it (an sg.write or the return).
  mlir::Operation *op = nullptr;
  /// The name of the step that runs it, as "conv2d", a kernel's path or "copy";
  /// and the path of the module that it belongs to.
  std::string name, module;
  bool isCopy = false;
  /// A copy of a value to host memory or from there.
  enum class HostCopy : uint8_t { None, Offload, Fetch };
  HostCopy hostCopy = HostCopy::None;
  /// True if the user requested that it runs once.
  bool isAsked = false;
  Phase phase = Phase::Forward;
  uint64_t flops = 0, bytes = 0;
  uint64_t picoseconds = 0;     // modelled; see priceWhatIsSilent
  KernelTraits kernel;          // of an sg.kernel
  rt::LibraryCallDesc call;     // of a library op
  rt::LibraryCallInfo callInfo; // of a library op
};

struct PlanProblem {
  mlir::func::FuncOp function;
  uint64_t alignment = kAlignment; // of every offset, from the target
  plan::Graph graph;
  std::vector<PlannedOp> ops;        // by OpId
  std::vector<mlir::Type> types;     // by ValueId
  std::vector<uint32_t> fixedRange;  // by ValueId; plan::kNone: placed memory
  std::vector<plan::ValueId> inputs; // of the function
  std::vector<plan::ValueId> results;
  std::vector<mlir::Value> irValues; // by ValueId; null: computed by a copy
  /// Maps each sg.write to the value that ends in the variable, perhaps a
  /// copy's.
  llvm::DenseMap<mlir::Operation *, plan::ValueId> written;

  /// The value at the end of a chain of views.
  plan::ValueId rootOf(plan::ValueId value) const;
};

mlir::FailureOr<PlanProblem> buildPlanProblem(mlir::func::FuncOp function,
                                              const FixedStorage &fixed,
                                              Target &target);

/// The profile key that distinguishes the op `id` and its step from others.
std::string profileKey(const PlanProblem &problem, plan::OpId id);

/// Sets the costs of all ops, which buildPlanProblem took from the default
/// roofline. Fails with an error at the function if a profile covers too few of
/// the ops; a profile of another machine is a warning.
mlir::LogicalResult priceOps(PlanProblem &problem, const CostModel &costs,
                             const Target &target, unsigned threads);

/// The same, for callers that must not fail because of a price: a scheduled
/// op's own cost comes first, and an op that the profile lacks costs what the
/// rates give.
void priceWhatIsSilent(PlanProblem &problem, const CostModel &costs);

/// CostModel::load, whose failure is an error at `op`.
mlir::FailureOr<CostModel> loadCosts(mlir::Operation *op, rt::Roofline roofline,
                                     const std::string &profile);

/// Fails with an error at an op of a kernel, or a library op, with an element
/// type that `target` does not support for it.
mlir::LogicalResult checkElements(mlir::func::FuncOp function,
                                  const Target &target);

/// The call a library op becomes, or nothing for other ops.
std::optional<rt::LibraryCallDesc> describeLibraryCall(mlir::Operation *op);

} // namespace reprise

#endif // REPRISE_BRIDGE_PLANPROBLEM_H
