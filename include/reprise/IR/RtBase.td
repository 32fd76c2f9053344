//===- RtBase.td - The rt dialect and its attributes --------*- tablegen -*-===//
#ifndef REPRISE_IR_RTBASE
#define REPRISE_IR_RTBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::reprise::rt_dialect";
  let summary = "Programs: ordered steps on placed memory";
  let description = [{
    The level below the graph. There are no values: every step names the bytes
    it reads and writes by views on the buffers of one arena. What is written
    here is what the artifact holds and what the runtime does, one to one.

    Buffers are numbered. Those of the program (variables and constants) come
    first; an entry's own buffers continue the count.
  }];
  let dependentDialects = ["::reprise::sg::SgDialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
  private:
    void registerOps();
    void registerAttributes();
  public:
  }];
}

class Rt_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::reprise::rt_dialect";
  let genSpecializedAttr = 0;
}

// The cases have the numbers of runtime/schemas/program.fbs.
def Rt_BufferKind : Rt_I32Enum<"BufferKind", "what a buffer holds", [
  I32EnumAttrCase<"Parameter", 0, "parameter">,
  I32EnumAttrCase<"OptimizerState", 1, "optimizer_state">,
  I32EnumAttrCase<"State", 2, "state">,
  I32EnumAttrCase<"Constant", 3, "constant">,
  I32EnumAttrCase<"Input", 4, "input">,
  I32EnumAttrCase<"Output", 5, "output">,
  I32EnumAttrCase<"Activation", 6, "activation">,
  I32EnumAttrCase<"Gradient", 7, "gradient">,
  I32EnumAttrCase<"Recomputed", 8, "recomputed">,
  I32EnumAttrCase<"Workspace", 9, "workspace">,
  I32EnumAttrCase<"Update", 10, "update">]>;
def Rt_BufferKindAttr : EnumAttr<Rt_Dialect, Rt_BufferKind, "kind">;

def Rt_Phase : Rt_I32Enum<"Phase", "the part of a step's work", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"Backward", 1, "backward">,
  I32EnumAttrCase<"Recompute", 2, "recompute">,
  I32EnumAttrCase<"Update", 3, "update">]>;

def Rt_LibraryOp : Rt_I32Enum<"LibraryOp", "a function of the library", [
  I32EnumAttrCase<"Conv2D", 0, "conv2d">,
  I32EnumAttrCase<"Conv2DInputGrad", 1, "conv2d_input_grad">,
  I32EnumAttrCase<"Conv2DFilterGrad", 2, "conv2d_filter_grad">,
  I32EnumAttrCase<"MatMul", 3, "matmul">,
  I32EnumAttrCase<"RmsNorm", 4, "rms_norm">]>;
def Rt_LibraryOpAttr : EnumAttr<Rt_Dialect, Rt_LibraryOp, "library_op">;

def Rt_Epilogue : Rt_I32Enum<"Epilogue", "what a call does to its result", [
  I32EnumAttrCase<"Bias", 0, "bias">,
  I32EnumAttrCase<"Relu", 1, "relu">,
  I32EnumAttrCase<"Add", 2, "add">]>;
def Rt_EpilogueAttr : EnumAttr<Rt_Dialect, Rt_Epilogue, "epilogue">;

def Rt_TargetAttr : AttrDef<Rt_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the device that a program is for";
  let description = [{
    The runtime's name of the device, what the program needs of it in the
    device's own words, and what its buffers begin at multiples of, in bytes.

    ```mlir
    #rt.target<"cpu", "">
    #rt.target<"pocket", "", alignment 256>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$device,
    StringRefParameter<>:$features,
    DefaultValuedParameter<"uint64_t", "::reprise::kAlignment">:$alignment);
  let assemblyFormat = [{
    `<` $device `,` $features (`,` `alignment` $alignment^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Rt_ViewAttr : AttrDef<Rt_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "a typed window on a buffer";
  let description = [{
    Number of the buffer, offset in bytes within it, type; strides in elements,
    dense row-major when absent.

    ```mlir
    #rt.view<12 + 64 : tensor<8x4xf32>>
    #rt.view<12 + 0 : tensor<4x8xf32>, strides [1, 4]>
    ```
  }];
  let parameters = (ins "uint32_t":$buffer, "uint64_t":$offset,
    "::mlir::RankedTensorType":$type,
    OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = [{
    `<` $buffer `+` $offset `:` $type (`,` `strides` `[` $strides^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes from the first element to the end of the last.
    uint64_t getBytes() const;
    /// Whether the elements lie row-major without gaps.
    bool isDense() const;
  }];
}

def Rt_BindingAttr : AttrDef<Rt_Dialect, "Binding"> {
  let mnemonic = "binding";
  let summary = "a named input or output of an entry";
  let description = [{
    With what it is for, `#sg.binding`, unless it is data.

    ```mlir
    #rt.binding<"left", <30 + 0 : tensor<8x4xf32>>>
    #rt.binding<"cost" as <loss>, <31 + 0 : tensor<f32>>>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
    OptionalParameter<"::reprise::sg::BindingAttr">:$binding,
    "ViewAttr":$view);
  let assemblyFormat = "`<` $name (`as` $binding^)? `,` $view `>`";
  let extraClassDeclaration = [{
    ::reprise::sg::BindingRole getRole() const {
      return getBinding() ? getBinding().getRole()
                          : ::reprise::sg::BindingRole::Data;
    }
  }];
}

def Rt_StepAttr : AttrDef<Rt_Dialect, "Step"> {
  let mnemonic = "step";
  let summary = "what a step is, for people and tools";
  let description = [{
    Name of the op, path of the module it came from, phase, arithmetic
    operations, and bytes read and written.

    ```mlir
    #rt.step<"conv2d" in "layer1.0.conv1" forward, flops 2048, bytes 640>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
    StringRefParameter<>:$module,
    EnumParameter<Rt_Phase>:$phase, "uint64_t":$flops, "uint64_t":$bytes);
  let assemblyFormat = [{
    `<` $name `in` $module $phase `,` `flops` $flops `,` `bytes` $bytes `>`
  }];
}

def Rt_ViewArrayAttr : TypedArrayAttrBase<Rt_ViewAttr, "views">;
def Rt_EpilogueArrayAttr : TypedArrayAttrBase<Rt_EpilogueAttr, "epilogues">;
def Rt_BindingArrayAttr : TypedArrayAttrBase<Rt_BindingAttr, "bindings">;

#endif // REPRISE_IR_RTBASE
