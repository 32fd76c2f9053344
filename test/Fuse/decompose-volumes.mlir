// Convolutions of volumes whose filter has one frame or one pixel become
// convolutions of images.
//
// RUN: reprise-opt --sg-decompose %s | FileCheck %s

// CHECK-LABEL: func.func @of_frames
// CHECK: sg.conv2d %{{.*}}, %{{.*}} {dilation = array<i64: 1, 3>, groups = 2 : i64, padding = array<i64: 1, 0, 2, 1>, strides = array<i64: 2, 1>} : (tensor<8x9x8x4xf32>, tensor<6x3x2x2xf32>) -> tensor<8x4x8x6xf32>
// CHECK-NOT: conv3d
func.func @of_frames(%x: tensor<2x4x9x8x4xf32>, %w: tensor<6x1x3x2x2xf32>) -> tensor<2x4x4x8x6xf32> {
  %0 = sg.conv3d %x, %w {strides = array<i64: 1, 2, 1>, padding = array<i64: 0, 0, 1, 0, 2, 1>, dilation = array<i64: 1, 1, 3>, groups = 2 : i64}
    : (tensor<2x4x9x8x4xf32>, tensor<6x1x3x2x2xf32>) -> tensor<2x4x4x8x6xf32>
  return %0 : tensor<2x4x4x8x6xf32>
}

// CHECK-LABEL: func.func @of_time
// CHECK: sg.conv2d_input_grad %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1, 0, 0>, strides = array<i64: 2, 1>} : (tensor<2x2x72x6xf32>, tensor<6x3x1x4xf32>) -> tensor<2x4x72x4xf32>
// CHECK: sg.conv2d_filter_grad %{{.*}}, %{{.*}} {{.*}} : (tensor<2x4x72x4xf32>, tensor<2x2x72x6xf32>) -> tensor<6x3x1x4xf32>
// CHECK-NOT: conv3d
func.func @of_time(%x: tensor<2x4x9x8x4xf32>, %dy: tensor<2x2x9x8x6xf32>, %w: tensor<6x3x1x1x4xf32>) -> (tensor<2x4x9x8x4xf32>, tensor<6x3x1x1x4xf32>) {
  %0 = sg.conv3d_input_grad %dy, %w {strides = array<i64: 2, 1, 1>, padding = array<i64: 1, 1, 0, 0, 0, 0>}
    : (tensor<2x2x9x8x6xf32>, tensor<6x3x1x1x4xf32>) -> tensor<2x4x9x8x4xf32>
  %1 = sg.conv3d_filter_grad %x, %dy {strides = array<i64: 2, 1, 1>, padding = array<i64: 1, 1, 0, 0, 0, 0>}
    : (tensor<2x4x9x8x4xf32>, tensor<2x2x9x8x6xf32>) -> tensor<6x3x1x1x4xf32>
  return %0, %1 : tensor<2x4x9x8x4xf32>, tensor<6x3x1x1x4xf32>
}

// Patches of a frame are a product.
// CHECK-LABEL: func.func @of_patches
// CHECK: sg.matmul
// CHECK-NOT: conv
func.func @of_patches(%x: tensor<2x4x8x8x4xf32>, %w: tensor<6x1x2x2x4xf32>) -> tensor<2x4x4x4x6xf32> {
  %0 = sg.conv3d %x, %w {strides = array<i64: 1, 2, 2>}
    : (tensor<2x4x8x8x4xf32>, tensor<6x1x2x2x4xf32>) -> tensor<2x4x4x4x6xf32>
  return %0 : tensor<2x4x4x4x6xf32>
}

// Frames and pixels that no filter reads are cut out, and have no gradient.
// CHECK-LABEL: func.func @of_every_other_point
// CHECK: %[[CUT:.*]] = sg.slice %{{.*}} [0, 0, 0, 0, 0] to [2, 3, 7, 8, 4] by [1, 2, 3, 1, 1]
// CHECK: %[[X:.*]] = sg.reshape %[[CUT]] : tensor<2x2x3x8x4xf32> -> tensor<4x3x8x4xf32>
// CHECK: sg.conv2d %[[X]], %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0, 1, 1>, strides = array<i64: 1, 2>}
// CHECK: sg.conv2d_input_grad
// CHECK: sg.pad %{{.*}} low [0, 0, 0, 0, 0] high [0, 1, 1, 0, 0] interior [0, 1, 2, 0, 0]
// CHECK: sg.slice
// CHECK: sg.conv2d_filter_grad
// CHECK-NOT: conv3d
func.func @of_every_other_point(%x: tensor<2x4x8x8x4xf32>, %w: tensor<6x1x1x3x4xf32>, %dy: tensor<2x2x3x4x6xf32>)
    -> (tensor<2x2x3x4x6xf32>, tensor<2x4x8x8x4xf32>, tensor<6x1x1x3x4xf32>) {
  %0 = sg.conv3d %x, %w {strides = array<i64: 2, 3, 2>, padding = array<i64: 0, 0, 0, 0, 1, 1>}
    : (tensor<2x4x8x8x4xf32>, tensor<6x1x1x3x4xf32>) -> tensor<2x2x3x4x6xf32>
  %1 = sg.conv3d_input_grad %dy, %w {strides = array<i64: 2, 3, 2>, padding = array<i64: 0, 0, 0, 0, 1, 1>}
    : (tensor<2x2x3x4x6xf32>, tensor<6x1x1x3x4xf32>) -> tensor<2x4x8x8x4xf32>
  %2 = sg.conv3d_filter_grad %x, %dy {strides = array<i64: 2, 3, 2>, padding = array<i64: 0, 0, 0, 0, 1, 1>}
    : (tensor<2x4x8x8x4xf32>, tensor<2x2x3x4x6xf32>) -> tensor<6x1x1x3x4xf32>
  return %0, %1, %2 : tensor<2x2x3x4x6xf32>, tensor<2x4x8x8x4xf32>, tensor<6x1x1x3x4xf32>
}

// Padding belongs to no frame and no pixel.
// CHECK-LABEL: func.func @stays
// CHECK: sg.conv3d
// CHECK: sg.conv3d
func.func @stays(%x: tensor<2x4x8x8x4xf32>, %w: tensor<6x1x1x1x4xf32>, %v: tensor<6x3x1x1x4xf32>)
    -> (tensor<2x6x10x10x6xf32>, tensor<2x2x4x8x6xf32>) {
  %0 = sg.conv3d %x, %w {padding = array<i64: 1, 1, 1, 1, 1, 1>}
    : (tensor<2x4x8x8x4xf32>, tensor<6x1x1x1x4xf32>) -> tensor<2x6x10x10x6xf32>
  %1 = sg.conv3d %x, %v {strides = array<i64: 1, 2, 1>}
    : (tensor<2x4x8x8x4xf32>, tensor<6x3x1x1x4xf32>) -> tensor<2x2x4x8x6xf32>
  return %0, %1 : tensor<2x6x10x10x6xf32>, tensor<2x2x4x8x6xf32>
}
