// RUN: reprise-opt %s --sg-differentiate=optimizer=none | FileCheck %s

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
