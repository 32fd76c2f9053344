// A library's types are the target's: bf16 is one of them where the processor has
// AVX-512.
//
// RUN: reprise-opt %s --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-widen-calls{target=cpu:x86-64-v4}))' \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-widen-calls{target=cpu:haswell}))' \
// RUN:   2>/dev/null | FileCheck %s --check-prefix=OLD
// RUN: not reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-widen-calls{target=none:such}))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}none

// CHECK-LABEL: func.func @f(
// CHECK:         sg.matmul {{.*}} -> tensor<8x8xbf16>
// CHECK:         sg.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK:         sg.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:    sg.relu %{{.*}} : tensor<8x8xf32>
// CHECK:         sg.matmul {{.*}} -> tensor<8x8xf64>

// OLD-LABEL: func.func @f(
// OLD:         sg.matmul {{.*}} -> tensor<8x8xf32>
// OLD:         sg.cast {{.*}} : tensor<8x8xf32> to tensor<8x8xbf16>

// expected-remark@+1 {{2 library calls on 'f16' compute in f32, because the library of target 'cpu' does not take it}}
func.func @f(%x: tensor<8x8xbf16>, %y: tensor<8x8xf16>, %z: tensor<8x8xf64>)
    -> (tensor<8x8xbf16>, tensor<8x8xf16>, tensor<8x8xf32>, tensor<8x8xf64>) {
  %a = sg.matmul %x, %x
    : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %b = sg.matmul %y, %y
    : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  // Its sums are not rounded here either.
  %c = sg.matmul %y, %y
    : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
  %d = sg.relu %c : tensor<8x8xf32>
  // No f32 stands for f64.
  %e = sg.matmul %z, %z
    : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  return %a, %b, %d, %e
    : tensor<8x8xbf16>, tensor<8x8xf16>, tensor<8x8xf32>, tensor<8x8xf64>
}
