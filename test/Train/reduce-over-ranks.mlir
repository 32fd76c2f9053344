// A step that ranks share: what is summed, gathered and left alone.
//
// RUN: reprise-opt %s -split-input-file --sg-reduce-over-ranks=ranks=3 \
// RUN:   --sg-verify-effects --sg-verify-level=level=flat | FileCheck %s
// RUN: reprise-opt %s -split-input-file --sg-reduce-over-ranks=ranks=1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: reprise-opt %s -split-input-file --sg-reduce-over-ranks="ranks=3 bucket-bytes=32" \
// RUN:   --sg-verify-effects --sg-verify-level=level=flat \
// RUN:   | FileCheck %s --check-prefix=BUCKETS
// RUN: reprise-opt %s -split-input-file --sg-reduce-over-ranks="ranks=3 bucket-bytes=4096" \
// RUN:   --sg-verify-effects --sg-verify-level=level=flat \
// RUN:   | FileCheck %s --check-prefix=TOGETHER
// RUN: reprise-opt %s -split-input-file \
// RUN:   --sg-reduce-over-ranks="ranks=3 bucket-bytes=4096 repeated-ranks=2" \
// RUN:   --sg-verify-effects --sg-verify-level=level=flat \
// RUN:   | FileCheck %s --check-prefix=AVERAGE
// RUN: reprise-opt %s -split-input-file \
// RUN:   --sg-reduce-over-ranks="ranks=3 bucket-bytes=4096 single-bytes=32" \
// RUN:   | FileCheck %s --check-prefix=SINGLE

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// Draws keep their streams, and rows are those of the rank.
//
// CHECK-LABEL: func.func @reduces_loss_and_gradient
// CHECK: %[[Y:.*]] = sg.dropout %{{.*}} {{.*}}stream = 5
// CHECK: %[[G:.*]] = sg.reduce_sum %[[Y]] dims [0]
// CHECK: %[[L:.*]] = sg.reduce_sum %[[G]] dims [0]
// CHECK: %[[SG:.*]] = sg.all_reduce %[[G]] ranks 3 sequence 0 {sg.origin = #sg.origin<"w", forward>}
// CHECK: %[[THREE:.*]] = sg.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK: %[[MG:.*]] = sg.div %[[SG]], %[[THREE]]
// CHECK: %[[SL:.*]] = sg.all_reduce %[[L]] ranks 3 sequence 1 {sg.origin = #sg.origin<"", forward>}
// CHECK: %[[ML:.*]] = sg.div %[[SL]]
// CHECK: return %[[ML]], %[[MG]], %[[Y]]
//
// No variable is written before the loss is known: it shares no call with
// gradients.
//
// BUCKETS-LABEL: func.func @reduces_loss_and_gradient
// BUCKETS: sg.all_reduce %{{[0-9]+}} ranks 3 sequence 0
// BUCKETS: sg.all_reduce %{{[0-9]+}} ranks 3 sequence 1
//
// ONE-LABEL: func.func @reduces_loss_and_gradient
// ONE-NOT: all_reduce
// ONE: return
func.func @reduces_loss_and_gradient(%x: tensor<2x4xf32>,
    %seed: tensor<i64> {sg.binding = #sg.binding<seed>},
    %step: tensor<i64> {sg.binding = #sg.binding<step>})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>},
        tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">},
        tensor<2x4xf32> {sg.binding = #sg.binding<logits>}) {
  %y = sg.dropout %x, %seed, %step {probability = 0.5 : f64, stream = 5 : i64,
                                    sg.origin = #sg.origin<"d", forward>}
    : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
  %g = sg.reduce_sum %y dims [0] {sg.origin = #sg.origin<"w", backward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %l = sg.reduce_sum %g dims [0] {sg.origin = #sg.origin<"l", forward>}
    : tensor<4xf32> -> tensor<f32>
  return %l, %g, %y : tensor<f32>, tensor<4xf32>, tensor<2x4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @count : tensor<f32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// Updates follow one another in the order of the ranks; what does not depend on
// the batch is not gathered.
//
// CHECK-LABEL: func.func @applies_the_updates_of_all_ranks
// CHECK: %[[MEAN:.*]] = sg.read @mean
// CHECK: %[[COUNT:.*]] = sg.read @count
// CHECK: %[[M:.*]] = sg.reduce_sum
// CHECK: %[[ALL:.*]] = sg.all_gather %[[M]] ranks 3 sequence 0 {{.*}} : tensor<4xf32> -> tensor<3x4xf32>
// CHECK: %[[R0:.*]] = sg.slice %[[ALL]] [0, 0] to [1, 4]
// CHECK: %[[M0:.*]] = sg.reshape %[[R0]]
// CHECK: %[[R1:.*]] = sg.slice %[[ALL]] [1, 0] to [2, 4]
// CHECK: %[[M1:.*]] = sg.reshape %[[R1]]
// CHECK: %[[R2:.*]] = sg.slice %[[ALL]] [2, 0] to [3, 4]
// CHECK: %[[M2:.*]] = sg.reshape %[[R2]]
// CHECK: %[[A0:.*]] = sg.add %[[MEAN]], %[[M0]]
// CHECK: %[[C0:.*]] = sg.add %[[COUNT]], %[[UNIT:.*]] {
// CHECK: %[[A1:.*]] = sg.add %[[A0]], %[[M1]]
// CHECK: %[[C1:.*]] = sg.add %[[C0]], %[[UNIT]]
// CHECK: %[[A2:.*]] = sg.add %[[A1]], %[[M2]]
// CHECK: %[[C2:.*]] = sg.add %[[C1]], %[[UNIT]]
// CHECK-DAG: sg.write @mean, %[[A2]]
// CHECK-DAG: sg.write @count, %[[C2]]
// CHECK: sg.all_reduce %[[M]] ranks 3 sequence 1
func.func @applies_the_updates_of_all_ranks(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %mean = sg.read @mean : tensor<4xf32>
  %count = sg.read @count : tensor<f32>
  %one = sg.constant dense<1.0> : tensor<f32>
  %m = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"bn", forward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %next = sg.add %mean, %m {sg.origin = #sg.origin<"bn", forward>} : tensor<4xf32>
  %more = sg.add %count, %one {sg.origin = #sg.origin<"bn", forward>} : tensor<f32>
  sg.write @mean, %next {sg.origin = #sg.origin<"bn", forward>} : tensor<4xf32>
  sg.write @count, %more {sg.origin = #sg.origin<"bn", forward>} : tensor<f32>
  return %m : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @squares : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @total : tensor<f32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @exact : tensor<4xf64> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// Small values of one element type are gathered together. Each keeps its own
// bits: rows of the gathered tensor are taken apart again.
//
// TOGETHER-LABEL: func.func @gathers_small_values_together
// TOGETHER: %[[M:.*]] = sg.reduce_sum %{{.*}} {sg.origin = #sg.origin<"mean", forward>}
// TOGETHER: %[[S:.*]] = sg.reduce_sum %{{.*}} {sg.origin = #sg.origin<"squares", forward>}
// TOGETHER: %[[T:.*]] = sg.reduce_sum %{{.*}} {sg.origin = #sg.origin<"total", forward>}
// TOGETHER: %[[E:.*]] = sg.cast
// TOGETHER: %[[FT:.*]] = sg.reshape %[[T]] {{.*}} : tensor<f32> -> tensor<1xf32>
// TOGETHER: %[[OWN:.*]] = sg.concat %[[M]], %[[S]], %[[FT]] dim 0
// TOGETHER: %[[ALL:.*]] = sg.all_gather %[[OWN]] ranks 3 sequence 0 {{.*}} : tensor<9xf32> -> tensor<3x9xf32>
// TOGETHER: sg.all_gather %[[E]] ranks 3 sequence 1 {{.*}} : tensor<4xf64>
// TOGETHER: sg.slice %[[ALL]] [0, 0] to [1, 4] {{.*}}"mean"
// TOGETHER: sg.slice %[[ALL]] [2, 0] to [3, 4] {{.*}}"mean"
// TOGETHER: sg.slice %[[ALL]] [0, 4] to [1, 8] {{.*}}"squares"
// TOGETHER: sg.slice %[[ALL]] [2, 8] to [3, 9] {{.*}}"total"
//
// Three ranks' values of 16 bytes are more than 32, so that each is alone.
//
// BUCKETS-LABEL: func.func @gathers_small_values_together
// BUCKETS-NOT: sg.concat
// BUCKETS: sg.all_gather %{{.*}} ranks 3 sequence 0 {{.*}} : tensor<4xf32>
// BUCKETS: sg.all_gather %{{.*}} ranks 3 sequence 1 {{.*}} : tensor<4xf32>
// BUCKETS: sg.all_gather %{{.*}} ranks 3 sequence 2 {{.*}} : tensor<f32>
// BUCKETS: sg.all_gather %{{.*}} ranks 3 sequence 3 {{.*}} : tensor<4xf64>
func.func @gathers_small_values_together(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %mean = sg.read @mean : tensor<4xf32>
  %squares = sg.read @squares : tensor<4xf32>
  %total = sg.read @total : tensor<f32>
  %exact = sg.read @exact : tensor<4xf64>
  %m = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"mean", forward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %xx = sg.mul %x, %x {sg.origin = #sg.origin<"squares", forward>} : tensor<2x4xf32>
  %s = sg.reduce_sum %xx dims [0] {sg.origin = #sg.origin<"squares", forward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %t = sg.reduce_sum %x dims [0, 1] {sg.origin = #sg.origin<"total", forward>}
    : tensor<2x4xf32> -> tensor<f32>
  %e = sg.cast %m {sg.origin = #sg.origin<"exact", forward>}
    : tensor<4xf32> to tensor<4xf64>
  %mean1 = sg.add %mean, %m {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  %squares1 = sg.add %squares, %s {sg.origin = #sg.origin<"squares", forward>} : tensor<4xf32>
  %total1 = sg.add %total, %t {sg.origin = #sg.origin<"total", forward>} : tensor<f32>
  %exact1 = sg.add %exact, %e {sg.origin = #sg.origin<"exact", forward>} : tensor<4xf64>
  sg.write @mean, %mean1 {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  sg.write @squares, %squares1 {sg.origin = #sg.origin<"squares", forward>} : tensor<4xf32>
  sg.write @total, %total1 {sg.origin = #sg.origin<"total", forward>} : tensor<f32>
  sg.write @exact, %exact1 {sg.origin = #sg.origin<"exact", forward>} : tensor<4xf64>
  return %m : tensor<4xf32>
}

// -----

sg.variable @a : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @b : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @c : tensor<4xf64> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @d : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @e : tensor<2xf64> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @f : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// A tensor of 32 bytes and more is alone. Others follow one another as they are
// computed, each element type by itself, and 32 bytes end a bucket.
//
// BUCKETS-LABEL: func.func @fills_buckets
// BUCKETS: %[[F:.*]] = sg.reduce_sum {{.*}}"f"
// BUCKETS: %[[B:.*]] = sg.reduce_sum {{.*}}"b"
// BUCKETS: %[[C:.*]] = sg.cast {{.*}}"c"
// BUCKETS: %[[D:.*]] = sg.reduce_sum {{.*}}"d"
// BUCKETS: %[[E:.*]] = sg.slice {{.*}}"e"
// BUCKETS: %[[A:.*]] = sg.reduce_sum {{.*}}"a"
// BUCKETS: sg.all_reduce %[[B]] ranks 3 sequence 0
// BUCKETS: sg.all_reduce %[[C]] ranks 3 sequence 1
// BUCKETS: sg.all_reduce %[[F]], %[[D]] ranks 3 sequence 2
// BUCKETS: sg.all_reduce %[[A]] ranks 3 sequence 3
// BUCKETS: sg.all_reduce %[[E]] ranks 3 sequence 4
//
// An optimizer's shards need tensors of 32 bytes alone, whatever a bucket has.
//
// SINGLE-LABEL: func.func @fills_buckets
// SINGLE: %[[F:.*]] = sg.reduce_sum {{.*}}"f"
// SINGLE: %[[B:.*]] = sg.reduce_sum {{.*}}"b"
// SINGLE: %[[C:.*]] = sg.cast {{.*}}"c"
// SINGLE: %[[D:.*]] = sg.reduce_sum {{.*}}"d"
// SINGLE: %[[E:.*]] = sg.slice {{.*}}"e"
// SINGLE: %[[A:.*]] = sg.reduce_sum {{.*}}"a"
// SINGLE: sg.all_reduce %[[B]] ranks 3 sequence 0
// SINGLE: sg.all_reduce %[[C]] ranks 3 sequence 1
// SINGLE: sg.all_reduce %[[F]], %[[D]], %[[A]] ranks 3 sequence 2
// SINGLE: sg.all_reduce %[[E]] ranks 3 sequence 3
func.func @fills_buckets(%x: tensor<2x4xf32>, %y: tensor<2x8xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "a">},
        tensor<8xf32> {sg.binding = #sg.binding<gradient of "b">},
        tensor<4xf64> {sg.binding = #sg.binding<gradient of "c">},
        tensor<4xf32> {sg.binding = #sg.binding<gradient of "d">},
        tensor<2xf64> {sg.binding = #sg.binding<gradient of "e">},
        tensor<4xf32> {sg.binding = #sg.binding<gradient of "f">}) {
  %f = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"f", backward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %b = sg.reduce_sum %y dims [0] {sg.origin = #sg.origin<"b", backward>}
    : tensor<2x8xf32> -> tensor<8xf32>
  %c = sg.cast %f {sg.origin = #sg.origin<"c", backward>}
    : tensor<4xf32> to tensor<4xf64>
  %d = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"d", backward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %e = sg.slice %c [0] to [2] by [1] {sg.origin = #sg.origin<"e", backward>}
    : tensor<4xf64> -> tensor<2xf64>
  %a = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"a", backward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  return %a, %b, %c, %d, %e, %f : tensor<4xf32>, tensor<8xf32>, tensor<4xf64>,
    tensor<4xf32>, tensor<2xf64>, tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @squares : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// Running averages take the rows of all ranks as they were gathered.
//
// TOGETHER-LABEL: func.func @averages_over_rows
// TOGETHER-COUNT-6: sg.mul
// TOGETHER-NOT: sg.running_average
//
// AVERAGE-LABEL: func.func @averages_over_rows
// AVERAGE: %[[MEAN:.*]] = sg.read @mean
// AVERAGE: %[[SQUARES:.*]] = sg.read @squares
// AVERAGE: %[[ALL:.*]] = sg.all_gather %{{.*}} ranks 3 sequence 0 {{.*}} -> tensor<3x8xf32>
// AVERAGE-NEXT: sg.all_reduce
// AVERAGE: %[[A:.*]] = sg.running_average %[[MEAN]], %[[ALL]] {keep = 0.89999997{{.*}} : f64, sg.origin = #sg.origin<"mean", forward>, start = 0 : i64}
// AVERAGE-NEXT: sg.write @mean, %[[A]]
// AVERAGE-NEXT: %[[B:.*]] = sg.running_average %[[SQUARES]], %[[ALL]] {keep = 7.500000e-01 : f64, sg.origin = #sg.origin<"squares", forward>, start = 4 : i64}
// AVERAGE-NEXT: sg.write @squares, %[[B]]
func.func @averages_over_rows(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %mean = sg.read @mean : tensor<4xf32>
  %squares = sg.read @squares : tensor<4xf32>
  %keep = sg.constant dense<0.9> : tensor<4xf32>
  %most = sg.constant dense<0.75> : tensor<4xf32>
  %m = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"mean", forward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %s = sg.mul %m, %m {sg.origin = #sg.origin<"squares", forward>} : tensor<4xf32>
  %km = sg.mul %mean, %keep {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  %nm = sg.add %km, %m {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  %ks = sg.mul %squares, %most {sg.origin = #sg.origin<"squares", forward>} : tensor<4xf32>
  %ns = sg.add %ks, %s {sg.origin = #sg.origin<"squares", forward>} : tensor<4xf32>
  sg.write @mean, %nm {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  sg.write @squares, %ns {sg.origin = #sg.origin<"squares", forward>} : tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @follower : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// Another variable takes the average between two ranks: single updates.
//
// AVERAGE-LABEL: func.func @average_that_another_follows
// AVERAGE-NOT: sg.running_average
// AVERAGE-COUNT-9: sg.add
// AVERAGE: sg.all_reduce
func.func @average_that_another_follows(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %mean = sg.read @mean : tensor<4xf32>
  %follower = sg.read @follower : tensor<4xf32>
  %keep = sg.constant dense<0.9> : tensor<4xf32>
  %m = sg.reduce_sum %x dims [0] {sg.origin = #sg.origin<"mean", forward>}
    : tensor<2x4xf32> -> tensor<4xf32>
  %km = sg.mul %mean, %keep {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  %nm = sg.add %km, %m {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  %f = sg.add %follower, %mean {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  %g = sg.add %f, %m {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  sg.write @mean, %nm {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  sg.write @follower, %g {sg.origin = #sg.origin<"mean", forward>} : tensor<4xf32>
  return %m : tensor<4xf32>
}
