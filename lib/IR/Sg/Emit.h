//===- Emit.h - Short names for emitting sg ops -----------------*- C++ -*-===//
//
// Derivatives and decompositions are formulas, and this makes them read as
// such: every method emits one op (or a splat and an op) at the builder's
// insertion point, in the order in which C++ evaluates the calls. Never nest
// two calls as arguments of one call if the order of emission matters: C++
// leaves the order of arguments open, and the IR must not depend on the
// compiler.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_IR_EMIT_H
#define REPRISE_LIB_IR_EMIT_H

#include "reprise/IR/Sg.h"

namespace reprise::sg {

class Emitter {
public:
  using Value = mlir::Value;

  Emitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...)
        ->getResult(0);
  }

  Value neg(Value x) { return make<NegOp>(x); }
  Value exp(Value x) { return make<ExpOp>(x); }
  Value add(Value x, Value y) { return make<AddOp>(x, y); }
  Value sub(Value x, Value y) { return make<SubOp>(x, y); }
  Value mul(Value x, Value y) { return make<MulOp>(x, y); }
  Value div(Value x, Value y) { return make<DivOp>(x, y); }

  Value compare(ComparePredicate predicate, Value x, Value y) {
    return make<CompareOp>(predicate, x, y);
  }
  Value select(Value mask, Value x, Value y) {
    return make<SelectOp>(mask, x, y);
  }

  /// A splat of the type of `like`.
  Value splat(Value like, double value) {
    return createSplat(builder, loc, tensorOf(like), value);
  }
  Value zeros(Value like) { return splat(like, 0.0); }
  Value scale(Value x, double factor) {
    Value splatted = splat(x, factor);
    return mul(x, splatted);
  }

  /// x in the element type of `like`: itself, or a cast.
  Value as(Value x, Value like) {
    mlir::RankedTensorType type =
        tensorOf(x).clone(tensorOf(like).getElementType());
    return x.getType() == type ? x : make<CastOp>(type, x);
  }

  /// (C) to (...,C).
  Value trailing(Value value, Value like) {
    return broadcastTrailing(builder, loc, value, tensorOf(like));
  }
  /// (N) to (N,...).
  Value leading(Value value, Value like) {
    return broadcastLeading(builder, loc, value, tensorOf(like));
  }
  /// The sum over all but the last dimension.
  Value sumToLast(Value value) { return sg::sumToLast(builder, loc, value); }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_EMIT_H
