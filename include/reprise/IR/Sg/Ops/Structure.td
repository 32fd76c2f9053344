//===- Structure.td - State and structure -------------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_STRUCTURE
#define REPRISE_IR_SG_OPS_STRUCTURE

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_VariableOp : Op<Sg_Dialect, "variable", [Symbol]> {
  let summary = "declares a variable";
  let description = [{
    A tensor that persists from step to step. `file_permutation` is the order of its
    dimensions in files, the identity if absent: a filter (O,H,W,I) is stored as
    (O,I,H,W).

    `whole_shape` is that of a variable of which each rank of a run holds a shard, of the
    variable's type (`sg.take_shard`); `file_permutation` is one of its dimensions then.

    ```mlir
    sg.variable @"conv1.weight" : tensor<64x7x7x3xf32> {
      role = #sg.role<parameter>, init = #sg.init<kaiming_normal>,
      file_permutation = array<i32: 0, 3, 1, 2>}
    sg.variable @scale : tensor<2xf32> {role = #sg.role<parameter>,
      init = #sg.init<elements, dense<[1.0, 0.5]> : tensor<2xf32>>}
    sg.variable @"fc.weight.exp_avg" : tensor<1366xf32> {
      role = #sg.role<optimizer_state>, init = #sg.init<zeros>,
      whole_shape = array<i64: 64, 64>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       Sg_RoleAttr:$role, Sg_InitAttr:$init,
                       OptionalAttr<DenseI32ArrayAttr>:$file_permutation,
                       OptionalAttr<DenseI64ArrayAttr>:$whole_shape);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType();
    /// The type of the whole variable, of which `getTensorType` may be a shard.
    ::mlir::RankedTensorType getWholeType();
  }];
}

def Sg_ReadOp : Sg_Op<"read", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a variable at the beginning of the step";
  let description = [{
    ```mlir
    %w = sg.read @"conv1.weight" : tensor<64x7x7x3xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Sg_WriteOp : Sg_Op<"write", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                 MemoryEffects<[MemWrite]>]> {
  let summary = "sets the value of a variable at the end of the step";
  let description = [{
    A step writes a variable at most once, and never in a clone (`sg-verify-effects`).

    ```mlir
    sg.write @"bn1.running_mean", %mean : tensor<64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, Sg_Tensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Sg_YieldOp : Sg_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region with its results";
  let description = [{
    The operands are the results of the surrounding module, kernel or backward pass. In
    text, a region without results needs no `sg.yield`.

    ```mlir
    sg.yield %y, %z : tensor<8x4xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Sg_Tensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
}

class Sg_IsolatedOp<string mnemonic, list<Trait> traits = []>
    : Sg_Op<mnemonic, !listconcat(traits, [IsolatedFromAbove,
        SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects])> {
  let results = (outs Variadic<Sg_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Sg_SgModuleOp : Sg_IsolatedOp<"module"> {
  let summary = "a named block";
  let description = [{
    The operands are the block's inputs; `path` is its name. The last `residuals` results
    are values of the body that the backward pass reads; differentiation adds them.
    `phase` distinguishes a block of the model, its mirror in the backward region and a
    clone that recomputes it; the three share `instance`, which numbers the blocks of a
    differentiated function. `activation_checkpointing` marks a segment.

    ```mlir
    %y = sg.module "layer1" (%x = %h : tensor<8x4xf32>) -> tensor<8x4xf32>
        attributes {activation_checkpointing} {
      %r = sg.relu %x : tensor<8x4xf32>
      sg.yield %r : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Sg_Tensor>:$inputs, StrAttr:$path,
    UnitAttr:$activation_checkpointing,
    DefaultValuedAttr<Sg_PhaseAttr, "::reprise::Phase::Forward">:$phase,
    DefaultValuedAttr<I64Attr, "0">:$residuals,
    OptionalAttr<I64Attr>:$instance);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
    "::mlir::ValueRange":$inputs, "::llvm::StringRef":$path), [{
      $_state.addOperands(inputs);
      $_state.addTypes(results);
      $_state.addAttribute("path", $_builder.getStringAttr(path));
      ::mlir::Region *region = $_state.addRegion();
      ::mlir::Block &block = region->emplaceBlock();
      for (::mlir::Value input : inputs)
        block.addArgument(input.getType(), input.getLoc());
    }]>];
  let extraClassDeclaration = [{
    YieldOp getYield();
    /// The block's own results, without the residuals.
    unsigned getNumPrimalResults() {
      return getNumResults() - getResiduals();
    }
  }];
}

def Sg_KernelOp : Sg_IsolatedOp<"kernel"> {
  let summary = "ops that one compiled kernel runs";
  let description = [{
    Formed by `sg-form-kernels`: primitives that share one iteration space, or the space
    that remains after reductions. The result of a reduction may be read at its own index
    and, if the reduction is over the trailing dimensions, along its row. A kernel without
    reductions may make values of several shapes.

    ```mlir
    %y = sg.kernel "add_relu" (%a = %x : tensor<8xf32>, %b = %z : tensor<8xf32>)
        -> tensor<8xf32> {
      %s = sg.add %a, %b : tensor<8xf32>
      %r = sg.relu %s : tensor<8xf32>
      sg.yield %r : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Sg_Tensor>:$inputs, StrAttr:$path);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
    "::mlir::ValueRange":$inputs, "::llvm::StringRef":$path), [{
      $_state.addOperands(inputs);
      $_state.addTypes(results);
      $_state.addAttribute("path", $_builder.getStringAttr(path));
      ::mlir::Region *region = $_state.addRegion();
      ::mlir::Block &block = region->emplaceBlock();
      for (::mlir::Value input : inputs)
        block.addArgument(input.getType(), input.getLoc());
    }]>];
}

def Sg_BackwardOp : Sg_Op<"backward", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the backward pass";
  let description = [{
    The values that the region reads from outside are the kept ones. The results are
    the gradients of `parameters`, in order.

    ```mlir
    %dw = sg.backward of [@w] -> tensor<8x4xf32> {
      %g = sg.mul %dy, %x : tensor<8x4xf32>
      sg.yield %g : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$parameters);
  let results = (outs Variadic<Sg_Tensor>:$gradients);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `of` $parameters (`->` type($gradients)^)? $body attr-dict
  }];
  let hasVerifier = 1;
}

def Sg_BarrierOp : Sg_Op<"barrier", [Pure, AttrSizedOperandSegments]> {
  let summary = "passes its inputs on, but not before other values exist";
  let description = [{
    Costs nothing at run time. A barrier between kept values and a clone that reads them
    keeps common-subexpression elimination from merging the clone with its original, and
    keeps a scheduler from running it before the gradients in `after` exist.

    ```mlir
    %x2 = sg.barrier (%x) after (%dy)
      : (tensor<8xf32>) after (tensor<4xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Sg_Tensor>:$inputs, Variadic<Sg_Tensor>:$after);
  let results = (outs Variadic<Sg_Tensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` `after` `(` $after `)` attr-dict `:`
    `(` type($inputs) `)` `after` `(` type($after) `)` `->` type($results)
  }];
  let hasVerifier = 1;
}

def Sg_CopyOp : Sg_Op<"copy", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "the same elements, in separate bytes";
  let description = [{
    In a scheduled function, provides a value twice: a variable's old value that outlives
    its update, or a value that is written to two variables.

    ```mlir
    %y = sg.copy %x : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class Sg_MarkOp<string mnemonic>
    : Sg_Op<mnemonic, [Pure, AllTypesMatch<["operand", "result"]>]> {
  let arguments = (ins Sg_Tensor:$operand);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Sg_KeepOp : Sg_MarkOp<"keep"> {
  let summary = "marks a tensor that is never recomputed";
  let description = [{
    Marks one tensor of a model. What the backward pass needs of the tensor is kept from
    the forward pass on, also in a checkpointed block, and no budget recomputes it. The
    mark takes no time and no bytes of its own: `sg-decompose` turns it into the attribute
    `sg.keep` of the op that makes the tensor, and then of its kernel. The mark applies
    only to readers of its result, not to other readers of the operand.

    ```mlir
    %k = sg.keep %y : tensor<8x4xf32>
    ```
  }];
}

def Sg_RecomputeOp : Sg_MarkOp<"recompute"> {
  let summary = "marks a tensor that the backward pass recomputes";
  let description = [{
    Marks one tensor of a model. The tensor is not kept for the backward pass. There, the
    op that makes it runs again, together with the ops of its leaf (`sg.path`) that lead
    to it; the values that these ops read are kept (`sg-recompute-marked`). Marked tensors
    that are made of one another are recomputed together. In a checkpointed block, which
    runs again as a whole, the mark has no effect.

    ```mlir
    %r = sg.recompute %y : tensor<8x4xf32>
    ```
  }];
}

#endif // REPRISE_IR_SG_OPS_STRUCTURE
