// A training step of ops that nobody registered, in generic form as StableHLO
// would print them, in less memory with the same bits. Attributes say what the
// planner asks. To be run, with and without the pass alike, their names are
// mapped: products to calls of the functions that they name, the others to ops
// of arith and math that compute the same on tensors.
//
// UNSUPPORTED: sanitized
//
// DEFINE: %{plugin} = --load-dialect-plugin=%reprise_lib/libReprisePlugin.so --load-pass-plugin=%reprise_lib/libReprisePlugin.so --allow-unregistered-dialect
// DEFINE: %{generic} = --mlir-print-op-generic --mlir-print-local-scope --allow-unregistered-dialect
// DEFINE: %{lower} = --pass-pipeline="builtin.module(convert-elementwise-to-linalg,one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)"
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so
//
// RUN: cat %s %S/Inputs/pattern-and-print.mlir > %t.plain.mlir
// RUN: mlir-opt %t.plain.mlir %{plugin} -o %t.remat.mlir \
// RUN:   --pass-pipeline="builtin.module(remat-to-budget{budget-bytes=140000},cse,canonicalize,remat-erase-barriers)" \
// RUN:   --mlir-disable-threading --remarks-filter=remat-to-budget \
// RUN:   --remark-format=emitRemark 2> %t.remarks
// RUN: FileCheck %s < %t.remat.mlir
//
// The live bytes are those that were promised; without the pass they are more.
//
// RUN: mlir-opt %t.remat.mlir %{generic} \
// RUN:   | %python %S/Inputs/live_bytes.py step --promised %t.remarks
// RUN: mlir-opt %t.plain.mlir %{generic} \
// RUN:   | %python %S/Inputs/live_bytes.py step --above 180000
//
// The same bits, but for the addresses, and the loss is told once.
//
// RUN: mlir-opt %t.plain.mlir %{generic} | sed -f %S/Inputs/mhlo-to-executable.sed > %t.plain.exe.mlir
// RUN: mlir-opt %t.remat.mlir %{generic} | sed -f %S/Inputs/mhlo-to-executable.sed > %t.remat.exe.mlir
// RUN: mlir-opt %t.plain.exe.mlir %{lower} | %{run} | sed "s/base@ = 0x[0-9a-f]*//" > %t.plain.txt
// RUN: mlir-opt %t.remat.exe.mlir %{lower} | %{run} | sed "s/base@ = 0x[0-9a-f]*//" > %t.remat.txt
// RUN: diff %t.plain.txt %t.remat.txt
// RUN: FileCheck %s --check-prefix=BITS < %t.remat.txt

// CHECK-LABEL: func.func @step
// CHECK:         "mhlo.send"
// CHECK-NOT:     "mhlo.send"
// CHECK-NOT:     remat.barrier
// CHECK:         "mhlo.dot_general"{{.*}}remat.recomputed = 1 : i64
// CHECK-NOT:     "mhlo.send"
// CHECK-NOT:     remat.barrier
// CHECK:         return

// BITS:      sizes = [1, 1]
// BITS-NEXT: {{^\[\[1[0-9]+\]\]$}}
// BITS-NOT:  sizes = [1, 1]
// BITS:      sizes = [32, 32]
// BITS:      sizes = [32, 32]
// BITS:      sizes = [32, 32]
// BITS:      sizes = [32, 32]
// BITS-NOT:  sizes

#mn = affine_map<(m, n, k) -> (m, n)>
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#id = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (0, 0)>

func.func @step(%x: tensor<256x32xf32>, %t: tensor<256x32xf32>,
                %w1: tensor<32x32xf32>, %w2: tensor<32x32xf32>,
                %w3: tensor<32x32xf32>, %w4: tensor<32x32xf32>)
    -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %one = "mhlo.constant"() {value = dense<1.0> : tensor<256x32xf32>, remat.pure,
                                 remat.cost = 0.001} : () -> tensor<256x32xf32>

  // Forward.
  %h1 = "mhlo.dot_general"(%x, %w1)
      {dims = "1x0", computed_by = @dot_nn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>
  %a1 = "mhlo.tanh"(%h1) {remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>) -> tensor<256x32xf32>
  %h2 = "mhlo.dot_general"(%a1, %w2)
      {dims = "1x0", computed_by = @dot_nn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>
  %a2 = "mhlo.tanh"(%h2) {remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>) -> tensor<256x32xf32>
  %h3 = "mhlo.dot_general"(%a2, %w3)
      {dims = "1x0", computed_by = @dot_nn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>
  %a3 = "mhlo.tanh"(%h3) {remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>) -> tensor<256x32xf32>
  %h4 = "mhlo.dot_general"(%a3, %w4)
      {dims = "1x0", computed_by = @dot_nn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>

  // The loss is told once, whatever is computed again.
  %d4 = "mhlo.subtract"(%h4, %t) {remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %loss = "mhlo.custom_call"(%d4)
      {computed_by = @half_sum_of_squares, remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>) -> tensor<1x1xf32>
  "mhlo.send"(%loss) {computed_by = @tell} : (tensor<1x1xf32>) -> ()

  // Backward.
  %g4 = "mhlo.dot_general"(%a3, %d4)
      {dims = "0x0", computed_by = @dot_tn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<32x32xf32>
  %c3 = "mhlo.dot_general"(%d4, %w4)
      {dims = "1x1", computed_by = @dot_nt, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>
  %q3 = "mhlo.multiply"(%a3, %a3) {remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %s3 = "mhlo.subtract"(%one, %q3) {remat.pure, remat.cost = 0.004, remat.in_place = array<i64: 0, 1>}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %d3 = "mhlo.multiply"(%c3, %s3) {remat.pure, remat.cost = 0.004, remat.in_place = array<i64: 0, 0>}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %g3 = "mhlo.dot_general"(%a2, %d3)
      {dims = "0x0", computed_by = @dot_tn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<32x32xf32>
  %c2 = "mhlo.dot_general"(%d3, %w3)
      {dims = "1x1", computed_by = @dot_nt, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>
  %q2 = "mhlo.multiply"(%a2, %a2) {remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %s2 = "mhlo.subtract"(%one, %q2) {remat.pure, remat.cost = 0.004, remat.in_place = array<i64: 0, 1>}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %d2 = "mhlo.multiply"(%c2, %s2) {remat.pure, remat.cost = 0.004, remat.in_place = array<i64: 0, 0>}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %g2 = "mhlo.dot_general"(%a1, %d2)
      {dims = "0x0", computed_by = @dot_tn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<32x32xf32>
  %c1 = "mhlo.dot_general"(%d2, %w2)
      {dims = "1x1", computed_by = @dot_nt, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<32x32xf32>) -> tensor<256x32xf32>
  %q1 = "mhlo.multiply"(%a1, %a1) {remat.pure, remat.cost = 0.004}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %s1 = "mhlo.subtract"(%one, %q1) {remat.pure, remat.cost = 0.004, remat.in_place = array<i64: 0, 1>}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %d1 = "mhlo.multiply"(%c1, %s1) {remat.pure, remat.cost = 0.004, remat.in_place = array<i64: 0, 0>}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<256x32xf32>
  %g1 = "mhlo.dot_general"(%x, %d1)
      {dims = "0x0", computed_by = @dot_tn, remat.pure, remat.cost = 0.02}
      : (tensor<256x32xf32>, tensor<256x32xf32>) -> tensor<32x32xf32>
  return %g1, %g2, %g3, %g4 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// What the unregistered ops are computed by.

func.func private @dot_nn(%a: tensor<256x32xf32>, %b: tensor<32x32xf32>) -> tensor<256x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.matmul indexing_maps = [#mk, #kn, #mn]
      ins(%a, %b : tensor<256x32xf32>, tensor<32x32xf32>) outs(%z : tensor<256x32xf32>) -> tensor<256x32xf32>
  return %r : tensor<256x32xf32>
}

func.func private @dot_tn(%a: tensor<256x32xf32>, %b: tensor<256x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %b : tensor<256x32xf32>, tensor<256x32xf32>) outs(%z : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

func.func private @dot_nt(%a: tensor<256x32xf32>, %b: tensor<32x32xf32>) -> tensor<256x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<256x32xf32>, tensor<32x32xf32>) outs(%z : tensor<256x32xf32>) -> tensor<256x32xf32>
  return %r : tensor<256x32xf32>
}

func.func private @half_sum_of_squares(%d: tensor<256x32xf32>)
    -> tensor<1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<1x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1xf32>)
      -> tensor<1x1xf32>
  %r = linalg.generic {indexing_maps = [#id, #first],
                       iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<256x32xf32>) outs(%z : tensor<1x1xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %term = arith.mulf %half, %square : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

func.func private @tell(%loss: tensor<1x1xf32>) {
  %any = tensor.cast %loss : tensor<1x1xf32> to tensor<?x?xf32>
  call @print(%any) : (tensor<?x?xf32>) -> ()
  return
}

func.func @main() {
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %s0 = arith.constant 1 : i64
  %x_d = call @pattern(%c256, %c32, %s0)
      : (index, index, i64) -> tensor<?x?xf32>
  %x = tensor.cast %x_d : tensor<?x?xf32> to tensor<256x32xf32>
  %s1 = arith.constant 2 : i64
  %t_d = call @pattern(%c256, %c32, %s1)
      : (index, index, i64) -> tensor<?x?xf32>
  %t = tensor.cast %t_d : tensor<?x?xf32> to tensor<256x32xf32>
  %s2 = arith.constant 3 : i64
  %w1_d = call @pattern(%c32, %c32, %s2)
      : (index, index, i64) -> tensor<?x?xf32>
  %w1 = tensor.cast %w1_d : tensor<?x?xf32> to tensor<32x32xf32>
  %s3 = arith.constant 4 : i64
  %w2_d = call @pattern(%c32, %c32, %s3)
      : (index, index, i64) -> tensor<?x?xf32>
  %w2 = tensor.cast %w2_d : tensor<?x?xf32> to tensor<32x32xf32>
  %s4 = arith.constant 5 : i64
  %w3_d = call @pattern(%c32, %c32, %s4)
      : (index, index, i64) -> tensor<?x?xf32>
  %w3 = tensor.cast %w3_d : tensor<?x?xf32> to tensor<32x32xf32>
  %s5 = arith.constant 6 : i64
  %w4_d = call @pattern(%c32, %c32, %s5)
      : (index, index, i64) -> tensor<?x?xf32>
  %w4 = tensor.cast %w4_d : tensor<?x?xf32> to tensor<32x32xf32>
  %r:4 = call @step(%x, %t, %w1, %w2, %w3, %w4)
      : (tensor<256x32xf32>, tensor<256x32xf32>, tensor<32x32xf32>,
         tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>)
      -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>)
  %p0 = tensor.cast %r#0 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p0) : (tensor<?x?xf32>) -> ()
  %p1 = tensor.cast %r#1 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p1) : (tensor<?x?xf32>) -> ()
  %p2 = tensor.cast %r#2 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p2) : (tensor<?x?xf32>) -> ()
  %p3 = tensor.cast %r#3 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p3) : (tensor<?x?xf32>) -> ()
  return
}
