//===- ProblemBuilder.h - Building a PlanProblem ----------------*- C++ -*-===//
//
// Private to lib/Bridge. PlanProblem.cpp adds the function's ops and values,
// VariableUpdates.cpp decides where written values are computed.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_BRIDGE_PROBLEMBUILDER_H
#define REPRISE_LIB_BRIDGE_PROBLEMBUILDER_H

#include "reprise/Bridge/PlanProblem.h"
#include "llvm/ADT/DenseMap.h"

namespace reprise {

class ProblemBuilder {
public:
  ProblemBuilder(mlir::func::FuncOp function, const FixedStorage &fixed,
                 Target &target)
      : fixed(fixed), target(target) {
    problem.function = function;
    problem.alignment = target.alignment();
  }

  mlir::FailureOr<PlanProblem> build();

private:
  // PlanProblem.cpp
  uint64_t storedBytes(uint64_t bytes) const;
  plan::ValueId addValue(mlir::Type type, std::string name);
  plan::ValueId addFixed(mlir::Type type, std::string name, uint32_t range);
  plan::ValueId addView(mlir::Value value, plan::ValueId base);
  mlir::LogicalResult addArguments();
  mlir::LogicalResult addOp(mlir::Operation *op);
  void addBarrier(sg::BarrierOp barrier);
  mlir::LogicalResult addRunnable(mlir::Operation *op);
  void addResults();
  /// Adds an op that copies `source` to a new value, which it returns.
  plan::ValueId addCopy(mlir::Operation *cause, plan::ValueId source);
  void addHostCopy(mlir::Operation *op);
  void sortOps();
  void setPhases();
  /// Ops that must have run before `value` may be read.
  llvm::SmallVector<plan::OpId> readyAfter(plan::ValueId value) const;

  // VariableUpdates.cpp
  struct Update {
    sg::WriteOp write;
    uint32_t range;
    plan::ValueId value;
  };
  void placeUpdates();
  bool isVariableRead(plan::ValueId value) const;
  bool isUpdated(uint32_t range) const;
  plan::ValueId snapshot(mlir::Operation *cause, plan::ValueId value);
  llvm::SmallVector<plan::OpId> readersOf(uint32_t range) const;
  bool readsOnlyInPlace(plan::ValueId root, uint32_t range) const;
  std::vector<bool> ancestorsOf(llvm::ArrayRef<plan::OpId> ops) const;
  void setOverwrites(plan::OpId id, uint32_t range);
  bool placeDirectly(const Update &update);
  void placeByCopy(const Update &update);
  void putLossBeforeUpdates();

  PlanProblem problem;
  const FixedStorage &fixed;
  Target &target;
  llvm::DenseMap<mlir::Value, plan::ValueId> values;
  /// Maps barriers' results to the ops that the barrier waits for.
  llvm::DenseMap<plan::ValueId, llvm::SmallVector<plan::OpId>> waits;
  llvm::SmallVector<Update> updates;
};

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_PROBLEMBUILDER_H
