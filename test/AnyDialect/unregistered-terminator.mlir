// An unregistered op that ends the function is written once, last, and keeps
// what it reads until then.
//
// RUN: reprise-opt %s --allow-unregistered-dialect \
// RUN:   --remat-to-budget="budget-bytes=69000" | FileCheck %s

// CHECK-LABEL: func.func @ends_once
// CHECK:         %[[SUM:.*]] = "other.sum"
// CHECK-NEXT:    "other.return"(%[[SUM]])
// CHECK-NOT:     "other.return"
// CHECK:       }
func.func @ends_once(%x: tensor<256xf32>) -> tensor<256xf32> {
  %a = "other.grow"(%x) {remat.pure} : (tensor<256xf32>) -> tensor<64x256xf32>
  %b = "other.sum"(%a) {remat.pure} : (tensor<64x256xf32>) -> tensor<256xf32>
  "other.return"(%b) : (tensor<256xf32>) -> ()
}
