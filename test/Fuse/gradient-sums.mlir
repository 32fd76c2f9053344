// Gradients for inputs are added where the library makes them, in f32, the largest
// ones, if nothing else reads them; of two the later one is added to the earlier.
// The largest are those of more than half the largest such sum.
//
// REQUIRES: avx512
// RUN: reprise-opt %s "--sg-decompose=target=cpu:native add-gradients" --canonicalize | FileCheck %s
// RUN: reprise-opt %s --sg-decompose=target=cpu:native --canonicalize | FileCheck %s --check-prefix=APART
// RUN: reprise-opt %s --sg-decompose=add-gradients --canonicalize | FileCheck %s --check-prefix=APART
// RUN: reprise-opt %s "--sg-decompose=target=cuda:h100 add-gradients" --canonicalize | FileCheck %s --check-prefix=APART

// CHECK-LABEL: func.func @shortcut(
// CHECK-SAME:    %[[D:.*]]: tensor<2x8x8x32xf32>, %[[W:.*]]: tensor<32x1x1x64xf32>, %[[S:.*]]: tensor<2x8x8x64xf32>
// CHECK-NEXT:    %[[X:.*]] = sg.exp %[[S]]
// CHECK-NEXT:    %[[Y:.*]] = sg.conv2d_input_grad_add %[[D]], %[[W]], %[[X]] {{{.*}}groups = 1
// CHECK-SAME:      sg.origin = #sg.origin<"a", backward>
// CHECK-SAME:      : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>, tensor<2x8x8x64xf32>) -> tensor<2x8x8x64xf32>
// CHECK-NEXT:    return %[[Y]]
// APART-LABEL: func.func @shortcut(
// APART:         sg.conv2d_input_grad %
// APART:         sg.add
func.func @shortcut(%d: tensor<2x8x8x32xf32>, %w: tensor<32x1x1x64xf32>, %s: tensor<2x8x8x64xf32>) -> tensor<2x8x8x64xf32> {
  %g = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #sg.origin<"a", backward>} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %x = sg.exp %s : tensor<2x8x8x64xf32>
  %y = sg.add %x, %g {sg.origin = #sg.origin<"b", backward>} : tensor<2x8x8x64xf32>
  return %y : tensor<2x8x8x64xf32>
}

// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %[[D:.*]]: tensor<2x8x8x32xf32>, %[[V:.*]]: tensor<32x1x1x64xf32>, %[[W:.*]]: tensor<32x1x1x64xf32>
// CHECK-NEXT:    %[[A:.*]] = sg.conv2d_input_grad %[[D]], %[[V]] {
// CHECK-NEXT:    %[[Y:.*]] = sg.conv2d_input_grad_add %[[D]], %[[W]], %[[A]] {
// CHECK-NEXT:    %[[B:.*]] = sg.conv2d_input_grad %[[D]], %[[W]] {
// CHECK-NEXT:    %[[Z:.*]] = sg.conv2d_input_grad_add %[[D]], %[[V]], %[[B]] {
// CHECK-NEXT:    return %[[Y]], %[[Z]]
func.func @two(%d: tensor<2x8x8x32xf32>, %v: tensor<32x1x1x64xf32>, %w: tensor<32x1x1x64xf32>) -> (tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>) {
  %a = sg.conv2d_input_grad %d, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %b = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %y = sg.add %b, %a : tensor<2x8x8x64xf32>
  %c = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %e = sg.conv2d_input_grad %d, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %z = sg.add %c, %e : tensor<2x8x8x64xf32>
  return %y, %z : tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>
}

// CHECK-LABEL: func.func @read_elsewhere(
// CHECK-NOT:     sg.conv2d_input_grad_add
// CHECK:         return
func.func @read_elsewhere(%d: tensor<2x8x8x32xf32>, %w: tensor<32x1x1x64xf32>, %s: tensor<2x8x8x64xf32>) -> (tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>) {
  %g = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %x = sg.exp %s : tensor<2x8x8x64xf32>
  %y = sg.add %x, %g : tensor<2x8x8x64xf32>
  return %y, %g : tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>
}

// A gradient with strides is no convolution, and of bf16 the library makes no sums.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     sg.conv2d_input_grad_add
// CHECK:         return
func.func @others(%d: tensor<2x4x4x32xf32>, %w: tensor<32x1x1x64xf32>, %s: tensor<2x8x8x64xf32>,
                  %n: tensor<2x8x8x32xbf16>, %m: tensor<32x1x1x64xbf16>, %t: tensor<2x8x8x64xbf16>) -> (tensor<2x8x8x64xf32>, tensor<2x8x8x64xbf16>) {
  %g = sg.conv2d_input_grad %d, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x4x4x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %x = sg.exp %s : tensor<2x8x8x64xf32>
  %y = sg.add %x, %g : tensor<2x8x8x64xf32>
  %h = sg.conv2d_input_grad %n, %m {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xbf16>, tensor<32x1x1x64xbf16>) -> tensor<2x8x8x64xbf16>
  %u = sg.exp %t : tensor<2x8x8x64xbf16>
  %z = sg.add %u, %h : tensor<2x8x8x64xbf16>
  return %y, %z : tensor<2x8x8x64xf32>, tensor<2x8x8x64xbf16>
}

// Peaks are where the largest tensors are: half of their size is not looked at.
// CHECK-LABEL: func.func @smaller(
// CHECK:         sg.conv2d_input_grad_add {{.*}} -> tensor<2x8x8x64xf32>
// CHECK-NOT:     sg.conv2d_input_grad_add
// CHECK:         return
func.func @smaller(%d: tensor<2x8x8x32xf32>, %w: tensor<32x1x1x64xf32>, %s: tensor<2x8x8x64xf32>,
                   %e: tensor<2x8x8x32xf32>, %v: tensor<32x1x1x32xf32>, %t: tensor<2x8x8x32xf32>) -> (tensor<2x8x8x64xf32>, tensor<2x8x8x32xf32>) {
  %g = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %x = sg.exp %s : tensor<2x8x8x64xf32>
  %y = sg.add %x, %g : tensor<2x8x8x64xf32>
  %h = sg.conv2d_input_grad %e, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x32xf32>) -> tensor<2x8x8x32xf32>
  %u = sg.exp %t : tensor<2x8x8x32xf32>
  %z = sg.add %u, %h : tensor<2x8x8x32xf32>
  return %y, %z : tensor<2x8x8x64xf32>, tensor<2x8x8x32xf32>
}

// What is read later, or is no op's of this block, cannot be written over.
// CHECK-LABEL: func.func @needed(
// CHECK-NOT:     sg.conv2d_input_grad_add
// CHECK:         return
func.func @needed(%d: tensor<2x8x8x32xf32>, %w: tensor<32x1x1x64xf32>, %s: tensor<2x8x8x64xf32>) -> (tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>) {
  %x = sg.exp %s : tensor<2x8x8x64xf32>
  %g = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %h = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<32x1x1x64xf32>) -> tensor<2x8x8x64xf32>
  %y = sg.add %x, %g : tensor<2x8x8x64xf32>
  %n = sg.neg %x : tensor<2x8x8x64xf32>
  %z = sg.add %s, %h : tensor<2x8x8x64xf32>
  return %y, %n, %z : tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>
}
