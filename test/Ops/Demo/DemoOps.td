//===- DemoOps.td - Ops of another dialect, as an example ---*- tablegen -*-===//
//
// What a newcomer declares for an op of their own. Demo.cpp says the rest; no
// pass knows of them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_OPS_DEMOOPS
#define REPRISE_TEST_OPS_DEMOOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Demo_Dialect : Dialect {
  let name = "demo";
  let cppNamespace = "::reprise::demo";
  let extraClassDeclaration = [{
    /// Attaches the models of the interfaces.
    void registerModels();
  }];
}

class Demo_Op<string mnemonic> : Op<Demo_Dialect, mnemonic, [Pure]> {
  let arguments = (ins AnyRankedTensor:$operand);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

// x / (1 + |x|), element by element.
def Demo_SoftsignOp : Demo_Op<"softsign">;

// The square root of the sum of squares over dimensions, a reduction.
def Demo_NormOp : Demo_Op<"norm"> {
  let arguments = (ins AnyRankedTensor:$operand, DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $operand `dims` $dims attr-dict `:` functional-type(operands, results)
  }];
}

// A reduction and an epilogue: softsign(norm(x)) over the last dimension.
def Demo_DampedNormOp : Demo_Op<"damped_norm">;

// Every element at the mirrored index of the last dimension, by code of its own.
def Demo_MirrorOp : Demo_Op<"mirror">;

// relu(x w + bias), a call of a library with two epilogues.
def Demo_DenseOp : Demo_Op<"dense"> {
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$weight,
                       AnyRankedTensor:$bias);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

// A call of two results with a number, which the device "cpu" does not have.
def Demo_RmsNormOp : Demo_Op<"rms_norm"> {
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$gamma,
                       F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$y, AnyRankedTensor:$rstd);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

#endif // REPRISE_TEST_OPS_DEMOOPS
