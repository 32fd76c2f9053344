//===- StableHloPasses.td - Steps of StableHLO --------------*- tablegen -*-===//
#ifndef REPRISE_PASSES_STABLEHLOPASSES
#define REPRISE_PASSES_STABLEHLOPASSES

include "mlir/Pass/PassBase.td"

def StableHloInlineCalls
    : Pass<"stablehlo-inline-calls", "::mlir::ModuleOp"> {
  let summary = "inlines calls of functions, so that a step is one block";
  let description = [{
    Replaces each `func.call` of a function with one block by the ops of that block, also
    in regions, and erases private functions that are then not referred to. Calls of
    functions without a body stay.

    ```mlir
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %r = func.call @square(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    func.func private @square(%x: tensor<8xf32>) -> tensor<8xf32> {
      %r = stablehlo.multiply %x, %x : tensor<8xf32>
      return %r : tensor<8xf32>
    }
    // becomes
    //   %r = stablehlo.multiply %x, %x : tensor<8xf32>
    //   return %r : tensor<8xf32>
    ```

    Fails if a function calls itself, a called function has several blocks, or more than
    a million ops would result.
  }];
}

def StableHloAssumeViews
    : Pass<"stablehlo-assume-views", "::mlir::func::FuncOp"> {
  let summary = "marks what a compiler computes where it is read as views";
  let description = [{
    StableHLO says nothing about which results are stored. A reshape never is. With
    `views=fused`, ops get `remat` attributes by which `remat-to-budget` counts these
    without bytes of their own: broadcasts, transposes, reversals, iota, and pads
    that only products, convolutions and windows read. Compilers such as XLA compute
    these inside the op that reads them, or as the layout of its operand; where one
    stores such a result nevertheless, a step takes more than planned. With
    `views=reshape` nothing is marked.

    An `optimization_barrier` becomes barriers of single values, which are views.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<4x8xf32> {
      %r = stablehlo.broadcast_in_dim %x, dims = [1]
        : (tensor<8xf32>) -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    // becomes
    //   %r = stablehlo.broadcast_in_dim %x, dims = [1] {remat.view = 0 : i64} ...
    ```
  }];
  let options = [
    Option<"views", "views", "std::string", "\"fused\"",
           "which results are views: fused, reshape">];
  let dependentDialects = ["::reprise::remat::RematDialect"];
}

def StableHloInsertBarriers
    : Pass<"stablehlo-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "turns barriers into stablehlo.optimization_barrier";
  let description = [{
    After `remat-to-budget`, a recomputed op reads its operands through a `remat.barrier`
    each, which waits for the value that was computed before. They become one
    `stablehlo.optimization_barrier` of the operands and of that value. What reads the
    value later reads it from the barrier: a compiler that drops unused results of
    barriers then cannot drop the one that orders the recomputation. A view is computed
    again behind the barrier, since a value that passes a barrier is stored. Attributes
    of the `remat` dialect are removed.

    ```mlir
    func.func @f(%x: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
      %x1 = remat.barrier %x after %g : tensor<8xf32>, tensor<8xf32>
      %y = stablehlo.tanh %x1 {remat.recomputed = 1 : i64} : tensor<8xf32>
      %r = stablehlo.multiply %y, %g : tensor<8xf32>
      return %r : tensor<8xf32>
    }
    // becomes
    //   %b:2 = stablehlo.optimization_barrier %x, %g : tensor<8xf32>, tensor<8xf32>
    //   %y = stablehlo.tanh %b#0 : tensor<8xf32>
    //   %r = stablehlo.multiply %y, %b#1 : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::reprise::stablehlo::HloDialect"];
}

#endif // REPRISE_PASSES_STABLEHLOPASSES
