// Of a GPU's library convolutions of 16 bits have channels by eights, strides of
// images with few become channels, and in f32 gradients for inputs of 1x1 filters
// with strides are of the points alone. The processor's library takes them as they
// are.
//
// RUN: reprise-opt %s --sg-decompose=target=cuda:h100 | FileCheck %s
// RUN: reprise-opt %s --sg-decompose=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: sg.pad
// PLAIN-NOT: sg.slice

// CHECK-LABEL: func.func @image(
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x8x3xf32>, %[[W:.*]]: tensor<16x3x3x3xbf16>
// CHECK:         %[[P:.*]] = sg.pad %[[X]] low [0, 0, 0, 0] high [0, 0, 0, 5]
// CHECK-NEXT:    %[[C:.*]] = sg.cast %[[P]] : tensor<2x8x8x8xf32> to tensor<2x8x8x8xbf16>
// CHECK-NEXT:    %[[F:.*]] = sg.pad %[[W]] low [0, 0, 0, 0] high [0, 0, 0, 5]
// CHECK-NEXT:    sg.conv2d %[[C]], %[[F]]
func.func @image(%x: tensor<2x8x8x3xf32>, %w: tensor<16x3x3x3xbf16>) -> tensor<2x8x8x16xbf16> {
  %c = sg.cast %x : tensor<2x8x8x3xf32> to tensor<2x8x8x3xbf16>
  %y = sg.conv2d %c, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x3xbf16>, tensor<16x3x3x3xbf16>) -> tensor<2x8x8x16xbf16>
  return %y : tensor<2x8x8x16xbf16>
}

// CHECK-LABEL: func.func @filter(
// CHECK:         %[[G:.*]] = sg.conv2d_filter_grad {{.*}} -> tensor<16x3x3x8xbf16>
// CHECK-NEXT:    sg.slice %[[G]] [0, 0, 0, 0] to [16, 3, 3, 3] by [1, 1, 1, 1]
func.func @filter(%x: tensor<2x8x8x3xbf16>, %dy: tensor<2x8x8x16xbf16>) -> tensor<16x3x3x3xbf16> {
  %g = sg.conv2d_filter_grad %x, %dy {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x3xbf16>, tensor<2x8x8x16xbf16>) -> tensor<16x3x3x3xbf16>
  return %g : tensor<16x3x3x3xbf16>
}

// CHECK-LABEL: func.func @points(
// CHECK:         %[[G:.*]] = sg.conv2d_input_grad {{.*}}strides = array<i64: 1, 1>{{.*}} -> tensor<2x4x4x8xf32>
// CHECK-NEXT:    sg.pad %[[G]] low [0, 0, 0, 0] high [0, 1, 1, 0] interior [0, 1, 1, 0]
func.func @points(%dy: tensor<2x4x4x16xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<2x8x8x8xf32> {
  %g = sg.conv2d_input_grad %dy, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x4x4x16xf32>, tensor<16x1x1x8xf32>) -> tensor<2x8x8x8xf32>
  return %g : tensor<2x8x8x8xf32>
}

// PLAIN-LABEL: func.func @stem(
// PLAIN:         sg.conv2d {{.*}}strides = array<i64: 2, 2>

// CHECK-LABEL: func.func @stem(
// CHECK-SAME:    %[[X:.*]]: tensor<2x16x16x3xf32>, %[[W:.*]]: tensor<16x7x7x3xbf16>
// CHECK:         %[[R:.*]] = sg.reshape %[[X]] : tensor<2x16x16x3xf32> -> tensor<2x8x2x8x2x3xf32>
// CHECK-NEXT:    %[[T:.*]] = sg.transpose %[[R]] perm [0, 1, 3, 2, 4, 5]
// CHECK-NEXT:    %[[P:.*]] = sg.pad %[[T]] low [0, 2, 2, 0, 0, 0] high [0, 1, 1, 0, 0, 1]
// CHECK-NEXT:    %[[C:.*]] = sg.cast %[[P]] : tensor<2x11x11x2x2x4xf32> to tensor<2x11x11x2x2x4xbf16>
// CHECK-NEXT:    %[[I:.*]] = sg.reshape %[[C]] : tensor<2x11x11x2x2x4xbf16> -> tensor<2x11x11x16xbf16>
// CHECK-NEXT:    %[[Z:.*]] = sg.pad %[[W]] low [0, 1, 1, 0] high [0, 0, 0, 1]
// CHECK:         %[[F:.*]] = sg.reshape {{.*}} -> tensor<16x4x4x16xbf16>
// CHECK-NEXT:    sg.conv2d %[[I]], %[[F]] {{.*}}padding = array<i64: 0, 0, 0, 0>{{.*}}strides = array<i64: 1, 1>
func.func @stem(%x: tensor<2x16x16x3xf32>, %w: tensor<16x7x7x3xbf16>) -> tensor<2x8x8x16xbf16> {
  %c = sg.cast %x : tensor<2x16x16x3xf32> to tensor<2x16x16x3xbf16>
  %y = sg.conv2d %c, %w {strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x16x3xbf16>, tensor<16x7x7x3xbf16>) -> tensor<2x8x8x16xbf16>
  return %y : tensor<2x8x8x16xbf16>
}

// An image is moved once for all that read it, and also where it was cast for
// each; behind a barrier it is made again.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[X:.*]]: tensor<2x16x16x3xf32>, %{{.*}}: tensor<16x7x7x3xbf16>, %[[DY:.*]]: tensor
// CHECK:         sg.transpose %{{.*}} perm [0, 1, 3, 2, 4, 5] : tensor<2x8x2x8x2x3xf32>
// CHECK:         %[[I:.*]] = sg.reshape {{.*}} -> tensor<2x11x11x16xbf16>
// CHECK:         sg.conv2d %[[I]],
// CHECK-NOT:     sg.transpose {{.*}} : tensor<2x8x2x8x2x3xf32>
// CHECK:         sg.conv2d_filter_grad %[[I]], %[[DY]]
// CHECK:         sg.transpose {{.*}} : tensor<2x8x2x8x2x3xf32>
// CHECK:         sg.conv2d_filter_grad
func.func @both(%x: tensor<2x16x16x3xf32>, %w: tensor<16x7x7x3xbf16>, %dy: tensor<2x8x8x16xbf16>) -> (tensor<2x8x8x16xbf16>, tensor<16x7x7x3xbf16>, tensor<16x7x7x3xbf16>) {
  %c = sg.cast %x : tensor<2x16x16x3xf32> to tensor<2x16x16x3xbf16>
  %y = sg.conv2d %c, %w {strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x16x3xbf16>, tensor<16x7x7x3xbf16>) -> tensor<2x8x8x16xbf16>
  %d = sg.cast %x : tensor<2x16x16x3xf32> to tensor<2x16x16x3xbf16>
  %g = sg.conv2d_filter_grad %d, %dy {strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x16x3xbf16>, tensor<2x8x8x16xbf16>) -> tensor<16x7x7x3xbf16>
  %b = sg.barrier (%x) after (%g) : (tensor<2x16x16x3xf32>) after(tensor<16x7x7x3xbf16>) -> tensor<2x16x16x3xf32>
  %e = sg.cast %b : tensor<2x16x16x3xf32> to tensor<2x16x16x3xbf16>
  %h = sg.conv2d_filter_grad %e, %dy {strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x16x3xbf16>, tensor<2x8x8x16xbf16>) -> tensor<16x7x7x3xbf16>
  return %y, %g, %h : tensor<2x8x8x16xbf16>, tensor<16x7x7x3xbf16>, tensor<16x7x7x3xbf16>
}
