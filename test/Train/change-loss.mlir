// Labels that are smoothed, classes that weigh, images that are mixed.
//
// RUN: reprise-opt %s --split-input-file '--pass-pipeline=builtin.module(func.func(sg-change-loss{label-smoothing=0.25}))' \
// RUN:   | FileCheck %s --check-prefix=SMOOTH
// RUN: reprise-opt %s --split-input-file '--pass-pipeline=builtin.module(func.func(sg-change-loss{class-weights=1,2,3}))' \
// RUN:   | FileCheck %s --check-prefix=WEIGHTS
// RUN: reprise-opt %s --split-input-file '--pass-pipeline=builtin.module(func.func(sg-change-loss{mixup}))' \
// RUN:   | FileCheck %s --check-prefix=MIX
// RUN: reprise-opt %s --split-input-file '--pass-pipeline=builtin.module(func.func(sg-change-loss))' \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// NOTHING-NOT: sg.select
// RUN: reprise-opt %s --split-input-file '--pass-pipeline=builtin.module(func.func(sg-change-loss{ignore-index=-100}))' \
// RUN:   | FileCheck %s --check-prefix=IGNORE
//
// IGNORE-LABEL: func.func @plain
// IGNORE-SAME: %[[Y:[a-z0-9]+]]: tensor<2xi32>
// IGNORE: %[[L:.*]], %{{.*}} = sg.cross_entropy %{{.*}}, %[[Y]] {ignore_index = -100 : i64}
// IGNORE: sg.constant dense<5.000000e-01>
// IGNORE: %[[SUM:.*]] = sg.reduce_sum %[[L]] dims [0]
// IGNORE: %[[LABEL:.*]] = sg.constant dense<-100> : tensor<2xi32>
// IGNORE: %[[KEPT:.*]] = sg.compare ne %[[Y]], %[[LABEL]]
// IGNORE: %[[ONES:.*]] = sg.cast %[[KEPT]] : tensor<2xi1> to tensor<2xf32>
// IGNORE: %[[COUNT:.*]] = sg.reduce_sum %[[ONES]] dims [0]
// IGNORE: sg.div %[[SUM]], %[[COUNT]]

// SMOOTH-LABEL: func.func @plain
// SMOOTH-SAME: (%[[X:[a-z0-9]+]]: tensor<2x3xf32>
// SMOOTH: %[[L:.*]], %{{.*}} = sg.cross_entropy
// SMOOTH: %[[MASK:.*]] = sg.compare
// SMOOTH: %[[PICKED:.*]] = sg.select %[[MASK]], %[[X]],
// SMOOTH: %[[CHOSEN:.*]] = sg.reduce_sum %[[PICKED]] dims [1]
// SMOOTH: %[[TOTAL:.*]] = sg.reduce_sum %[[X]] dims [1]
// SMOOTH: sg.constant dense<3.000000e+00> : tensor<2xf32>
// SMOOTH: %[[MEAN:.*]] = sg.div %[[TOTAL]],
// SMOOTH: %[[AWAY:.*]] = sg.sub %[[CHOSEN]], %[[MEAN]]
// SMOOTH: sg.constant dense<2.500000e-01> : tensor<2xf32>
// SMOOTH: %[[PART:.*]] = sg.mul %[[AWAY]],
// SMOOTH: %[[ROWS:.*]] = sg.add %[[L]], %[[PART]]
// SMOOTH: %[[SUM:.*]] = sg.reduce_sum %[[ROWS]] dims [0]
// SMOOTH: %[[LOSS:.*]] = sg.div %[[SUM]],
// SMOOTH: return %[[LOSS]]
//
// WEIGHTS-LABEL: func.func @plain
// WEIGHTS: %[[L:.*]], %{{.*}} = sg.cross_entropy
// WEIGHTS: %[[ALL:.*]] = sg.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// WEIGHTS: %[[WIDE:.*]] = sg.broadcast %[[ALL]] dims [1]
// WEIGHTS: %[[PICKED:.*]] = sg.select %{{.*}}, %[[WIDE]],
// WEIGHTS: %[[OWN:.*]] = sg.reduce_sum %[[PICKED]] dims [1]
// WEIGHTS: %[[ROWS:.*]] = sg.mul %[[OWN]], %[[L]]
// WEIGHTS: %[[SUM:.*]] = sg.reduce_sum %[[ROWS]] dims [0]
// WEIGHTS: %[[DIVISOR:.*]] = sg.reduce_sum %[[OWN]] dims [0]
// WEIGHTS: sg.div %[[SUM]], %[[DIVISOR]]
//
// MIX-LABEL: func.func @plain
// MIX-SAME: (%[[X:[a-z0-9]+]]: tensor<2x3xf32>
// MIX-SAME: %[[R:[a-z0-9]+]]: tensor<f32> {sg.binding = #sg.binding<mix_ratio>, sg.name = "mix_ratio"})
// MIX: %[[OTHERS:.*]] = sg.roll %[[X]] by [1, 0]
// MIX: sg.sub %{{.*}}, %[[R]]
// MIX: %[[MIXED:.*]] = sg.add
// MIX: sg.cross_entropy %[[MIXED]],
// MIX: %[[LABELS:.*]] = sg.roll %{{.*}} by [1]
// MIX: sg.cross_entropy %[[MIXED]], %[[LABELS]]
// MIX: return
func.func @plain(%x: tensor<2x3xf32> {sg.name = "x"},
                 %y: tensor<2xi32> {sg.name = "y", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  %l, %lse = sg.cross_entropy %x, %y
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<2xf32> -> tensor<f32>
  %n = sg.constant dense<0.5> : tensor<f32>
  %m = sg.mul %s, %n : tensor<f32>
  return %m : tensor<f32>
}
