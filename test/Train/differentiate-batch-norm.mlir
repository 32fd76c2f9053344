// RUN: reprise-opt %s --split-input-file --sg-differentiate=optimizer=none | FileCheck %s

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @beta : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @writes_running_statistics(
// CHECK-SAME:    %[[X:.*]]: tensor<2x2x2x3xf32>
func.func @writes_running_statistics(%x: tensor<2x2x2x3xf32>) -> tensor<f32> {
  // 8 elements a channel: the biased variance times 8/7 is the unbiased one.
  // CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[VAR:.*]], %[[RSTD:.*]] = sg.batch_norm_training %[[X]]
  // CHECK-SAME: epsilon = 1.000000e-05 : f64
  // CHECK-DAG: %[[OLD_MEAN:.*]] = sg.read @mean
  // CHECK-DAG: %[[KEEP:.*]] = sg.constant dense<7.500000e-01>
  // CHECK-DAG: %[[TAKE:.*]] = sg.constant dense<2.500000e-01>
  // CHECK: %[[KEPT:.*]] = sg.mul %[[OLD_MEAN]], %[[KEEP]]
  // CHECK: %[[TAKEN:.*]] = sg.mul %[[MEAN]], %[[TAKE]]
  // CHECK: %[[NEXT:.*]] = sg.add %[[KEPT]], %[[TAKEN]]
  // CHECK: sg.write @mean, %[[NEXT]]
  // CHECK: %[[UNBIASED:.*]] = sg.constant dense<0.285714298>
  // CHECK: sg.mul %[[VAR]], %[[UNBIASED]]
  // CHECK: sg.write @var,
  // CHECK: sg.backward of [@gamma, @beta]
  // CHECK-NOT: sg.write
  // CHECK:   sg.batch_norm_grad %[[X]], %{{.*}}, %[[MEAN]], %[[RSTD]],
  // CHECK-NOT: sg.write
  // CHECK: return
  %gamma = sg.read @gamma : tensor<3xf32>
  %beta = sg.read @beta : tensor<3xf32>
  %y = sg.batch_norm %x, %gamma, %beta
      {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
       running_mean = @mean, running_variance = @var}
    : (tensor<2x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x2x2x3xf32>
  %l = sg.reduce_sum %y dims [0, 1, 2, 3] : tensor<2x2x2x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<6x1x1x2xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @gamma : tensor<6xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @beta : tensor<6xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @mean : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// Products of the convolution's operands, and nothing of its result: the block
// hands out no tensor of 6 channels but its own result.
// CHECK-LABEL: func.func @spares_x(
// CHECK-SAME:    %[[R:.*]]: tensor<2x4x4x2xf32>
// CHECK:       sg.module "block" (%{{.*}} = %[[R]] : tensor<2x4x4x2xf32>) -> (tensor<2x4x4x6xf32>, tensor<6xf32>)
// CHECK:         sg.batch_norm_training %{{.*}} {epsilon = 1.000000e-05 : f64, spares_x}
// CHECK:       sg.backward of [@w, @gamma, @beta]
// CHECK:         sg.module "block" (%{{[a-z0-9]*}} = %{{.*}} : tensor<2x4x4x6xf32>, %[[I:[a-z0-9]*]] = %[[R]] : tensor<2x4x4x2xf32>, %{{[a-z0-9]*}} = %{{.*}} : tensor<6xf32>)
// CHECK-DAG:       sg.conv2d_filter_grad %[[I]], %{{.*}} -> tensor<6x1x1x2xf32>
// CHECK-DAG:       sg.conv2d_filter_grad %[[I]], %[[I]] {{.*}} -> tensor<2x1x1x2xf32>
// CHECK-NOT:   sg.batch_norm_grad
// CHECK-NOT:   sg.conv2d_input_grad
// CHECK:       return
func.func @spares_x(%r: tensor<2x4x4x2xf32>) -> tensor<f32> {
  %y = sg.module "block" (%i = %r : tensor<2x4x4x2xf32>) -> tensor<2x4x4x6xf32> {
    %w = sg.read @w : tensor<6x1x1x2xf32>
    %x = sg.conv2d %i, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
        dilation = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<2x4x4x2xf32>, tensor<6x1x1x2xf32>) -> tensor<2x4x4x6xf32>
    %gamma = sg.read @gamma : tensor<6xf32>
    %beta = sg.read @beta : tensor<6xf32>
    %n = sg.batch_norm %x, %gamma, %beta
        {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
         running_mean = @mean, running_variance = @var, spares_x}
      : (tensor<2x4x4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x4x4x6xf32>
    sg.yield %n : tensor<2x4x4x6xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1, 2, 3] : tensor<2x4x4x6xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @u : tensor<2x1x1x2xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @fixed : tensor<6x1x1x2xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @vector : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @mean : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// The gradient of what goes in, by two products and what is alike for all rows;
// products of the rows among themselves are for the filter's, which is no parameter.
// CHECK-LABEL: func.func @spares_x_of_a_fixed_filter(
// CHECK:       %[[R:.*]] = sg.conv2d {{.*}} -> tensor<2x4x4x2xf32>
// CHECK:       sg.backward of [@u]
// CHECK:         %[[G:.*]] = sg.conv2d_filter_grad %[[R]], {{.*}} -> tensor<6x1x1x2xf32>
// CHECK-NOT:     -> tensor<2x1x1x2xf32>
// CHECK:         %[[W:.*]] = sg.reshape {{.*}} : tensor<6x2xf32> -> tensor<6x1x1x2xf32>
// CHECK:         %[[A:.*]] = sg.conv2d_input_grad %{{.*}}, %[[W]]
// CHECK:         %[[M:.*]] = sg.reshape {{.*}} : tensor<2x2xf32> -> tensor<2x1x1x2xf32>
// CHECK:         %[[B:.*]] = sg.conv2d_input_grad %[[R]], %[[M]]
// CHECK:         %[[S:.*]] = sg.add %[[A]], %[[B]]
// CHECK:         sg.sub %[[S]],
// CHECK-NOT:   sg.batch_norm_grad
// CHECK:       return
func.func @spares_x_of_a_fixed_filter(%i: tensor<2x4x4x2xf32>) -> tensor<f32> {
  %u = sg.read @u : tensor<2x1x1x2xf32>
  %r = sg.conv2d %i, %u {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
      dilation = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<2x4x4x2xf32>, tensor<2x1x1x2xf32>) -> tensor<2x4x4x2xf32>
  %w = sg.read @fixed : tensor<6x1x1x2xf32>
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
      dilation = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<2x4x4x2xf32>, tensor<6x1x1x2xf32>) -> tensor<2x4x4x6xf32>
  %k = sg.recompute %x : tensor<2x4x4x6xf32>
  %v = sg.read @vector : tensor<6xf32>
  %n = sg.batch_norm %k, %v, %v
      {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
       running_mean = @mean, running_variance = @var, spares_x}
    : (tensor<2x4x4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x4x4x6xf32>
  %l = sg.reduce_sum %n dims [0, 1, 2, 3] : tensor<2x4x4x6xf32> -> tensor<f32>
  return %l : tensor<f32>
}
