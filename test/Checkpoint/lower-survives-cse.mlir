// Neither folding nor common-subexpression elimination merges a clone with
// its original, before or after blocks are inlined.
//
// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-differentiate{hyperparameters=momentum=0}, func.func(sg-lower-checkpointing, canonicalize, cse, sg-flatten, canonicalize, cse))' \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-differentiate{hyperparameters=momentum=0}, func.func(sg-flatten, canonicalize, cse))' \
// RUN:   | FileCheck %s --check-prefix=PLAIN

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @computes_again_behind_a_barrier(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// PLAIN-LABEL: func.func @computes_again_behind_a_barrier(
func.func @computes_again_behind_a_barrier(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK: %[[W:.*]] = sg.read @w
  // CHECK: %[[P:.*]] = sg.mul %[[W]], %[[X]]
  // CHECK: sg.exp %[[P]]
  // CHECK: %[[LOSS:.*]] = sg.reduce_sum
  // CHECK: %[[B:.*]] = sg.barrier(%[[X]])
  // CHECK: %[[Q:.*]] = sg.mul %{{.*}}, %[[B]]
  // CHECK: sg.exp %[[Q]]
  // CHECK: return %[[LOSS]]
  //
  // PLAIN: sg.exp
  // PLAIN-NOT: sg.exp
  // PLAIN: return
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %p = sg.mul %w, %i : tensor<8xf32>
    %e = sg.exp %p : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @computes_again_what_reads_variables_only(
// PLAIN-LABEL: func.func @computes_again_what_reads_variables_only(
func.func @computes_again_what_reads_variables_only(%x: tensor<8xf32>) -> tensor<f32> {
  // The parameter passes the barrier along with the input.
  // CHECK: %[[W:.*]] = sg.read @w
  // CHECK: sg.exp %[[W]]
  // CHECK: sg.reduce_sum
  // CHECK: %[[B:.*]]:2 = sg.barrier(%{{.*}}, %[[W]]) after(
  // CHECK: sg.exp %[[B]]#1
  // CHECK: return
  //
  // PLAIN: sg.exp
  // PLAIN-NOT: sg.exp
  // PLAIN: return
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %e = sg.exp %w : tensor<8xf32>
    %p = sg.mul %e, %i : tensor<8xf32>
    %t = sg.sigmoid %p : tensor<8xf32>
    %n = sg.neg %t : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @computes_a_block_without_inputs_again(
// PLAIN-LABEL: func.func @computes_a_block_without_inputs_again(
func.func @computes_a_block_without_inputs_again() -> tensor<f32> {
  // CHECK: sg.exp
  // CHECK: sg.reduce_sum
  // CHECK: %[[B:.*]] = sg.barrier
  // CHECK: sg.exp %[[B]]
  // CHECK: return
  //
  // PLAIN: sg.exp
  // PLAIN-NOT: sg.exp
  // PLAIN: return
  %y = sg.module "a" () -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %w = sg.read @w : tensor<8xf32>
    %e = sg.exp %w : tensor<8xf32>
    %n = sg.neg %e : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
