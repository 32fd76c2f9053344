// The example of sg-assign-checkpointing's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-assign-checkpointing`/d' %source/docs/passes/checkpoint.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-assign-checkpointing=mode=per-block | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: sg.module "layer1" (%{{.*}} : tensor<8xf32>) -> tensor<8xf32> attributes {activation_checkpointing} {
