// RUN: reprise-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(sg-differentiate{optimizer=none}, func.func(sg-verify-effects, sg-lower-checkpointing, sg-verify-effects, sg-verify-level{level=remat}))' \
// RUN:   | FileCheck %s

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @clones_only_what_the_mirror_needs(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @clones_only_what_the_mirror_needs(%x: tensor<8xf32>) -> tensor<f32> {
  // exp's result is asked for, that of the negation is not; nor is the product
  // after it.
  // CHECK: %[[Y:.*]] = sg.module "a" {{.*}} -> tensor<8xf32> attributes {activation_checkpointing, instance = 0 : i64} {
  // CHECK: sg.backward
  // CHECK:   %[[DY:.*]] = sg.broadcast
  // CHECK:   %[[B:.*]] = sg.barrier(%[[X]]) after(%[[DY]])
  // CHECK:   %[[CLONE:.*]] = sg.module "a" (%[[I:.*]] = %[[B]] : tensor<8xf32>) -> tensor<8xf32>
  // CHECK-SAME: attributes {instance = 0 : i64, phase = #sg.phase<recompute>} {
  // CHECK-NEXT: %[[W:.*]] = sg.read @w
  // CHECK-NEXT: %[[P:.*]] = sg.mul %[[W]], %[[I]]
  // CHECK-NEXT: %[[E:.*]] = sg.exp %[[P]]
  // CHECK-NEXT: sg.yield %[[E]] : tensor<8xf32>
  // CHECK:   sg.module "a" (%{{.*}} = %[[DY]] : tensor<8xf32>, %{{.*}} = %[[CLONE]] : tensor<8xf32>
  // CHECK-SAME: phase = #sg.phase<backward>
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %p = sg.mul %w, %i : tensor<8xf32>
    %e = sg.exp %p : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    %z = sg.add %n, %n : tensor<8xf32>
    sg.yield %z : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @leaves_a_block_that_needs_nothing(
func.func @leaves_a_block_that_needs_nothing(%x: tensor<8xf32>) -> tensor<f32> {
  // The gradient of a sum keeps nothing: there is nothing to clone.
  // CHECK: sg.module "a" {{.*}}activation_checkpointing
  // CHECK: sg.backward
  // CHECK-NOT: sg.barrier
  // CHECK-NOT: recompute
  // CHECK: return
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %s = sg.add %i, %w : tensor<8xf32>
    sg.yield %s : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @leaves_a_plain_block_alone(
func.func @leaves_a_plain_block_alone(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: sg.module "a" {{.*}}residuals = 1 : i64
  // CHECK: sg.backward
  // CHECK-NOT: sg.barrier
  // CHECK-NOT: recompute
  // CHECK: return
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    %w = sg.read @w : tensor<8xf32>
    %p = sg.mul %w, %i : tensor<8xf32>
    %e = sg.exp %p : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @rebuilds_consecutive_blocks_one_after_the_other(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @rebuilds_consecutive_blocks_one_after_the_other(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: %[[A:.*]] = sg.module "a"
  // CHECK: %[[B:.*]] = sg.module "b" (%{{.*}} = %[[A]] :
  // CHECK: sg.backward
  // CHECK:   %[[DB:.*]] = sg.broadcast
  // CHECK:   %[[KEPT_B:.*]] = sg.barrier(%[[A]]) after(%[[DB]])
  // CHECK:   %[[CLONE_B:.*]] = sg.module "b" (%{{.*}} = %[[KEPT_B]] : {{.*}}recompute
  // CHECK:   %[[DA:.*]] = sg.module "b" (%{{.*}} = %[[DB]] : {{.*}}%[[CLONE_B]] {{.*}}backward
  // The first block's clone waits for the gradient that reaches it.
  // CHECK:   %[[KEPT_A:.*]] = sg.barrier(%[[X]]) after(%[[DA]])
  // CHECK:   %[[CLONE_A:.*]] = sg.module "a" (%{{.*}} = %[[KEPT_A]] : {{.*}}recompute
  // CHECK:   sg.module "a" (%{{.*}} = %[[DA]] : {{.*}}%[[CLONE_A]] {{.*}}backward
  %a = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %p = sg.mul %w, %i : tensor<8xf32>
    %e = sg.exp %p : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %b = sg.module "b" (%i = %a : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %e = sg.exp %i : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %b dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @waits_for_the_gradients_of_all_results(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @waits_for_the_gradients_of_all_results(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: %[[B:.*]]:2 = sg.module "pair"
  // CHECK: sg.backward
  // CHECK:   %[[DL:.*]] = sg.broadcast
  // CHECK:   %[[D0:.*]] = sg.mul %[[DL]], %[[B]]#1
  // CHECK:   %[[D1:.*]] = sg.mul %[[DL]], %[[B]]#0
  // CHECK:   %[[K:.*]] = sg.barrier(%[[X]]) after(%[[D0]], %[[D1]])
  // CHECK:   sg.module "pair" (%{{.*}} = %[[K]] : {{.*}}recompute
  %a, %b = sg.module "pair" (%i = %x : tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>)
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %p = sg.mul %w, %i : tensor<8xf32>
    %e = sg.exp %p : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    %m = sg.add %e, %p : tensor<8xf32>
    sg.yield %n, %m : tensor<8xf32>, tensor<8xf32>
  }
  %p = sg.mul %a, %b : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @reads_a_result_that_is_kept_otherwise(
func.func @reads_a_result_that_is_kept_otherwise(%x: tensor<8xf32>) -> tensor<f32> {
  // The multiplication's gradient keeps the block's result, so exp, whose
  // gradient reads its result, need not run again.
  // CHECK: %[[Y:.*]] = sg.module "a"
  // CHECK: sg.backward
  // CHECK-NOT: recompute
  // CHECK:   sg.module "a" (%{{.*}} : tensor<8xf32>, %{{.*}} = %[[Y]] : tensor<8xf32>
  // CHECK-SAME: backward
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %s = sg.add %w, %i : tensor<8xf32>
    %e = sg.exp %s : tensor<8xf32>
    sg.yield %e : tensor<8xf32>
  }
  %p = sg.mul %y, %y : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @keeps_a_residual_that_escapes(
func.func @keeps_a_residual_that_escapes(%x: tensor<8xf32>) -> tensor<f32> {
  // "b" multiplies by the second result of "a": its mirror reads that, so it
  // is kept, and the clone of "a" gives only what else is needed.
  // CHECK: %[[A:.*]]:2 = sg.module "a"
  // CHECK: sg.module "b" (%{{.*}} = %[[A]]#0 : tensor<8xf32>, %{{.*}} = %[[A]]#1 :
  // CHECK: sg.backward
  // CHECK:   sg.module "b" ({{.*}}%[[A]]#1 {{.*}}backward
  // CHECK:   %[[CLONE:.*]] = sg.module "a" (%{{.*}}) -> tensor<8xf32> attributes {{.*}}recompute
  // CHECK:     %[[T:.*]] = sg.tanh
  // CHECK-NEXT: sg.yield %[[T]] : tensor<8xf32>
  // CHECK:   sg.module "a" ({{.*}}backward
  %a, %r = sg.module "a" (%i = %x : tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>) attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %s = sg.add %w, %i : tensor<8xf32>
    %t = sg.tanh %s : tensor<8xf32>
    %n = sg.neg %t : tensor<8xf32>
    %e = sg.exp %s : tensor<8xf32>
    sg.yield %n, %e : tensor<8xf32>, tensor<8xf32>
  }
  %b = sg.module "b" (%i = %a : tensor<8xf32>, %j = %r : tensor<8xf32>)
      -> tensor<8xf32> {
    %n = sg.neg %i : tensor<8xf32>
    %m = sg.mul %n, %j : tensor<8xf32>
    sg.yield %m : tensor<8xf32>
  }
  %l = sg.reduce_sum %b dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @clones_a_block_within_a_clone(
func.func @clones_a_block_within_a_clone(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: sg.backward
  // CHECK:   sg.barrier
  // The outer clone runs the inner block without handing out its residual ...
  // CHECK:   %[[OUTER:.*]]:{{[0-9]+}} = sg.module "a" {{.*}}instance = 0 : i64, phase = #sg.phase<recompute>
  // CHECK:     sg.module "a.b" ({{.*}}) -> tensor<8xf32> attributes {activation_checkpointing, instance = 1 : i64, phase = #sg.phase<recompute>} {
  // CHECK:   sg.module "a" {{.*}}instance = 0 : i64, phase = #sg.phase<backward>
  // ... which is computed a third time, within the outer mirror.
  // CHECK:     %[[BARRIER:.*]] = sg.barrier
  // CHECK:     %[[INNER:.*]] = sg.module "a.b" (%{{.*}} = %[[BARRIER]] : {{.*}}instance = 1 : i64, phase = #sg.phase<recompute>
  // CHECK:       sg.exp
  // CHECK:     sg.module "a.b" ({{.*}}%[[INNER]] {{.*}}phase = #sg.phase<backward>
  // CHECK: return
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %t = sg.tanh %i : tensor<8xf32>
    %h = sg.module "a.b" (%j = %t : tensor<8xf32>) -> tensor<8xf32>
        attributes {activation_checkpointing} {
      %w = sg.read @w : tensor<8xf32>
      %p = sg.mul %w, %j : tensor<8xf32>
      %e = sg.exp %p : tensor<8xf32>
      %n = sg.neg %e : tensor<8xf32>
      sg.yield %n : tensor<8xf32>
    }
    %s = sg.sigmoid %h : tensor<8xf32>
    %n = sg.neg %s : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @inlines_plain_blocks_into_a_clone(
func.func @inlines_plain_blocks_into_a_clone(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: sg.backward
  // CHECK:   sg.module "a" {{.*}}recompute
  // CHECK-NOT: sg.module
  // CHECK:     sg.exp
  // CHECK-NEXT: sg.yield
  // CHECK:   sg.module "a" {{.*}}backward
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %h = sg.module "a.b" (%j = %i : tensor<8xf32>) -> tensor<8xf32> {
      %w = sg.read @w : tensor<8xf32>
      %s = sg.add %w, %j : tensor<8xf32>
      %e = sg.exp %s : tensor<8xf32>
      %n = sg.neg %e : tensor<8xf32>
      sg.yield %n : tensor<8xf32>
    }
    sg.yield %h : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @rebuilds_each_use_of_a_block_by_itself(
func.func @rebuilds_each_use_of_a_block_by_itself(%x: tensor<8xf32>) -> tensor<f32> {
  // One path, two instances.
  // CHECK: %[[FIRST:.*]] = sg.module "a" {{.*}}instance = 0 : i64} {
  // CHECK: sg.module "a" (%{{.*}} = %[[FIRST]] : {{.*}}instance = 1 : i64} {
  // CHECK: sg.backward
  // CHECK:   sg.module "a" {{.*}}instance = 1 : i64, phase = #sg.phase<recompute>
  // CHECK:   %[[TWO:.*]]:2 = sg.module "a" {{.*}}instance = 1 : i64, phase = #sg.phase<backward>
  // CHECK:   sg.module "a" {{.*}}instance = 0 : i64, phase = #sg.phase<recompute>
  // CHECK:   sg.module "a" ({{.*}} %[[SUM:[a-z0-9]+]] = %[[TWO]]#1 : tensor<8xf32>){{.*}}instance = 0 : i64, phase = #sg.phase<backward>
  // CHECK:     sg.add %[[SUM]],
  %a = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %s = sg.add %w, %i : tensor<8xf32>
    %e = sg.exp %s : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %b = sg.module "a" (%i = %a : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %s = sg.add %w, %i : tensor<8xf32>
    %e = sg.exp %s : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %b dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
