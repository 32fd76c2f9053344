// Bufferization leaves the tensor of a to_tensor in the memory it is made of: its
// readers read that memory where they stand, so that none of them, and no clone,
// passes a write. A body that loads counts, whatever its op says.
//
// UNSUPPORTED: sanitized
//
// DEFINE: %{budget} =
// DEFINE: %{plugin} = --load-dialect-plugin=%reprise_lib/libReprisePlugin.so --load-pass-plugin=%reprise_lib/libReprisePlugin.so
// DEFINE: %{remat} = mlir-opt %t.mlir %{plugin} --pass-pipeline="builtin.module(cse,remat-to-budget{function=step budget-percent=%{budget}},cse,canonicalize,remat-erase-barriers)"
// DEFINE: %{run} = mlir-opt --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)" | mlir-runner -e main -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so | sed 's/base@ = 0x[0-9a-f]*//'
//
// RUN: cat %s %S/Inputs/pattern-and-print.mlir > %t.mlir
// RUN: cat %t.mlir | %{run} > %t.plain
// RUN: grep -c 'sizes = .64, 64.' %t.plain | FileCheck %s --check-prefix=PRINTED
// PRINTED: 2
//
// REDEFINE: %{budget} = 100
// RUN: %{remat} | %{run} > %t.remat
// RUN: cmp %t.plain %t.remat
//
// REDEFINE: %{budget} = 80
// RUN: %{remat} -o %t.remat.mlir
// RUN: FileCheck %s < %t.remat.mlir
// RUN: cat %t.remat.mlir | %{run} > %t.remat
// RUN: cmp %t.plain %t.remat

// The op that reads memory runs once here, and what it gives is computed again.
//
// CHECK-LABEL: func.func @step
// CHECK: tensor.pad
// CHECK: to_tensor
// CHECK: linalg.exp ins(%{{.*}}) outs(%{{.*}})
// CHECK: materialize_in_destination
// CHECK-NOT: tensor.pad
// CHECK: remat.recomputed
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @step(%x: tensor<64x62xf32>, %m: memref<64x64xf32>)
    -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  // Reads %m in its body.
  %padded = tensor.pad %x low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %v = memref.load %m[%c0, %c0] : memref<64x64xf32>
    tensor.yield %v : f32
  } : tensor<64x62xf32> to tensor<64x64xf32>
  // Reads %m by way of a tensor, and of a view of one.
  %t = bufferization.to_tensor %m restrict : memref<64x64xf32> to tensor<64x64xf32>
  %flat = tensor.collapse_shape %t [[0, 1]]
      : tensor<64x64xf32> into tensor<4096xf32>
  %again = tensor.expand_shape %flat [[0, 1]] output_shape [64, 64]
      : tensor<4096xf32> into tensor<64x64xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %h1 = linalg.exp ins(%again : tensor<64x64xf32>)
      outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e2 = tensor.empty() : tensor<64x64xf32>
  %h2 = linalg.mul ins(%h1, %padded : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e3 = tensor.empty() : tensor<64x64xf32>
  %h3 = linalg.tanh ins(%h2 : tensor<64x64xf32>)
      outs(%e3 : tensor<64x64xf32>) -> tensor<64x64xf32>
  // Writes %m.
  bufferization.materialize_in_destination %h3 in writable %m
      : (tensor<64x64xf32>, memref<64x64xf32>) -> ()
  %e4 = tensor.empty() : tensor<64x64xf32>
  %h4 = linalg.exp ins(%h3 : tensor<64x64xf32>)
      outs(%e4 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e5 = tensor.empty() : tensor<64x64xf32>
  %h5 = linalg.tanh ins(%h4 : tensor<64x64xf32>)
      outs(%e5 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e6 = tensor.empty() : tensor<64x64xf32>
  %b5 = linalg.mul ins(%h5, %h4 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e6 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e7 = tensor.empty() : tensor<64x64xf32>
  %b4 = linalg.mul ins(%b5, %h3 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e7 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e8 = tensor.empty() : tensor<64x64xf32>
  %b3 = linalg.mul ins(%b4, %h2 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e8 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e9 = tensor.empty() : tensor<64x64xf32>
  %b2 = linalg.mul ins(%b3, %padded : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e9 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e10 = tensor.empty() : tensor<64x64xf32>
  %b1 = linalg.mul ins(%b2, %h1 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e10 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %b1 : tensor<64x64xf32>
}

func.func @main() {
  %c62 = arith.constant 62 : index
  %c64 = arith.constant 64 : index
  %seed = arith.constant 3 : i64
  %d = call @pattern(%c64, %c62, %seed)
      : (index, index, i64) -> tensor<?x?xf32>
  %x = tensor.cast %d : tensor<?x?xf32> to tensor<64x62xf32>
  %m = memref.alloc() : memref<64x64xf32>
  %w = arith.constant 0.75 : f32
  linalg.fill ins(%w : f32) outs(%m : memref<64x64xf32>)
  %r = call @step(%x, %m)
      : (tensor<64x62xf32>, memref<64x64xf32>) -> tensor<64x64xf32>
  %p = tensor.cast %r : tensor<64x64xf32> to tensor<?x?xf32>
  call @print(%p) : (tensor<?x?xf32>) -> ()
  %t = bufferization.to_tensor %m restrict : memref<64x64xf32> to tensor<64x64xf32>
  %q = tensor.cast %t : tensor<64x64xf32> to tensor<?x?xf32>
  call @print(%q) : (tensor<?x?xf32>) -> ()
  return
}
