// The gradient of a bias, which a product in bf16 has as a narrow operand, is a sum
// of f32 and stays one: it is that of the variable. That of a weight is a product.
//
// RUN: reprise-opt %s --sg-autocast --sg-differentiate=optimizer=none | FileCheck %s

sg.variable @w : tensor<10x4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<10xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @model(
// CHECK:         %[[N:.*]] = sg.cast %{{.*}} : tensor<10xf32> to tensor<10xbf16>
// CHECK:         sg.cast %[[N]] : tensor<10xbf16> to tensor<10xf32>
// CHECK:         sg.backward
// CHECK:         %[[G:.*]] = sg.reduce_sum %{{.*}} dims [0] : tensor<8x10xf32> -> tensor<10xf32>
// CHECK-NOT:     tensor<10xbf16>
// CHECK:         sg.yield %{{.*}}, %[[G]]
func.func @model(%x: tensor<8x4xf32>, %label: tensor<8xi32>) -> tensor<f32> {
  %w = sg.read @w : tensor<10x4xf32>
  %b = sg.read @b : tensor<10xf32>
  %p = sg.matmul %x, %w {transpose_b} : (tensor<8x4xf32>, tensor<10x4xf32>) -> tensor<8x10xf32>
  %c = sg.broadcast %b dims [1] : tensor<10xf32> -> tensor<8x10xf32>
  %y = sg.add %p, %c : tensor<8x10xf32>
  %losses, %sums = sg.cross_entropy %y, %label : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  %loss = sg.reduce_sum %losses dims [0] : tensor<8xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// Also where blocks stand between the variable, its rounding and what widens it.
// CHECK-LABEL: func.func @through_blocks(
// CHECK:         sg.backward
// CHECK:         %[[G:.*]] = sg.reduce_sum %{{.*}} dims [0] : tensor<8x10xf32> -> tensor<10xf32>
// CHECK-NOT:     tensor<10xbf16>
// CHECK:         return
func.func @through_blocks(%x: tensor<8x10xf32>) -> tensor<f32> {
  %b = sg.read @b : tensor<10xf32>
  %n = sg.module "rounds" (%a = %b : tensor<10xf32>) -> tensor<10xbf16> {
    %r = sg.cast %a : tensor<10xf32> to tensor<10xbf16>
    sg.yield %r : tensor<10xbf16>
  }
  %y = sg.module "widens" (%i = %x : tensor<8x10xf32>, %a = %n : tensor<10xbf16>) -> tensor<8x10xf32> {
    %w = sg.cast %a : tensor<10xbf16> to tensor<10xf32>
    %c = sg.broadcast %w dims [1] : tensor<10xf32> -> tensor<8x10xf32>
    %s = sg.mul %i, %c : tensor<8x10xf32>
    sg.yield %s : tensor<8x10xf32>
  }
  %loss = sg.reduce_sum %y dims [0, 1] : tensor<8x10xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
