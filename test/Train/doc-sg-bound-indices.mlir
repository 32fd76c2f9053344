// The example of sg-bound-indices's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-bound-indices`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-bound-indices | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %{{.*}}: tensor<8x10xf32>,
// CHECK-SAME:    %{{.*}}: tensor<8xi32> {sg.index_ranges = [#sg.index_range<class 10 at[0, 1]>]})
