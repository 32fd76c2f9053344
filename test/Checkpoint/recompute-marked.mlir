// RUN: reprise-opt %s -split-input-file --sg-recompute-marked | FileCheck %s

#fc = #sg.origin<"fc", forward>
#act = #sg.origin<"act", forward>
#out = #sg.origin<"out", forward>
#dout = #sg.origin<"out", backward>
#dact = #sg.origin<"act", backward>
#dfc = #sg.origin<"fc", backward>

// A layer runs again as a whole, and tensors made of one another run again
// together: what is held is what the first layer reads.
// CHECK-LABEL: func.func @again(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x8xf32>, %[[W:[^:]*]]: {{.*}}, %[[B:[^:]*]]: {{.*}}, %[[DY:[^:]*]]:
// CHECK: %[[P:.*]] = sg.matmul {{.*}}"fc", forward
// CHECK: sg.tanh {{.*}}"act", forward
// CHECK: %[[DZ:.*]] = sg.neg %[[DY]]
// CHECK-NEXT: %[[G:.*]]:{{[34]}} = sg.barrier({{.*}}) after(%[[DZ]]) {sg.origin = #sg.origin<"fc", recompute>}
// CHECK-NEXT: %[[P1:.*]] = sg.matmul %[[G]]#0, %[[G]]#1 {{.*}}"fc", recompute
// CHECK-NEXT: %[[R1:.*]] = sg.broadcast %[[G]]#2 {{.*}}"fc", recompute
// CHECK-NEXT: %[[H1:.*]] = sg.add %[[P1]], %[[R1]] {{.*}}"fc", recompute
// CHECK-NEXT: %[[T1:.*]] = sg.tanh %[[H1]] {{.*}}"act", recompute
// CHECK-NEXT: sg.matmul %[[T1]], %[[DZ]]
// CHECK-NEXT: sg.mul %[[DZ]], %[[T1]]
// CHECK-NEXT: sg.mul %[[DZ]], %[[H1]]
// CHECK-NOT: sg.recompute
// CHECK: return
func.func @again(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %dy: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %p = sg.matmul %x, %w {sg.origin = #fc} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = sg.broadcast %b dims [1] {sg.origin = #fc} : tensor<8xf32> -> tensor<8x8xf32>
  %h = sg.add %p, %r {sg.origin = #fc} : tensor<8x8xf32>
  %m = sg.recompute %h {sg.origin = #act} : tensor<8x8xf32>
  %t = sg.tanh %m {sg.origin = #act} : tensor<8x8xf32>
  %n = sg.recompute %t {sg.origin = #out} : tensor<8x8xf32>
  %y = sg.matmul %n, %w {sg.origin = #out} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %dz = sg.neg %dy {sg.origin = #dout} : tensor<8x8xf32>
  %dw = sg.matmul %n, %dz {sg.origin = #dout} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %dt = sg.mul %dz, %t {sg.origin = #dact} : tensor<8x8xf32>
  %dh = sg.mul %dz, %m {sg.origin = #dfc} : tensor<8x8xf32>
  return %y, %dw, %dt, %dh : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#f = #sg.origin<"bn", forward>
#b = #sg.origin<"bn", backward>

// Statistics are kept.
// CHECK-LABEL: func.func @keeps_statistics(
// CHECK: %{{.*}}, %[[MEAN:.*]], %{{.*}}, %[[RSTD:.*]] = sg.batch_norm_training
// CHECK: %[[X1:.*]]:3 = sg.barrier
// CHECK-NOT: sg.batch_norm_training
// CHECK: %[[Y1:.*]] = sg.normalize %[[X1]]#0, %[[MEAN]], %[[RSTD]]
// CHECK: sg.mul %arg3, %[[Y1]]
func.func @keeps_statistics(%x: tensor<8x3xf32>, %g: tensor<3xf32>, %c: tensor<3xf32>, %dy: tensor<8x3xf32>)
    -> (tensor<8x3xf32>, tensor<8x3xf32>, tensor<3xf32>) {
  %y, %mean, %var, %rstd = sg.batch_norm_training %x, %g, %c {epsilon = 1.0e-05 : f64, sg.origin = #f}
    : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %m = sg.recompute %y {sg.origin = #f} : tensor<8x3xf32>
  %d = sg.mul %dy, %m {sg.origin = #b} : tensor<8x3xf32>
  %e = sg.mul %mean, %rstd {sg.origin = #b} : tensor<3xf32>
  return %m, %d, %e : tensor<8x3xf32>, tensor<8x3xf32>, tensor<3xf32>
}

// -----

#f = #sg.origin<"a", forward>
#b = #sg.origin<"a", backward>

// What is to be held is no part of a layer that runs again; what no op of the
// backward pass reads is not made again.
// CHECK-LABEL: func.func @stops_at_what_is_held(
// CHECK: %[[E:.*]] = sg.exp
// CHECK: %[[K:.*]] = sg.keep %[[E]]
// CHECK: sg.tanh
// CHECK: sg.neg
// CHECK: sg.barrier(%[[K]])
// CHECK-NOT: sg.exp
// CHECK-NOT: sg.neg
// CHECK: sg.tanh {{.*}}recompute
// CHECK-NEXT: sg.mul
// CHECK-NEXT: return
func.func @stops_at_what_is_held(%x: tensor<8xf32>, %dy: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = sg.exp %x {sg.origin = #f} : tensor<8xf32>
  %k = sg.keep %e {sg.origin = #f} : tensor<8xf32>
  %t = sg.tanh %k {sg.origin = #f} : tensor<8xf32>
  %m = sg.recompute %t {sg.origin = #f} : tensor<8xf32>
  %y = sg.neg %m {sg.origin = #f} : tensor<8xf32>
  %n = sg.recompute %y {sg.origin = #f} : tensor<8xf32>
  %d = sg.mul %dy, %t {sg.origin = #b} : tensor<8xf32>
  return %n, %d : tensor<8xf32>, tensor<8xf32>
}
