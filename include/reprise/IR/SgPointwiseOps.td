//===- SgPointwiseOps.td - Element by element ---------------*- tablegen -*-===//
#ifndef REPRISE_IR_SGPOINTWISEOPS
#define REPRISE_IR_SGPOINTWISEOPS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "reprise/IR/SgStructureOps.td"

class Sg_UnaryOp<string mnemonic, Type type, string formula>
    : Sg_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = formula # ", element by element";
  let description = "```mlir\n%y = sg." # mnemonic # " %x : tensor<8x4xf32>\n```\n";
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Sg_NegOp : Sg_UnaryOp<"neg", Sg_FloatTensor, "-x">;
def Sg_AbsOp : Sg_UnaryOp<"abs", Sg_FloatTensor, "|x|">;
def Sg_ExpOp : Sg_UnaryOp<"exp", Sg_FloatTensor, "e^x">;
def Sg_LogOp : Sg_UnaryOp<"log", Sg_FloatTensor, "ln x">;
def Sg_SqrtOp : Sg_UnaryOp<"sqrt", Sg_FloatTensor, "the square root">;
def Sg_RsqrtOp : Sg_UnaryOp<"rsqrt", Sg_FloatTensor, "1 / sqrt(x), correctly rounded twice">;
def Sg_TanhOp : Sg_UnaryOp<"tanh", Sg_FloatTensor, "the hyperbolic tangent">;
def Sg_SigmoidOp : Sg_UnaryOp<"sigmoid", Sg_FloatTensor, "1 / (1 + e^-x)">;
def Sg_ErfOp : Sg_UnaryOp<"erf", Sg_FloatTensor, "the error function">;
def Sg_ReluOp : Sg_UnaryOp<"relu", Sg_FloatTensor, "max(x, 0), NaN stays NaN">;

class Sg_BinaryOp<string mnemonic, Type type, string formula,
                  list<Trait> traits = []>
    : Sg_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultType], traits)> {
  let summary = formula # ", element by element";
  let description = "```mlir\n%z = sg." # mnemonic # " %x, %y : tensor<8x4xf32>\n```\n";
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Sg_AddOp : Sg_BinaryOp<"add", Sg_Tensor, "x + y">;
def Sg_SubOp : Sg_BinaryOp<"sub", Sg_Tensor, "x - y">;
def Sg_MulOp : Sg_BinaryOp<"mul", Sg_Tensor, "x * y">;
def Sg_DivOp : Sg_BinaryOp<"div", Sg_FloatTensor, "x / y">;
def Sg_MaximumOp : Sg_BinaryOp<"maximum", Sg_Tensor, "the larger, NaN if either is">;
def Sg_MinimumOp : Sg_BinaryOp<"minimum", Sg_Tensor, "the smaller, NaN if either is">;

def Sg_CompareOp : Sg_Op<"compare", [Pure, SameTypeOperands,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "whether a relation holds, element by element";
  let description = [{
    Integers are signed; relations with NaN are false, but for `ne`.

    ```mlir
    %m = sg.compare gt %x, %y : tensor<8xf32> -> tensor<8xi1>
    ```
  }];
  let arguments = (ins Sg_ComparePredicateAttr:$predicate, Sg_Tensor:$lhs,
                       Sg_Tensor:$rhs);
  let results = (outs Sg_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
}

def Sg_SelectOp : Sg_Op<"select", [Pure, AllTypesMatch<["on_true", "on_false", "result"]>,
    AllShapesMatch<["condition", "result"]>]> {
  let summary = "one of two, element by element";
  let description = [{
    ```mlir
    %z = sg.select %m, %x, %y : tensor<8xi1>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Sg_BoolTensor:$condition, Sg_Tensor:$on_true,
                       Sg_Tensor:$on_false);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:`
    type($condition) `,` type($result)
  }];
}

def Sg_CastOp : Sg_Op<"cast", [Pure, AllShapesMatch<["operand", "result"]>]> {
  let summary = "another element type";
  let description = [{
    Floating point rounds to nearest even; to an integer it truncates towards
    zero; `i1` becomes 0 or 1 and becomes true where not zero. Integers are
    signed. Never removed as half of a pair: a truncation rounds.

    ```mlir
    %y = sg.cast %x : tensor<8xf32> to tensor<8xbf16>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
}

#endif // REPRISE_IR_SGPOINTWISEOPS
