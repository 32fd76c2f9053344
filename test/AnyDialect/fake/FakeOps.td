//===- FakeOps.td - A dialect that joins the planner --------*- tablegen -*-===//
//
// An example to read from top to bottom: another compiler's dialect, with a type
// that Reprise has never heard of, whose ops take part in remat-to-budget.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_FAKEOPS
#define REPRISE_TEST_FAKEOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "reprise/IR/RematInterfaces.td"

def Fake_Dialect : Dialect {
  let name = "fake";
  let cppNamespace = "::fake";
  let useDefaultTypePrinterParser = 1;
}

// A value that takes `bytes` on the device. It is no tensor, so that its ops
// have to say by getRematBytes what the planner shall count.
def Fake_Block : TypeDef<Fake_Dialect, "Block"> {
  let mnemonic = "block";
  let parameters = (ins "uint64_t":$bytes);
  let assemblyFormat = "`<` $bytes `>`";
}

// Of an op that joins. What it does not list has the interface's defaults.
class Fake_Op<string mnemonic, list<string> methods, list<Trait> traits = []>
    : Op<Fake_Dialect, mnemonic,
         [DeclareOpInterfaceMethods<
              RematOpInterface, !listconcat(["getRematBytes"], methods)>]
             # traits> {
  let arguments = (ins Variadic<Fake_Block>:$operands);
  let results = (outs Fake_Block:$result);
  let assemblyFormat = [{
    $operands attr-dict `:` functional-type($operands, $result)
  }];
}

// No effects, by MLIR's own interface: it may run again. Its scores are bytes
// that no value holds, and its time is said in arithmetic.
def Fake_AttentionOp
    : Fake_Op<"attention", ["getRematWorkspaceBytes", "getRematFlops"], [Pure]>;

// Has no effects either, but each execution crosses the network: it says what
// that takes, and that once is enough.
def Fake_GatherOp
    : Fake_Op<"gather", ["getRematMilliseconds", "getRematExecution"], [Pure]>;

// Another layout of the same bytes.
def Fake_RelayoutOp : Fake_Op<"relayout", ["getRematViewSource"], [Pure]>;

// The result may be written over the first operand.
def Fake_ScaleOp : Fake_Op<"scale", ["getRematInPlacePairs"], [Pure]>;

// Draws from a generator and says nothing of effects: once, and in order.
def Fake_DropoutOp : Fake_Op<"dropout", []>;

// Belongs to the backward pass.
def Fake_GradOp : Fake_Op<"grad", ["getRematPhase"], [Pure]>;

// Answers what its attributes say, which may be nonsense.
def Fake_ClaimOp
    : Fake_Op<"claim", ["getRematMilliseconds", "getRematExecution",
                        "getRematWorkspaceBytes", "getRematViewSource",
                        "getRematInPlacePairs", "getRematPhase"], [Pure]> {
  let arguments = (ins Variadic<Fake_Block>:$operands,
                       DefaultValuedAttr<F64Attr, "1.0">:$milliseconds,
                       DefaultValuedAttr<I32Attr, "0">:$execution,
                       DefaultValuedAttr<I64Attr, "0">:$workspace,
                       OptionalAttr<I32Attr>:$view,
                       OptionalAttr<DenseI32ArrayAttr>:$in_place,
                       OptionalAttr<I32Attr>:$phase);
}

// Doesn't join: what it answers are the defaults.
def Fake_OpaqueOp : Op<Fake_Dialect, "opaque", [Pure]> {
  let arguments = (ins Fake_Block:$operand);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type($operand, $result)
  }];
}

#endif // REPRISE_TEST_FAKEOPS
