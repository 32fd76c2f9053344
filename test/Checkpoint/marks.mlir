// Tensors that are marked to be held, or computed again.
//
// RUN: reprise-opt %s -split-input-file --sg-assign-checkpointing=mode=annotated | FileCheck %s --check-prefix=ASSIGN
// RUN: reprise-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(sg-assign-checkpointing{mode=annotated}),sg-differentiate{optimizer=none emit-gradients=true},func.func(sg-verify-level{level=train},sg-lower-checkpointing,sg-verify-level{level=remat}))' \
// RUN:   | FileCheck %s --check-prefix=LOWER

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// What runs again as a whole needs no mark, wherever that stands; another mark
// stays until the step is flat.
// ASSIGN-LABEL: func.func @within(
// ASSIGN: sg.module "a"
// ASSIGN-NOT: sg.recompute
// ASSIGN: sg.sigmoid
// ASSIGN: sg.recompute
// ASSIGN-NOT: sg.recompute
// ASSIGN: return
func.func @within(%x: tensor<8xf32>) -> tensor<f32> {
  %w = sg.read @w : tensor<8xf32>
  %h = sg.mul %x, %w : tensor<8xf32>
  %y = sg.module "a" (%i = %h : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %e = sg.exp %i : tensor<8xf32>
    %q = sg.recompute %e : tensor<8xf32>
    %t = sg.tanh %q : tensor<8xf32>
    sg.yield %t : tensor<8xf32>
  }
  %m = sg.recompute %y : tensor<8xf32>
  %s = sg.sigmoid %m : tensor<8xf32>
  %n = sg.recompute %s : tensor<8xf32>
  %l = sg.reduce_sum %n dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// A checkpointed block hands out what is marked, and the clone reads it in
// place of what it was made from.
// LOWER-LABEL: func.func @held(
// LOWER: %[[A:.*]]:2 = sg.module "a"
// LOWER: sg.exp
// LOWER: %[[K:.*]] = sg.keep
// LOWER: sg.yield %{{.*}}, %[[K]]
// LOWER: sg.backward
// LOWER: %[[B:.*]] = sg.barrier(%[[A]]#1)
// LOWER: sg.module "a" (%[[I:.*]] = %[[B]] : tensor<8xf32>)
// LOWER-SAME: #sg.phase<recompute>
// LOWER-NOT: sg.exp
// LOWER: sg.tanh %[[I]]
// LOWER-NOT: sg.exp
// LOWER: #sg.phase<backward>
func.func @held(%x: tensor<8xf32>) -> tensor<f32> {
  %w = sg.read @w : tensor<8xf32>
  %h = sg.mul %x, %w : tensor<8xf32>
  %y = sg.module "a" (%i = %h : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %e = sg.exp %i : tensor<8xf32>
    %k = sg.keep %e : tensor<8xf32>
    %t = sg.tanh %k : tensor<8xf32>
    %r = sg.sigmoid %t : tensor<8xf32>
    sg.yield %r : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// Through a block in a block: neither the outer one's clone nor the inner one's
// makes it again.
// LOWER-LABEL: func.func @held_in_nested_blocks(
// LOWER: sg.keep
// LOWER: sg.backward
// LOWER-NOT: sg.exp
// LOWER: sg.tanh
// LOWER-NOT: sg.exp
// LOWER-NOT: sg.keep
// LOWER: return
func.func @held_in_nested_blocks(%x: tensor<8xf32>) -> tensor<f32> {
  %w = sg.read @w : tensor<8xf32>
  %h = sg.mul %x, %w : tensor<8xf32>
  %y = sg.module "a" (%i = %h : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %q = sg.sigmoid %i : tensor<8xf32>
    %z = sg.module "a.b" (%j = %q : tensor<8xf32>) -> tensor<8xf32>
        attributes {activation_checkpointing} {
      %e = sg.exp %j : tensor<8xf32>
      %k = sg.keep %e : tensor<8xf32>
      %t = sg.tanh %k : tensor<8xf32>
      %r = sg.sigmoid %t : tensor<8xf32>
      sg.yield %r : tensor<8xf32>
    }
    %n = sg.tanh %z : tensor<8xf32>
    sg.yield %n : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
