//===- Kernel.h - Ops as code of kernels ------------------------*- C++ -*-===//
//
// The interface between an op that runs in a kernel and fusion, analysis and
// code generation. A new op implements the interfaces below and emits its
// element with ElementBuilder; no other code has to know of it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_KERNEL_H
#define REPRISE_IR_KERNEL_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "reprise/IR/Sg.h"
#include "reprise/LibraryFunctions.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace reprise {

/// The way a kernel can hold an op.
enum class KernelRole {
  None,      // not at all: library ops, reads, writes, views
  Repeated,  // in every kernel that reads it: broadcasts, splats, iota
  Pointwise, // element by element, in the iteration space of its result
  Generator, // in the space of its result, reading elsewhere: transposes, pads
  Alone,     // as Generator, in a separate kernel: pools
  Reduction  // in the iteration space of its operand
};

/// The way an operand is read for neighbours along a dimension of the result.
struct OperandLanes {
  /// True if a vector of neighbours can be computed at once: the operand is
  /// also read at neighbours, or at one element for all of them.
  bool together = false;
  /// The operand's dimension along which it is then read; none: one element.
  std::optional<unsigned> dim;

  static OperandLanes apart() { return {}; }
  static OperandLanes along(unsigned dim) { return {true, dim}; }
  static OperandLanes same() { return {true, std::nullopt}; }
};

/// The position of an element in a value of shape `extents`. If `lane` is set,
/// it describes a vector of elements along that dimension, the first at
/// `at[lane]`.
struct Index {
  llvm::SmallVector<mlir::Value> at;
  llvm::SmallVector<int64_t> extents;
  std::optional<unsigned> lane;
};

/// Emits elements of a kernel's values on demand: from the yielded values back
/// to loads of the arguments, which a derived class implements. The emitted ops
/// are arith, math, vector and scf.
class ElementBuilder {
public:
  ElementBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes)
      : builder(builder), loc(loc), lanes(lanes) {}
  virtual ~ElementBuilder();

  /// The element of `value` at `index`, a scalar, or a vector where `index` has
  /// lanes and the element differs between them. Emitted once for an index.
  mlir::Value evaluate(mlir::Value value, const Index &index);
  /// The element of an operand at the index `moved`, as a vector if `index`, of
  /// the op's result, has lanes.
  mlir::Value evaluateMoved(mlir::Value operand, const Index &moved,
                            const Index &index);
  /// An index of `like` with other coordinates, in a tensor of `type`.
  Index moved(const Index &like, mlir::Type type,
              llvm::ArrayRef<mlir::Value> at, std::optional<unsigned> lane);
  /// The row-major position of the first lane, an i64.
  mlir::Value linear(const Index &index);
  /// The same of every lane.
  mlir::Value linearLanes(const Index &index);

  // Numbers. Indices are i64.
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, constant(b)); }
  mlir::Value multiply(mlir::Value a, int64_t b);
  /// A number as `type`, a scalar or a vector.
  mlir::Value splat(mlir::Type type, double value);
  mlir::Value inBounds(mlir::Value at, int64_t extent);
  /// at / divisor, and true if there is no remainder.
  std::pair<mlir::Value, mlir::Value> divideExactly(mlir::Value at,
                                                    int64_t divisor);
  /// An affine form of the index: sums of products of a dimension and a
  /// constant.
  mlir::Value affine(mlir::AffineExpr expr, const Index &index);

  // Vectors.
  int64_t allLanes() const { return lanes; }
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({lanes}, element);
  }
  /// The type of elements of `element` at `index`.
  mlir::Type typeAt(mlir::Type element, const Index &index) const {
    return index.lane ? mlir::Type(vectorOf(element)) : element;
  }
  /// `element` broadcast to a vector of all lanes, unless it is one.
  mlir::Value toLanes(mlir::Value element);
  /// 0, 1, ... as i64.
  mlir::Value laneNumbers();

  // Control flow. Elements emitted in a branch or a loop are forgotten after
  // it, since they do not dominate the code there.
  using Body = llvm::function_ref<mlir::Value()>;
  mlir::Value select(mlir::Value condition, mlir::Type type, Body yes, Body no);
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value begin, mlir::Value end,
                                      mlir::ValueRange init, LoopBody body);
  using Branch = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;
  llvm::SmallVector<mlir::Value>
  branch(mlir::Value condition, mlir::TypeRange types, Branch yes, Branch no);

  /// Forgets the emitted elements: begins a body that they do not dominate, or
  /// that must load again.
  void forget() { memo.clear(); }

  mlir::OpBuilder &builder;
  mlir::Location loc;

protected:
  /// The element of a kernel's argument.
  virtual mlir::Value load(mlir::BlockArgument argument,
                           const Index &index) = 0;
  /// The element of an op's result.
  virtual mlir::Value emit(mlir::Operation *op, const Index &index);

private:
  struct Known {
    llvm::SmallVector<mlir::Value> at;
    std::optional<unsigned> lane;
    mlir::Value element;
  };
  int64_t lanes;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Known, 1>> memo;
};

} // namespace reprise

#include "reprise/IR/KernelInterfaces.h.inc"

namespace reprise {

/// The way a kernel can hold `op`, according to its interface.
KernelRole kernelRoleOf(mlir::Operation *op);

/// The shape over which `op`, which a kernel can take, runs.
llvm::ArrayRef<int64_t> iterationSpaceOf(mlir::Operation *op);

/// The way `op` reads an operand for neighbours along `dim` of its result.
OperandLanes operandLanesOf(mlir::Operation *op, unsigned operand,
                            unsigned dim);

/// Returns true if kernels take the op by its decomposition only. A pointwise
/// op is a primitive, and a library op runs on its own, even if they could be
/// decomposed.
bool isComposite(mlir::Operation *op);

/// Returns true if the op reads whole dimensions in their order, and the others
/// at 0: a broadcast.
bool isProjection(IndexMapOpInterface op);

/// The result of a projection that advances with dimension `dim`.
std::optional<unsigned> resultAlong(mlir::AffineMap map, unsigned dim);

/// The element of sg.random_uniform at a row-major position, an i64 or a vector
/// of them as seed and step are; an f32 or a vector.
mlir::Value emitUniform(ElementBuilder &e, mlir::Value position,
                        mlir::Value seed, mlir::Value step, int64_t stream);

} // namespace reprise

#endif // REPRISE_IR_KERNEL_H
