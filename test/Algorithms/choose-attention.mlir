// Scores of many tokens are computed by tiles, twice, rather than stored; where
// heads are so wide that this takes longer, and where the library has no such
// function, they are stored.
//
// RUN: reprise-opt %s --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention))' \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{form=stored}))' \
// RUN:   | FileCheck %s --check-prefix=STORED
// RUN: reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{gflops=1}))' \
// RUN:   | FileCheck %s --check-prefix=STORED
// RUN: not reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{form=tiled}))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=TILED
// RUN: not reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{form=flat}))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{target=none:such}))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=NONE
// TILED: error: 'sg.attention' op has no tiles on target 'cpu', whose library has no such function of 'f64' with heads of 8 numbers
// FORM: error: knows no form 'flat' of attention; auto, tiled and stored are possible
// NONE: error: {{.*}}none

// CHECK-LABEL: func.func @f(
// CHECK:         sg.attention %{{[a-z0-9]*}} {scale = 1.250000e-01 : f64}
// CHECK:         sg.attention %{{[a-z0-9]*}}, %{{[a-z0-9]*}} {scale = 1.250000e-01 : f64}
// CHECK-NOT:     sg.attention
// CHECK:         sg.softmax %{{.*}} : tensor<2x4x128x128xf32>
// CHECK:         sg.softmax %{{.*}} : tensor<2x4x16x16xf64>

// The bias is repeated for the samples of its row; what makes the log-sum-exp is
// not there when nothing reads it.
// STORED-LABEL: func.func @f(
// STORED-SAME:    %{{.*}}, %[[B:[a-z0-9]+]]: tensor<2x12x197x197xf32>
// STORED-NOT:     sg.attention
// STORED:         %[[Q:.*]] = sg.slice %{{.*}} {{.*}} : tensor<8x197x3x12x64xf32>
// STORED:         %[[S:.*]] = sg.matmul %{{.*}}, %{{.*}} {transpose_b} : {{.*}} -> tensor<8x12x197x197xf32>
// STORED-NOT:     sg.log
// STORED:         sg.softmax %{{.*}} : tensor<8x12x197x197xf32>
// STORED:         sg.broadcast %[[B]] dims [1, 2, 3, 4] : tensor<2x12x197x197xf32> -> tensor<4x2x12x197x197xf32>
// STORED:         sg.softmax %{{.*}} : tensor<8x12x197x197xf32>
// STORED:         sg.log

// expected-remark@+1 {{2 of 4 attentions run by tiles: 28.4 MiB of scores are not stored}}
func.func @f(%x: tensor<8x197x3x12x64xf32>, %b: tensor<2x12x197x197xf32>,
             %wide: tensor<2x128x3x4x512xf32>, %double: tensor<2x16x3x4x8xf64>)
    -> (tensor<8x197x12x64xf32>, tensor<8x197x12x64xf32>, tensor<8x12x197xf32>,
        tensor<2x128x4x512xf32>, tensor<2x16x4x8xf64>) {
  %y, %lse = sg.attention %x {scale = 0.125 : f64}
    : (tensor<8x197x3x12x64xf32>) -> (tensor<8x197x12x64xf32>, tensor<8x12x197xf32>)
  %z, %zlse = sg.attention %x, %b {scale = 0.125 : f64}
    : (tensor<8x197x3x12x64xf32>, tensor<2x12x197x197xf32>)
    -> (tensor<8x197x12x64xf32>, tensor<8x12x197xf32>)
  %v, %vlse = sg.attention %wide {scale = 0.5 : f64}
    : (tensor<2x128x3x4x512xf32>) -> (tensor<2x128x4x512xf32>, tensor<2x4x128xf32>)
  %w, %wlse = sg.attention %double {scale = 0.5 : f64}
    : (tensor<2x16x3x4x8xf64>) -> (tensor<2x16x4x8xf64>, tensor<2x4x16xf64>)
  return %y, %z, %zlse, %v, %w
    : tensor<8x197x12x64xf32>, tensor<8x197x12x64xf32>, tensor<8x12x197xf32>,
      tensor<2x128x4x512xf32>, tensor<2x16x4x8xf64>
}
