// RUN: reprise-opt %s -split-input-file --sg-to-inference | FileCheck %s

sg.variable @"rng.seed" : tensor<i64> {role = #sg.role<seed>, init = #sg.init<zeros>}
sg.variable @"rng.step" : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @drops_dropout_and_its_counter(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @drops_dropout_and_its_counter(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[Y:.*]] = sg.exp %[[X]]
  // CHECK-NEXT: return %[[Y]]
  %seed = sg.read @"rng.seed" : tensor<i64>
  %step = sg.read @"rng.step" : tensor<i64>
  %d = sg.dropout %x, %seed, %step {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  %y = sg.exp %d : tensor<8xf32>
  %one = sg.constant dense<1> : tensor<i64>
  %next = sg.add %step, %one : tensor<i64>
  sg.write @"rng.step", %next : tensor<i64>
  return %y : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @drops_auxiliary_losses(
// CHECK-SAME:    %[[A:.*]]: tensor<f32>, %{{.*}}: tensor<8xf32>
func.func @drops_auxiliary_losses(%a: tensor<f32>, %x: tensor<8xf32>) -> tensor<f32> {
  // CHECK-NEXT: %[[L:.*]] = sg.exp %[[A]]
  // CHECK-NEXT: return %[[L]]
  %l = sg.exp %a : tensor<f32>
  %b = sg.module "branch" (%y = %x : tensor<8xf32>) -> tensor<f32> {
    %s = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
    sg.yield %s : tensor<f32>
  }
  %t = sg.auxiliary_loss %l, %b weight 0.3 : tensor<f32>
  return %t : tensor<f32>
}

// -----

sg.variable @"rng.seed" : tensor<i64> {role = #sg.role<seed>, init = #sg.init<zeros>}
sg.variable @"rng.step" : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @keeps_the_weights_of_attention(
// CHECK-SAME:    %[[X:.*]]: tensor<2x5x3x4x8xf32>, %[[B:.*]]: tensor<1x4x5x5xf32>
func.func @keeps_the_weights_of_attention(%x: tensor<2x5x3x4x8xf32>, %b: tensor<1x4x5x5xf32>) -> tensor<2x5x4x8xf32> {
  // CHECK-NEXT: %[[Y:.*]], %{{.*}} = sg.attention %[[X]], %[[B]] {scale = 5.000000e-01 : f64}
  // CHECK-NEXT: return %[[Y]]
  %seed = sg.read @"rng.seed" : tensor<i64>
  %step = sg.read @"rng.step" : tensor<i64>
  %y, %lse = sg.attention %x, %b dropout(%seed, %step) {probability = 0.5 : f64, scale = 0.5 : f64, stream = 1 : i64}
    : (tensor<2x5x3x4x8xf32>, tensor<1x4x5x5xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x5x4x8xf32>, tensor<2x4x5xf32>)
  return %y : tensor<2x5x4x8xf32>
}

// -----

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @beta : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @normalizes_by_running_statistics(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4x4x3xf32>
func.func @normalizes_by_running_statistics(%x: tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32> {
  // CHECK-DAG: %[[GAMMA:.*]] = sg.read @gamma
  // CHECK-DAG: %[[BETA:.*]] = sg.read @beta
  // CHECK-DAG: %[[MEAN:.*]] = sg.read @mean
  // CHECK-DAG: %[[VAR:.*]] = sg.read @var
  // CHECK: %[[Y:.*]] = sg.batch_norm_inference %[[X]], %[[GAMMA]], %[[BETA]], %[[MEAN]], %[[VAR]]
  // CHECK-SAME: {epsilon = 1.000000e-03 : f64}
  // CHECK-NEXT: return %[[Y]]
  %gamma = sg.read @gamma : tensor<3xf32>
  %beta = sg.read @beta : tensor<3xf32>
  %y = sg.batch_norm %x, %gamma, %beta
      {epsilon = 1.0e-03 : f64, momentum = 0.1 : f64,
       running_mean = @mean, running_variance = @var}
    : (tensor<2x4x4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x4x4x3xf32>
  return %y : tensor<2x4x4x3xf32>
}

// -----

sg.variable @"rng.seed" : tensor<i64> {role = #sg.role<seed>, init = #sg.init<zeros>}
sg.variable @"rng.step" : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @drops_annotations_and_keeps_blocks(
func.func @drops_annotations_and_keeps_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sg.module "outer" (%[[I:.*]] = %{{.*}} : tensor<8xf32>) -> tensor<8xf32> {
  // CHECK:   sg.module "outer.inner" (%[[J:.*]] = %[[I]] : tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: sg.yield %[[J]]
  %y = sg.module "outer" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %h = sg.module "outer.inner" (%j = %i : tensor<8xf32>) -> tensor<8xf32>
        attributes {activation_checkpointing} {
      %seed = sg.read @"rng.seed" : tensor<i64>
      %step = sg.read @"rng.step" : tensor<i64>
      %d = sg.dropout %j, %seed, %step {probability = 0.5 : f64, stream = 1 : i64}
        : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
      sg.yield %d : tensor<8xf32>
    }
    sg.yield %h : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @drops_marks(
// CHECK-NEXT: sg.exp
// CHECK-NEXT: sg.tanh
// CHECK-NEXT: return
func.func @drops_marks(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = sg.exp %x : tensor<8xf32>
  %k = sg.keep %e : tensor<8xf32>
  %t = sg.tanh %k : tensor<8xf32>
  %m = sg.recompute %t : tensor<8xf32>
  return %m : tensor<8xf32>
}
