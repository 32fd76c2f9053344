// The example of sg-flatten's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-flatten`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-flatten | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:.*]] = sg.relu %[[X]] {sg.origin = #sg.origin<"layer1", forward>} : tensor<8xf32>
// CHECK-NEXT: return %[[Y]] : tensor<8xf32>
