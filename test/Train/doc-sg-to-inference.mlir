// The example of sg-to-inference's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-to-inference`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-to-inference | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:.*]] = sg.relu %[[X]] : tensor<8xf32>
// CHECK-NEXT: return %[[Y]] : tensor<8xf32>
