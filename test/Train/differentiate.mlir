// RUN: reprise-opt %s -split-input-file --sg-differentiate=optimizer=none \
// RUN:   | FileCheck %s

sg.variable @w : tensor<8x4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @captures_what_the_derivative_reads(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>
func.func @captures_what_the_derivative_reads(%x: tensor<8x4xf32>) -> tensor<f32> {
  // CHECK: sg.reduce_sum
  // CHECK: sg.backward of [@w] -> tensor<8x4xf32> {
  // CHECK:   %[[ONE:.*]] = sg.constant dense<1.000000e+00> : tensor<f32>
  // CHECK:   %[[DY:.*]] = sg.broadcast %[[ONE]] dims []
  // CHECK:   %[[DW:.*]] = sg.mul %[[DY]], %[[X]]
  // CHECK:   sg.yield %[[DW]]
  // CHECK: return
  %w = sg.read @w : tensor<8x4xf32>
  %p = sg.mul %w, %x : tensor<8x4xf32>
  %l = sg.reduce_sum %p dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<16x8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @mirrors_a_block_and_prunes_its_residuals(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
func.func @mirrors_a_block_and_prunes_its_residuals(%x: tensor<4x8xf32>) -> tensor<f32> {
  // Of the three values inside, tanh's and relu's results are asked for; the
  // product of matrices is not.
  // CHECK: %[[BLOCK:.*]]:2 = sg.module "one" (%{{.*}} = %[[X]] : tensor<4x8xf32>)
  // CHECK-SAME: attributes {instance = 0 : i64, residuals = 1 : i64} {
  // CHECK:   %[[R:.*]] = sg.relu
  // CHECK:   %[[T:.*]] = sg.tanh %[[R]]
  // CHECK:   sg.yield %[[T]], %[[R]] :
  // CHECK: sg.backward of [@w]
  // CHECK:   %[[DY:.*]] = sg.broadcast
  // CHECK:   %[[DW:.*]] = sg.module "one"
  // CHECK-SAME: (%[[G:.*]] = %[[DY]] : tensor<4x16xf32>,
  // CHECK-SAME:  %[[TB:.*]] = %[[BLOCK]]#0 : tensor<4x16xf32>,
  // CHECK-SAME:  %[[RB:.*]] = %[[BLOCK]]#1 : tensor<4x16xf32>,
  // CHECK-SAME:  %[[XB:.*]] = %[[X]] : tensor<4x8xf32>)
  // CHECK-SAME: attributes {instance = 0 : i64, phase = #sg.phase<backward>} {
  // CHECK:     sg.mul %[[TB]], %[[TB]]
  // CHECK:     %[[DR:.*]] = sg.relu_grad %[[RB]],
  // CHECK:     sg.matmul %[[DR]], %[[XB]] {transpose_a}
  // CHECK:   sg.yield %[[DW]]
  %y = sg.module "one" (%i = %x : tensor<4x8xf32>) -> tensor<4x16xf32> {
    %w = sg.read @w : tensor<16x8xf32>
    %m = sg.matmul %i, %w {transpose_b}
      : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %r = sg.relu %m : tensor<4x16xf32>
    %t = sg.tanh %r : tensor<4x16xf32>
    sg.yield %t : tensor<4x16xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<4x16xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8x8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @adds_the_gradients_of_a_shared_parameter(
func.func @adds_the_gradients_of_a_shared_parameter(%x: tensor<4x8xf32>) -> tensor<f32> {
  // CHECK: sg.backward of [@w] -> tensor<8x8xf32> {
  // CHECK:   %[[TWO:.*]]:2 = sg.module "two"
  // CHECK-SAME: instance = 1 : i64, phase = #sg.phase<backward>
  // The sum is carried on in the mirror, so that the order of its terms is
  // that of a model without blocks.
  // CHECK:   %[[ONE:.*]] = sg.module "one" (%{{.*}} = %[[TWO]]#0 : {{.*}} %[[SUM:[a-z0-9]+]] = %[[TWO]]#1 : tensor<8x8xf32>)
  // CHECK-SAME: instance = 0 : i64, phase = #sg.phase<backward>
  // CHECK:     %[[TERM:.*]] = sg.matmul
  // CHECK:     sg.add %[[SUM]], %[[TERM]] : tensor<8x8xf32>
  // CHECK:   sg.yield %[[ONE]] : tensor<8x8xf32>
  %h = sg.module "one" (%i = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %w = sg.read @w : tensor<8x8xf32>
    %m = sg.matmul %i, %w
      : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    sg.yield %m : tensor<4x8xf32>
  }
  %y = sg.module "two" (%i = %h : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %w = sg.read @w : tensor<8x8xf32>
    %m = sg.matmul %i, %w
      : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    sg.yield %m : tensor<4x8xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<4x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// A block's contributions join the sum one by one, last use first, as they would
// without the block: however reads and blocks divide the uses.
// CHECK-LABEL: func.func @adds_each_use_of_a_parameter_to_one_sum(
func.func @adds_each_use_of_a_parameter_to_one_sum(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: sg.backward of [@w]
  // CHECK:   %[[LAST:.*]] = sg.mul %{{.*}}, %{{.*}}#0
  // CHECK:   %[[SUM:.*]]:2 = sg.module "block" ({{.*}} %[[BEFORE:[a-z0-9]+]] = %[[LAST]] : tensor<8xf32>
  // CHECK:     %[[S1:.*]] = sg.add %[[BEFORE]], %{{.*}}
  // CHECK:     %[[S2:.*]] = sg.add %[[S1]], %{{.*}}
  // CHECK:     sg.yield %{{.*}}, %[[S2]]
  // CHECK:   %[[ALL:.*]] = sg.add %[[SUM]]#1, %{{.*}}
  // CHECK-NEXT: sg.yield %[[ALL]]
  %w = sg.read @w : tensor<8xf32>
  %p = sg.mul %w, %x : tensor<8xf32>
  %q = sg.module "block" (%i = %p : tensor<8xf32>, %v = %w : tensor<8xf32>) -> tensor<8xf32> {
    %u = sg.read @w : tensor<8xf32>
    %a = sg.mul %i, %u : tensor<8xf32>
    %b = sg.mul %a, %v : tensor<8xf32>
    sg.yield %b : tensor<8xf32>
  }
  %y = sg.mul %q, %w : tensor<8xf32>
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @adds_the_gradients_of_a_value_read_twice(
func.func @adds_the_gradients_of_a_value_read_twice(%x: tensor<8xf32>) -> tensor<f32> {
  // The value's gradient is complete before its own op is differentiated.
  // CHECK: %[[E:.*]] = sg.exp
  // CHECK: sg.backward of [@w]
  // CHECK:   %[[DE:.*]] = sg.add
  // CHECK:   %[[DP:.*]] = sg.mul %[[DE]], %[[E]]
  // CHECK:   sg.yield
  %w = sg.read @w : tensor<8xf32>
  %p = sg.mul %w, %x : tensor<8xf32>
  %e = sg.exp %p : tensor<8xf32>
  %n = sg.neg %e : tensor<8xf32>
  %t = sg.tanh %e : tensor<8xf32>
  %s = sg.add %n, %t : tensor<8xf32>
  %l = sg.reduce_sum %s dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @gives_a_value_one_gradient_although_a_block_has_two_names_for_it(
func.func @gives_a_value_one_gradient_although_a_block_has_two_names_for_it(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: %[[BLOCK:.*]]:3 = sg.module "twice"
  // CHECK: sg.backward of [@w]
  // CHECK:   %[[DP:.*]] = sg.module "twice"
  // CHECK-SAME: -> tensor<8xf32>
  // CHECK:     %[[DT:.*]] = sg.mul
  // CHECK:     %[[DE:.*]] = sg.mul
  // CHECK:     %[[SUM:.*]] = sg.add
  // CHECK-NEXT:   sg.yield %[[SUM]]
  // CHECK:   sg.mul %[[DP]],
  %w = sg.read @w : tensor<8xf32>
  %p = sg.mul %w, %x : tensor<8xf32>
  %y = sg.module "twice" (%a = %p : tensor<8xf32>, %b = %p : tensor<8xf32>) -> tensor<8xf32> {
    %e = sg.exp %a : tensor<8xf32>
    %t = sg.tanh %b : tensor<8xf32>
    %s = sg.add %e, %t : tensor<8xf32>
    sg.yield %s : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// The inner block's inputs differ where it stands, but are one value further
// out: both its derivatives are summed where they are made.
// CHECK-LABEL: func.func @gives_a_value_one_gradient_whatever_nested_blocks_call_it(
func.func @gives_a_value_one_gradient_whatever_nested_blocks_call_it() -> tensor<f32> {
  // CHECK: sg.backward of [@w]
  // CHECK:   sg.module "a"
  // CHECK:     sg.module "a.b"
  // CHECK:       %[[R:.*]] = sg.mul
  // CHECK:       %[[S:.*]] = sg.mul
  // CHECK:       %[[SUM:.*]] = sg.add %[[R]], %[[S]]
  // CHECK:       sg.yield %[[SUM]] : tensor<8xf32>
  %w = sg.read @w : tensor<8xf32>
  %e = sg.exp %w : tensor<8xf32>
  %y = sg.module "a" (%p = %e : tensor<8xf32>, %q = %e : tensor<8xf32>) -> tensor<8xf32> {
    %z = sg.module "a.b" (%r = %p : tensor<8xf32>, %s = %q : tensor<8xf32>) -> tensor<8xf32> {
      %m = sg.mul %r, %s : tensor<8xf32>
      sg.yield %m : tensor<8xf32>
    }
    sg.yield %z : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @mirrors_a_block_of_several_results(
func.func @mirrors_a_block_of_several_results(%x: tensor<8xf32>) -> tensor<f32> {
  // Both results have a gradient; the mirror takes one cotangent for each.
  // CHECK: %[[B:.*]]:2 = sg.module "pair"
  // CHECK-SAME: -> (tensor<8xf32>, tensor<8xf32>) attributes {instance = 0 : i64} {
  // CHECK: %[[S:.*]] = sg.mul %[[B]]#0, %[[B]]#1
  // CHECK: sg.backward of [@w]
  // CHECK:   %[[DL:.*]] = sg.broadcast
  // CHECK:   %[[DA:.*]] = sg.mul %[[DL]], %[[B]]#1
  // CHECK:   %[[DB:.*]] = sg.mul %[[DL]], %[[B]]#0
  // CHECK:   %[[DW:.*]] = sg.module "pair" (%{{.*}} = %[[DA]] : tensor<8xf32>, %{{.*}} = %[[DB]] : tensor<8xf32>,
  // CHECK:   sg.yield %[[DW]]
  %a, %b = sg.module "pair" (%i = %x : tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %w = sg.read @w : tensor<8xf32>
    %e = sg.exp %w : tensor<8xf32>
    %t = sg.mul %w, %i : tensor<8xf32>
    sg.yield %e, %t : tensor<8xf32>, tensor<8xf32>
  }
  %p = sg.mul %a, %b : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @mirrors_nested_blocks_by_nested_mirrors(
func.func @mirrors_nested_blocks_by_nested_mirrors(%x: tensor<8xf32>) -> tensor<f32> {
  // The inner block's residual is handed out through the outer one.
  // CHECK: %[[OUTER:.*]]:2 = sg.module "outer"
  // CHECK-SAME: instance = 0 : i64, residuals = 1 : i64
  // CHECK:   %[[INNER:.*]] = sg.module "outer.inner"
  // CHECK-SAME: instance = 1 : i64
  // CHECK:   %[[N:.*]] = sg.neg %[[INNER]]
  // CHECK:   sg.yield %[[N]], %[[INNER]] :
  // CHECK: sg.backward of [@w]
  // CHECK:   sg.module "outer"
  // CHECK-SAME: %[[RESIDUAL:[a-z0-9]+]] = %[[OUTER]]#1 : tensor<8xf32>)
  // CHECK-SAME: instance = 0 : i64, phase = #sg.phase<backward>
  // CHECK:     sg.module "outer.inner"
  // CHECK-SAME: = %[[RESIDUAL]] : tensor<8xf32>)
  // CHECK-SAME: instance = 1 : i64, phase = #sg.phase<backward>
  %y = sg.module "outer" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    %h = sg.module "outer.inner" (%j = %i : tensor<8xf32>) -> tensor<8xf32> {
      %w = sg.read @w : tensor<8xf32>
      %s = sg.add %j, %w : tensor<8xf32>
      %e = sg.exp %s : tensor<8xf32>
      sg.yield %e : tensor<8xf32>
    }
    %n = sg.neg %h : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @keeps_nothing_of_a_block_without_parameters_behind(
func.func @keeps_nothing_of_a_block_without_parameters_behind(%x: tensor<8xf32>) -> tensor<f32> {
  // No parameter is read before it, so it has no mirror and no residuals.
  // CHECK: sg.module "frozen"
  // CHECK-NOT: residuals
  // CHECK: sg.backward of [@w]
  // CHECK-NOT: sg.module
  // CHECK: return
  %h = sg.module "frozen" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    %e = sg.exp %i : tensor<8xf32>
    %t = sg.tanh %e : tensor<8xf32>
    sg.yield %t : tensor<8xf32>
  }
  %w = sg.read @w : tensor<8xf32>
  %p = sg.mul %w, %h : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @state : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @differentiates_for_parameters_only(
func.func @differentiates_for_parameters_only(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: sg.backward of [@w] -> tensor<8xf32> {
  %w = sg.read @w : tensor<8xf32>
  %s = sg.read @state : tensor<8xf32>
  %p = sg.mul %w, %s : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @z : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @unused : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @a : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @lists_gradients_in_the_order_of_declaration(
func.func @lists_gradients_in_the_order_of_declaration() -> tensor<f32> {
  // CHECK: sg.backward of [@z, @a] ->
  %a = sg.read @a : tensor<8xf32>
  %z = sg.read @z : tensor<8xf32>
  %p = sg.mul %a, %z : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
