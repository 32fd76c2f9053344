// RUN: reprise-opt %s --sg-assign-checkpointing=mode=threshold-bytes=255 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,BELOW
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=threshold-bytes=256 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,AT

sg.variable @w : tensor<8x8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @cuts_after_products_where_a_large_cheap_value_is(
func.func @cuts_after_products_where_a_large_cheap_value_is(%x: tensor<8x8xf32>) -> tensor<f32> {
  // relu's result has 256 bytes. Nothing is cheaper than a product before the
  // first one, and no product ends the last run.
  // CHECK: sg.matmul
  // BELOW: sg.module "segment1" {{.*}} attributes {activation_checkpointing} {
  // BELOW:   sg.relu
  // BELOW:   sg.matmul
  // BELOW-NEXT: sg.yield
  // AT-NOT: sg.module
  // CHECK: sg.tanh
  // CHECK: return
  %w = sg.read @w : tensor<8x8xf32>
  %a = sg.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = sg.relu %a : tensor<8x8xf32>
  %b = sg.matmul %r, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = sg.tanh %b : tensor<8x8xf32>
  %l = sg.reduce_sum %t dims [0, 1] : tensor<8x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
