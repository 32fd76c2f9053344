//===- RematOps.td - The remat dialect ----------------------*- tablegen -*-===//
#ifndef REPRISE_IR_REMATOPS
#define REPRISE_IR_REMATOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "reprise/IR/RematInterfaces.td"

def Remat_Dialect : Dialect {
  let name = "remat";
  let cppNamespace = "::reprise::remat";
  let summary = "What ops of any dialect tell the planner, and barriers";
  let description = [{
    Discardable attributes on ops of any dialect, registered or not, say what
    the planner asks of an op where its class does not: they override
    `RematOpInterface`. Another attribute of this prefix is an error, and so is
    one whose value is not as follows:

    | attribute | value | meaning |
    |---|---|---|
    | `remat.cost` | f64, 0 to 1e9 | milliseconds of one execution |
    | `remat.bytes` | `array<i64: ...>`, one for each result | bytes that each result takes |
    | `remat.workspace` | i64, at least 0 | bytes in use while the op runs |
    | `remat.pure` | unit | the results depend on the operands alone, and nothing else depends on the op: it may run again, and anywhere |
    | `remat.fixed` | unit | the op runs once, also where it is a view |
    | `remat.view` | i64, an operand | the only result is a view of that operand |
    | `remat.in_place` | `array<i64: result, operand, ...>` | the result may take the storage of the operand where that dies at the op |
    | `remat.phase` | `"forward"` or `"backward"` | where the op belongs to, which only guides the search |
    | `remat.recomputed` | i64, at least 1 | set by `remat-to-budget` on repeated executions of ops: each has a number of its own |
    | `remat.destination` | i64, at least 1 | set by `remat-to-budget` on the empty tensors that ops write: each has a number of its own, so that nothing merges them |

    `remat.pure` is for ops that don't say their memory effects; on one that
    says that it has some it is an error. A view must be free of effects.
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
  let summary = "its input, not before other values exist";
  let description = [{
    A value of any type. Costs nothing at run time. Stands between a value and a
    clone that reads it, so that common-subexpression elimination does not merge
    the clone with its original, and nothing hoists it above what makes the
    values in `after`. `remat-erase-barriers` takes barriers away.

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
