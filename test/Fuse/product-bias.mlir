// A bias behind a product goes to the library, with the rounding behind it, unless
// something else reads what lies between them.
//
// RUN: reprise-opt %s --sg-decompose --canonicalize | FileCheck %s
// RUN: reprise-opt %s --sg-decompose=target=cuda:h100 --canonicalize | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func @f32(
// CHECK-SAME:    %[[A:.*]]: tensor<6x4xf32>, %[[B:.*]]: tensor<10x4xf32>, %[[C:.*]]: tensor<10xf32>
// CHECK-NEXT:    %[[Y:.*]] = sg.matmul_bias %[[A]], %[[B]], %[[C]] {transpose_b} : (tensor<6x4xf32>, tensor<10x4xf32>, tensor<10xf32>) -> tensor<6x10xf32>
// CHECK-NEXT:    %[[Z:.*]] = sg.reshape %[[Y]] : tensor<6x10xf32> -> tensor<2x3x10xf32>
// CHECK-NEXT:    return %[[Z]]
func.func @f32(%a: tensor<6x4xf32>, %b: tensor<10x4xf32>, %c: tensor<10xf32>) -> tensor<2x3x10xf32> {
  %p = sg.matmul %a, %b {transpose_b} : (tensor<6x4xf32>, tensor<10x4xf32>) -> tensor<6x10xf32>
  %v = sg.reshape %p : tensor<6x10xf32> -> tensor<2x3x10xf32>
  %r = sg.broadcast %c dims [2] : tensor<10xf32> -> tensor<2x3x10xf32>
  %y = sg.add %r, %v : tensor<2x3x10xf32>
  return %y : tensor<2x3x10xf32>
}

// CHECK-LABEL: func.func @rounded_once(
// CHECK-NEXT:    %[[Y:.*]] = sg.matmul_bias {{.*}} : (tensor<6x4xbf16>, tensor<4x10xbf16>, tensor<10xf32>) -> tensor<6x10xbf16>
// CHECK-NEXT:    return %[[Y]]
// GPU-LABEL: func.func @rounded_once(
// GPU:         sg.matmul {{.*}} -> tensor<6x10xf32>
// GPU:         sg.add
func.func @rounded_once(%a: tensor<6x4xbf16>, %b: tensor<4x10xbf16>, %c: tensor<10xf32>) -> tensor<6x10xbf16> {
  %p = sg.matmul %a, %b : (tensor<6x4xbf16>, tensor<4x10xbf16>) -> tensor<6x10xf32>
  %r = sg.broadcast %c dims [1] : tensor<10xf32> -> tensor<6x10xf32>
  %y = sg.add %p, %r : tensor<6x10xf32>
  %z = sg.cast %y : tensor<6x10xf32> to tensor<6x10xbf16>
  return %z : tensor<6x10xbf16>
}

// A bias that was only widened to be added is taken as it was, by a GPU's library
// too, which has none of another type than it stores.
// CHECK-LABEL: func.func @narrow(
// CHECK-NEXT:    %[[Y:.*]] = sg.matmul_bias {{.*}} : (tensor<6x4xbf16>, tensor<4x10xbf16>, tensor<10xbf16>) -> tensor<6x10xbf16>
// CHECK-NEXT:    return %[[Y]]
// GPU-LABEL: func.func @narrow(
// GPU-NEXT:    %[[Y:.*]] = sg.matmul_bias {{.*}} : (tensor<6x4xbf16>, tensor<4x10xbf16>, tensor<10xbf16>) -> tensor<6x10xbf16>
// GPU-NEXT:    return %[[Y]]
func.func @narrow(%a: tensor<6x4xbf16>, %b: tensor<4x10xbf16>, %c: tensor<10xbf16>) -> tensor<6x10xbf16> {
  %p = sg.matmul %a, %b : (tensor<6x4xbf16>, tensor<4x10xbf16>) -> tensor<6x10xf32>
  %w = sg.cast %c : tensor<10xbf16> to tensor<10xf32>
  %r = sg.broadcast %w dims [1] : tensor<10xf32> -> tensor<6x10xf32>
  %y = sg.add %p, %r : tensor<6x10xf32>
  %z = sg.cast %y : tensor<6x10xf32> to tensor<6x10xbf16>
  return %z : tensor<6x10xbf16>
}

// What is stored in f32 has a bias of f32.
// CHECK-LABEL: func.func @widened(
// CHECK:         sg.matmul_bias {{.*}} : (tensor<6x4xbf16>, tensor<4x10xbf16>, tensor<10xf32>) -> tensor<6x10xf32>
func.func @widened(%a: tensor<6x4xbf16>, %b: tensor<4x10xbf16>, %c: tensor<10xbf16>) -> tensor<6x10xf32> {
  %p = sg.matmul %a, %b : (tensor<6x4xbf16>, tensor<4x10xbf16>) -> tensor<6x10xf32>
  %w = sg.cast %c : tensor<10xbf16> to tensor<10xf32>
  %r = sg.broadcast %w dims [1] : tensor<10xf32> -> tensor<6x10xf32>
  %y = sg.add %p, %r : tensor<6x10xf32>
  return %y : tensor<6x10xf32>
}

// The sum is read as it is, too.
// CHECK-LABEL: func.func @rounded_for_one(
// CHECK:         sg.matmul_bias {{.*}} -> tensor<6x10xf32>
// CHECK-NEXT:    sg.cast
func.func @rounded_for_one(%a: tensor<6x4xbf16>, %b: tensor<4x10xbf16>, %c: tensor<10xf32>) -> (tensor<6x10xbf16>, tensor<6x10xf32>) {
  %p = sg.matmul %a, %b : (tensor<6x4xbf16>, tensor<4x10xbf16>) -> tensor<6x10xf32>
  %r = sg.broadcast %c dims [1] : tensor<10xf32> -> tensor<6x10xf32>
  %y = sg.add %p, %r : tensor<6x10xf32>
  %z = sg.cast %y : tensor<6x10xf32> to tensor<6x10xbf16>
  return %z, %y : tensor<6x10xbf16>, tensor<6x10xf32>
}

// Products that are read themselves, rounded before the bias, of a type that no
// library takes; vectors along other dimensions; views that cut rows.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     sg.matmul_bias
// CHECK:         return
func.func @others(%a: tensor<6x6xf32>, %c: tensor<6xf32>, %h: tensor<6x6xbf16>, %d: tensor<6xbf16>,
                  %w: tensor<6x6xf64>, %e: tensor<6xf64>, %three: tensor<3xf32>)
    -> (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xbf16>, tensor<6x6xf64>, tensor<6x6xf32>, tensor<12x3xf32>) {
  %p = sg.matmul %a, %a : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %r = sg.broadcast %c dims [1] : tensor<6xf32> -> tensor<6x6xf32>
  %0 = sg.add %p, %r : tensor<6x6xf32>
  %q = sg.matmul %h, %h : (tensor<6x6xbf16>, tensor<6x6xbf16>) -> tensor<6x6xbf16>
  %s = sg.broadcast %d dims [1] : tensor<6xbf16> -> tensor<6x6xbf16>
  %1 = sg.add %q, %s : tensor<6x6xbf16>
  %t = sg.matmul %w, %w : (tensor<6x6xf64>, tensor<6x6xf64>) -> tensor<6x6xf64>
  %u = sg.broadcast %e dims [1] : tensor<6xf64> -> tensor<6x6xf64>
  %2 = sg.add %t, %u : tensor<6x6xf64>
  %v = sg.matmul %a, %a {transpose_a} : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %x = sg.broadcast %c dims [0] : tensor<6xf32> -> tensor<6x6xf32>
  %3 = sg.add %v, %x : tensor<6x6xf32>
  %y = sg.matmul %a, %a {transpose_b} : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  %z = sg.reshape %y : tensor<6x6xf32> -> tensor<12x3xf32>
  %4 = sg.broadcast %three dims [1] : tensor<3xf32> -> tensor<12x3xf32>
  %5 = sg.add %z, %4 : tensor<12x3xf32>
  return %p, %0, %1, %2, %3, %5 : tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xbf16>, tensor<6x6xf64>, tensor<6x6xf32>, tensor<12x3xf32>
}

// A single number is no bias of a library, which has one for each column.
// CHECK-LABEL: func.func @keeps_single_number(
// CHECK:         sg.matmul %
// CHECK:         sg.add
func.func @keeps_single_number(%a: tensor<6x4xf32>, %b: tensor<4x10xf32>, %c: tensor<1xf32>) -> tensor<6x10xf32> {
  %p = sg.matmul %a, %b : (tensor<6x4xf32>, tensor<4x10xf32>) -> tensor<6x10xf32>
  %r = sg.broadcast %c dims [1] : tensor<1xf32> -> tensor<6x10xf32>
  %y = sg.add %p, %r : tensor<6x10xf32>
  return %y : tensor<6x10xf32>
}
