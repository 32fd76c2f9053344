//===- Activation.td - Composite activations ----------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_ACTIVATION
#define REPRISE_IR_SG_OPS_ACTIVATION

include "reprise/IR/Sg/Ops/Elementwise.td"

/// A composite activation: computed in f32 if x is bf16 or f16, and rounded
/// once. Its derivative keeps x; `note` says more about it. Its
/// formulas are in lib/IR/Sg/Ops/Activation.cpp.
class Sg_ActivationOp<string mnemonic, string formula, string note>
    : Sg_Op<mnemonic, [Pure, SameOperandsAndResultType, Sg_Activation]> {
  let summary = formula # ", element by element";
  let description = "Computed in f32 where x is bf16 or f16, and rounded once. "
    # "Its derivative keeps x" # note # "\n\n```mlir\n%y = sg." # mnemonic
    # " %x : tensor<8x4xf32>\n```\n";
  let arguments = (ins Sg_FloatTensor:$operand);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Sg_GeluOp : Sg_ActivationOp<"gelu", "", ""> {
  let summary = "the Gaussian error linear unit, element by element";
  let description = [{
    x (1 + erf(x / sqrt 2)) / 2, or, with `tanh`,
    x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (Hendrycks, Gimpel 2016,
    arXiv 1606.08415). Computed in f32 where x is bf16 or f16, and rounded once.
    Its derivative keeps x.

    ```mlir
    %y = sg.gelu %x : tensor<8x4xf32>
    %z = sg.gelu %x {tanh} : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$operand, UnitAttr:$tanh);
}

def Sg_SiluOp : Sg_ActivationOp<"silu", "x / (1 + e^-x)", ".">;
def Sg_HardSigmoidOp : Sg_ActivationOp<"hard_sigmoid",
  "(x + 3) / 6 within [0, 1]", " and is zero at -3 and 3.">;
def Sg_HardSwishOp : Sg_ActivationOp<"hard_swish",
  "x (x + 3) / 6, 0 below -3 and x above 3",
  "; at -3 it is -1/2 and at 3 it is 3/2, the limits from between.">;

#endif // REPRISE_IR_SG_OPS_ACTIVATION
