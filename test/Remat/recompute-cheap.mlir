// What is kept is the fewest bytes; what is computed again stands beside its
// reader and nowhere else.
//
// RUN: reprise-opt %s --sg-recompute-cheap | FileCheck %s
// RUN: reprise-opt %s --sg-recompute-cheap=most-reads=2.5 | FileCheck %s --check-prefix=TWO
// RUN: reprise-opt %s --sg-recompute-cheap=target=cpu:x86-64-v3 | FileCheck %s
// RUN: reprise-opt %s --sg-recompute-cheap=target=cuda:h100 | FileCheck %s --check-prefix=GPU
// RUN: not reprise-opt %s --sg-recompute-cheap=target=abacus 2>&1 | FileCheck %s --check-prefix=NO
// NO: error: {{.*}}'abacus'

#first = #sg.origin<"a", forward>
#then = #sg.origin<"a", backward>
#there = #sg.origin<"b", backward>
#again = #sg.origin<"a", recompute>

// A reduction is kept, though it has more bytes than what it came from.
// CHECK-LABEL: func @sums_are_kept
func.func @sums_are_kept(%x: tensor<1x4xf32>, %dy: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[S:.*]] = sg.reduce_sum
  // CHECK: %[[E:.*]] = sg.exp %[[S]] {{.*}}forward
  // CHECK-NEXT: %[[D:.*]] = sg.mul %arg1, %[[E]]
  // CHECK-NEXT: return %[[D]]
  %s = sg.reduce_sum %x dims [0] {sg.origin = #first} : tensor<1x4xf32> -> tensor<4xf32>
  %e = sg.exp %s {sg.origin = #first} : tensor<4xf32>
  %d = sg.mul %dy, %e {sg.origin = #then} : tensor<4xf32>
  return %d : tensor<4xf32>
}

// The narrow value is kept: two readers of one origin share what is made of it,
// one of another origin has its own.
// CHECK-LABEL: func @wide_of_narrow
func.func @wide_of_narrow(%x: tensor<4xf32>, %dy: tensor<8x4xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: %[[B:.*]] = sg.broadcast %arg0
  // CHECK: %[[E:.*]] = sg.exp %[[B]] {{.*}}forward
  // CHECK: %[[B1:.*]] = sg.broadcast %arg0 {{.*}}#sg.origin<"a", backward>
  // CHECK: %[[E1:.*]] = sg.exp %[[B1]] {sg.origin = #sg.origin<"a", backward>}
  // CHECK: sg.mul %arg1, %[[E1]]
  // CHECK: sg.add %arg1, %[[E1]]
  // CHECK: %[[B2:.*]] = sg.broadcast %arg0
  // CHECK: %[[E2:.*]] = sg.exp %[[B2]] {sg.origin = #sg.origin<"b", backward>}
  // CHECK: sg.sub %arg1, %[[E2]]
  %b = sg.broadcast %x dims [1] {sg.origin = #first} : tensor<4xf32> -> tensor<8x4xf32>
  %e = sg.exp %b {sg.origin = #first} : tensor<8x4xf32>
  %1 = sg.mul %dy, %e {sg.origin = #then} : tensor<8x4xf32>
  %2 = sg.add %dy, %e {sg.origin = #then} : tensor<8x4xf32>
  %3 = sg.sub %dy, %e {sg.origin = #there} : tensor<8x4xf32>
  return %1, %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// What is returned is there in any case.
// CHECK-LABEL: func @returned
func.func @returned(%x: tensor<4xf32>, %dy: tensor<8x4xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: %[[B:.*]] = sg.broadcast
  // CHECK-NEXT: %[[D:.*]] = sg.mul %arg1, %[[B]]
  // CHECK-NEXT: return %[[B]], %[[D]]
  %b = sg.broadcast %x dims [1] {sg.origin = #first} : tensor<4xf32> -> tensor<8x4xf32>
  %d = sg.mul %dy, %b {sg.origin = #then} : tensor<8x4xf32>
  return %b, %d : tensor<8x4xf32>, tensor<8x4xf32>
}

// Random numbers are drawn again, from the same stream.
// CHECK-LABEL: func @draws
func.func @draws(%x: tensor<i64>, %dy: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sg.random_uniform %arg0, %arg0 stream 3 {sg.origin = #sg.origin<"a", forward>}
  // CHECK: %[[U:.*]] = sg.random_uniform %arg0, %arg0 stream 3 {sg.origin = #sg.origin<"a", backward>}
  // CHECK: sg.mul %arg1, %[[U]]
  %u = sg.random_uniform %x, %x stream 3 {sg.origin = #first} : tensor<i64>, tensor<i64> -> tensor<8xf32>
  %d = sg.mul %dy, %u {sg.origin = #then} : tensor<8xf32>
  return %d : tensor<8xf32>
}

// What a recomputation makes is computed again for the backward pass, and then
// nowhere else; what an annotated block begins with, the input of its barrier,
// stays kept.
// CHECK-LABEL: func @recomputed
func.func @recomputed(%x: tensor<8xf32>, %dy: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[N:.*]] = sg.neg %arg0
  // CHECK: %[[K:.*]] = sg.barrier(%[[N]]) after(%arg1)
  // CHECK-NEXT: %[[D:.*]] = sg.mul %arg1, %[[K]] {{.*}}backward
  // CHECK: sg.abs %[[K]] {{.*}}backward
  // CHECK: sg.exp %{{.*}} {{.*}}backward
  %n = sg.neg %x {sg.origin = #first} : tensor<8xf32>
  %k = sg.barrier (%n) after (%dy) {sg.origin = #again} : (tensor<8xf32>) after (tensor<8xf32>) -> tensor<8xf32>
  %a = sg.abs %k {sg.origin = #again} : tensor<8xf32>
  %e = sg.exp %a {sg.origin = #again} : tensor<8xf32>
  %l = sg.mul %a, %e {sg.origin = #again} : tensor<8xf32>
  %1 = sg.mul %dy, %k {sg.origin = #then} : tensor<8xf32>
  %2 = sg.mul %1, %e {sg.origin = #then} : tensor<8xf32>
  %3 = sg.add %2, %l {sg.origin = #then} : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// A sum of three is computed again from what is kept anyway; a fourth summand
// would be one read too many, and that sum is kept.
// CHECK-LABEL: func @sums
func.func @sums(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>,
                %dy: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sg.add {{.*}}forward
  // CHECK: sg.add {{.*}}forward
  // CHECK: %[[S:.*]] = sg.add {{.*}}forward
  // CHECK-COUNT-4: sg.mul {{.*}}backward
  // CHECK-NEXT: sg.add %arg0, %arg1 {{.*}}backward
  // CHECK-NEXT: %[[T:.*]] = sg.add %{{.*}}, %arg2 {{.*}}backward
  // CHECK-NEXT: sg.mul %{{.*}}, %[[T]] {{.*}}backward
  // CHECK-NEXT: sg.mul %{{.*}}, %[[S]] {{.*}}backward
  // A sum of three is kept where two are the most.
  // TWO-LABEL: func @sums(
  // TWO: sg.add {{.*}}forward
  // TWO-NEXT: %[[THREE:.*]] = sg.add {{.*}}forward
  // TWO-NEXT: sg.add {{.*}}forward
  // TWO-COUNT-4: sg.mul {{.*}}backward
  // TWO-NEXT: sg.mul %{{.*}}, %[[THREE]] {{.*}}backward
  // TWO-NEXT: %[[FOUR:.*]] = sg.add %[[THREE]], %arg3 {{.*}}backward
  // TWO-NEXT: sg.mul %{{.*}}, %[[FOUR]] {{.*}}backward
  // On a GPU two are too many.
  // GPU-LABEL: func @sums(
  // GPU-COUNT-3: sg.add {{.*}}forward
  // GPU-NOT: sg.add
  // GPU: return
  %s = sg.add %a, %b {sg.origin = #first} : tensor<8xf32>
  %t = sg.add %s, %c {sg.origin = #first} : tensor<8xf32>
  %u = sg.add %t, %d {sg.origin = #first} : tensor<8xf32>
  %1 = sg.mul %dy, %a {sg.origin = #then} : tensor<8xf32>
  %2 = sg.mul %1, %b {sg.origin = #then} : tensor<8xf32>
  %3 = sg.mul %2, %c {sg.origin = #then} : tensor<8xf32>
  %4 = sg.mul %3, %d {sg.origin = #then} : tensor<8xf32>
  %5 = sg.mul %4, %t {sg.origin = #then} : tensor<8xf32>
  %6 = sg.mul %5, %u {sg.origin = #then} : tensor<8xf32>
  return %6 : tensor<8xf32>
}

// A filter's gradient takes an activation from the kernel that makes it again
// for the sums of its gradient, and waits for them.
// CHECK-LABEL: func @filter_waits_for_sums
func.func @filter_waits_for_sums(%x: tensor<2x4x4x8xf32>, %dz: tensor<2x4x4x8xf32>,
    %w: tensor<8x1x1x8xf32>) -> (tensor<8x1x1x8xf32>, tensor<2x4x4x8xf32>) {
  // CHECK: sg.conv2d_input_grad
  // CHECK-NOT: sg.conv2d_filter_grad
  // CHECK: %[[A:.*]] = sg.relu %arg0 {sg.origin = #sg.origin<"a", backward>}
  // CHECK-NOT: sg.conv2d_filter_grad
  // CHECK: sg.relu_grad %[[A]]
  // CHECK-NOT: sg.conv2d_filter_grad
  // CHECK: sg.reduce_sum
  // CHECK-NOT: sg.relu
  // CHECK: sg.conv2d_filter_grad %[[A]]
  // CHECK: sg.sub
  %a = sg.relu %x {sg.origin = #first} : tensor<2x4x4x8xf32>
  %dy = sg.conv2d_input_grad %dz, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #there} : (tensor<2x4x4x8xf32>, tensor<8x1x1x8xf32>) -> tensor<2x4x4x8xf32>
  %dw = sg.conv2d_filter_grad %a, %dz {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #there} : (tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>) -> tensor<8x1x1x8xf32>
  %m = sg.relu_grad %a, %dy {sg.origin = #then} : tensor<2x4x4x8xf32>
  %p = sg.mul %m, %x {sg.origin = #then} : tensor<2x4x4x8xf32>
  %s = sg.reduce_sum %p dims [0, 1, 2] {sg.origin = #then} : tensor<2x4x4x8xf32> -> tensor<8xf32>
  %b = sg.broadcast %s dims [3] {sg.origin = #then} : tensor<8xf32> -> tensor<2x4x4x8xf32>
  %dx = sg.sub %m, %b {sg.origin = #then} : tensor<2x4x4x8xf32>
  return %dw, %dx : tensor<8x1x1x8xf32>, tensor<2x4x4x8xf32>
}

// Where the kernel needs no activation, but computes in part the same on the way to
// another value, both are made at once.
// CHECK-LABEL: func @weight_waits_for_slope
func.func @weight_waits_for_slope(%x: tensor<8x4xf32>, %dz: tensor<8x6xf32>, %w: tensor<4x6xf32>, %v: tensor<4x4xf32>)
    -> (tensor<4x6xf32>, tensor<8x4xf32>) {
  // CHECK: sg.matmul {{.*}}transpose_b
  // CHECK-NOT: sg.matmul
  // CHECK: %[[E:.*]] = sg.erf %arg0 {sg.origin = #sg.origin<"a", backward>}
  // CHECK-NEXT: %[[A:.*]] = sg.mul %arg0, %[[E]] {sg.origin = #sg.origin<"a", backward>}
  // CHECK-NEXT: sg.add %[[E]], %arg0
  // CHECK-NOT: sg.erf
  // CHECK: %[[G:.*]] = sg.matmul %[[A]], %arg1 {{.*}}transpose_a
  // CHECK-NEXT: sg.matmul
  %e = sg.erf %x {sg.origin = #first} : tensor<8x4xf32>
  %a = sg.mul %x, %e {sg.origin = #first} : tensor<8x4xf32>
  %dy = sg.matmul %dz, %w {transpose_b, sg.origin = #there} : (tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<8x4xf32>
  %dw = sg.matmul %a, %dz {transpose_a, sg.origin = #there} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %f = sg.erf %x {sg.origin = #then} : tensor<8x4xf32>
  %s = sg.add %f, %x {sg.origin = #then} : tensor<8x4xf32>
  %d = sg.mul %s, %dy {sg.origin = #then} : tensor<8x4xf32>
  %dx = sg.matmul %d, %v {sg.origin = #then} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %dw, %dx : tensor<4x6xf32>, tensor<8x4xf32>
}

// Nor where the activation's elements come from other places.
// CHECK-LABEL: func @weight_of_turned
func.func @weight_of_turned(%x: tensor<4x4xf32>, %dz: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x4xf32>) {
  // CHECK: sg.matmul
  // CHECK: sg.exp {{.*}}backward
  %a = sg.transpose %x perm [1, 0] {sg.origin = #first} : tensor<4x4xf32> -> tensor<4x4xf32>
  %dw = sg.matmul %a, %dz {transpose_a, sg.origin = #there} : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %d = sg.exp %x {sg.origin = #then} : tensor<4x4xf32>
  return %dw, %d : tensor<4x6xf32>, tensor<4x4xf32>
}

// It does not where what it makes is read first.
// CHECK-LABEL: func @filter_is_needed_before_sums
func.func @filter_is_needed_before_sums(%x: tensor<2x4x4x8xf32>, %dz: tensor<2x4x4x8xf32>,
    %w: tensor<8x1x1x8xf32>) -> (tensor<8x1x1x8xf32>, tensor<2x4x4x8xf32>) {
  // CHECK: sg.conv2d_filter_grad
  // CHECK: sg.matmul
  // CHECK: sg.reduce_sum
  %a = sg.relu %x {sg.origin = #first} : tensor<2x4x4x8xf32>
  %dy = sg.conv2d_input_grad %dz, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #there} : (tensor<2x4x4x8xf32>, tensor<8x1x1x8xf32>) -> tensor<2x4x4x8xf32>
  %dw = sg.conv2d_filter_grad %a, %dz {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #there} : (tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>) -> tensor<8x1x1x8xf32>
  %v = sg.reshape %dw {sg.origin = #there} : tensor<8x1x1x8xf32> -> tensor<8x8xf32>
  %v2 = sg.matmul %v, %v {sg.origin = #there} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = sg.relu_grad %a, %dy {sg.origin = #then} : tensor<2x4x4x8xf32>
  %p = sg.mul %m, %x {sg.origin = #then} : tensor<2x4x4x8xf32>
  %s = sg.reduce_sum %p dims [0, 1, 2] {sg.origin = #then} : tensor<2x4x4x8xf32> -> tensor<8xf32>
  %b = sg.broadcast %s dims [3] {sg.origin = #then} : tensor<8xf32> -> tensor<2x4x4x8xf32>
  %dx = sg.sub %m, %b {sg.origin = #then} : tensor<2x4x4x8xf32>
  %u = sg.reshape %v2 {sg.origin = #there} : tensor<8x8xf32> -> tensor<8x1x1x8xf32>
  return %u, %dx : tensor<8x1x1x8xf32>, tensor<2x4x4x8xf32>
}

// What is moved behind something made again takes two kernels: on a GPU it is kept.
// CHECK-LABEL: func @moved
// CHECK: sg.matmul
// CHECK: sg.roll {{.*}}backward
// CHECK: sg.matmul
// GPU-LABEL: func @moved
// GPU: %[[R:.*]] = sg.roll {{.*}}forward
// GPU-NOT: sg.roll
// GPU: sg.matmul %[[R]], %arg1 {{.*}}backward
func.func @moved(%x: tensor<8x4xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<8x4xf32>, tensor<4x6xf32>) {
  %e = sg.exp %x {sg.origin = #first} : tensor<8x4xf32>
  %r = sg.roll %e by [1, 0] {sg.origin = #first} : tensor<8x4xf32>
  %y = sg.matmul %r, %w {transpose_a, sg.origin = #first} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %dw = sg.matmul %r, %w {transpose_a, sg.origin = #there} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %d = sg.neg %x {sg.origin = #then} : tensor<8x4xf32>
  return %y, %d, %dw : tensor<4x6xf32>, tensor<8x4xf32>, tensor<4x6xf32>
}

// Of a recomputation nothing stays that all readers compute for themselves.
// CHECK-LABEL: func @unread_recomputation
func.func @unread_recomputation(%x: tensor<8x4xf32>, %dy: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: sg.matmul
  // CHECK-NEXT: %[[H:.*]] = sg.matmul {{.*}}recompute
  // CHECK-NEXT: %[[E:.*]] = sg.exp %[[H]] {{.*}}backward
  // CHECK-NEXT: %[[G:.*]] = sg.matmul %[[E]], %arg1
  // CHECK-NEXT: %[[D:.*]] = sg.mul %arg1, %[[H]]
  // CHECK-NEXT: return %[[G]], %[[D]]
  %g = sg.matmul %x, %x {transpose_a, sg.origin = #again} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %h = sg.matmul %x, %g {sg.origin = #again} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = sg.exp %h {sg.origin = #again} : tensor<8x4xf32>
  %dw = sg.matmul %e, %dy {transpose_a, sg.origin = #there} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %d = sg.mul %dy, %h {sg.origin = #then} : tensor<8x4xf32>
  return %dw, %d : tensor<4x4xf32>, tensor<8x4xf32>
}
