// What --keep names is not computed again, nor what is marked; a pattern that is
// none is refused, and so is a number of reads.
//
// RUN: reprise-opt %s --sg-recompute-cheap="keep=act" | FileCheck %s
// RUN: not reprise-opt %s --sg-recompute-cheap="keep=[" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD
// BAD: '[' is not a pattern
// RUN: not reprise-opt %s --sg-recompute-cheap="most-reads=-1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS
// LESS: error: 'most-reads' must be a number of at least 0, not -1
// RUN: not reprise-opt %s --sg-recompute-cheap="most-reads=nan" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: 'most-reads' must be a number of at least 0, not nan

// CHECK-LABEL: func @f
// CHECK: %[[E:.*]] = sg.exp {{.*}}forward
// CHECK-NEXT: sg.mul %arg1, %[[E]]
func.func @f(%x: tensor<4xf32>, %dy: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %b = sg.broadcast %x dims [1] {sg.origin = #sg.origin<"wide", forward>} : tensor<4xf32> -> tensor<8x4xf32>
  %e = sg.exp %b {sg.origin = #sg.origin<"act", forward>} : tensor<8x4xf32>
  %d = sg.mul %dy, %e {sg.origin = #sg.origin<"act", backward>} : tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}

// CHECK-LABEL: func @marked
// CHECK: %[[E:.*]] = sg.exp {{.*}}forward
// CHECK-NEXT: sg.mul %arg1, %[[E]]
func.func @marked(%x: tensor<4xf32>, %dy: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %b = sg.broadcast %x dims [1] {sg.origin = #sg.origin<"wide", forward>} : tensor<4xf32> -> tensor<8x4xf32>
  %e = sg.exp %b {sg.keep, sg.origin = #sg.origin<"a", forward>} : tensor<8x4xf32>
  %d = sg.mul %dy, %e {sg.origin = #sg.origin<"a", backward>} : tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}
