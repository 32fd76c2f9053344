// Readers of one empty tensor, and clones, get destinations of their own, so that
// bufferization holds no more than was promised; the bits stay.
//
// UNSUPPORTED: sanitized
//
// DEFINE: %{budget} =
// DEFINE: %{plugin} = --load-dialect-plugin=%reprise_lib/libReprisePlugin.so --load-pass-plugin=%reprise_lib/libReprisePlugin.so
// DEFINE: %{remat} = mlir-opt %t.mlir %{plugin} --pass-pipeline="builtin.module(cse,remat-to-budget{function=step budget-percent=%{budget}},cse,canonicalize,remat-erase-barriers)" --mlir-disable-threading --remarks-filter=remat-to-budget --remark-format=emitRemark -o %t.remat.mlir 2> %t.remarks
// DEFINE: %{free} = mlir-opt %t.remat.mlir --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries},buffer-deallocation-pipeline,func.func(optimize-allocation-liveness))"
// DEFINE: %{held} = %{free} | %python %S/Inputs/allocated_bytes.py step --within %t.remarks
// DEFINE: %{run} = mlir-opt --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)" | mlir-runner -e main -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so | sed 's/base@ = 0x[0-9a-f]*//'
//
// RUN: cat %s %S/Inputs/pattern-and-print.mlir > %t.mlir
// RUN: cat %t.mlir | %{run} > %t.plain
// RUN: grep -c 'sizes = .64, 64.' %t.plain | FileCheck %s --check-prefix=PRINTED
// PRINTED: 1
//
// REDEFINE: %{budget} = 100
// RUN: %{remat}
// RUN: %{held}
// RUN: cat %t.remat.mlir | %{run} > %t.bits
// RUN: cmp %t.plain %t.bits
//
// REDEFINE: %{budget} = 70
// RUN: %{remat}
// RUN: grep 'remat.recomputed' %t.remat.mlir | FileCheck %s
// CHECK: linalg.tanh
// RUN: %{held}
// RUN: cat %t.remat.mlir | %{run} > %t.bits
// RUN: cmp %t.plain %t.bits

func.func @step(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m1 = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h1 = linalg.tanh ins(%m1 : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m2 = linalg.matmul ins(%h1, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h2 = linalg.tanh ins(%m2 : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m3 = linalg.matmul ins(%h2, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h3 = linalg.tanh ins(%m3 : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m4 = linalg.matmul ins(%h3, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h4 = linalg.tanh ins(%m4 : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m5 = linalg.matmul ins(%h4, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h5 = linalg.tanh ins(%m5 : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p4 = linalg.matmul ins(%h5, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g4 = linalg.mul ins(%p4, %h4 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p3 = linalg.matmul ins(%g4, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g3 = linalg.mul ins(%p3, %h3 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p2 = linalg.matmul ins(%g3, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g2 = linalg.mul ins(%p2, %h2 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%g2, %w : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g1 = linalg.mul ins(%p1, %h1 : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %g1 : tensor<64x64xf32>
}

func.func @main() {
  %n = arith.constant 64 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = call @pattern(%n, %n, %one) : (index, index, i64) -> tensor<?x?xf32>
  %b = call @pattern(%n, %n, %two) : (index, index, i64) -> tensor<?x?xf32>
  %x = tensor.cast %a : tensor<?x?xf32> to tensor<64x64xf32>
  %w = tensor.cast %b : tensor<?x?xf32> to tensor<64x64xf32>
  %r = call @step(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = tensor.cast %r : tensor<64x64xf32> to tensor<?x?xf32>
  call @print(%p) : (tensor<?x?xf32>) -> ()
  return
}
