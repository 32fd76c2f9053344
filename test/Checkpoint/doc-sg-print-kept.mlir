// The example of sg-print-kept's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-print-kept`/d' %source/docs/passes/checkpoint.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-print-kept | FileCheck %s --strict-whitespace

// CHECK:{{^}}kept in @f:{{$}}
// CHECK-NEXT:{{^}}         128 bytes  tensor<8x4xf32>  layer1  sg.relu  ({{.*}}.mlir:5){{$}}
// CHECK-NEXT:{{^}}         128 bytes in 1 values{{$}}
