//===- ElementEmitter.h - Values of a kernel at an index --------*- C++ -*-===//
//
// Emits the element of a value at an index, or a vector of its neighbours, by
// need: from what is yielded back to loads of the arguments. Pointwise ops say
// themselves what to emit; ops that move elements are changes of the index.
// Memory is accessed by explicit loads and stores of exactly the elements
// wanted, so arguments may overlap where analyzeKernel allows it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_CODEGEN_ELEMENTEMITTER_H
#define REPRISE_LIB_CODEGEN_ELEMENTEMITTER_H

#include "KernelSpace.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace reprise {

/// Where an element stands in a value of shape `extents`. Along `lane`, if
/// there is one, as many elements are meant as the target has
/// lanes, the first at `at[lane]`.
struct Index {
  llvm::SmallVector<mlir::Value> at;
  llvm::SmallVector<int64_t> extents;
  std::optional<unsigned> lane;
};

class ElementEmitter {
public:
  /// `pointers`: one for each argument, then one for each yielded value.
  ElementEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                 const KernelSpace &space, llvm::ArrayRef<mlir::Value> pointers)
      : builder(builder), loc(loc), space(space), pointers(pointers),
        activeLanes(allLanes()) {}

  /// The lanes of a vector.
  int64_t allLanes() const { return space.target.lanes; }
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({allLanes()}, element);
  }

  mlir::Value evaluate(mlir::Value value, const Index &index);

  /// Writes `element`, of the type that evaluate returns, to the memory of
  /// pointers[pointer].
  void store(unsigned pointer, mlir::Type type, mlir::Value element,
             const Index &index);

  /// Forgets what was emitted: begins a body that what was emitted before
  /// does not dominate, or that must load again.
  void forget() { memo.clear(); }

  /// How many lanes are loaded and stored from now on; the others hold zeros
  /// or values that do not matter.
  void setActiveLanes(int64_t lanes) { activeLanes = lanes; }
  int64_t getActiveLanes() const { return activeLanes; }
  /// A vector of i1 that is true for active lanes.
  mlir::Value laneMask();

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, constant(b)); }
  mlir::Value multiply(mlir::Value a, int64_t b);
  /// A number as `type`, a scalar or a vector.
  mlir::Value splat(mlir::Type type, double value);
  /// `element` as a vector of all lanes, unless it is one.
  mlir::Value toLanes(mlir::Value element);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const KernelSpace &space;

private:
  struct Known {
    llvm::SmallVector<mlir::Value> at;
    std::optional<unsigned> lane;
    mlir::Value element;
  };
  using Memo = llvm::DenseMap<mlir::Value, llvm::SmallVector<Known, 1>>;
  using Body = llvm::function_ref<mlir::Value()>;

  mlir::Value emit(mlir::Value value, const Index &index);
  mlir::Value emitConstant(sg::ConstantOp op, const Index &index);
  mlir::Value emitIota(sg::IotaOp op, const Index &index);
  mlir::Value emitRandom(sg::RandomUniformOp op, const Index &index);
  mlir::Value emitBroadcast(sg::BroadcastOp op, const Index &index);
  mlir::Value emitMoved(mlir::Operation *op, const Index &index);
  mlir::Value emitPad(sg::PadOp op, const Index &index);
  mlir::Value emitConcat(sg::ConcatOp op, unsigned first, int64_t offset,
                         const Index &index);
  mlir::Value emitMaxPool(sg::MaxPool2DOp op, const Index &index);
  mlir::Value emitMaxPoolGrad(sg::MaxPool2DGradOp op, const Index &index);
  mlir::Value emitAvgPool(sg::AvgPool2DOp op, const Index &index);
  mlir::Value emitAvgPoolGrad(sg::AvgPool2DGradOp op, const Index &index);

  /// Evaluates `operand`, as lanes if `index` has them.
  mlir::Value evaluateMoved(mlir::Value operand, const Index &moved,
                            const Index &index);
  mlir::Value load(mlir::BlockArgument argument, const Index &index);
  mlir::Value addressOf(mlir::Value pointer, mlir::Type memoryType,
                        const Index &index);
  mlir::Value linear(const Index &index);
  mlir::Value affine(mlir::AffineExpr expr, const Index &index);
  /// An index of `like` with other coordinates, in a tensor of `type`.
  Index moved(const Index &like, mlir::Type type,
              llvm::ArrayRef<mlir::Value> at, std::optional<unsigned> lane);
  /// The type of elements of `element` at `index`.
  mlir::Type elementType(mlir::Type element, const Index &index);
  mlir::Value select(mlir::Value condition, mlir::Type type, Body yes, Body no);
  mlir::Value inBounds(mlir::Value at, int64_t extent);
  /// at / divisor and whether it has no remainder.
  std::pair<mlir::Value, mlir::Value> divideExactly(mlir::Value at,
                                                    int64_t divisor);

  friend class PoolEmitter;

  llvm::ArrayRef<mlir::Value> pointers;
  Memo memo;
  int64_t activeLanes;
};

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_ELEMENTEMITTER_H
