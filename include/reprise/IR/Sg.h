//===- Sg.h - The sg dialect ------------------------------------*- C++ -*-===//
#ifndef REPRISE_IR_SG_H
#define REPRISE_IR_SG_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "reprise/IR/Terms.h"
#include "reprise/IR/Vjp.h"

namespace reprise {
/// The kind of code that runs an op: none (a view, a read), the numerical
/// library, a compiled kernel that is bound by memory, or one that reduces.
enum class KernelClass { None, Library, Pointwise, Reduction };

namespace sg {
/// Returns true if `wide` may replace `element` where sums are f32: it is f32,
/// and `element` bf16 or f16.
bool isWider(mlir::Type wide, mlir::Type element);

/// Returns true if the tensors `actual` have the shapes of `inferred` and are
/// all f32 where these are bf16 or f16.
bool areWidened(mlir::TypeRange inferred, mlir::TypeRange actual);

/// Fails, with an error, unless `op` is in the first block of a region whose
/// ops follow one another (a function's, a kernel's), or in none: a static
/// graph has neither branches nor values defined by themselves.
llvm::LogicalResult verifyInGraph(mlir::Operation *op);

/// Attributes of a convolution of `dims` spatial dimensions; text may leave out
/// those that have their default.
mlir::ParseResult parseConvolutionAttributes(mlir::OpAsmParser &parser,
                                             mlir::NamedAttrList &attributes,
                                             unsigned dims);
void printConvolutionAttributes(mlir::OpAsmPrinter &printer,
                                mlir::Operation *op,
                                mlir::DictionaryAttr attributes, unsigned dims);

/// The trait of composite activations, see Activations.h.
template <typename ConcreteOp>
class Activation : public mlir::OpTrait::TraitBase<ConcreteOp, Activation> {};

/// The trait of ops that verifyInGraph checks.
template <typename ConcreteOp>
class InGraph : public mlir::OpTrait::TraitBase<ConcreteOp, InGraph> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyInGraph(op);
  }
};
} // namespace sg
} // namespace reprise

#include "reprise/IR/SgInterfaces.h.inc"

namespace reprise {
/// The stream that an op draws random numbers from, if it draws any.
std::optional<int64_t> streamOf(mlir::Operation *op);
} // namespace reprise

#include "reprise/IR/SgDialect.h.inc"
#include "reprise/IR/SgEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "reprise/IR/SgAttrs.h.inc"
#define GET_OP_CLASSES
#include "reprise/IR/SgOps.h.inc"

namespace reprise::sg {

/// Returns true if a ranked, static tensor type has no encoding, extents
/// between 1 and 2^31 - 1 and less than 2^48 bytes. Products of an extent and
/// an attribute (bounded alike) then fit 64 bits.
bool hasSupportedShape(mlir::Type type);

enum class BindingSide { Input, Output };

/// Returns why a tensor of `type` cannot be an input or output of the role;
/// empty if it can.
std::string whyNotBound(BindingRole role, mlir::Type type, BindingSide side);

/// Returns why `ranges` are invalid for an argument of `type`; empty if they
/// are valid.
std::string whyNotInRanges(mlir::ArrayAttr ranges, mlir::Type type);

/// Returns true if one function may have several inputs or outputs of the role.
bool mayRepeat(BindingRole role);

/// The role that the attributes of an argument or result state.
BindingRole roleOf(mlir::DictionaryAttr attributes);

/// Returns why a variable of `role` and `type` cannot be initialized by `init`;
/// empty if it can.
std::string whyNotInitial(InitAttr init, Role role,
                          mlir::RankedTensorType type);

/// The type of a tensor, as all values of the dialect's ops are.
inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Returns true for a tensor of sg with the encoding `sg.host`.
bool isHostTensor(mlir::Type type);

/// Bytes of a tensor's elements; an i1 takes a byte.
uint64_t byteSize(mlir::Type type);

/// The extent of a convolution's or a pool's result along one dimension, or -1
/// if the window does not fit.
int64_t windowedExtent(int64_t extent, int64_t window, int64_t stride,
                       int64_t padding, int64_t dilation);

/// The type of one rank's shard of a tensor; see sg.take_shard.
mlir::RankedTensorType shardOf(mlir::RankedTensorType whole, uint64_t ranks);

/// A splat constant of a tensor type.
mlir::Value createSplat(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type, double value);

/// `value` broadcast to `type` along its trailing dimensions: (C) to (N,H,W,C).
mlir::Value broadcastTrailing(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, mlir::RankedTensorType type);

/// `value` broadcast to `type` along its leading dimensions: (N) to (N,K).
mlir::Value broadcastLeading(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value, mlir::RankedTensorType type);

/// The sum over all but the last dimension.
mlir::Value sumToLast(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);

} // namespace reprise::sg

#endif // REPRISE_IR_SG_H
