//===- ChloOps.td - Functions that JAX prints as chlo -------*- tablegen -*-===//
#ifndef REPRISE_STABLEHLO_CHLOOPS
#define REPRISE_STABLEHLO_CHLOOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "reprise/IR/RematInterfaces.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::reprise::chlo";
  let summary = "Functions that JAX prints beside StableHLO";
  let description = [{
    A subset of the StableHLO project's dialect of this name, for text that is read,
    planned and printed again. Other ops of it may appear in generic form.
  }];
}

/// The result may take the storage of the operand if the types are equal.
class Chlo_Unary<string mnemonic>
    : Op<Chlo_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<RematOpInterface,
                                          ["getRematInPlacePairs"]>]> {
  let arguments = (ins AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
  let extraClassDefinition = [{
    ::llvm::SmallVector<::reprise::remat::InPlacePair>
    $cppClass::getRematInPlacePairs() {
      return ::reprise::stablehlo::pairsOfSameType(*this);
    }
  }];
}

def Chlo_AcosOp : Chlo_Unary<"acos">;
def Chlo_AcoshOp : Chlo_Unary<"acosh">;
def Chlo_AsinOp : Chlo_Unary<"asin">;
def Chlo_AsinhOp : Chlo_Unary<"asinh">;
def Chlo_AtanOp : Chlo_Unary<"atan">;
def Chlo_AtanhOp : Chlo_Unary<"atanh">;
def Chlo_BesselI1eOp : Chlo_Unary<"bessel_i1e">;
def Chlo_CoshOp : Chlo_Unary<"cosh">;
def Chlo_DigammaOp : Chlo_Unary<"digamma">;
def Chlo_ErfOp : Chlo_Unary<"erf">;
def Chlo_ErfInvOp : Chlo_Unary<"erf_inv">;
def Chlo_ErfcOp : Chlo_Unary<"erfc">;
def Chlo_IsInfOp : Chlo_Unary<"is_inf">;
def Chlo_IsNegInfOp : Chlo_Unary<"is_neg_inf">;
def Chlo_IsPosInfOp : Chlo_Unary<"is_pos_inf">;
def Chlo_LgammaOp : Chlo_Unary<"lgamma">;
def Chlo_SinhOp : Chlo_Unary<"sinh">;
def Chlo_SquareOp : Chlo_Unary<"square">;
def Chlo_TanOp : Chlo_Unary<"tan">;

class Chlo_Binary<string mnemonic>
    : Op<Chlo_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<RematOpInterface,
                                          ["getRematInPlacePairs"]>]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` type(operands) `->` type($result)
  }];
  let extraClassDefinition = [{
    ::llvm::SmallVector<::reprise::remat::InPlacePair>
    $cppClass::getRematInPlacePairs() {
      return ::reprise::stablehlo::pairsOfSameType(*this);
    }
  }];
}

def Chlo_NextAfterOp : Chlo_Binary<"next_after">;
def Chlo_PolygammaOp : Chlo_Binary<"polygamma">;
def Chlo_ZetaOp : Chlo_Binary<"zeta">;

def Chlo_TopKOp : Op<Chlo_Dialect, "top_k", [Pure]> {
  let summary = "the k largest elements along the last dimension";
  let arguments = (ins AnyTensor:$operand, I64Attr:$k);
  let results = (outs AnyTensor:$values, AnyTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand)
    `->` `(` type($values) `,` type($indices) `)`
  }];
}

#endif // REPRISE_STABLEHLO_CHLOOPS
