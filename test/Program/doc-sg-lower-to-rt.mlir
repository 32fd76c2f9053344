// The example of sg-lower-to-rt's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-lower-to-rt`/d' %source/docs/passes/program.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-lower-to-rt | FileCheck %s

// CHECK: rt.program @model
// CHECK-NEXT: rt.buffer 0 "w" parameter at 0 size 16
// CHECK-NEXT: rt.variable "w" <0 + 0 : tensor<4xf32>>
// CHECK-NEXT: rt.entry @eval_step inputs [] outputs [#rt.binding<"result0", <0 + 0 : tensor<4xf32>>>] peak 64 max_live 64 base_flops 0 kept 0 after 0 {
// CHECK-NEXT: }
// CHECK-NEXT: }
