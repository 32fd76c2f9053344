// RUN: reprise-opt %s --sg-flatten --mlir-print-debuginfo \
// RUN:   --mlir-print-local-scope | FileCheck %s

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @names_an_op_after_its_innermost_block(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @names_an_op_after_its_innermost_block(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: sg.module
  // CHECK: %[[A:.*]] = sg.exp %[[X]] : tensor<8xf32> loc(fused<#sg.phase<forward>>["a.b"("{{.*}}flatten.mlir":{{[0-9]+:[0-9]+}})])
  // CHECK: %[[B:.*]] = sg.tanh %[[A]] : tensor<8xf32> loc(fused<#sg.phase<forward>>["a"(
  // CHECK: %[[C:.*]] = sg.neg %[[B]] : tensor<8xf32> loc(fused<#sg.phase<forward>>["{{.*}}flatten.mlir":{{[0-9]+:[0-9]+}}])
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

// CHECK-LABEL: func.func @leaves_a_leaf_its_name(
func.func @leaves_a_leaf_its_name(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sg.exp %{{.*}} : tensor<8xf32> loc(fused<#sg.phase<forward>>["layer1.0.conv1"("model.cpp":7:1)])
  %a = sg.module "layer1" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    %e = sg.exp %i : tensor<8xf32> loc("layer1.0.conv1"("model.cpp":7:1))
    sg.yield %e : tensor<8xf32>
  }
  return %a : tensor<8xf32>
}

// CHECK-LABEL: func.func @marks_the_phases_of_the_backward_region(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @marks_the_phases_of_the_backward_region(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: sg.backward
  // CHECK: %[[E:.*]] = sg.exp %[[X]] : tensor<8xf32> loc(fused<#sg.phase<recompute>>["a"(
  // CHECK: %[[M:.*]] = sg.mul %[[E]], %[[X]] : tensor<8xf32> loc(fused<#sg.phase<backward>>["a"(
  // CHECK: %[[N:.*]] = sg.neg %[[M]] : tensor<8xf32> loc(fused<#sg.phase<backward>>["{{.*}}flatten.mlir"
  // CHECK: return %[[N]] {{.*}}#sg.phase<forward>
  %g = sg.backward of [@w] -> tensor<8xf32> {
    %r = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
        attributes {instance = 0 : i64, phase = #sg.phase<recompute>} {
      %e = sg.exp %i : tensor<8xf32>
      sg.yield %e : tensor<8xf32>
    }
    %m = sg.module "a" (%i = %r : tensor<8xf32>, %j = %x : tensor<8xf32>)
        -> tensor<8xf32>
        attributes {instance = 0 : i64, phase = #sg.phase<backward>} {
      %p = sg.mul %i, %j : tensor<8xf32>
      sg.yield %p : tensor<8xf32>
    }
    %n = sg.neg %m : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  return %g : tensor<8xf32>
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
