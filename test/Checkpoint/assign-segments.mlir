// RUN: reprise-opt %s -split-input-file \
// RUN:   --sg-assign-checkpointing=mode=segments=2 | FileCheck %s

// CHECK-LABEL: func.func @cuts_at_equal_shares_of_bytes(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @cuts_at_equal_shares_of_bytes(%x: tensor<8xf32>) -> tensor<f32> {
  // The last segment stays plain.
  // CHECK: %[[S:.*]] = sg.module "segment1" (%[[I:.*]] = %[[X]] : tensor<8xf32>)
  // CHECK-SAME: attributes {activation_checkpointing} {
  // CHECK-NEXT: %[[A:.*]] = sg.exp %[[I]]
  // CHECK-NEXT: %[[B:.*]] = sg.tanh %[[A]]
  // CHECK-NEXT: sg.yield %[[B]]
  // CHECK: sg.sqrt %[[S]]
  // CHECK: sg.reduce_sum
  // CHECK-NOT: sg.module
  // CHECK: return
  %a = sg.exp %x : tensor<8xf32>
  %b = sg.tanh %a : tensor<8xf32>
  %c = sg.sqrt %b : tensor<8xf32>
  %d = sg.neg %c : tensor<8xf32>
  %l = sg.reduce_sum %d dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @cuts_where_one_value_alone_passes(
func.func @cuts_where_one_value_alone_passes(%x: tensor<8xf32>) -> tensor<f32> {
  // exp's result is read by the addition as well: no cut before it.
  // CHECK: sg.module "segment1"
  // CHECK:   sg.add
  // CHECK-NEXT: sg.yield
  // CHECK: sg.neg
  // CHECK: sg.reduce_sum
  %a = sg.exp %x : tensor<8xf32>
  %b = sg.tanh %a : tensor<8xf32>
  %c = sg.sqrt %b : tensor<8xf32>
  %d = sg.add %a, %c : tensor<8xf32>
  %e = sg.neg %d : tensor<8xf32>
  %l = sg.reduce_sum %e dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @reads_a_parameter_again_on_either_side(
func.func @reads_a_parameter_again_on_either_side(%x: tensor<8xf32>) -> tensor<f32> {
  // A read is free: it is no input of the segment and no result.
  // CHECK: sg.module "segment1" (%{{[^,]*}} = %{{[^,]*}} : tensor<8xf32>) -> tensor<8xf32>
  // CHECK:   %[[W:.*]] = sg.read @w
  // CHECK:   sg.mul %{{.*}}, %[[W]]
  // CHECK: sg.mul %{{.*}}, %{{.*}}
  // CHECK: return
  %w = sg.read @w : tensor<8xf32>
  %a = sg.mul %x, %w : tensor<8xf32>
  %b = sg.mul %a, %w : tensor<8xf32>
  %l = sg.reduce_sum %b dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @dissolves_the_models_blocks(
func.func @dissolves_the_models_blocks(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK-NOT: sg.module "a"
  // CHECK: sg.module "segment1"
  // CHECK-NOT: sg.module
  // CHECK: return
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %a = sg.exp %i : tensor<8xf32>
    %b = sg.tanh %a : tensor<8xf32>
    sg.yield %b : tensor<8xf32>
  }
  %l = sg.reduce_sum %y dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @counts_no_bytes_of_a_view(
func.func @counts_no_bytes_of_a_view(%x: tensor<64x8xf32>) -> tensor<f32> {
  // exp, tanh and neg have a third of the bytes each: tanh ends the half.
  // CHECK: sg.module "segment1"
  // CHECK:   sg.reshape
  // CHECK:   sg.exp
  // CHECK:   sg.tanh
  // CHECK-NEXT: sg.yield
  // CHECK: sg.neg
  // CHECK: return
  %v = sg.reshape %x : tensor<64x8xf32> -> tensor<512xf32>
  %e = sg.exp %v : tensor<512xf32>
  %t = sg.tanh %e : tensor<512xf32>
  %n = sg.neg %t : tensor<512xf32>
  %l = sg.reduce_sum %n dims [0] : tensor<512xf32> -> tensor<f32>
  return %l : tensor<f32>
}
