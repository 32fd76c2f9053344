// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --sg-differentiate=optimizer=adamw

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
// expected-error @+1 {{has the name of the mean of gradients of @w; give it another}}
sg.variable @w.exp_avg : tensor<8xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @has_another_mean(%x: tensor<f32>) -> tensor<f32> {
  %w = sg.read @w : tensor<f32>
  return %w : tensor<f32>
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
// expected-error @+1 {{has the name of the power of beta2 of adamw; give it another}}
sg.variable @adamw.beta2_power : tensor<f64> {role = #sg.role<counter>, init = #sg.init<zeros>}

func.func @has_another_power(%x: tensor<f32>) -> tensor<f32> {
  %w = sg.read @w : tensor<f32>
  return %w : tensor<f32>
}

// -----

// A variable of the same role and type is the optimizer's own.
sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @w.exp_avg : tensor<f32> {role = #sg.role<optimizer_state>, init = #sg.init<ones>}

func.func @goes_on_with_its_own(%x: tensor<f32>) -> tensor<f32> {
  %w = sg.read @w : tensor<f32>
  %y = sg.mul %w, %x : tensor<f32>
  return %y : tensor<f32>
}
