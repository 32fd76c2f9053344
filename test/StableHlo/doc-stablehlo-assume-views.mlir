// RUN: reprise-opt %s --pass-pipeline='builtin.module(func.func(stablehlo-assume-views))' | FileCheck %s
// RUN: reprise-opt %s --pass-pipeline='builtin.module(func.func(stablehlo-assume-views{views=reshape}))' | FileCheck %s --check-prefix=RESHAPE
// RUN: not reprise-opt %s --pass-pipeline='builtin.module(func.func(stablehlo-assume-views{views=all}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK-LABEL: func.func @f
// CHECK: broadcast_in_dim %arg0, dims = [1] {remat.view = 0 : i64} :
// RESHAPE-LABEL: func.func @f
// RESHAPE: broadcast_in_dim %arg0, dims = [1] :
// UNKNOWN: error: views is 'all'; known are 'fused' and 'reshape'
func.func @f(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = stablehlo.broadcast_in_dim %x, dims = [1]
    : (tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// A pad has bytes unless windows read it; iota has none, and barriers are split.
// CHECK-LABEL: func.func @g
// CHECK: stablehlo.pad {{.*}} interior = [0] : (
// CHECK: stablehlo.pad {{.*}} interior = [1] {remat.view = 0 : i64}
// CHECK: stablehlo.iota dim = 0 {remat.bytes = array<i64: 0>}
// CHECK: %[[A:.*]] = remat.barrier %arg0 after %[[P:.*]] : tensor<8xf32>, tensor<9xf32>
// CHECK: %[[B:.*]] = remat.barrier %[[P]] after %arg0 : tensor<9xf32>, tensor<8xf32>
// CHECK: return %{{.*}}, %[[A]], %[[B]]
func.func @g(%x: tensor<8xf32>, %z: tensor<f32>, %w: tensor<15x2xf32>)
    -> (tensor<2xf32>, tensor<8xf32>, tensor<9xf32>, tensor<8xi32>) {
  %p = stablehlo.pad %x, %z, low = [0], high = [1], interior = [0]
    : (tensor<8xf32>, tensor<f32>) -> tensor<9xf32>
  %q = stablehlo.pad %x, %z, low = [0], high = [0], interior = [1]
    : (tensor<8xf32>, tensor<f32>) -> tensor<15xf32>
  %d = stablehlo.dot_general %q, %w, contracting_dims = [0] x [0]
    : (tensor<15xf32>, tensor<15x2xf32>) -> tensor<2xf32>
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %b:2 = stablehlo.optimization_barrier %x, %p : tensor<8xf32>, tensor<9xf32>
  return %d, %b#0, %b#1, %i
    : tensor<2xf32>, tensor<8xf32>, tensor<9xf32>, tensor<8xi32>
}
