// What arguments and results are for survives printing, in both syntaxes, and
// is in the program.
//
// RUN: reprise-opt %s | reprise-opt | FileCheck %s
// RUN: reprise-opt %s -mlir-print-op-generic | reprise-opt | FileCheck %s
// RUN: reprise-opt %s -emit-bytecode | reprise-opt | FileCheck %s
// RUN: reprise-opt %s --sg-lower-to-rt=threads=1 | FileCheck %s --check-prefix=RT

// CHECK-LABEL: func.func @roles
// CHECK-SAME: {sg.name = "left"}
// CHECK-SAME: {sg.binding = #sg.binding<data>, sg.name = "right"}
// CHECK-SAME: {sg.binding = #sg.binding<label>, sg.name = "kind"}
// CHECK-SAME: {sg.binding = #sg.binding<learning_rate>, sg.name = "pace"}
// CHECK-SAME: {sg.binding = #sg.binding<seed>, sg.name = "chance"}
// CHECK-SAME: {sg.binding = #sg.binding<step>, sg.name = "time"}
// CHECK-SAME: {sg.binding = #sg.binding<loss>, sg.name = "cost"}
// CHECK-SAME: {sg.binding = #sg.binding<logits>, sg.name = "scores"}
// CHECK-SAME: {sg.binding = #sg.binding<metric>, sg.name = "norm"}
// CHECK-SAME: {sg.binding = #sg.binding<metric>, sg.name = "size"}
// CHECK-SAME: {sg.binding = #sg.binding<nonfinite>, sg.name = "bad"}
// CHECK-SAME: {sg.binding = #sg.binding<gradient of "w">, sg.name = "dw"}
// CHECK-SAME: {sg.name = "rest"}
//
// RT: rt.entry @roles
// RT-SAME: #rt.binding<"left", <
// RT-SAME: #rt.binding<"right" as <data>, <
// RT-SAME: #rt.binding<"kind" as <label>, <
// RT-SAME: #rt.binding<"pace" as <learning_rate>, <
// RT-SAME: #rt.binding<"chance" as <seed>, <
// RT-SAME: #rt.binding<"time" as <step>, <
// RT-SAME: #rt.binding<"cost" as <loss>, <
// RT-SAME: #rt.binding<"scores" as <logits>, <
// RT-SAME: #rt.binding<"norm" as <metric>, <
// RT-SAME: #rt.binding<"size" as <metric>, <
// RT-SAME: #rt.binding<"bad" as <nonfinite>, <
// RT-SAME: #rt.binding<"dw" as <gradient of "w">, <
// RT-SAME: #rt.binding<"rest", <
sg.variable @w : tensor<2x4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @roles(
    %left: tensor<2x4xf32> {sg.name = "left"},
    %right: tensor<2x4xf32> {sg.name = "right", sg.binding = #sg.binding<data>},
    %kind: tensor<2xi32> {sg.name = "kind", sg.binding = #sg.binding<label>},
    %pace: tensor<f32> {sg.name = "pace", sg.binding = #sg.binding<learning_rate>},
    %chance: tensor<i64> {sg.name = "chance", sg.binding = #sg.binding<seed>},
    %time: tensor<i64> {sg.name = "time", sg.binding = #sg.binding<step>},
    %bad: tensor<i1> {sg.name = "spare"})
    -> (tensor<f32> {sg.name = "cost", sg.binding = #sg.binding<loss>},
        tensor<2x4xf32> {sg.name = "scores", sg.binding = #sg.binding<logits>},
        tensor<f32> {sg.name = "norm", sg.binding = #sg.binding<metric>},
        tensor<f32> {sg.name = "size", sg.binding = #sg.binding<metric>},
        tensor<i1> {sg.name = "bad", sg.binding = #sg.binding<nonfinite>},
        tensor<2x4xf32> {sg.name = "dw", sg.binding = #sg.binding<gradient of "w">},
        tensor<2x4xf32> {sg.name = "rest"}) {
  return %pace, %left, %pace, %pace, %bad, %right, %left
    : tensor<f32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<i1>,
      tensor<2x4xf32>, tensor<2x4xf32>
}
