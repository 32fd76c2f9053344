// The optimizer's forms, one model.
//
// RUN: reprise-opt %s --sg-differentiate=optimizer=none \
// RUN:   | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: reprise-opt %s --sg-differentiate=hyperparameters=momentum=0 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: reprise-opt %s --sg-differentiate=hyperparameters=momentum=0.5,weight-decay=0.25 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FULL
// RUN: reprise-opt %s --sg-differentiate=hyperparameters=momentum=0 > %t.plain
// RUN: reprise-opt %s '--sg-differentiate=hyperparameters=momentum=0,weight-decay=0.25 no-weight-decay=[v-x]' \
// RUN:   | diff %t.plain -
// RUN: reprise-opt %s '--sg-differentiate=optimizer=none emit-gradients' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,EMIT
// RUN: not reprise-opt %s --sg-differentiate=optimizer=adagrad 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ADAGRAD

// ADAGRAD: error: unknown optimizer 'adagrad'; known are sgd, adam, adamw and none
//
// RUN: not reprise-opt %s --sg-differentiate=hyperparameters=momentum=1.5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANGE
// RANGE: error: momentum of sgd is 1.5; it must be at least 0 and less than 1
// RUN: not reprise-opt %s --sg-differentiate=hyperparameters=beta1=0.5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: sgd has no hyperparameter 'beta1'; it has momentum, weight-decay, norm-bias-weight-decay and nesterov
// RUN: not reprise-opt %s --sg-differentiate=hyperparameters=nesterov=0.5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SWITCH
// SWITCH: error: nesterov of sgd is 0.5; it must be 0 or 1
// RUN: not reprise-opt %s --sg-differentiate=hyperparameters=nesterov=1,momentum=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NESTEROV
// NESTEROV: error: nesterov of sgd needs a momentum, which is 0
// RUN: not reprise-opt %s --sg-differentiate=hyperparameters=momentum 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORM
// FORM: error: hyperparameter 'momentum' is not of the form NAME=VALUE
// RUN: not reprise-opt %s --sg-differentiate=no-weight-decay=w,w.b* 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXCEPT
// EXCEPT: error: no-weight-decay: no parameter matches 'w.b*'
// RUN: not reprise-opt %s '--sg-differentiate=no-weight-decay=[a' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GLOB
// GLOB: error: no-weight-decay: '[a' is not a pattern: {{.+}}
// RUN: not reprise-opt %s '--sg-differentiate=optimizer=none no-weight-decay=w' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: no-weight-decay excepts parameters from an update, and none updates none

// CHECK: sg.variable @w :
// The velocity stands next to its parameter and is stored like it.
// FULL-NEXT: sg.variable @w.momentum_buffer : tensor<2x4xf32>
// FULL-SAME: file_permutation = array<i32: 1, 0>, init = #sg.init<zeros>, role = #sg.role<optimizer_state>
// PLAIN-NOT: momentum_buffer
// NONE-NOT: momentum_buffer
sg.variable @w : tensor<2x4xf32> {role = #sg.role<parameter>,
  init = #sg.init<ones>, file_permutation = array<i32: 1, 0>}

// CHECK-LABEL: func.func @step(
// NONE-NOT:  learning_rate
// PLAIN-SAME:  %[[RATE:[a-z0-9]+]]: tensor<f32> {sg.binding = #sg.binding<learning_rate>, sg.name = "learning_rate"})
// FULL-SAME:   %[[RATE:[a-z0-9]+]]: tensor<f32> {sg.binding = #sg.binding<learning_rate>, sg.name = "learning_rate"})
// EMIT-SAME:   -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}, tensor<2x4xf32> {sg.binding = #sg.binding<gradient of "w">, sg.name = "gradient:w"})
func.func @step(%x: tensor<2x4xf32> {sg.name = "image"})
    -> (tensor<f32> {sg.name = "loss"}) {
  // CHECK: %[[LOSS:.*]] = sg.reduce_sum
  // CHECK: %[[G:.*]] = sg.backward of [@w]
  // NONE-NOT: sg.write
  // NONE: return %[[LOSS]]
  //
  // PLAIN: %[[W:.*]] = sg.read @w
  // PLAIN-NOT: sg.write
  // PLAIN: %[[RATES:.*]] = sg.broadcast %[[RATE]] dims []
  // PLAIN: %[[STEP:.*]] = sg.mul %[[RATES]], %[[G]]
  // PLAIN: %[[NEXT:.*]] = sg.sub %[[W]], %[[STEP]]
  // PLAIN: sg.write @w, %[[NEXT]]
  //
  // FULL: %[[W:.*]] = sg.read @w
  // FULL: %[[DECAY:.*]] = sg.constant dense<2.500000e-01>
  // FULL: %[[DECAYED:.*]] = sg.mul %[[W]], %[[DECAY]]
  // FULL: %[[SUM:.*]] = sg.add %[[G]], %[[DECAYED]]
  // FULL: %[[OLD:.*]] = sg.read @w.momentum_buffer
  // FULL: %[[MOMENTUM:.*]] = sg.constant dense<5.000000e-01>
  // FULL: %[[KEPT:.*]] = sg.mul %[[OLD]], %[[MOMENTUM]]
  // FULL: %[[V:.*]] = sg.add %[[KEPT]], %[[SUM]]
  // FULL: sg.write @w.momentum_buffer, %[[V]]
  // FULL: %[[RATES:.*]] = sg.broadcast %[[RATE]] dims []
  // FULL: %[[STEP:.*]] = sg.mul %[[RATES]], %[[V]]
  // FULL: %[[NEXT:.*]] = sg.sub %[[W]], %[[STEP]]
  // FULL: sg.write @w, %[[NEXT]]
  //
  // EMIT: return %[[LOSS]], %[[G]] : tensor<f32>, tensor<2x4xf32>
  %w = sg.read @w : tensor<2x4xf32>
  %p = sg.mul %w, %x : tensor<2x4xf32>
  %l = sg.reduce_sum %p dims [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
