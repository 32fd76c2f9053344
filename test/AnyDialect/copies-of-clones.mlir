// A clone of a selection need not copy, as its original does that shares a storage
// which other ops write: fewer bytes than promised are live.
//
// RUN: reprise-opt %s --pass-pipeline="builtin.module(cse,remat-to-budget{function=step budget-bytes=9292 work=0.05 threads=1})" \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK:         arith.select {{.*}}remat.recomputed
// CHECK:         return
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @step(%arg0: tensor<16x16xf32>, %arg1: tensor<16x16xf32>, %arg2: tensor<8x16xf32>, %arg3: i1) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %cst = arith.constant 5.000000e-01 : f32
  %c1 = arith.constant 1 : index
  %splat = tensor.splat %cst : tensor<16xf32>
  %broadcasted = linalg.broadcast ins(%splat : tensor<16xf32>) outs(%arg0 : tensor<16x16xf32>) dimensions = [0] 
  %0 = arith.select %arg3, %arg0, %arg0 : tensor<16x16xf32>
  %extracted = tensor.extract %broadcasted[%c1, %c1] : tensor<16x16xf32>
  %1 = scf.if %arg3 -> (tensor<16x16xf32>) {
    %17 = tensor.empty() : tensor<16x16xf32>
    %18 = linalg.fill ins(%extracted : f32) outs(%17 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %19 = linalg.matmul ins(%broadcasted, %0 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%18 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %20 = linalg.abs ins(%19 : tensor<16x16xf32>) outs(%17 : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %18 : tensor<16x16xf32>
  } else {
    scf.yield %broadcasted : tensor<16x16xf32>
  }
  %2 = tensor.empty() : tensor<16x16xf32>
  %3:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<16x16xf32>) outs(%2, %2 : tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%in: f32, %out: f32, %out_1: f32):
    %17 = arith.mulf %in, %cst : f32
    %18 = math.tanh %in : f32
    linalg.yield %17, %18 : f32, f32
  } -> (tensor<16x16xf32>, tensor<16x16xf32>)
  %4 = linalg.fill ins(%extracted : f32) outs(%3#0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %5 = scf.if %arg3 -> (tensor<16x16xf32>) {
    %splat_1 = tensor.splat %cst : tensor<16xf32>
    %extracted_slice = tensor.extract_slice %4[0, 0] [8, 16] [1, 1] : tensor<16x16xf32> to tensor<8x16xf32>
    scf.yield %1 : tensor<16x16xf32>
  } else {
    scf.yield %3#0 : tensor<16x16xf32>
  }
  %6 = linalg.max ins(%3#1, %5 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %7 = linalg.sub ins(%6, %6 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %8 = tensor.empty() : tensor<16x16xf32>
  %9 = linalg.sub ins(%7, %4 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%8 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %10 = tensor.empty() : tensor<16x16xf32>
  %11 = linalg.max ins(%9, %3#1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%10 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %12 = linalg.mul ins(%11, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%7 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %13 = tensor.empty() : tensor<16x16xf32>
  %14 = linalg.mul ins(%12, %0 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%13 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %15 = linalg.add ins(%14, %broadcasted : tensor<16x16xf32>, tensor<16x16xf32>) outs(%11 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %broadcasted_0 = linalg.broadcast ins(%splat : tensor<16xf32>) outs(%10 : tensor<16x16xf32>) dimensions = [1] 
  %16 = linalg.sub ins(%15, %arg1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%8 : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %16, %broadcasted_0, %splat, %splat : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
}

