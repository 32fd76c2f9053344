// The example of sg-decompose's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-decompose`/d' %source/docs/passes/fuse.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-decompose | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: tensor<8x64x64xf32>
// CHECK-NEXT: %[[P:.*]] = sg.reduce_sum %[[X]] dims [1] : tensor<8x64x64xf32> -> tensor<8x64xf32>
// CHECK-NEXT: %[[S:.*]] = sg.reduce_sum %[[P]] dims [0] : tensor<8x64xf32> -> tensor<64xf32>
// CHECK-NEXT: return %[[S]]
