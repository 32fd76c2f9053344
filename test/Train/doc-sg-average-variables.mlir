// The example of sg-average-variables' documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-average-variables`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-average-variables=decay=0.75 | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[NEXT:[a-z0-9]+]]: tensor<4xf32>
// CHECK: sg.write @w, %[[NEXT]]
// CHECK: %[[A:.*]] = sg.read @w.ema
// CHECK: %[[D:.*]] = sg.sub %[[NEXT]], %[[A]]
// CHECK: %[[S:.*]] = sg.mul %[[D]]
// CHECK: %[[N:.*]] = sg.add %[[A]], %[[S]]
// CHECK: sg.write @w.ema, %[[N]]
