// RUN: reprise-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(sg-differentiate{optimizer=none}, func.func(sg-verify-effects, sg-lower-checkpointing, sg-verify-effects, sg-verify-level{level=remat}))' \
// RUN:   | FileCheck %s

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @"rng.seed" : tensor<i64> {role = #sg.role<seed>, init = #sg.init<zeros>}
sg.variable @"rng.step" : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @draws_the_same_numbers_and_counts_once(
func.func @draws_the_same_numbers_and_counts_once(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: sg.module "a" {{.*}}activation_checkpointing
  // CHECK:   sg.dropout {{.*}}stream = 7 : i64
  // CHECK:   sg.write @rng.step
  // CHECK: sg.backward
  // CHECK-NOT: sg.write
  // CHECK:   sg.module "a" {{.*}}recompute
  // CHECK-DAG: sg.read @rng.seed
  // CHECK-DAG: sg.read @rng.step
  // CHECK:     sg.dropout {{.*}}stream = 7 : i64
  // CHECK:     sg.exp
  // CHECK-NOT: sg.write
  // CHECK: return
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %p = sg.mul %w, %i : tensor<8xf32>
    %seed = sg.read @"rng.seed" : tensor<i64>
    %step = sg.read @"rng.step" : tensor<i64>
    %d = sg.dropout %p, %seed, %step {probability = 0.5 : f64, stream = 7 : i64}
      : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
    %e = sg.exp %d : tensor<8xf32>
    %one = sg.constant dense<1> : tensor<i64>
    %next = sg.add %step, %one : tensor<i64>
    sg.write @"rng.step", %next : tensor<i64>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @keeps_statistics_and_normalizes_by_them(
// CHECK-SAME:    %[[X:.*]]: tensor<8x3xf32>
func.func @keeps_statistics_and_normalizes_by_them(%x: tensor<8x3xf32>) -> tensor<f32> {
  // The block hands out mean and reciprocal deviation, 12 bytes each.
  // CHECK: %[[A:.*]]:3 = sg.module "a" (%{{.*}} = %[[X]] : tensor<8x3xf32>)
  // CHECK-SAME: -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK-SAME: residuals = 2 : i64
  // CHECK:   %{{.*}}, %[[MEAN:.*]], %{{.*}}, %[[RSTD:.*]] = sg.batch_norm_training
  // CHECK:   sg.write @mean
  // CHECK:   sg.write @var
  // CHECK:   sg.yield %{{.*}}, %[[MEAN]], %[[RSTD]] :
  // CHECK: sg.backward
  // CHECK:   %[[K:.*]] = sg.barrier(%[[X]])
  // CHECK:   sg.module "a" (%[[I:.*]] = %[[K]] : tensor<8x3xf32>, %[[M:.*]] = %[[A]]#1 : tensor<3xf32>, %[[R:.*]] = %[[A]]#2 : tensor<3xf32>)
  // CHECK-SAME: recompute
  // CHECK-NOT: sg.batch_norm_training
  // CHECK-NOT: sg.write
  // CHECK:     %[[E:.*]] = sg.exp %[[I]]
  // CHECK:     sg.normalize %[[E]], %[[M]], %[[R]],
  // CHECK-NOT: sg.batch_norm_training
  // CHECK-NOT: sg.write
  // CHECK: return
  %y = sg.module "a" (%i = %x : tensor<8x3xf32>) -> tensor<8x3xf32>
      attributes {activation_checkpointing} {
    %gamma = sg.read @gamma : tensor<3xf32>
    %e = sg.exp %i : tensor<8x3xf32>
    %n = sg.batch_norm %e, %gamma, %gamma
        {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
         running_mean = @mean, running_variance = @var}
      : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
    %r = sg.relu %n : tensor<8x3xf32>
    %s = sg.mul %r, %r : tensor<8x3xf32>
    sg.yield %s : tensor<8x3xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<8x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @writes_running_statistics_once_though_nested(
func.func @writes_running_statistics_once_though_nested(%x: tensor<8x3xf32>) -> tensor<f32> {
  // CHECK: sg.write @mean
  // CHECK: sg.write @var
  // CHECK: sg.backward
  // CHECK-NOT: sg.write
  // CHECK:   sg.module "a" {{.*}}instance = 0 : i64, phase = #sg.phase<recompute>
  // CHECK:   sg.module "a" {{.*}}instance = 0 : i64, phase = #sg.phase<backward>
  // The innermost clone reads the statistics of the forward pass.
  // CHECK:     sg.module "a.b" {{.*}}instance = 1 : i64, phase = #sg.phase<recompute>
  // CHECK-NOT: sg.batch_norm_training
  // CHECK:       sg.normalize
  // CHECK-NOT: sg.write
  // CHECK: return
  %y = sg.module "a" (%i = %x : tensor<8x3xf32>) -> tensor<8x3xf32>
      attributes {activation_checkpointing} {
    %t = sg.exp %i : tensor<8x3xf32>
    %h = sg.module "a.b" (%j = %t : tensor<8x3xf32>) -> tensor<8x3xf32>
        attributes {activation_checkpointing} {
      %gamma = sg.read @gamma : tensor<3xf32>
      %n = sg.batch_norm %j, %gamma, %gamma
          {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
           running_mean = @mean, running_variance = @var}
        : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
      %e = sg.exp %n : tensor<8x3xf32>
      %m = sg.neg %e : tensor<8x3xf32>
      sg.yield %m : tensor<8x3xf32>
    }
    %s = sg.sigmoid %h : tensor<8x3xf32>
    %n = sg.neg %s : tensor<8x3xf32>
    sg.yield %n : tensor<8x3xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<8x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}
