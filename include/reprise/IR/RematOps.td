//===- RematOps.td - The remat dialect ----------------------*- tablegen -*-===//
#ifndef REPRISE_IR_REMATOPS
#define REPRISE_IR_REMATOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "reprise/IR/RematInterfaces.td"

def Remat_Dialect : Dialect {
  let name = "remat";
  let cppNamespace = "::reprise::remat";
  let summary = "Attributes that describe ops of any dialect to the planner, and barriers";
  let description = [{
    Discardable attributes on ops of any dialect, registered or not, tell the planner what
    an op's class does not. They override `RematOpInterface`. Another attribute with this
    prefix is an error, and so is a value of another form than these:

    | attribute | value | meaning |
    |---|---|---|
    | `remat.cost` | f64, 0 to 1e9 | milliseconds of one execution |
    | `remat.bytes` | `array<i64: ...>`, one for each result | bytes that each result takes |
    | `remat.workspace` | i64, at least 0 | bytes in use while the op runs |
    | `remat.pure` | unit | the results depend on the operands alone, and nothing else depends on the op: it may run again, and anywhere |
    | `remat.fixed` | unit | the op runs once, even if it is a view |
    | `remat.view` | i64, an operand | the only result is a view of that operand |
    | `remat.in_place` | `array<i64: result, operand, ...>` | the result may take the storage of the operand if the op is the operand's last use |
    | `remat.phase` | `"forward"` or `"backward"` | the pass that the op belongs to; it only guides the search |
    | `remat.recomputed` | i64, at least 1 | set by `remat-to-budget` on repeated executions of ops: each has its own number |
    | `remat.destination` | i64, at least 1 | set by `remat-to-budget` on the empty tensors that ops write: each has its own number, so that nothing merges them |

    `remat.pure` is for ops that do not declare their memory effects; on an op that
    declares some, it is an error. A view must be free of effects.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kCost = "remat.cost";
    static constexpr ::llvm::StringLiteral kBytes = "remat.bytes";
    static constexpr ::llvm::StringLiteral kWorkspace = "remat.workspace";
    static constexpr ::llvm::StringLiteral kPure = "remat.pure";
    static constexpr ::llvm::StringLiteral kFixed = "remat.fixed";
    static constexpr ::llvm::StringLiteral kView = "remat.view";
    static constexpr ::llvm::StringLiteral kInPlace = "remat.in_place";
    static constexpr ::llvm::StringLiteral kPhase = "remat.phase";
    static constexpr ::llvm::StringLiteral kRecomputed = "remat.recomputed";
    static constexpr ::llvm::StringLiteral kDestination = "remat.destination";
  }];
}

def Remat_BarrierOp
    : Op<Remat_Dialect, "barrier",
         [Pure, AllTypesMatch<["input", "result"]>,
          DeclareOpInterfaceMethods<RematOpInterface,
                                    ["getRematViewSource"]>]> {
  let summary = "passes its input on, but not before other values exist";
  let description = [{
    Takes a value of any type and costs nothing at run time. A barrier between a value and
    a clone that reads it keeps common-subexpression elimination from merging the clone
    with its original, and keeps passes from hoisting the clone above the ops that make
    the values in `after`. `remat-erase-barriers` removes barriers.

    ```mlir
    %x1 = remat.barrier %x after %dy : tensor<8xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, Variadic<AnyType>:$after);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $input (`after` $after^)? attr-dict `:` type($input) (`,` type($after)^)?
  }];
}

#endif // REPRISE_IR_REMATOPS
