// The example of sg-spare-norm-operands' documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-spare-norm-operands`/d' %source/docs/passes/algorithms.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-spare-norm-operands{least-bytes=0}))' \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-NEXT: %[[X:.*]] = sg.conv2d
// CHECK-NEXT: sg.batch_norm %[[X]], %{{.*}}, %{{.*}} {{{.*}}, spares_x}
