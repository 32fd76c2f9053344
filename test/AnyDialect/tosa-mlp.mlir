// A training step of tosa, in less memory with the same bits.
//
// UNSUPPORTED: sanitized
//
// DEFINE: %{plugin} = --load-dialect-plugin=%reprise_lib/libReprisePlugin.so --load-pass-plugin=%reprise_lib/libReprisePlugin.so
// DEFINE: %{generic} = --mlir-print-op-generic --mlir-print-local-scope
// DEFINE: %{lower} = --pass-pipeline="builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)"
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so
//
// RUN: cat %s %S/Inputs/pattern-and-print.mlir > %t.plain.mlir
// RUN: mlir-opt %t.plain.mlir %{plugin} -o %t.remat.mlir \
// RUN:   --pass-pipeline="builtin.module(remat-to-budget{budget-percent=80},cse,canonicalize,remat-erase-barriers)" \
// RUN:   --mlir-disable-threading --remarks-filter=remat-to-budget \
// RUN:   --remark-format=emitRemark 2> %t.remarks
// RUN: FileCheck %s < %t.remat.mlir
//
// The live bytes are those that were promised; without the pass they are more.
//
// RUN: mlir-opt %t.remat.mlir %{generic} \
// RUN:   | %python %S/Inputs/live_bytes.py step --promised %t.remarks
// RUN: mlir-opt %t.plain.mlir %{generic} \
// RUN:   | %python %S/Inputs/live_bytes.py step --above 130000
//
// The same bits, but for the addresses.
//
// RUN: mlir-opt %t.plain.mlir %{lower} | %{run} | sed "s/base@ = 0x[0-9a-f]*//" > %t.plain.txt
// RUN: mlir-opt %t.remat.mlir %{lower} | %{run} | sed "s/base@ = 0x[0-9a-f]*//" > %t.remat.txt
// RUN: diff %t.plain.txt %t.remat.txt
// RUN: FileCheck %s --check-prefix=BITS < %t.remat.txt

// CHECK-LABEL: func.func @step
// CHECK:         remat.recomputed = 1 : i64
// CHECK-NOT:     remat.barrier
// CHECK:         return

// BITS:      sizes = [1, 1]
// BITS-NEXT: {{^\[\[1[0-9]+\]\]$}}
// BITS:      sizes = [32, 32]
// BITS:      sizes = [32, 32]
// BITS:      sizes = [32, 32]

func.func @step(%x: tensor<1x256x32xf32>, %t: tensor<1x256x32xf32>,
                %w1: tensor<1x32x32xf32>, %w2: tensor<1x32x32xf32>,
                %w3: tensor<1x32x32xf32>)
    -> (tensor<1x1x1xf32>, tensor<1x32x32xf32>, tensor<1x32x32xf32>,
        tensor<1x32x32xf32>) {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>}
      : () -> tensor<1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>}
      : () -> tensor<1xi8>
  %one = "tosa.const"() {values = dense<1.0> : tensor<1x1x1xf32>}
      : () -> tensor<1x1x1xf32>

  // Forward.
  %h1 = tosa.matmul %x, %w1, %zp, %zp
      : (tensor<1x256x32xf32>, tensor<1x32x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x256x32xf32>
  %a1 = tosa.tanh %h1 : (tensor<1x256x32xf32>) -> tensor<1x256x32xf32>
  %h2 = tosa.matmul %a1, %w2, %zp, %zp
      : (tensor<1x256x32xf32>, tensor<1x32x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x256x32xf32>
  %a2 = tosa.tanh %h2 : (tensor<1x256x32xf32>) -> tensor<1x256x32xf32>
  %h3 = tosa.matmul %a2, %w3, %zp, %zp
      : (tensor<1x256x32xf32>, tensor<1x32x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x256x32xf32>

  // The sum of squared differences, halved by no one.
  %d3 = tosa.sub %h3, %t
      : (tensor<1x256x32xf32>, tensor<1x256x32xf32>) -> tensor<1x256x32xf32>
  %squares = tosa.mul %d3, %d3, %shift
      : (tensor<1x256x32xf32>, tensor<1x256x32xf32>, tensor<1xi8>) -> tensor<1x256x32xf32>
  %rows = tosa.reduce_sum %squares {axis = 1 : i32}
      : (tensor<1x256x32xf32>) -> tensor<1x1x32xf32>
  %loss = tosa.reduce_sum %rows {axis = 2 : i32}
      : (tensor<1x1x32xf32>) -> tensor<1x1x1xf32>

  // Backward.
  %a2_t = tosa.transpose %a2 {perms = array<i32: 0, 2, 1>}
      : (tensor<1x256x32xf32>) -> tensor<1x32x256xf32>
  %g3 = tosa.matmul %a2_t, %d3, %zp, %zp
      : (tensor<1x32x256xf32>, tensor<1x256x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x32x32xf32>
  %w3_t = tosa.transpose %w3 {perms = array<i32: 0, 2, 1>}
      : (tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %c2 = tosa.matmul %d3, %w3_t, %zp, %zp
      : (tensor<1x256x32xf32>, tensor<1x32x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x256x32xf32>
  %q2 = tosa.mul %a2, %a2, %shift
      : (tensor<1x256x32xf32>, tensor<1x256x32xf32>, tensor<1xi8>) -> tensor<1x256x32xf32>
  %s2 = tosa.sub %one, %q2
      : (tensor<1x1x1xf32>, tensor<1x256x32xf32>) -> tensor<1x256x32xf32>
  %d2 = tosa.mul %c2, %s2, %shift
      : (tensor<1x256x32xf32>, tensor<1x256x32xf32>, tensor<1xi8>) -> tensor<1x256x32xf32>
  %a1_t = tosa.transpose %a1 {perms = array<i32: 0, 2, 1>}
      : (tensor<1x256x32xf32>) -> tensor<1x32x256xf32>
  %g2 = tosa.matmul %a1_t, %d2, %zp, %zp
      : (tensor<1x32x256xf32>, tensor<1x256x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x32x32xf32>
  %w2_t = tosa.transpose %w2 {perms = array<i32: 0, 2, 1>}
      : (tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %c1 = tosa.matmul %d2, %w2_t, %zp, %zp
      : (tensor<1x256x32xf32>, tensor<1x32x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x256x32xf32>
  %q1 = tosa.mul %a1, %a1, %shift
      : (tensor<1x256x32xf32>, tensor<1x256x32xf32>, tensor<1xi8>) -> tensor<1x256x32xf32>
  %s1 = tosa.sub %one, %q1
      : (tensor<1x1x1xf32>, tensor<1x256x32xf32>) -> tensor<1x256x32xf32>
  %d1 = tosa.mul %c1, %s1, %shift
      : (tensor<1x256x32xf32>, tensor<1x256x32xf32>, tensor<1xi8>) -> tensor<1x256x32xf32>
  %x_t = tosa.transpose %x {perms = array<i32: 0, 2, 1>}
      : (tensor<1x256x32xf32>) -> tensor<1x32x256xf32>
  %g1 = tosa.matmul %x_t, %d1, %zp, %zp
      : (tensor<1x32x256xf32>, tensor<1x256x32xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x32x32xf32>
  return %loss, %g1, %g2, %g3
      : tensor<1x1x1xf32>, tensor<1x32x32xf32>, tensor<1x32x32xf32>,
        tensor<1x32x32xf32>
}

func.func @main() {
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %s0 = arith.constant 1 : i64
  %x_d = func.call @pattern(%c256, %c32, %s0)
      : (index, index, i64) -> tensor<?x?xf32>
  %x_s = tensor.cast %x_d : tensor<?x?xf32> to tensor<256x32xf32>
  %x = tensor.expand_shape %x_s [[0, 1], [2]]
      output_shape [1, 256, 32]
      : tensor<256x32xf32> into tensor<1x256x32xf32>
  %s1 = arith.constant 2 : i64
  %t_d = func.call @pattern(%c256, %c32, %s1)
      : (index, index, i64) -> tensor<?x?xf32>
  %t_s = tensor.cast %t_d : tensor<?x?xf32> to tensor<256x32xf32>
  %t = tensor.expand_shape %t_s [[0, 1], [2]]
      output_shape [1, 256, 32]
      : tensor<256x32xf32> into tensor<1x256x32xf32>
  %s2 = arith.constant 3 : i64
  %w1_d = func.call @pattern(%c32, %c32, %s2)
      : (index, index, i64) -> tensor<?x?xf32>
  %w1_s = tensor.cast %w1_d : tensor<?x?xf32> to tensor<32x32xf32>
  %w1 = tensor.expand_shape %w1_s [[0, 1], [2]]
      output_shape [1, 32, 32]
      : tensor<32x32xf32> into tensor<1x32x32xf32>
  %s3 = arith.constant 4 : i64
  %w2_d = func.call @pattern(%c32, %c32, %s3)
      : (index, index, i64) -> tensor<?x?xf32>
  %w2_s = tensor.cast %w2_d : tensor<?x?xf32> to tensor<32x32xf32>
  %w2 = tensor.expand_shape %w2_s [[0, 1], [2]]
      output_shape [1, 32, 32]
      : tensor<32x32xf32> into tensor<1x32x32xf32>
  %s4 = arith.constant 5 : i64
  %w3_d = func.call @pattern(%c32, %c32, %s4)
      : (index, index, i64) -> tensor<?x?xf32>
  %w3_s = tensor.cast %w3_d : tensor<?x?xf32> to tensor<32x32xf32>
  %w3 = tensor.expand_shape %w3_s [[0, 1], [2]]
      output_shape [1, 32, 32]
      : tensor<32x32xf32> into tensor<1x32x32xf32>
  %r:4 = call @step(%x, %t, %w1, %w2, %w3)
      : (tensor<1x256x32xf32>, tensor<1x256x32xf32>, tensor<1x32x32xf32>,
         tensor<1x32x32xf32>, tensor<1x32x32xf32>)
      -> (tensor<1x1x1xf32>, tensor<1x32x32xf32>, tensor<1x32x32xf32>,
          tensor<1x32x32xf32>)
  %l = tensor.collapse_shape %r#0 [[0, 1], [2]]
      : tensor<1x1x1xf32> into tensor<1x1xf32>
  %p0 = tensor.cast %l : tensor<1x1xf32> to tensor<?x?xf32>
  call @print(%p0) : (tensor<?x?xf32>) -> ()
  %f1 = tensor.collapse_shape %r#1 [[0, 1], [2]]
      : tensor<1x32x32xf32> into tensor<32x32xf32>
  %p1 = tensor.cast %f1 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p1) : (tensor<?x?xf32>) -> ()
  %f2 = tensor.collapse_shape %r#2 [[0, 1], [2]]
      : tensor<1x32x32xf32> into tensor<32x32xf32>
  %p2 = tensor.cast %f2 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p2) : (tensor<?x?xf32>) -> ()
  %f3 = tensor.collapse_shape %r#3 [[0, 1], [2]]
      : tensor<1x32x32xf32> into tensor<32x32xf32>
  %p3 = tensor.cast %f3 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p3) : (tensor<?x?xf32>) -> ()
  return
}
