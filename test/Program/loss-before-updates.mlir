// The loss comes before updates of parameters that it does not depend on. Updates
// of running statistics keep their place.

// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-lower-to-rt{model=steps},rt.program(rt-verify-program))' | FileCheck %s

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

// CHECK-LABEL: rt.entry @loss_is_last
// CHECK: rt.launch {{.*}}statistics
// CHECK: rt.launch {{.*}}loss
// CHECK: rt.launch {{.*}}update
func.func @loss_is_last(%x: tensor<4xf32> {sg.name = "x"})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}) {
  %mean = sg.read @mean : tensor<4xf32>
  %w = sg.read @w : tensor<4xf32>
  %s = sg.kernel "statistics" (%a = %mean : tensor<4xf32>, %b = %x : tensor<4xf32>)
      -> tensor<4xf32> {
    %d = sg.add %a, %b : tensor<4xf32>
    sg.yield %d : tensor<4xf32>
  }
  sg.write @mean, %s : tensor<4xf32>
  %n = sg.kernel "update" (%a = %w : tensor<4xf32>, %b = %x : tensor<4xf32>)
      -> tensor<4xf32> {
    %d = sg.sub %a, %b : tensor<4xf32>
    sg.yield %d : tensor<4xf32>
  }
  sg.write @w, %n : tensor<4xf32>
  %l = sg.kernel "loss" (%a = %x : tensor<4xf32>) -> tensor<f32> {
    %r = sg.reduce_sum %a dims [0] : tensor<4xf32> -> tensor<f32>
    sg.yield %r : tensor<f32>
  }
  return %l : tensor<f32>
}

// CHECK-LABEL: rt.entry @loss_of_the_new_value
// CHECK: rt.launch {{.*}}update
// CHECK: rt.launch {{.*}}loss
func.func @loss_of_the_new_value(%x: tensor<4xf32> {sg.name = "x"})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}) {
  %w = sg.read @w : tensor<4xf32>
  %n = sg.kernel "update" (%a = %w : tensor<4xf32>, %b = %x : tensor<4xf32>)
      -> tensor<4xf32> {
    %d = sg.sub %a, %b : tensor<4xf32>
    sg.yield %d : tensor<4xf32>
  }
  sg.write @w, %n : tensor<4xf32>
  %l = sg.kernel "loss" (%a = %n : tensor<4xf32>) -> tensor<f32> {
    %r = sg.reduce_sum %a dims [0] : tensor<4xf32> -> tensor<f32>
    sg.yield %r : tensor<f32>
  }
  return %l : tensor<f32>
}
