// Attention is a kernel of its own where kernels of the target run it, and what
// the library has, or lacks, elsewhere: heads that are too wide for a block.
//
// RUN: reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-form-kernels{target=cuda:h200}))' \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-form-kernels))' \
// RUN:   | FileCheck %s --check-prefix=LIBRARY

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x5x3x2x4xbf16>, %[[B:[a-z0-9]+]]: tensor<1x2x5x5xf32>
// CHECK:         %[[Y:.*]]:2 = sg.kernel "attention" (%[[XA:.*]] = %[[X]] : tensor<2x5x3x2x4xbf16>, %[[BA:.*]] = %[[B]] : tensor<1x2x5x5xf32>)
// CHECK:           %[[R:.*]], %[[L:.*]] = sg.attention %[[XA]], %[[BA]] {scale = 5.000000e-01 : f64}
// CHECK-NEXT:      sg.yield %[[R]], %[[L]]
// CHECK:         %{{.*}}:2 = sg.kernel "attention_grad" (%{{.*}} = %[[X]] : tensor<2x5x3x2x4xbf16>, %{{.*}} = %[[Y]]#0 : tensor<2x5x2x4xbf16>, %{{.*}} = %[[Y]]#1 : tensor<2x2x5xf32>, %{{.*}} = %[[B]] : tensor<1x2x5x5xf32>)
// CHECK:           sg.attention_grad
// CHECK-NOT:     sg.kernel
// CHECK:         sg.attention %{{.*}} : (tensor<2x5x3x1x200xf32>)

// LIBRARY-NOT: sg.kernel
func.func @f(%x: tensor<2x5x3x2x4xbf16>, %b: tensor<1x2x5x5xf32>,
             %wide: tensor<2x5x3x1x200xf32>)
    -> (tensor<2x5x3x2x4xbf16>, tensor<1x2x5x5xf32>, tensor<2x5x1x200xf32>) {
  %y, %lse = sg.attention %x, %b {scale = 0.5 : f64}
    : (tensor<2x5x3x2x4xbf16>, tensor<1x2x5x5xf32>)
    -> (tensor<2x5x2x4xbf16>, tensor<2x2x5xf32>)
  // The cotangent is the result: a kernel gets each operand once.
  %dx, %db = sg.attention_grad %x, %y, %lse, %y, %b {scale = 0.5 : f64}
    : (tensor<2x5x3x2x4xbf16>, tensor<2x5x2x4xbf16>, tensor<2x2x5xf32>,
       tensor<2x5x2x4xbf16>, tensor<1x2x5x5xf32>)
    -> (tensor<2x5x3x2x4xbf16>, tensor<1x2x5x5xf32>)
  %z, %zlse = sg.attention %wide {scale = 0.5 : f64}
    : (tensor<2x5x3x1x200xf32>)
    -> (tensor<2x5x1x200xf32>, tensor<2x1x5xf32>)
  return %dx, %db, %z
    : tensor<2x5x3x2x4xbf16>, tensor<1x2x5x5xf32>, tensor<2x5x1x200xf32>
}
