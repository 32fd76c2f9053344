// RUN: reprise-opt %s --allow-unregistered-dialect --remat-erase-barriers | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %[[R:.*]] = "foreign.op"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x1 = remat.barrier %x after %y : tensor<8xf32>, tensor<8xf32>
  %r = "foreign.op"(%x1) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
