// Batch normalization over all ranks: what is gathered once, and what the
// backward pass reads.
//
// RUN: reprise-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-synchronize-norms{ranks=2},sg-reduce-over-ranks{ranks=2},sg-verify-effects,sg-verify-level{level=flat}))' \
// RUN:   | FileCheck %s
// RUN: reprise-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-synchronize-norms{ranks=2 gathered-bytes=47},sg-reduce-over-ranks{ranks=2},sg-verify-effects,sg-verify-level{level=flat}))' \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: reprise-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-synchronize-norms{ranks=2 gathered-bytes=48}))' \
// RUN:   | FileCheck %s --check-prefix=GATHERED

sg.variable @w : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// Running statistics are updated once, by what is equal on all ranks.
//
// CHECK-LABEL: func.func @joins_statistics
// CHECK: %{{.*}}, %[[M:.*]], %[[V:.*]], %{{.*}} = sg.batch_norm_training
// CHECK: %[[OWN:.*]] = sg.concat %[[M]], %[[V]] dim 0
// CHECK: %[[ALL:.*]] = sg.all_gather %[[OWN]] ranks 2 sequence 0 {{.*}} : tensor<6xf32> -> tensor<2x6xf32>
// CHECK: %[[ADDED:.*]] = sg.reduce_sum %[[ALL]] dims [0]
// CHECK: %[[MEANS:.*]] = sg.div %[[ADDED]]
// CHECK: %[[MEAN:.*]] = sg.slice %[[MEANS]] [0] to [3]
// CHECK: %[[WITHIN:.*]] = sg.slice %[[MEANS]] [3] to [6]
// CHECK: %[[M2:.*]] = sg.slice %[[ALL]] [0, 0] to [2, 3]
// CHECK: %[[AWAY:.*]] = sg.sub %[[M2]],
// CHECK: %[[SQUARES:.*]] = sg.mul %[[AWAY]], %[[AWAY]]
// CHECK: %[[SUM:.*]] = sg.reduce_sum %[[SQUARES]] dims [0]
// CHECK: %[[BETWEEN:.*]] = sg.div %[[SUM]]
// CHECK: sg.add %[[WITHIN]], %[[BETWEEN]]
// CHECK: %[[RSTD:.*]] = sg.rsqrt
// CHECK: %[[Y:.*]] = sg.normalize %{{.*}}, %[[MEAN]], %[[RSTD]],
// CHECK: %[[OLD:.*]] = sg.read @mean
// CHECK: %{{.*}}, %[[DGAMMA:.*]], %[[DBETA:.*]] = sg.batch_norm_grad %{{.*}}, %{{.*}}, %[[MEAN]], %[[RSTD]], %[[Y]]
// CHECK: %[[SUMS:.*]] = sg.concat %[[DBETA]], %[[DGAMMA]]
// CHECK: sg.all_reduce %[[SUMS]] ranks 2 sequence 1 {sg.origin = #sg.origin<"bn", backward>}
// CHECK: %[[EIGHT:.*]] = sg.constant dense<8.000000e+00> : tensor<3xf32>
// CHECK: sg.div %{{.*}}, %[[EIGHT]]
// CHECK: %[[NEXT:.*]] = sg.add %[[OLD]], %[[MEAN]]
// CHECK-NOT: sg.add %[[NEXT]]
// CHECK: sg.write @mean, %[[NEXT]]
// CHECK: sg.all_reduce %{{.*}} ranks 2 sequence 2
//
// Moments of more bytes are added, and then the squared distances of the means.
//
// GATHERED: sg.all_gather
// WIDE-LABEL: func.func @joins_statistics
// WIDE: %{{.*}}, %[[M:.*]], %[[V:.*]], %{{.*}} = sg.batch_norm_training
// WIDE: %[[OWN:.*]] = sg.concat %[[M]], %[[V]] dim 0
// WIDE: %[[ALL:.*]] = sg.all_reduce %[[OWN]] ranks 2 sequence 0
// WIDE: %[[MEANS:.*]] = sg.div %[[ALL]]
// WIDE: %[[MEAN:.*]] = sg.slice %[[MEANS]] [0] to [3]
// WIDE: %[[AWAY:.*]] = sg.sub %[[M]], %[[MEAN]]
// WIDE: %[[SQUARES:.*]] = sg.mul %[[AWAY]], %[[AWAY]]
// WIDE: sg.all_reduce %[[SQUARES]] ranks 2 sequence 1
// WIDE: sg.normalize %{{.*}}, %[[MEAN]],
// WIDE: %[[NEXT:.*]] = sg.add %{{.*}}, %[[MEAN]]
// WIDE-NOT: sg.all_gather
// WIDE: sg.write @mean, %[[NEXT]]
func.func @joins_statistics(%x: tensor<4x3xf32>)
    -> (tensor<3xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %w = sg.read @w : tensor<3xf32>
  %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %w, %w
      {epsilon = 1.0e-05 : f64, sg.origin = #sg.origin<"bn", forward>}
    : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %old = sg.read @mean : tensor<3xf32>
  %next = sg.add %old, %mean {sg.origin = #sg.origin<"bn", forward>} : tensor<3xf32>
  sg.write @mean, %next {sg.origin = #sg.origin<"bn", forward>} : tensor<3xf32>
  %dx, %dgamma, %dbeta = sg.batch_norm_grad %x, %w, %mean, %rstd, %y
      {sg.origin = #sg.origin<"bn", backward>}
    : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %g = sg.reduce_sum %dx dims [0] {sg.origin = #sg.origin<"w", backward>}
    : tensor<4x3xf32> -> tensor<3xf32>
  return %g : tensor<3xf32>
}
