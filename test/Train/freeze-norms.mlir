// RUN: reprise-opt %s '--pass-pipeline=builtin.module(sg-select-parameters{freeze=*,!weight},sg-differentiate)' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,BATCH
// RUN: reprise-opt %s '--pass-pipeline=builtin.module(sg-select-parameters{freeze=*,!weight freeze-norms},sg-differentiate)' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,RUNNING
// RUN: not reprise-opt %s '--sg-select-parameters=freeze=gamma freeze-norms' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HALF

// A normalization with a frozen scale and offset normalizes by the batch and
// updates the statistics, unless it is frozen too. A gradient passes through it.
// HALF: error: freeze-norms: no batch normalization has a frozen scale and offset
// CHECK-LABEL: func.func @step(
// BATCH: sg.batch_norm_training
// BATCH: sg.write @mean,
// BATCH: sg.write @variance,
// RUNNING: sg.read @mean
// RUNNING: sg.read @variance
// RUNNING-NOT: sg.batch_norm_training
// RUNNING-NOT: sg.write @mean
// CHECK: sg.backward of [@weight] ->
// RUNNING-NOT: sg.write @mean
// CHECK: sg.write @weight,
sg.variable @weight : tensor<4xf32> {role = #sg.role<parameter>,
                                     init = #sg.init<ones>}
sg.variable @gamma : tensor<4xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<ones>}
sg.variable @beta : tensor<4xf32> {role = #sg.role<parameter>,
                                   init = #sg.init<zeros>}
sg.variable @mean : tensor<4xf32> {role = #sg.role<running_statistics>,
                                   init = #sg.init<zeros>}
sg.variable @variance : tensor<4xf32> {role = #sg.role<running_statistics>,
                                       init = #sg.init<ones>}
func.func @step(%x: tensor<8x4xf32>) -> tensor<f32> {
  %w = sg.read @weight : tensor<4xf32>
  %b = sg.broadcast %w dims [1] : tensor<4xf32> -> tensor<8x4xf32>
  %p = sg.mul %x, %b : tensor<8x4xf32>
  %g = sg.read @gamma : tensor<4xf32>
  %o = sg.read @beta : tensor<4xf32>
  %y = sg.batch_norm %p, %g, %o
      {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
       running_mean = @mean, running_variance = @variance}
    : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %q = sg.exp %y : tensor<8x4xf32>
  %l = sg.reduce_sum %q dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
