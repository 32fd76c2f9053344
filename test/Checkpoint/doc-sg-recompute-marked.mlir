// The example of sg-recompute-marked's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-recompute-marked`/d' %source/docs/passes/checkpoint.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-recompute-marked | FileCheck %s

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>
// CHECK: sg.exp %[[X]] {{.*}}forward
// CHECK-NEXT: sg.neg {{.*}}forward
// CHECK-NEXT: %[[DZ:.*]] = sg.neg {{.*}}backward
// CHECK-NEXT: %[[B:.*]] = sg.barrier(%[[X]]) after(%[[DZ]]) {sg.origin = #sg.origin<"act", recompute>}
// CHECK-NEXT: %[[E1:.*]] = sg.exp %[[B]] {sg.origin = #sg.origin<"act", recompute>}
// CHECK-NEXT: sg.mul %[[DZ]], %[[E1]]
