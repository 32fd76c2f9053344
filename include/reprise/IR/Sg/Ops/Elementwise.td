//===- Elementwise.td - Arithmetic element by element -------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_ELEMENTWISE
#define REPRISE_IR_SG_OPS_ELEMENTWISE

include "reprise/IR/Sg/Ops/OpBase.td"

class Sg_UnaryOp<string mnemonic, Type type, string formula, string note>
    : Sg_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = formula # ", element by element";
  let description = note # "\n\n```mlir\n%y = sg." # mnemonic
    # " %x : tensor<8x4xf32>\n```\n";
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Sg_NegOp : Sg_UnaryOp<"neg", Sg_FloatTensor, "-x",
  "Flips the sign, also of zero and NaN.">;
def Sg_AbsOp : Sg_UnaryOp<"abs", Sg_FloatTensor, "|x|",
  "The derivative at zero is zero.">;
def Sg_ExpOp : Sg_UnaryOp<"exp", Sg_FloatTensor, "e^x",
  "Its derivative keeps the result.">;
def Sg_LogOp : Sg_UnaryOp<"log", Sg_FloatTensor, "ln x",
  "Minus infinity at zero, NaN below.">;
def Sg_SqrtOp : Sg_UnaryOp<"sqrt", Sg_FloatTensor, "the square root",
  "Correctly rounded; NaN below zero. Its derivative keeps the result.">;
def Sg_RsqrtOp : Sg_UnaryOp<"rsqrt", Sg_FloatTensor, "1 / sqrt(x)",
  "A correctly rounded root, then a correctly rounded quotient, never an "
  "approximation. Its derivative keeps the result.">;
def Sg_TanhOp : Sg_UnaryOp<"tanh", Sg_FloatTensor, "the hyperbolic tangent",
  "Its derivative keeps the result.">;
def Sg_SigmoidOp : Sg_UnaryOp<"sigmoid", Sg_FloatTensor, "1 / (1 + e^-x)",
  "Its derivative keeps the result.">;
def Sg_ErfOp : Sg_UnaryOp<"erf", Sg_FloatTensor, "the error function",
  "2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.">;
def Sg_ReluOp : Sg_UnaryOp<"relu", Sg_FloatTensor, "0 where x < 0, else x",
  "NaN stays NaN and -0 stays -0. Its derivative keeps the result and is zero "
  "where x is.">;

class Sg_BinaryOp<string mnemonic, Type type, string formula, string note>
    : Sg_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = formula # ", element by element";
  let description = note # "\n\n```mlir\n%z = sg." # mnemonic
    # " %x, %y : tensor<8x4xf32>\n```\n";
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Sg_AddOp : Sg_BinaryOp<"add", Sg_Tensor, "x + y",
  "Integers wrap. Its derivative keeps nothing.">;
def Sg_SubOp : Sg_BinaryOp<"sub", Sg_Tensor, "x - y",
  "Integers wrap. Its derivative keeps nothing.">;
def Sg_MulOp : Sg_BinaryOp<"mul", Sg_Tensor, "x * y",
  "Integers wrap. The derivative of either operand keeps the other.">;
def Sg_DivOp : Sg_BinaryOp<"div", Sg_FloatTensor, "x / y",
  "Correctly rounded.">;
def Sg_MaximumOp : Sg_BinaryOp<"maximum", Sg_Tensor, "the larger, NaN if either is",
  "Of equal operands, the result is the left one, which also gets the gradient; "
  "+0 and -0 are equal. Integers are signed.">;
def Sg_MinimumOp : Sg_BinaryOp<"minimum", Sg_Tensor, "the smaller, NaN if either is",
  "Of equal operands, the result is the left one, which also gets the gradient; "
  "+0 and -0 are equal. Integers are signed.">;

def Sg_CompareOp : Sg_Op<"compare", [Pure, SameTypeOperands,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "whether a relation holds, element by element";
  let description = [{
    Integers are signed. Relations with NaN are false, except `ne`.

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
  let summary = "one of two elements, element by element";
  let description = [{
    The element of `on_true` where the condition holds, else that of `on_false`, bit by
    bit. A NaN that is not chosen has no effect.

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
  let summary = "converts to another element type";
  let description = [{
    Floating-point numbers round to nearest even; conversion to an integer truncates
    towards zero. `i1` becomes 0 or 1; a number that is not zero becomes true. Integers
    are signed. A pair of casts is never removed, because a truncation rounds. The
    derivative is the cast back: an f32 parameter that is read as bf16 has a gradient of
    bf16 values in f32, which the optimizer uses.

    ```mlir
    %y = sg.cast %x : tensor<8xf32> to tensor<8xbf16>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Sg_EncodeFp8Op : Sg_Op<"encode_fp8", [Pure, AllShapesMatch<["operand", "result"]>]> {
  let summary = "the bytes of the nearest 8-bit floating-point numbers";
  let description = [{
    The format is E4M3 (https://arxiv.org/abs/2209.05433): a sign, four bits of
    exponent and three of fraction, as MLIR's `f8E4M3FN`. Its largest number is 448,
    its smallest above zero 2^-9. Rounds to nearest even; a larger number, or infinity,
    becomes 448 of its sign; NaN stays NaN.

    ```mlir
    %q = sg.encode_fp8 %x : tensor<8xf32> to tensor<8xi8>
    ```
  }];
  let arguments = (ins Sg_F32Tensor:$operand);
  let results = (outs Sg_ByteTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
}

def Sg_DecodeFp8Op : Sg_Op<"decode_fp8", [Pure, AllShapesMatch<["operand", "result"]>]> {
  let summary = "the numbers that sg.encode_fp8 made bytes of";
  let description = [{
    Exact, in f32.

    ```mlir
    %x = sg.decode_fp8 %q : tensor<8xi8> to tensor<8xf32>
    ```
  }];
  let arguments = (ins Sg_ByteTensor:$operand);
  let results = (outs Sg_F32Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
}

def Sg_ReluGradOp : Sg_Op<"relu_grad", [Pure, SameOperandsAndResultType]> {
  let summary = "dy where the result y of relu is above zero, else 0";
  let description = [{
    Reads the result instead of the operand, so that relu's operand need not be kept.

    ```mlir
    %dx = sg.relu_grad %y, %dy : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$y, Sg_FloatTensor:$dy);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$y `,` $dy attr-dict `:` type($result)";
}

#endif // REPRISE_IR_SG_OPS_ELEMENTWISE
