// Depthwise convolutions of volumes become sums of those of images, frame by
// frame of the filter.
//
// RUN: reprise-opt --sg-decompose %s | FileCheck %s

// Frame k of the filter reads frame d + k - 1: the first term lacks the first
// frame of the sum, the last term the last one.
// CHECK-LABEL: func.func @forward
// CHECK: %[[IMAGES:.*]] = sg.reshape %{{.*}} : tensor<2x4x8x8x6xf32> -> tensor<8x8x8x6xf32>
// CHECK: sg.slice %{{.*}} [0, 0, 0, 0, 0] to [6, 1, 3, 3, 1]
// CHECK: sg.conv2d %[[IMAGES]], %{{.*}} {dilation = array<i64: 1, 1>, groups = 6 : i64, padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<8x8x8x6xf32>, tensor<6x3x3x1xf32>) -> tensor<8x4x4x6xf32>
// CHECK: sg.slice %{{.*}} [0, 0, 0, 0, 0] to [2, 3, 4, 4, 6]
// CHECK: %[[FIRST:.*]] = sg.pad %{{.*}} low [0, 1, 0, 0, 0] high [0, 0, 0, 0, 0]
// CHECK: sg.conv2d %[[IMAGES]],
// CHECK: %[[SUM:.*]] = sg.add %[[FIRST]],
// CHECK: sg.conv2d %[[IMAGES]],
// CHECK: sg.slice %{{.*}} [0, 1, 0, 0, 0] to [2, 4, 4, 4, 6]
// CHECK: %[[LAST:.*]] = sg.pad %{{.*}} low [0, 0, 0, 0, 0] high [0, 1, 0, 0, 0]
// CHECK: sg.add %[[SUM]], %[[LAST]]
// CHECK-NOT: conv3d
func.func @forward(%x: tensor<2x4x8x8x6xf32>, %w: tensor<6x3x3x3x1xf32>) -> tensor<2x4x4x4x6xf32> {
  %0 = sg.conv3d %x, %w {strides = array<i64: 1, 2, 2>, padding = array<i64: 1, 1, 1, 1, 1, 1>, groups = 6 : i64}
    : (tensor<2x4x8x8x6xf32>, tensor<6x3x3x3x1xf32>) -> tensor<2x4x4x4x6xf32>
  return %0 : tensor<2x4x4x4x6xf32>
}

// CHECK-LABEL: func.func @gradients
// CHECK: sg.conv2d_input_grad {{.*}} : (tensor<8x4x4x6xf32>, tensor<6x3x3x1xf32>) -> tensor<8x8x8x6xf32>
// CHECK: sg.slice %{{.*}} [0, 1, 0, 0, 0] to [2, 4, 8, 8, 6]
// CHECK: sg.pad %{{.*}} low [0, 0, 0, 0, 0] high [0, 1, 0, 0, 0]
// CHECK: sg.conv2d_input_grad
// CHECK: sg.conv2d_input_grad
// CHECK: sg.slice %{{.*}} [0, 0, 0, 0, 0] to [2, 3, 8, 8, 6]
// CHECK: %[[X:.*]] = sg.reshape %{{.*}} : tensor<2x3x8x8x6xf32> -> tensor<6x8x8x6xf32>
// CHECK: sg.conv2d_filter_grad %{{.*}} : (tensor<6x8x8x6xf32>, tensor<6x4x4x6xf32>) -> tensor<6x3x3x1xf32>
// CHECK: sg.concat %{{.*}} dim 1 : (tensor<6x1x3x3x1xf32>, tensor<6x1x3x3x1xf32>, tensor<6x1x3x3x1xf32>)
// CHECK-NOT: conv3d
func.func @gradients(%x: tensor<2x4x8x8x6xf32>, %w: tensor<6x3x3x3x1xf32>, %dy: tensor<2x4x4x4x6xf32>)
    -> (tensor<2x4x8x8x6xf32>, tensor<6x3x3x3x1xf32>) {
  %0 = sg.conv3d_input_grad %dy, %w {strides = array<i64: 1, 2, 2>, padding = array<i64: 1, 1, 1, 1, 1, 1>, groups = 6 : i64}
    : (tensor<2x4x4x4x6xf32>, tensor<6x3x3x3x1xf32>) -> tensor<2x4x8x8x6xf32>
  %1 = sg.conv3d_filter_grad %x, %dy {strides = array<i64: 1, 2, 2>, padding = array<i64: 1, 1, 1, 1, 1, 1>, groups = 6 : i64}
    : (tensor<2x4x8x8x6xf32>, tensor<2x4x4x4x6xf32>) -> tensor<6x3x3x3x1xf32>
  return %0, %1 : tensor<2x4x8x8x6xf32>, tensor<6x3x3x3x1xf32>
}

// Terms are added in f32. A frame of the filter that reads padding alone has no
// term, and a gradient of zeros.
// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-2: sg.cast %{{.*}} : tensor<1x2x8x8x4xbf16> to tensor<1x2x8x8x4xf32>
// CHECK: %[[SUM:.*]] = sg.add %{{.*}} : tensor<1x2x8x8x4xf32>
// CHECK: sg.cast %[[SUM]] : tensor<1x2x8x8x4xf32> to tensor<1x2x8x8x4xbf16>
// CHECK: sg.constant dense<0.000000e+00> : tensor<4x1x3x3x1xbf16>
// CHECK: sg.concat
// CHECK-NOT: conv3d
func.func @narrow(%x: tensor<1x2x8x8x4xbf16>, %w: tensor<4x3x3x3x1xbf16>, %dy: tensor<1x2x8x8x4xbf16>)
    -> (tensor<1x2x8x8x4xbf16>, tensor<4x3x3x3x1xbf16>) {
  %0 = sg.conv3d %x, %w {padding = array<i64: 2, 0, 1, 1, 1, 1>, groups = 4 : i64}
    : (tensor<1x2x8x8x4xbf16>, tensor<4x3x3x3x1xbf16>) -> tensor<1x2x8x8x4xbf16>
  %1 = sg.conv3d_filter_grad %x, %dy {padding = array<i64: 2, 0, 1, 1, 1, 1>, groups = 4 : i64}
    : (tensor<1x2x8x8x4xbf16>, tensor<1x2x8x8x4xbf16>) -> tensor<4x3x3x3x1xbf16>
  return %0, %1 : tensor<1x2x8x8x4xbf16>, tensor<4x3x3x3x1xbf16>
}

// A filter that moves by several frames, and groups of several channels, stay.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-2: sg.conv3d
func.func @stays(%x: tensor<2x4x8x8x6xf32>, %w: tensor<6x3x3x3x1xf32>, %v: tensor<6x3x3x3x2xf32>)
    -> (tensor<2x1x6x6x6xf32>, tensor<2x2x6x6x6xf32>) {
  %0 = sg.conv3d %x, %w {strides = array<i64: 2, 1, 1>, groups = 6 : i64}
    : (tensor<2x4x8x8x6xf32>, tensor<6x3x3x3x1xf32>) -> tensor<2x1x6x6x6xf32>
  %1 = sg.conv3d %x, %v {groups = 3 : i64}
    : (tensor<2x4x8x8x6xf32>, tensor<6x3x3x3x2xf32>) -> tensor<2x2x6x6x6xf32>
  return %0, %1 : tensor<2x1x6x6x6xf32>, tensor<2x2x6x6x6xf32>
}
