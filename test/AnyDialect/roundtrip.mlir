// RUN: reprise-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: reprise-opt %s --allow-unregistered-dialect --mlir-print-op-generic | reprise-opt --allow-unregistered-dialect | FileCheck %s
// RUN: reprise-opt %s --allow-unregistered-dialect --cse --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @barriers_of_any_type
// CHECK:         remat.barrier %arg0 : tensor<8xf32>
// CHECK:         remat.barrier %arg1 after %arg0, %arg2 : index, tensor<8xf32>, !other.token
// CHECK:         remat.barrier %arg2 after %arg1 : !other.token, index
// CHECK:         remat.barrier %arg3 : memref<?xf32>
func.func @barriers_of_any_type(%t: tensor<8xf32>, %i: index,
                                %token: !other.token, %m: memref<?xf32>)
    -> (tensor<8xf32>, index, !other.token, memref<?xf32>) {
  %0 = remat.barrier %t : tensor<8xf32>
  %1 = remat.barrier %i after %t, %token : index, tensor<8xf32>, !other.token
  %2 = remat.barrier %token after %i : !other.token, index
  %3 = remat.barrier %m : memref<?xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, index, !other.token, memref<?xf32>
}

// CHECK-LABEL: func.func @attributes
// CHECK:         "other.all"(%arg0) {remat.bytes = array<i64: 64, 0>, remat.cost = 2.500000e-01 : f64, remat.in_place = array<i64: 0, 0>, remat.phase = "backward", remat.pure, remat.recomputed = 1 : i64, remat.workspace = 128 : i64}
// CHECK:         "other.view"(%arg0) {remat.fixed, remat.pure, remat.view = 0 : i64}
func.func @attributes(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = "other.all"(%x) {
    remat.bytes = array<i64: 64, 0>, remat.cost = 0.25,
    remat.in_place = array<i64: 0, 0>, remat.phase = "backward", remat.pure,
    remat.recomputed = 1 : i64, remat.workspace = 128 : i64
  } : (tensor<?xf32>) -> (tensor<?xf32>, index)
  %1 = "other.view"(%x) {remat.pure, remat.fixed, remat.view = 0 : i64}
    : (tensor<?xf32>) -> tensor<?xf32>
  return %0#0, %1 : tensor<?xf32>, tensor<?xf32>
}
