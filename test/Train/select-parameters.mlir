// RUN: reprise-opt %s -split-input-file '--pass-pipeline=builtin.module(sg-select-parameters{freeze=*,!b*},sg-differentiate)' \
// RUN:   | FileCheck %s --check-prefix=FREEZE
// RUN: reprise-opt %s -split-input-file '--pass-pipeline=builtin.module(sg-select-parameters{lr-scale=a*=0.5,*.w=0.5,c=1 layer-decay=0.5})' \
// RUN:   | FileCheck %s --check-prefix=RATES
// RUN: reprise-opt %s '--pass-pipeline=builtin.module(sg-select-parameters{lr-scale=b*=0.5},sg-differentiate{optimizer=adamw})' \
// RUN:   | FileCheck %s --check-prefix=ADAMW

// A frozen parameter has neither gradient, moment nor update, and its block no
// mirror; the block keeps nothing.
// FREEZE: sg.variable @a.w : {{.*}} role = #sg.role<parameter>, sg.frozen}
// FREEZE-NEXT: sg.variable @b.w : {{.*}} role = #sg.role<parameter>}
// FREEZE-NEXT: sg.variable @b.w.momentum_buffer
// FREEZE-NEXT: sg.variable @c : {{.*}}sg.frozen}
// FREEZE-LABEL: func.func @step(
// FREEZE: sg.module "a" ({{.*}}) -> tensor<2x4xf32> attributes
// FREEZE: sg.backward of [@b.w] ->
// FREEZE-NOT: sg.module "a"
// FREEZE-NOT: sg.write @a.w
// FREEZE: sg.write @b.w,
// FREEZE-NOT: sg.write @c

// Factors multiply. The parameters of a block are a layer, and those between
// two blocks.
// RATES: sg.variable @a.w : {{.*}}sg.rate_scale = 6.250000e-02 : f64}
// RATES-NEXT: sg.variable @b.w : {{.*}}sg.rate_scale = 2.500000e-01 : f64}
// RATES-NEXT: sg.variable @c : {{.*}}sg.rate_scale = 1.000000e+00 : f64}

// Each factor has its step size and decay; the powers are written once.
// ADAMW-LABEL: func.func @step(
// ADAMW-SAME: %[[RATE:[a-z0-9]+]]: tensor<f32> {sg.binding = #sg.binding<learning_rate>
// ADAMW: sg.write @adamw.beta1_power
// ADAMW: sg.write @adamw.beta2_power
// ADAMW: sg.write @a.w,
// ADAMW: %[[HALF:.*]] = sg.constant dense<5.000000e-01> : tensor<f32>
// ADAMW: %[[SCALED:.*]] = sg.mul %[[RATE]], %[[HALF]]
// ADAMW: sg.cast %[[SCALED]]
// ADAMW-NOT: sg.write @adamw
// ADAMW: sg.write @b.w,
// ADAMW-NOT: sg.write @adamw
// ADAMW: sg.write @c,
// ADAMW-NOT: sg.write @adamw
// ADAMW: return
sg.variable @a.w : tensor<4xf32> {role = #sg.role<parameter>,
                                  init = #sg.init<ones>}
sg.variable @b.w : tensor<4xf32> {role = #sg.role<parameter>,
                                  init = #sg.init<ones>}
sg.variable @c : tensor<4xf32> {role = #sg.role<parameter>,
                                init = #sg.init<ones>}
func.func @step(%x: tensor<2x4xf32>) -> tensor<f32> {
  %h = sg.module "a" (%i = %x : tensor<2x4xf32>) -> tensor<2x4xf32> {
    %w = sg.read @a.w : tensor<4xf32>
    %b = sg.broadcast %w dims [1] : tensor<4xf32> -> tensor<2x4xf32>
    %p = sg.mul %i, %b : tensor<2x4xf32>
    %q = sg.exp %p : tensor<2x4xf32>
    sg.yield %q : tensor<2x4xf32>
  }
  %w = sg.read @b.w : tensor<4xf32>
  %b = sg.broadcast %w dims [1] : tensor<4xf32> -> tensor<2x4xf32>
  %p = sg.mul %h, %b : tensor<2x4xf32>
  %y = sg.module "c" (%i = %p : tensor<2x4xf32>) -> tensor<2x4xf32> {
    %v = sg.read @c : tensor<4xf32>
    %c = sg.broadcast %v dims [1] : tensor<4xf32> -> tensor<2x4xf32>
    %r = sg.mul %i, %c : tensor<2x4xf32>
    sg.yield %r : tensor<2x4xf32>
  }
  %l = sg.reduce_sum %y dims [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
