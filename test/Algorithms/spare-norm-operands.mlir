// Batch norms behind convolutions of single points that are wide and long; where
// something else reads the convolution, or there is little to spare, they stay.
//
// RUN: reprise-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-spare-norm-operands{least-bytes=4096}))' \
// RUN:   | FileCheck %s
//
// What is marked is not marked again, nor told of.
// RUN: reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-spare-norm-operands{least-bytes=4096}))' > %t.once
// RUN: reprise-opt %t.once --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-spare-norm-operands{least-bytes=4096}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE-NOT: remark
// TWICE:     spares_x
//
// Small ones stay, and all of a target that does not gain.
// RUN: reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-spare-norm-operands))' \
// RUN:   | FileCheck %s --check-prefix=USUAL
// RUN: reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-spare-norm-operands{least-bytes=0 target=cuda:h200}))' \
// RUN:   | FileCheck %s --check-prefix=USUAL
// USUAL-NOT: spares_x
// USUAL:     func.func @last
// USUAL-NOT: spares_x
//
// RUN: not reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-spare-norm-operands{least-bytes=0 target=tpu}))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}tpu

// Also past marks, and where one is in a block of its own.
// CHECK-LABEL: func.func @wide(
// CHECK: sg.batch_norm %{{.*}} {epsilon = 1.000000e-05 : f64, momentum = 1.000000e-01 : f64, running_mean = @m16, running_variance = @m16, spares_x}
// CHECK: sg.batch_norm %{{.*}} spares_x}

sg.variable @m16 : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
// expected-remark@+1 {{2 norms are differentiated without their convolutions, 0.0 MiB}}
func.func @wide(%r: tensor<2x8x16x4xf32>, %w: tensor<16x1x1x4xf32>, %g: tensor<16xf32>) -> (tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>) {
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %k = sg.keep %x : tensor<2x8x16x16xf32>
  %l = sg.keep %k : tensor<2x8x16x16xf32>
  %y = sg.batch_norm %k, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %b = sg.module "block" (%i = %r : tensor<2x8x16x4xf32>, %v = %w : tensor<16x1x1x4xf32>, %s = %g : tensor<16xf32>) -> tensor<2x8x16x16xf32> {
    %c = sg.conv2d %i, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
    %d = sg.batch_norm %c, %s, %s {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
    sg.yield %d : tensor<2x8x16x16xf32>
  }
  return %y, %b : tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>
}

// -----

// Something else reads what is normalized.
// CHECK-LABEL: func.func @read(
// CHECK-NOT: spares_x
// CHECK: return

sg.variable @m16 : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @read(%r: tensor<2x8x16x4xf32>, %w: tensor<16x1x1x4xf32>, %g: tensor<16xf32>) -> (tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>) {
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %y = sg.batch_norm %x, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %k = sg.keep %x : tensor<2x8x16x16xf32>
  %z = sg.relu %k : tensor<2x8x16x16xf32>
  return %y, %z : tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>
}

// -----

// The norm is in a block that the convolution is not in.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: spares_x
// CHECK: return

sg.variable @m16 : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @apart(%r: tensor<2x8x16x4xf32>, %w: tensor<16x1x1x4xf32>, %g: tensor<16xf32>) -> tensor<2x8x16x16xf32> {
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %b = sg.module "norm" (%i = %x : tensor<2x8x16x16xf32>, %s = %g : tensor<16xf32>) -> tensor<2x8x16x16xf32> {
    %d = sg.batch_norm %i, %s, %s {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
    sg.yield %d : tensor<2x8x16x16xf32>
  }
  return %b : tensor<2x8x16x16xf32>
}

// -----

// Not a convolution.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT: spares_x
// CHECK: return

sg.variable @m16 : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @sum(%r: tensor<2x8x16x4xf32>, %w: tensor<16x1x1x4xf32>, %g: tensor<16xf32>) -> tensor<2x8x16x16xf32> {
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %z = sg.relu %x : tensor<2x8x16x16xf32>
  %y = sg.batch_norm %z, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  return %y : tensor<2x8x16x16xf32>
}

// -----

// Strides, other windows, padding, groups; hardly wider than what goes in, and
// of few rows.
// CHECK-LABEL: func.func @forms(
// CHECK-NOT: spares_x
// CHECK: return

sg.variable @m16 : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @m32 : tensor<32xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @forms(%g: tensor<16xf32>, %r0: tensor<2x16x32x4xf32>, %w0: tensor<16x1x1x4xf32>, %r1: tensor<2x8x16x4xf32>, %w1: tensor<16x3x3x4xf32>, %r2: tensor<2x6x14x4xf32>, %w2: tensor<16x1x1x4xf32>, %r3: tensor<2x8x16x16xf32>, %w3: tensor<16x1x1x4xf32>, %r4: tensor<2x8x16x9xf32>, %w4: tensor<16x1x1x9xf32>, %r5: tensor<2x8x15x4xf32>, %w5: tensor<32x1x1x4xf32>, %g32: tensor<32xf32>) -> (tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x15x32xf32>) {
  %x0 = sg.conv2d %r0, %w0 {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x32x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %y0 = sg.batch_norm %x0, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %x1 = sg.conv2d %r1, %w1 {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<16x3x3x4xf32>) -> tensor<2x8x16x16xf32>
  %y1 = sg.batch_norm %x1, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %x2 = sg.conv2d %r2, %w2 {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x6x14x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %y2 = sg.batch_norm %x2, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %x3 = sg.conv2d %r3, %w3 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 4 : i64} : (tensor<2x8x16x16xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %y3 = sg.batch_norm %x3, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %x4 = sg.conv2d %r4, %w4 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x9xf32>, tensor<16x1x1x9xf32>) -> tensor<2x8x16x16xf32>
  %y4 = sg.batch_norm %x4, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %x5 = sg.conv2d %r5, %w5 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x15x4xf32>, tensor<32x1x1x4xf32>) -> tensor<2x8x15x32xf32>
  %y5 = sg.batch_norm %x5, %g32, %g32 {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m32, running_variance = @m32} : (tensor<2x8x15x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x8x15x32xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x16x16xf32>, tensor<2x8x15x32xf32>
}

// -----

// Of sums that are wider than what goes in.
// CHECK-LABEL: func.func @widened(
// CHECK-NOT: spares_x
// CHECK: return

sg.variable @m16 : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @widened(%r: tensor<2x8x16x4xbf16>, %w: tensor<16x1x1x4xbf16>, %g: tensor<16xf32>) -> tensor<2x8x16x16xf32> {
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xbf16>, tensor<16x1x1x4xbf16>) -> tensor<2x8x16x16xf32>
  %y = sg.batch_norm %x, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  return %y : tensor<2x8x16x16xf32>
}

// -----

// Of other types.
// CHECK-LABEL: func.func @last(
// CHECK-NOT: spares_x
// CHECK: return

sg.variable @m16 : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @last(%r: tensor<2x8x16x4xbf16>, %w: tensor<16x1x1x4xbf16>, %g: tensor<16xf32>) -> tensor<2x8x16x16xbf16> {
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xbf16>, tensor<16x1x1x4xbf16>) -> tensor<2x8x16x16xbf16>
  %y = sg.batch_norm %x, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m16, running_variance = @m16} : (tensor<2x8x16x16xbf16>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xbf16>
  return %y : tensor<2x8x16x16xbf16>
}
