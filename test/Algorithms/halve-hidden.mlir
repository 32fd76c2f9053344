// Hidden units in halves: through views, biases and whatever applies to each
// number; where something else reads them, or cutting would not pay, they stay.
//
// RUN: reprise-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-halve-hidden{least-bytes=4096}))' \
// RUN:   | FileCheck %s
//
// What was done is not done again.
// RUN: reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-halve-hidden{least-bytes=4096}))' > %t.once
// RUN: reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-halve-hidden{least-bytes=4096},sg-halve-hidden{least-bytes=4096}))' > %t.twice
// RUN: cmp %t.once %t.twice
//
// Small ones stay whole, and all of a target that does not gain.
// RUN: reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-halve-hidden))' \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-halve-hidden{least-bytes=0 target=cuda:h200}))' \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: sg.slice
// WHOLE:     func.func @last
// WHOLE-NOT: sg.slice
//
// RUN: not reprise-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-halve-hidden{least-bytes=0 target=tpu}))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}tpu

// Each half has a view of its own of what goes in, so that its gradients are
// added up in front of the view, and of what comes out.
// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<4x64x4xf32>, %[[A:[a-z0-9]*]]: tensor<4x16xf32>, %[[C:[a-z0-9]*]]: tensor<16xf32>, %[[B:[a-z0-9]*]]: tensor<16x4xf32>
// CHECK-NEXT: %[[X0:.*]] = sg.reshape %[[X]] {sg.path = "mlp.0"} : tensor<4x64x4xf32> -> tensor<256x4xf32>
// CHECK-NEXT: %[[A0:.*]] = sg.slice %[[A]] [0, 0] to [4, 8] by [1, 1] {sg.path = "mlp.0"}
// CHECK-NEXT: %[[P0:.*]] = sg.matmul %[[X0]], %[[A0]] {sg.path = "mlp.0"}
// CHECK-NEXT: %[[Q0:.*]] = sg.reshape %[[P0]] : tensor<256x8xf32> -> tensor<4x64x8xf32>
// CHECK-NEXT: %[[C0:.*]] = sg.slice %[[C]] [0] to [8] by [1]
// CHECK-NEXT: %[[D0:.*]] = sg.broadcast %[[C0]] dims [2] : tensor<8xf32> -> tensor<4x64x8xf32>
// CHECK-NEXT: %[[H0:.*]] = sg.add %[[Q0]], %[[D0]] : tensor<4x64x8xf32>
// CHECK-NEXT: %[[T0:.*]] = sg.constant dense<5.000000e-01> : tensor<4x64x8xf32>
// CHECK-NEXT: %[[E0:.*]] = sg.erf %[[H0]] : tensor<4x64x8xf32>
// CHECK-NEXT: %[[M0:.*]] = sg.mul %[[E0]], %[[T0]] : tensor<4x64x8xf32>
// CHECK-NEXT: %[[G0:.*]] = sg.mul %[[H0]], %[[M0]] : tensor<4x64x8xf32>
// CHECK-NEXT: %[[R0:.*]] = sg.reshape %[[G0]] : tensor<4x64x8xf32> -> tensor<256x8xf32>
// CHECK-NEXT: %[[B0:.*]] = sg.slice %[[B]] [0, 0] to [8, 4] by [1, 1] {sg.path = "mlp.3"}
// CHECK-NEXT: %[[S0:.*]] = sg.matmul %[[R0]], %[[B0]] {sg.path = "mlp.3"}
// CHECK-NEXT: %[[Y0:.*]] = sg.reshape %[[S0]] : tensor<256x4xf32> -> tensor<4x64x4xf32>
// CHECK-NEXT: %[[X1:.*]] = sg.reshape %[[X]]
// CHECK-NEXT: sg.slice %[[A]] [0, 8] to [4, 16] by [1, 1]
// CHECK-NEXT: sg.matmul %[[X1]]
// CHECK:      sg.slice %[[C]] [8] to [16] by [1]
// CHECK:      sg.slice %[[B]] [8, 0] to [16, 4] by [1, 1]
// CHECK:      %[[Y1:.*]] = sg.reshape %{{.*}} : tensor<256x4xf32> -> tensor<4x64x4xf32>
// CHECK-NEXT: %[[Y:.*]] = sg.add %[[Y0]], %[[Y1]] : tensor<4x64x4xf32>
// CHECK-NEXT: return %[[Y]]

// expected-remark@+1 {{1 perceptron computes hidden units in halves}}
func.func @views(%x: tensor<4x64x4xf32>, %a: tensor<4x16xf32>, %c: tensor<16xf32>,
                 %b: tensor<16x4xf32>) -> tensor<4x64x4xf32> {
  %rows = sg.reshape %x : tensor<4x64x4xf32> -> tensor<256x4xf32>
  %p = sg.matmul %rows, %a {sg.path = "mlp.0"} : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %q = sg.reshape %p : tensor<256x16xf32> -> tensor<4x64x16xf32>
  %cs = sg.broadcast %c dims [2] : tensor<16xf32> -> tensor<4x64x16xf32>
  %h = sg.add %q, %cs : tensor<4x64x16xf32>
  %half = sg.constant dense<0.5> : tensor<4x64x16xf32>
  %e = sg.erf %h : tensor<4x64x16xf32>
  %m = sg.mul %e, %half : tensor<4x64x16xf32>
  %g = sg.mul %h, %m : tensor<4x64x16xf32>
  %gs = sg.reshape %g : tensor<4x64x16xf32> -> tensor<256x16xf32>
  %s = sg.matmul %gs, %b {sg.path = "mlp.3"} : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  %y = sg.reshape %s : tensor<256x4xf32> -> tensor<4x64x4xf32>
  return %y : tensor<4x64x4xf32>
}

// -----

// Of two in a row the first one; the other one's are half as large.
// CHECK-LABEL: func.func @row(
// CHECK:         sg.slice
// CHECK:         %[[SUM:.*]] = sg.add
// CHECK:         %[[SMALL:.*]] = sg.matmul %[[SUM]], %{{.*}} -> tensor<256x16xf32>
// CHECK-NEXT:    sg.matmul %[[SMALL]],
// CHECK-NEXT:    return

// expected-remark@+1 {{1 perceptron computes hidden units in halves of at most 0.0 MiB}}
func.func @row(%x: tensor<256x4xf32>, %a: tensor<4x32xf32>, %b: tensor<32x4xf32>,
               %c: tensor<4x16xf32>, %d: tensor<16x4xf32>) -> tensor<256x4xf32> {
  %0 = sg.matmul %x, %a : (tensor<256x4xf32>, tensor<4x32xf32>) -> tensor<256x32xf32>
  %1 = sg.matmul %0, %b : (tensor<256x32xf32>, tensor<32x4xf32>) -> tensor<256x4xf32>
  %2 = sg.matmul %1, %c : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %3 = sg.matmul %2, %d : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  return %3 : tensor<256x4xf32>
}

// -----

// Marks are on halves, also those that nobody reads, and on the view of what goes
// in, which each half has for itself: no sum is in another place for them.
// CHECK-LABEL: func.func @marks(
// CHECK-NEXT:    %[[V0:.*]] = sg.reshape
// CHECK-NEXT:    %[[K0:.*]] = sg.keep %[[V0]]
// CHECK-NEXT:    sg.slice
// CHECK-NEXT:    %[[H0:.*]] = sg.matmul %[[K0]]
// CHECK-NEXT:    sg.recompute %[[H0]] : tensor<256x8xf32>
// CHECK-NEXT:    %[[G0:.*]] = sg.relu %[[H0]]
// CHECK-NEXT:    %[[R0:.*]] = sg.recompute %[[G0]] : tensor<256x8xf32>
// CHECK-NEXT:    sg.slice
// CHECK-NEXT:    sg.matmul %[[R0]]
// CHECK-NEXT:    %[[V1:.*]] = sg.reshape
// CHECK-NEXT:    sg.keep %[[V1]]
// CHECK:         sg.recompute %{{.*}} : tensor<256x8xf32>
// CHECK:         sg.recompute %{{.*}} : tensor<256x8xf32>
// CHECK:         %[[SUM:.*]] = sg.add
// CHECK-NEXT:    sg.keep %[[SUM]]
// CHECK-NEXT:    return %[[SUM]]

// expected-remark@+1 {{1 perceptron computes hidden units in halves}}
func.func @marks(%x: tensor<4x64x4xf32>, %a: tensor<4x16xf32>, %b: tensor<16x4xf32>) -> tensor<256x4xf32> {
  %rows = sg.reshape %x : tensor<4x64x4xf32> -> tensor<256x4xf32>
  %kept = sg.keep %rows : tensor<256x4xf32>
  %h = sg.matmul %kept, %a : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %u = sg.recompute %h : tensor<256x16xf32>
  %g = sg.relu %h : tensor<256x16xf32>
  %r = sg.recompute %g : tensor<256x16xf32>
  %y = sg.matmul %r, %b : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  %k = sg.keep %y : tensor<256x4xf32>
  return %y : tensor<256x4xf32>
}

// -----

// What is repeated may be read elsewhere too, by the name that a mark gives it.
// CHECK-LABEL: func.func @shared(
// CHECK:         %[[ALL:.*]] = sg.broadcast {{.*}} -> tensor<256x16xf32>
// CHECK:         %[[KEPT:.*]] = sg.keep %[[ALL]] : tensor<256x16xf32>
// CHECK:         %[[BIAS0:.*]] = sg.broadcast {{.*}} -> tensor<256x8xf32>
// CHECK-NEXT:    %[[KEPT0:.*]] = sg.keep %[[BIAS0]] : tensor<256x8xf32>
// CHECK-NEXT:    sg.add %{{.*}}, %[[KEPT0]] : tensor<256x8xf32>
// CHECK:         sg.keep %{{.*}} : tensor<256x8xf32>
// CHECK:         return %{{.*}}, %[[KEPT]]

// expected-remark@+1 {{1 perceptron computes hidden units in halves}}
func.func @shared(%x: tensor<256x4xf32>, %a: tensor<4x16xf32>, %b: tensor<16x4xf32>, %c: tensor<16xf32>)
    -> (tensor<256x4xf32>, tensor<256x16xf32>) {
  %h = sg.matmul %x, %a : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %cs = sg.broadcast %c dims [1] : tensor<16xf32> -> tensor<256x16xf32>
  %k = sg.keep %cs : tensor<256x16xf32>
  %g = sg.add %h, %k : tensor<256x16xf32>
  %y = sg.matmul %g, %b : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  return %y, %k : tensor<256x4xf32>, tensor<256x16xf32>
}

// -----

// Of two that share a product the larger one; the third is large enough beside
// it, again after it was done.
// CHECK-LABEL: func.func @chain(
// CHECK:         sg.matmul %arg0, %arg1 {{.*}} -> tensor<2048x40xf32>
// CHECK-COUNT-4: sg.slice
// CHECK-COUNT-4: sg.slice
// CHECK-NOT:     sg.slice

// expected-remark@+1 {{2 perceptrons compute hidden units in halves}}
func.func @chain(%x: tensor<2048x4xf32>, %a: tensor<4x40xf32>, %b: tensor<40x64xf32>,
                 %c: tensor<64x4xf32>, %d: tensor<4x36xf32>, %e: tensor<36x4xf32>)
    -> (tensor<2048x4xf32>, tensor<2048x4xf32>) {
  %0 = sg.matmul %x, %a : (tensor<2048x4xf32>, tensor<4x40xf32>) -> tensor<2048x40xf32>
  %1 = sg.matmul %0, %b : (tensor<2048x40xf32>, tensor<40x64xf32>) -> tensor<2048x64xf32>
  %2 = sg.matmul %1, %c : (tensor<2048x64xf32>, tensor<64x4xf32>) -> tensor<2048x4xf32>
  %3 = sg.matmul %x, %d : (tensor<2048x4xf32>, tensor<4x36xf32>) -> tensor<2048x36xf32>
  %4 = sg.matmul %3, %e : (tensor<2048x36xf32>, tensor<36x4xf32>) -> tensor<2048x4xf32>
  return %2, %4 : tensor<2048x4xf32>, tensor<2048x4xf32>
}

// -----

// Hidden units that are read elsewhere too, softmax rows, drawn numbers, and sums
// that go into the activation.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     sg.slice
func.func @whole(%x: tensor<256x4xf32>, %a: tensor<4x16xf32>, %b: tensor<16x4xf32>,
                 %seed: tensor<i64>, %step: tensor<i64>)
    -> (tensor<256x4xf32>, tensor<256x16xf32>, tensor<256x4xf32>, tensor<256x4xf32>, tensor<256x4xf32>) {
  %h = sg.matmul %x, %a : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %g = sg.relu %h : tensor<256x16xf32>
  %y = sg.matmul %g, %b : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  %i = sg.matmul %x, %a : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %p = sg.softmax %i : tensor<256x16xf32>
  %z = sg.matmul %p, %b : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  %j = sg.matmul %x, %a : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %s = sg.reduce_sum %j dims [0] : tensor<256x16xf32> -> tensor<16xf32>
  %t = sg.broadcast %s dims [1] : tensor<16xf32> -> tensor<256x16xf32>
  %k = sg.sub %j, %t : tensor<256x16xf32>
  %w = sg.matmul %k, %b : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  %l = sg.matmul %x, %a : (tensor<256x4xf32>, tensor<4x16xf32>) -> tensor<256x16xf32>
  %d = sg.dropout %l, %seed, %step {probability = 0.5 : f64, stream = 1 : i64} : (tensor<256x16xf32>, tensor<i64>, tensor<i64>) -> tensor<256x16xf32>
  %v = sg.matmul %d, %b : (tensor<256x16xf32>, tensor<16x4xf32>) -> tensor<256x4xf32>
  return %y, %h, %z, %w, %v : tensor<256x4xf32>, tensor<256x16xf32>, tensor<256x4xf32>, tensor<256x4xf32>, tensor<256x4xf32>
}

// -----

// Few rows beside the weights; bf16, whose halves would be rounded; an odd
// number of hidden units.
// CHECK-LABEL: func.func @last(
// CHECK-NOT:     sg.slice
func.func @last(%x: tensor<127x4xf32>, %a: tensor<4x16xf32>, %b: tensor<16x4xf32>,
                %n: tensor<256x4xbf16>, %an: tensor<4x16xbf16>, %bn: tensor<16x4xbf16>,
                %o: tensor<256x4xf32>, %ao: tensor<4x15xf32>, %bo: tensor<15x4xf32>)
    -> (tensor<127x4xf32>, tensor<256x4xbf16>, tensor<256x4xf32>) {
  %h = sg.matmul %x, %a : (tensor<127x4xf32>, tensor<4x16xf32>) -> tensor<127x16xf32>
  %y = sg.matmul %h, %b : (tensor<127x16xf32>, tensor<16x4xf32>) -> tensor<127x4xf32>
  %hn = sg.matmul %n, %an : (tensor<256x4xbf16>, tensor<4x16xbf16>) -> tensor<256x16xbf16>
  %yn = sg.matmul %hn, %bn : (tensor<256x16xbf16>, tensor<16x4xbf16>) -> tensor<256x4xbf16>
  %ho = sg.matmul %o, %ao : (tensor<256x4xf32>, tensor<4x15xf32>) -> tensor<256x15xf32>
  %yo = sg.matmul %ho, %bo : (tensor<256x15xf32>, tensor<15x4xf32>) -> tensor<256x4xf32>
  return %y, %yn, %yo : tensor<127x4xf32>, tensor<256x4xbf16>, tensor<256x4xf32>
}
