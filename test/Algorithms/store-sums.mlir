// cuDNN stores sums of convolutions in the operands' type alone, cuBLASLt those
// of products as f32 too.
//
// RUN: reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-widen-calls{target=cuda:h100}))' \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-widen-calls{target=cpu:x86-64-v4}))' \
// RUN:   | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: func.func @f(
// CHECK:         %[[Y:.*]] = sg.conv2d {{.*}} -> tensor<2x8x8x4xbf16>
// CHECK-NEXT:    %[[W:.*]] = sg.cast %[[Y]] : tensor<2x8x8x4xbf16> to tensor<2x8x8x4xf32>
// CHECK:         %[[P:.*]] = sg.matmul {{.*}} -> tensor<8x8xf32>
// CHECK-NEXT:    return %[[W]], %[[P]]

// CPU-LABEL: func.func @f(
// CPU-NOT:     sg.cast
// CPU:         return
func.func @f(%x: tensor<2x8x8x3xbf16>, %w: tensor<4x1x1x3xbf16>,
             %a: tensor<8x8xbf16>) -> (tensor<2x8x8x4xf32>, tensor<8x8xf32>) {
  %y = sg.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<2x8x8x3xbf16>, tensor<4x1x1x3xbf16>) -> tensor<2x8x8x4xf32>
  %p = sg.matmul %a, %a
    : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32>
  return %y, %p : tensor<2x8x8x4xf32>, tensor<8x8xf32>
}
