// The loss is differentiated times a variable, the gradient divided by it; a
// gradient that is not finite keeps parameter and momentum and halves the scale.
//
// RUN: reprise-opt %s --split-input-file --verify-diagnostics \
// RUN:   --sg-differentiate=loss-scaling=true | FileCheck %s

// CHECK:       sg.variable @loss_scale : tensor<f32> {init = #sg.init<constant, 6.553600e+04 : f64>, role = #sg.role<optimizer_state>}
// CHECK-NEXT:  sg.variable @loss_scale.growth_tracker : tensor<i64> {init = #sg.init<zeros>, role = #sg.role<optimizer_state>}
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    tensor<f32> {sg.binding = #sg.binding<metric>, sg.name = "loss_scale"}, tensor<f32> {sg.binding = #sg.binding<metric>, sg.name = "loss_scale.skipped"}
// CHECK:         %[[DW:.*]] = sg.backward of [@w]
// CHECK-NEXT:      %[[S:.*]] = sg.read @loss_scale : tensor<f32>
// CHECK-NEXT:      sg.broadcast %[[S]] dims []
// CHECK:         %[[S2:.*]] = sg.read @loss_scale
// CHECK:         %[[I:.*]] = sg.div %{{.*}}, %[[S2]]
// CHECK:         %[[B:.*]] = sg.broadcast %[[I]] dims []
// CHECK-NEXT:    %[[G:.*]] = sg.mul %[[DW]], %[[B]]
// CHECK-NEXT:    %[[D:.*]] = sg.sub %[[G]], %[[G]]
// CHECK-NEXT:    %[[N:.*]] = sg.reduce_sum %[[D]] dims [0]
// CHECK-NEXT:    %[[BAD:.*]] = sg.compare{{ +}}ne %[[N]], %[[N]]
// CHECK:         sg.read @w.momentum_buffer
// CHECK:         %[[OLDV:.*]] = sg.read @w.momentum_buffer
// CHECK-NEXT:    %[[M:.*]] = sg.broadcast %[[BAD]] dims []
// CHECK-NEXT:    %[[V:.*]] = sg.select %[[M]], %[[OLDV]], %{{.*}}
// CHECK-NEXT:    sg.write @w.momentum_buffer, %[[V]]
// CHECK:         %[[OLD:.*]] = sg.read @w :
// CHECK-NEXT:    %[[M2:.*]] = sg.broadcast %[[BAD]]
// CHECK-NEXT:    %[[W:.*]] = sg.select %[[M2]], %[[OLD]], %{{.*}}
// CHECK-NEXT:    sg.write @w, %[[W]]
// CHECK:         sg.compare{{ +}}ge
// CHECK:         %[[GROWN:.*]] = sg.select %[[BAD]]
// CHECK:         %[[LEAST:.*]] = sg.constant dense<6.10351563E-5>
// CHECK-NEXT:    %[[ABOVE:.*]] = sg.maximum %[[GROWN]], %[[LEAST]]
// CHECK-NEXT:    %[[MOST:.*]] = sg.constant dense<0x4B800000>
// CHECK-NEXT:    %[[NEXT:.*]] = sg.minimum %[[ABOVE]], %[[MOST]]
// CHECK:         sg.write @loss_scale, %[[NEXT]]
// CHECK:         sg.write @loss_scale.growth_tracker
sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>,
                                init = #sg.init<zeros>}
func.func @f(%x: tensor<8xf32>) -> tensor<f32> {
  %w = sg.read @w : tensor<8xf32>
  %p = sg.mul %w, %x : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error@+1 {{has the name of a variable of loss scaling; give it another}}
sg.variable @loss_scale : tensor<f32> {role = #sg.role<counter>,
                                       init = #sg.init<zeros>}
sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>,
                                init = #sg.init<zeros>}
func.func @taken(%x: tensor<8xf32>) -> tensor<f32> {
  %w = sg.read @w : tensor<8xf32>
  %p = sg.mul %w, %x : tensor<8xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
