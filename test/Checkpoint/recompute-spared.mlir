// What goes into a convolution that its norm spares is computed again no sooner
// than the gradient that it is multiplied by is there.
//
// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-differentiate{optimizer=none emit-gradients=true},func.func(sg-flatten,sg-recompute-marked))' | FileCheck %s

sg.variable @u : tensor<2x1x1x2xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @w : tensor<6x1x1x2xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @vector : tensor<6xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @marked(
// CHECK:         %[[S:.*]] = sg.sub {{.*}} : tensor<2x4x4x6xf32>
// CHECK-NEXT:    %[[P:.*]] = sg.mul %{{.*}}, %[[S]]
// CHECK-NEXT:    %[[DY:.*]] = sg.mul %{{.*}}, %[[P]]
// CHECK:         %[[B:.*]] = sg.barrier({{.*}}) after(%[[DY]])
// CHECK:         %[[R:.*]] = sg.exp %[[B]]
// CHECK:         sg.conv2d_filter_grad %[[R]], %[[DY]]
func.func @marked(%i: tensor<2x4x4x2xf32>) -> tensor<f32> {
  %u = sg.read @u : tensor<2x1x1x2xf32>
  %c = sg.conv2d %i, %u {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
      dilation = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<2x4x4x2xf32>, tensor<2x1x1x2xf32>) -> tensor<2x4x4x2xf32>
  %e = sg.exp %c : tensor<2x4x4x2xf32>
  %r = sg.recompute %e : tensor<2x4x4x2xf32>
  %w = sg.read @w : tensor<6x1x1x2xf32>
  %x = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
      dilation = array<i64: 1, 1>, groups = 1 : i64}
    : (tensor<2x4x4x2xf32>, tensor<6x1x1x2xf32>) -> tensor<2x4x4x6xf32>
  %v = sg.read @vector : tensor<6xf32>
  %n = sg.batch_norm %x, %v, %v
      {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
       running_mean = @mean, running_variance = @var, spares_x}
    : (tensor<2x4x4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x4x4x6xf32>
  %t = sg.sigmoid %n : tensor<2x4x4x6xf32>
  %l = sg.reduce_sum %t dims [0, 1, 2, 3] : tensor<2x4x4x6xf32> -> tensor<f32>
  return %l : tensor<f32>
}
