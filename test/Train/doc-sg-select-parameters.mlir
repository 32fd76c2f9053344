// The example of sg-select-parameters' documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-select-parameters`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir '--sg-select-parameters=freeze=b*' | FileCheck %s

// CHECK: sg.variable @backbone : tensor<4xf32> {init = #sg.init<zeros>, role = #sg.role<parameter>, sg.frozen}
// CHECK-NEXT: sg.variable @head : tensor<4xf32> {init = #sg.init<zeros>, role = #sg.role<parameter>}
