// RUN: reprise-opt %s --sg-flatten --sg-verify-level=level=flat | FileCheck %s
// RUN: reprise-opt %s --strip-debuginfo --sg-flatten | FileCheck %s

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @an_op_belongs_to_its_innermost_block(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @an_op_belongs_to_its_innermost_block(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: sg.module
  // CHECK: %[[A:.*]] = sg.exp %[[X]] {sg.origin = #sg.origin<"a.b", forward>}
  // CHECK: %[[B:.*]] = sg.tanh %[[A]] {sg.origin = #sg.origin<"a", forward>}
  // CHECK: %[[C:.*]] = sg.neg %[[B]] {sg.origin = #sg.origin<"", forward>}
  // CHECK: return %[[C]]
  %a = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    %b = sg.module "a.b" (%j = %i : tensor<8xf32>) -> tensor<8xf32> {
      %e = sg.exp %j : tensor<8xf32>
      sg.yield %e : tensor<8xf32>
    }
    %t = sg.tanh %b : tensor<8xf32>
    sg.yield %t : tensor<8xf32>
  }
  %n = sg.neg %a : tensor<8xf32>
  return %n : tensor<8xf32>
}

// CHECK-LABEL: func.func @an_op_of_a_leaf_belongs_to_the_leaf(
func.func @an_op_of_a_leaf_belongs_to_the_leaf(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sg.exp %{{.*}} {sg.origin = #sg.origin<"layer1.0.conv1", forward>}
  // CHECK-NOT: sg.path
  // CHECK: return
  %a = sg.module "layer1" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    %e = sg.exp %i {sg.path = "layer1.0.conv1"} : tensor<8xf32>
    sg.yield %e : tensor<8xf32>
  }
  return %a : tensor<8xf32>
}

// What costs nothing belongs to nobody.
// CHECK-LABEL: func.func @constants_and_reads_are_of_nobody(
func.func @constants_and_reads_are_of_nobody() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: sg.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: sg.read @w : tensor<8xf32>
  // CHECK-NEXT: return
  %a:2 = sg.module "a" () -> (tensor<8xf32>, tensor<8xf32>) {
    %c = sg.constant dense<1.0> : tensor<8xf32>
    %w = sg.read @w {sg.path = "a.w"} : tensor<8xf32>
    sg.yield %c, %w : tensor<8xf32>, tensor<8xf32>
  }
  return %a#0, %a#1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @phases_and_instances_are_those_of_the_blocks(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @phases_and_instances_are_those_of_the_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: sg.backward
  // CHECK: %[[E:.*]] = sg.exp %[[X]] {sg.origin = #sg.origin<"a", recompute, 7>}
  // CHECK: %[[M:.*]] = sg.mul %[[E]], %[[X]] {sg.origin = #sg.origin<"a", backward, 7>}
  // CHECK: %[[N:.*]] = sg.neg %[[M]] {sg.origin = #sg.origin<"", backward>}
  // CHECK: %[[O:.*]] = sg.exp %[[N]] {sg.origin = #sg.origin<"", forward>}
  // CHECK: return %[[O]]
  %g = sg.backward of [@w] -> tensor<8xf32> {
    %r = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
        attributes {instance = 7 : i64, phase = #sg.phase<recompute>} {
      %e = sg.exp %i : tensor<8xf32>
      sg.yield %e : tensor<8xf32>
    }
    %m = sg.module "a" (%i = %r : tensor<8xf32>, %j = %x : tensor<8xf32>)
        -> tensor<8xf32>
        attributes {instance = 7 : i64, phase = #sg.phase<backward>} {
      %p = sg.mul %i, %j : tensor<8xf32>
      sg.yield %p : tensor<8xf32>
    }
    %n = sg.neg %m : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %o = sg.exp %g : tensor<8xf32>
  return %o : tensor<8xf32>
}

// CHECK-LABEL: func.func @passes_results_and_inputs_through(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: tensor<8xf32>
func.func @passes_results_and_inputs_through(%x: tensor<8xf32>, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: return %[[Y]], %[[X]]
  %a, %b = sg.module "swap" (%i = %x : tensor<8xf32>, %j = %y : tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>) {
    sg.yield %j, %i : tensor<8xf32>, tensor<8xf32>
  }
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
