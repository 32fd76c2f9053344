// A training step of linalg, written by hand, in less memory with the same bits:
// by the stock mlir-opt, which loads Reprise as a plugin, and mlir-runner.
//
// UNSUPPORTED: sanitized
//
// DEFINE: %{plugin} = --load-dialect-plugin=%reprise_lib/libReprisePlugin.so --load-pass-plugin=%reprise_lib/libReprisePlugin.so
// DEFINE: %{generic} = --mlir-print-op-generic --mlir-print-local-scope
// DEFINE: %{lower} = --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)"
// DEFINE: %{free} = --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries},buffer-deallocation-pipeline,func.func(optimize-allocation-liveness))"
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so
//
// RUN: cat %s %S/Inputs/pattern-and-print.mlir > %t.plain.mlir
// RUN: mlir-opt %t.plain.mlir %{plugin} -o %t.remat.mlir \
// RUN:   --pass-pipeline="builtin.module(cse,remat-to-budget{budget-bytes=128000},cse,canonicalize,remat-erase-barriers)" \
// RUN:   --mlir-disable-threading --remarks-filter=remat-to-budget \
// RUN:   --remark-format=emitRemark 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s < %t.remat.mlir
//
// The live bytes are those that were promised; without the pass they are more.
//
// RUN: mlir-opt %t.remat.mlir %{generic} \
// RUN:   | %python %S/Inputs/live_bytes.py step --promised %t.remarks
// RUN: mlir-opt %t.plain.mlir --cse %{generic} \
// RUN:   | %python %S/Inputs/live_bytes.py step --above 200000
//
// Passes that rewrite ops drop their attributes. Barriers keep clones from being
// merged with their originals then, and so do destinations of their own.
//
// RUN: mlir-opt %t.plain.mlir %{plugin} %{generic} \
// RUN:   --pass-pipeline="builtin.module(cse,remat-to-budget{budget-bytes=128000},func.func(linalg-generalize-named-ops),cse,remat-erase-barriers)" \
// RUN:   | %python %S/Inputs/live_bytes.py step --promised %t.remarks
// RUN: mlir-opt %t.plain.mlir %{plugin} %{generic} \
// RUN:   --pass-pipeline="builtin.module(cse,remat-to-budget{budget-bytes=128000},remat-erase-barriers,func.func(linalg-generalize-named-ops),cse)" \
// RUN:   | %python %S/Inputs/live_bytes.py step --promised %t.remarks
//
// What upstream's bufferization allocates and frees is within the promise, too.
//
// RUN: mlir-opt %t.remat.mlir %{free} \
// RUN:   | %python %S/Inputs/allocated_bytes.py step --within %t.remarks
// RUN: mlir-opt %t.plain.mlir %{free} \
// RUN:   | %python %S/Inputs/allocated_bytes.py step --above 128000
//
// The same bits, but for the addresses.
//
// RUN: mlir-opt %t.plain.mlir %{lower} | %{run} | sed "s/base@ = 0x[0-9a-f]*//" > %t.plain.txt
// RUN: mlir-opt %t.remat.mlir %{lower} | %{run} | sed "s/base@ = 0x[0-9a-f]*//" > %t.remat.txt
// RUN: diff %t.plain.txt %t.remat.txt
// RUN: FileCheck %s --check-prefix=BITS < %t.remat.txt

// REMARK: [Passed] planned | Category:remat-to-budget
// REMARK-SAME: budget_bytes=128000
// REMARK: [Passed] recomputed | Category:remat-to-budget

// CHECK-LABEL: func.func @step
// CHECK:         linalg.tanh ins
// CHECK:         linalg.tanh {remat.recomputed = {{[0-9]+}} : i64}
// CHECK-NOT:     remat.barrier
// CHECK:         return

// BITS: sizes = [1, 1]
// BITS-NEXT: {{^\[\[1[0-9]+\]\]$}}
// BITS: sizes = [16, 32]
// BITS: sizes = [32, 32]
// BITS: sizes = [32, 32]
// BITS: sizes = [32, 32]
// BITS: sizes = [32, 8]

#mn = affine_map<(m, n, k) -> (m, n)>
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#id = affine_map<(i, j) -> (i, j)>
#all = affine_map<(i, j) -> ()>

func.func @step(%x: tensor<256x16xf32>, %t: tensor<256x8xf32>,
                %w1: tensor<16x32xf32>, %w2: tensor<32x32xf32>,
                %w3: tensor<32x32xf32>, %w4: tensor<32x32xf32>,
                %w5: tensor<32x8xf32>)
    -> (tensor<f32>, tensor<16x32xf32>, tensor<32x32xf32>,
        tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x8xf32>) {
  %zero = arith.constant 0.0 : f32

  // Forward.
  %h1_e = tensor.empty() : tensor<256x32xf32>
  %h1_z = linalg.fill ins(%zero : f32) outs(%h1_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h1 = linalg.matmul
      ins(%x, %w1 : tensor<256x16xf32>, tensor<16x32xf32>) outs(%h1_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %a1_e = tensor.empty() : tensor<256x32xf32>
  %a1 = linalg.tanh ins(%h1 : tensor<256x32xf32>) outs(%a1_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h2_e = tensor.empty() : tensor<256x32xf32>
  %h2_z = linalg.fill ins(%zero : f32) outs(%h2_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h2 = linalg.matmul
      ins(%a1, %w2 : tensor<256x32xf32>, tensor<32x32xf32>) outs(%h2_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %a2_e = tensor.empty() : tensor<256x32xf32>
  %a2 = linalg.tanh ins(%h2 : tensor<256x32xf32>) outs(%a2_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h3_e = tensor.empty() : tensor<256x32xf32>
  %h3_z = linalg.fill ins(%zero : f32) outs(%h3_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h3 = linalg.matmul
      ins(%a2, %w3 : tensor<256x32xf32>, tensor<32x32xf32>) outs(%h3_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %a3_e = tensor.empty() : tensor<256x32xf32>
  %a3 = linalg.tanh ins(%h3 : tensor<256x32xf32>) outs(%a3_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h4_e = tensor.empty() : tensor<256x32xf32>
  %h4_z = linalg.fill ins(%zero : f32) outs(%h4_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h4 = linalg.matmul
      ins(%a3, %w4 : tensor<256x32xf32>, tensor<32x32xf32>) outs(%h4_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %a4_e = tensor.empty() : tensor<256x32xf32>
  %a4 = linalg.tanh ins(%h4 : tensor<256x32xf32>) outs(%a4_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h5_e = tensor.empty() : tensor<256x8xf32>
  %h5_z = linalg.fill ins(%zero : f32) outs(%h5_e : tensor<256x8xf32>) -> tensor<256x8xf32>
  %h5 = linalg.matmul
      ins(%a4, %w5 : tensor<256x32xf32>, tensor<32x8xf32>) outs(%h5_z : tensor<256x8xf32>) -> tensor<256x8xf32>

  // Half the sum of squared differences.
  %d5_e = tensor.empty() : tensor<256x8xf32>
  %d5 = linalg.sub ins(%h5, %t : tensor<256x8xf32>, tensor<256x8xf32>) outs(%d5_e : tensor<256x8xf32>) -> tensor<256x8xf32>
  %loss_e = tensor.empty() : tensor<f32>
  %loss_z = linalg.fill ins(%zero : f32) outs(%loss_e : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, #all],
                          iterator_types = ["reduction", "reduction"]}
      ins(%d5 : tensor<256x8xf32>) outs(%loss_z : tensor<f32>) {
  ^bb0(%d: f32, %sum: f32):
    %half = arith.constant 0.5 : f32
    %square = arith.mulf %d, %d : f32
    %term = arith.mulf %half, %square : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<f32>

  // Backward.
  %g5_e = tensor.empty() : tensor<32x8xf32>
  %g5_z = linalg.fill ins(%zero : f32) outs(%g5_e : tensor<32x8xf32>) -> tensor<32x8xf32>
  %g5 = linalg.matmul
      indexing_maps = [#km, #kn, #mn]
      ins(%a4, %d5 : tensor<256x32xf32>, tensor<256x8xf32>) outs(%g5_z : tensor<32x8xf32>) -> tensor<32x8xf32>
  %c4_e = tensor.empty() : tensor<256x32xf32>
  %c4_z = linalg.fill ins(%zero : f32) outs(%c4_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %c4 = linalg.matmul
      indexing_maps = [#mk, #nk, #mn]
      ins(%d5, %w5 : tensor<256x8xf32>, tensor<32x8xf32>) outs(%c4_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %d4_e = tensor.empty() : tensor<256x32xf32>
  %d4 = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel", "parallel"]}
      ins(%c4, %a4 : tensor<256x32xf32>, tensor<256x32xf32>) outs(%d4_e : tensor<256x32xf32>) {
  ^bb0(%c: f32, %a: f32, %unused: f32):
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %a, %a : f32
    %slope = arith.subf %one, %square : f32
    %d = arith.mulf %c, %slope : f32
    linalg.yield %d : f32
  } -> tensor<256x32xf32>
  %g4_e = tensor.empty() : tensor<32x32xf32>
  %g4_z = linalg.fill ins(%zero : f32) outs(%g4_e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %g4 = linalg.matmul
      indexing_maps = [#km, #kn, #mn]
      ins(%a3, %d4 : tensor<256x32xf32>, tensor<256x32xf32>) outs(%g4_z : tensor<32x32xf32>) -> tensor<32x32xf32>
  %c3_e = tensor.empty() : tensor<256x32xf32>
  %c3_z = linalg.fill ins(%zero : f32) outs(%c3_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %c3 = linalg.matmul
      indexing_maps = [#mk, #nk, #mn]
      ins(%d4, %w4 : tensor<256x32xf32>, tensor<32x32xf32>) outs(%c3_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %d3_e = tensor.empty() : tensor<256x32xf32>
  %d3 = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel", "parallel"]}
      ins(%c3, %a3 : tensor<256x32xf32>, tensor<256x32xf32>) outs(%d3_e : tensor<256x32xf32>) {
  ^bb0(%c: f32, %a: f32, %unused: f32):
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %a, %a : f32
    %slope = arith.subf %one, %square : f32
    %d = arith.mulf %c, %slope : f32
    linalg.yield %d : f32
  } -> tensor<256x32xf32>
  %g3_e = tensor.empty() : tensor<32x32xf32>
  %g3_z = linalg.fill ins(%zero : f32) outs(%g3_e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %g3 = linalg.matmul
      indexing_maps = [#km, #kn, #mn]
      ins(%a2, %d3 : tensor<256x32xf32>, tensor<256x32xf32>) outs(%g3_z : tensor<32x32xf32>) -> tensor<32x32xf32>
  %c2_e = tensor.empty() : tensor<256x32xf32>
  %c2_z = linalg.fill ins(%zero : f32) outs(%c2_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %c2 = linalg.matmul
      indexing_maps = [#mk, #nk, #mn]
      ins(%d3, %w3 : tensor<256x32xf32>, tensor<32x32xf32>) outs(%c2_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %d2_e = tensor.empty() : tensor<256x32xf32>
  %d2 = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel", "parallel"]}
      ins(%c2, %a2 : tensor<256x32xf32>, tensor<256x32xf32>) outs(%d2_e : tensor<256x32xf32>) {
  ^bb0(%c: f32, %a: f32, %unused: f32):
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %a, %a : f32
    %slope = arith.subf %one, %square : f32
    %d = arith.mulf %c, %slope : f32
    linalg.yield %d : f32
  } -> tensor<256x32xf32>
  %g2_e = tensor.empty() : tensor<32x32xf32>
  %g2_z = linalg.fill ins(%zero : f32) outs(%g2_e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %g2 = linalg.matmul
      indexing_maps = [#km, #kn, #mn]
      ins(%a1, %d2 : tensor<256x32xf32>, tensor<256x32xf32>) outs(%g2_z : tensor<32x32xf32>) -> tensor<32x32xf32>
  %c1_e = tensor.empty() : tensor<256x32xf32>
  %c1_z = linalg.fill ins(%zero : f32) outs(%c1_e : tensor<256x32xf32>) -> tensor<256x32xf32>
  %c1 = linalg.matmul
      indexing_maps = [#mk, #nk, #mn]
      ins(%d2, %w2 : tensor<256x32xf32>, tensor<32x32xf32>) outs(%c1_z : tensor<256x32xf32>) -> tensor<256x32xf32>
  %d1_e = tensor.empty() : tensor<256x32xf32>
  %d1 = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel", "parallel"]}
      ins(%c1, %a1 : tensor<256x32xf32>, tensor<256x32xf32>) outs(%d1_e : tensor<256x32xf32>) {
  ^bb0(%c: f32, %a: f32, %unused: f32):
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %a, %a : f32
    %slope = arith.subf %one, %square : f32
    %d = arith.mulf %c, %slope : f32
    linalg.yield %d : f32
  } -> tensor<256x32xf32>
  %g1_e = tensor.empty() : tensor<16x32xf32>
  %g1_z = linalg.fill ins(%zero : f32) outs(%g1_e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %g1 = linalg.matmul
      indexing_maps = [#km, #kn, #mn]
      ins(%x, %d1 : tensor<256x16xf32>, tensor<256x32xf32>) outs(%g1_z : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %loss, %g1, %g2, %g3, %g4, %g5
      : tensor<f32>, tensor<16x32xf32>, tensor<32x32xf32>,
        tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x8xf32>
}

func.func @main() {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %s0 = arith.constant 1 : i64
  %x_d = call @pattern(%c256, %c16, %s0)
      : (index, index, i64) -> tensor<?x?xf32>
  %x = tensor.cast %x_d : tensor<?x?xf32> to tensor<256x16xf32>
  %s1 = arith.constant 2 : i64
  %t_d = call @pattern(%c256, %c8, %s1)
      : (index, index, i64) -> tensor<?x?xf32>
  %t = tensor.cast %t_d : tensor<?x?xf32> to tensor<256x8xf32>
  %s2 = arith.constant 3 : i64
  %w1_d = call @pattern(%c16, %c32, %s2)
      : (index, index, i64) -> tensor<?x?xf32>
  %w1 = tensor.cast %w1_d : tensor<?x?xf32> to tensor<16x32xf32>
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
  %s6 = arith.constant 7 : i64
  %w5_d = call @pattern(%c32, %c8, %s6)
      : (index, index, i64) -> tensor<?x?xf32>
  %w5 = tensor.cast %w5_d : tensor<?x?xf32> to tensor<32x8xf32>
  %r:6 = call @step(%x, %t, %w1, %w2, %w3, %w4, %w5)
      : (tensor<256x16xf32>, tensor<256x8xf32>, tensor<16x32xf32>,
         tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>,
         tensor<32x8xf32>)
      -> (tensor<f32>, tensor<16x32xf32>, tensor<32x32xf32>,
          tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x8xf32>)
  %loss = tensor.expand_shape %r#0 [] output_shape [1, 1]
      : tensor<f32> into tensor<1x1xf32>
  %p0 = tensor.cast %loss : tensor<1x1xf32> to tensor<?x?xf32>
  call @print(%p0) : (tensor<?x?xf32>) -> ()
  %p1 = tensor.cast %r#1 : tensor<16x32xf32> to tensor<?x?xf32>
  call @print(%p1) : (tensor<?x?xf32>) -> ()
  %p2 = tensor.cast %r#2 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p2) : (tensor<?x?xf32>) -> ()
  %p3 = tensor.cast %r#3 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p3) : (tensor<?x?xf32>) -> ()
  %p4 = tensor.cast %r#4 : tensor<32x32xf32> to tensor<?x?xf32>
  call @print(%p4) : (tensor<?x?xf32>) -> ()
  %p5 = tensor.cast %r#5 : tensor<32x8xf32> to tensor<?x?xf32>
  call @print(%p5) : (tensor<?x?xf32>) -> ()
  return
}
