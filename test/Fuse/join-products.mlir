// Products that kernels of a GPU run share them with what stands around.
//
// RUN: reprise-opt %s --sg-form-kernels=target=cuda:h200,kernel-products | FileCheck %s
// RUN: reprise-opt %s "--sg-form-kernels=target=cuda:h200,kernel-products join-products=backward" | FileCheck %s --check-prefix=BACKWARD
// RUN: reprise-opt %s "--sg-form-kernels=target=cuda:h200,kernel-products join-products=none" | FileCheck %s --check-prefix=ALONE
// RUN: reprise-opt %s --sg-form-kernels=target=cuda:h200 | FileCheck %s --check-prefix=LIBRARY
// RUN: reprise-opt %s --sg-form-kernels | FileCheck %s --check-prefix=LIBRARY
// RUN: not reprise-opt %s --sg-form-kernels=join-products=some 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: error: join-products is 'some'; choose all, backward or none

#f = #sg.origin<"net", forward>
#b = #sg.origin<"net", backward>

// What makes the gradient, which a filter's gradient reads too, the product, and
// what sums up its result.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[K:.*]]:3 = sg.kernel "conv2d_input_grad_relu_add_reduce_sum"
// CHECK-SAME: -> (tensor<4x8x8x64xbf16>, tensor<4x8x8x128xbf16>, tensor<128xbf16>)
// CHECK: relu
// CHECK: conv2d_input_grad
// CHECK: add
// CHECK: reduce_sum
// CHECK: sg.conv2d_filter_grad %{{.*}}, %[[K]]#0
// CHECK-NOT: sg.kernel
// CHECK: return
// BACKWARD-LABEL: func.func @gradient
// BACKWARD: sg.kernel "conv2d_input_grad_relu_add_reduce_sum"
// ALONE-LABEL: func.func @gradient
// ALONE: sg.kernel "relu"
// ALONE: sg.kernel "conv2d_input_grad" (
// ALONE: sg.kernel "add_reduce_sum"
// LIBRARY-LABEL: func.func @gradient
// LIBRARY: sg.kernel "relu"
// LIBRARY-NOT: sg.kernel "conv2d
// LIBRARY: sg.conv2d_input_grad
func.func @gradient(%x: tensor<4x8x8x128xbf16>, %dy: tensor<4x8x8x64xbf16>, %w: tensor<64x1x1x128xbf16>, %r: tensor<4x8x8x128xbf16>) -> (tensor<64x1x1x128xbf16>, tensor<4x8x8x128xbf16>, tensor<128xbf16>) {
  %g = sg.relu %dy {sg.origin = #b} : tensor<4x8x8x64xbf16>
  %dw = sg.conv2d_filter_grad %x, %g {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #b} : (tensor<4x8x8x128xbf16>, tensor<4x8x8x64xbf16>) -> tensor<64x1x1x128xbf16>
  %p = sg.conv2d_input_grad %g, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #b} : (tensor<4x8x8x64xbf16>, tensor<64x1x1x128xbf16>) -> tensor<4x8x8x128xbf16>
  %s = sg.add %p, %r {sg.origin = #b} : tensor<4x8x8x128xbf16>
  %t = sg.reduce_sum %s dims [0, 1, 2] {sg.origin = #b} : tensor<4x8x8x128xbf16> -> tensor<128xbf16>
  return %dw, %s, %t : tensor<64x1x1x128xbf16>, tensor<4x8x8x128xbf16>, tensor<128xbf16>
}

// What has the left operand's shape and is not made of the product is no part
// of what reads it: the maker stays.
// CHECK-LABEL: func.func @two_gradients
// CHECK: sg.kernel "relu_neg"
// CHECK: sg.kernel "conv2d_input_grad_add_reduce_sum"
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @two_gradients(%dy: tensor<4x8x8x64xbf16>, %w: tensor<64x1x1x128xbf16>, %r: tensor<4x8x8x128xbf16>) -> (tensor<4x8x8x64xbf16>, tensor<4x8x8x64xbf16>, tensor<128xbf16>) {
  %g = sg.relu %dy {sg.origin = #b} : tensor<4x8x8x64xbf16>
  %h = sg.neg %g {sg.origin = #b} : tensor<4x8x8x64xbf16>
  %p = sg.conv2d_input_grad %g, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #b} : (tensor<4x8x8x64xbf16>, tensor<64x1x1x128xbf16>) -> tensor<4x8x8x128xbf16>
  %s = sg.add %p, %r {sg.origin = #b} : tensor<4x8x8x128xbf16>
  %t = sg.reduce_sum %s dims [0, 1, 2] {sg.origin = #b} : tensor<4x8x8x128xbf16> -> tensor<128xbf16>
  return %g, %h, %t : tensor<4x8x8x64xbf16>, tensor<4x8x8x64xbf16>, tensor<128xbf16>
}

// What is asked to be kept stays as it is.
// CHECK-LABEL: func.func @kept
// CHECK: sg.kernel "conv2d" {{.*}}sg.keep
// CHECK: sg.kernel "reduce_sum"
func.func @kept(%x: tensor<4x8x8x64xbf16>, %w: tensor<128x1x1x64xbf16>) -> (tensor<4x8x8x128xbf16>, tensor<128xbf16>) {
  %p = sg.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f, sg.keep} : (tensor<4x8x8x64xbf16>, tensor<128x1x1x64xbf16>) -> tensor<4x8x8x128xbf16>
  %s = sg.reduce_sum %p dims [0, 1, 2] {sg.origin = #f} : tensor<4x8x8x128xbf16> -> tensor<128xbf16>
  return %p, %s : tensor<4x8x8x128xbf16>, tensor<128xbf16>
}

// What the forward pass makes for others too stays where it can be made again
// alone; what it makes for the product does not.
// CHECK-LABEL: func.func @forward
// CHECK: sg.kernel "relu"
// CHECK: sg.kernel "conv2d_reduce_sum"
// CHECK: sg.kernel "conv2d_neg_reduce_sum"
// CHECK-NOT: sg.kernel
// CHECK: return
// BACKWARD-LABEL: func.func @forward
// BACKWARD: sg.kernel "relu"
// BACKWARD: sg.kernel "conv2d" (
// BACKWARD: sg.kernel "reduce_sum"
func.func @forward(%x: tensor<4x8x8x64xbf16>, %w: tensor<128x1x1x64xbf16>, %u: tensor<64x1x1x128xbf16>) -> (tensor<4x8x8x64xbf16>, tensor<128xbf16>, tensor<64xbf16>) {
  %g = sg.relu %x {sg.origin = #f} : tensor<4x8x8x64xbf16>
  %p = sg.conv2d %g, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x8x8x64xbf16>, tensor<128x1x1x64xbf16>) -> tensor<4x8x8x128xbf16>
  %s = sg.reduce_sum %p dims [0, 1, 2] {sg.origin = #f} : tensor<4x8x8x128xbf16> -> tensor<128xbf16>
  %n = sg.neg %p {sg.origin = #f} : tensor<4x8x8x128xbf16>
  %q = sg.conv2d %n, %u {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x8x8x128xbf16>, tensor<64x1x1x128xbf16>) -> tensor<4x8x8x64xbf16>
  %t = sg.reduce_sum %q dims [0, 1, 2] {sg.origin = #f} : tensor<4x8x8x64xbf16> -> tensor<64xbf16>
  return %g, %s, %t : tensor<4x8x8x64xbf16>, tensor<128xbf16>, tensor<64xbf16>
}

// A sum about the mean of some rows waits for the product of these alone, which
// are made again from what nobody else reads.
// CHECK-LABEL: func.func @rows
// CHECK: sg.kernel "conv2d_slice_relu_reduce_sum"
// CHECK: sg.slice %{{.*}} [0, 0, 0, 0] to [2, 8, 8, 64]
// CHECK: sg.relu
// CHECK: sg.conv2d {{.*}} -> tensor<2x8x8x128xbf16>
// CHECK: sg.kernel "conv2d_relu_sub_reduce_sum"
// CHECK-NOT: sg.kernel
// CHECK: return
// BACKWARD-LABEL: func.func @rows
// BACKWARD: sg.kernel "relu"
// BACKWARD: sg.kernel "conv2d" (
// BACKWARD: sg.kernel "slice_reduce_sum"
func.func @rows(%x: tensor<16x8x8x64xbf16>, %w: tensor<128x1x1x64xbf16>) -> (tensor<16x8x8x128xbf16>, tensor<128xbf16>) {
  %g = sg.relu %x {sg.origin = #f} : tensor<16x8x8x64xbf16>
  %p = sg.conv2d %g, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<16x8x8x64xbf16>, tensor<128x1x1x64xbf16>) -> tensor<16x8x8x128xbf16>
  %few = sg.slice %p [0, 0, 0, 0] to [2, 8, 8, 128] by [1, 1, 1, 1] {sg.origin = #f} : tensor<16x8x8x128xbf16> -> tensor<2x8x8x128xbf16>
  %k = sg.reduce_sum %few dims [0, 1, 2] {sg.origin = #f} : tensor<2x8x8x128xbf16> -> tensor<128xbf16>
  %kk = sg.broadcast %k dims [3] {sg.origin = #f} : tensor<128xbf16> -> tensor<16x8x8x128xbf16>
  %d = sg.sub %p, %kk {sg.origin = #f} : tensor<16x8x8x128xbf16>
  %s = sg.reduce_sum %d dims [0, 1, 2] {sg.origin = #f} : tensor<16x8x8x128xbf16> -> tensor<128xbf16>
  return %p, %s : tensor<16x8x8x128xbf16>, tensor<128xbf16>
}

// Running statistics are no part of what may be made again, and share a kernel.
// CHECK-LABEL: func.func @statistics
// CHECK: %[[A:.*]]:2 = sg.kernel "conv2d_reduce_sum"
// CHECK: %[[B:.*]]:2 = sg.kernel "conv2d_reduce_sum"
// CHECK: sg.kernel "cast_add"
// CHECK-NOT: sg.kernel
// CHECK: return
// BACKWARD-LABEL: func.func @statistics
// BACKWARD-COUNT-2: sg.kernel "reduce_sum_cast_add"
sg.variable @mean : tensor<64xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @other : tensor<64xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
func.func @statistics(%x: tensor<4x64x64x64xbf16>, %w: tensor<64x1x1x64xbf16>) -> (tensor<4x64x64x64xbf16>, tensor<64xbf16>, tensor<64xbf16>) {
  %m = sg.read @mean : tensor<64xf32>
  %o = sg.read @other : tensor<64xf32>
  %p = sg.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x64x64x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<4x64x64x64xbf16>
  %s = sg.reduce_sum %p dims [0, 1, 2] {sg.origin = #f} : tensor<4x64x64x64xbf16> -> tensor<64xbf16>
  %sw = sg.cast %s {sg.origin = #f} : tensor<64xbf16> to tensor<64xf32>
  %mm = sg.add %m, %sw {sg.origin = #f} : tensor<64xf32>
  sg.write @mean, %mm {sg.origin = #f} : tensor<64xf32>
  %q = sg.conv2d %p, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x64x64x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<4x64x64x64xbf16>
  %t = sg.reduce_sum %q dims [0, 1, 2] {sg.origin = #f} : tensor<4x64x64x64xbf16> -> tensor<64xbf16>
  %tw = sg.cast %t {sg.origin = #f} : tensor<64xbf16> to tensor<64xf32>
  %oo = sg.add %o, %tw {sg.origin = #f} : tensor<64xf32>
  sg.write @other, %oo {sg.origin = #f} : tensor<64xf32>
  return %q, %s, %t : tensor<4x64x64x64xbf16>, tensor<64xbf16>, tensor<64xbf16>
}

// Nothing but the op says whether a library computes it: numbers of 32 bits,
// strides, few channels.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: sg.conv2d %
// CHECK-NOT: sg.conv2d
// CHECK: return
func.func @others(%x: tensor<4x8x8x64xf32>, %w: tensor<64x1x1x64xf32>, %y: tensor<4x16x16x64xbf16>, %u: tensor<64x1x1x64xbf16>, %z: tensor<4x8x8x24xbf16>, %v: tensor<64x1x1x24xbf16>) -> (tensor<4x8x8x64xf32>, tensor<4x8x8x64xbf16>, tensor<4x8x8x64xbf16>) {
  %a = sg.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x8x8x64xf32>, tensor<64x1x1x64xf32>) -> tensor<4x8x8x64xf32>
  %b = sg.conv2d %y, %u {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x16x16x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<4x8x8x64xbf16>
  %c = sg.conv2d %z, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x8x8x24xbf16>, tensor<64x1x1x24xbf16>) -> tensor<4x8x8x64xbf16>
  return %a, %b, %c : tensor<4x8x8x64xf32>, tensor<4x8x8x64xbf16>, tensor<4x8x8x64xbf16>
}
