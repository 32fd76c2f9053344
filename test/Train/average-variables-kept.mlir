// A step that keeps its variables keeps their averages too.
//
// RUN: reprise-opt %s '--sg-average-variables=decay=0.5 keeps-by=skipped' | FileCheck %s --check-prefixes=CHECK,SKIPPED
// RUN: reprise-opt %s '--sg-average-variables=decay=0.5 keeps-by=nonfinite' | FileCheck %s --check-prefixes=CHECK,NONFINITE

sg.variable @w : tensor<4xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
sg.variable @m : tensor<4xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}

// The statistic is written before the flag is known.
// CHECK-LABEL: @f
func.func @f(%x: tensor<4xf32>, %p: tensor<4xf32>, %a: tensor<f32>)
    -> (tensor<f32> {sg.name = "loss_scale.skipped", sg.binding = #sg.binding<metric>},
        tensor<i1> {sg.name = "nonfinite", sg.binding = #sg.binding<nonfinite>}) {
  // CHECK: sg.write @m
  // CHECK-NOT: @m.ema
  sg.write @m, %x : tensor<4xf32>
  // CHECK: %[[FLAG:.*]] = sg.compare ne %{{.*}}, %{{.*}} : tensor<f32> -> tensor<i1>
  %flag = sg.compare ne %a, %a : tensor<f32> -> tensor<i1>
  %one = sg.constant dense<1.0> : tensor<f32>
  %zero = sg.constant dense<0.0> : tensor<f32>
  // CHECK: %[[SKIPPED:.*]] = sg.select
  // SKIPPED: %[[KEEPS:.*]] = sg.compare ne %[[SKIPPED]], %{{.*}} : tensor<f32> -> tensor<i1>
  %skipped = sg.select %flag, %one, %zero : tensor<i1>, tensor<f32>
  // CHECK: sg.write @w, %{{.*}}
  // CHECK-NEXT: %[[OLD:.*]] = sg.read @w.ema
  // CHECK: %[[SUM:.*]] = sg.add %[[OLD]]
  // SKIPPED: %[[MASK:.*]] = sg.broadcast %[[KEEPS]]
  // NONFINITE: %[[MASK:.*]] = sg.broadcast %[[FLAG]]
  // CHECK: %[[NEXT:.*]] = sg.select %[[MASK]], %[[OLD]], %[[SUM]]
  // CHECK: sg.write @w.ema, %[[NEXT]]
  sg.write @w, %p : tensor<4xf32>
  // CHECK: %[[OLDM:.*]] = sg.read @m.ema
  // CHECK: sg.select %{{.*}}, %[[OLDM]]
  // CHECK: sg.write @m.ema
  // CHECK-NEXT: return
  return %skipped, %flag : tensor<f32>, tensor<i1>
}
