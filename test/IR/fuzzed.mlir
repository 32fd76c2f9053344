// Inputs on which a fuzzer of the passes (test/fuzz/ir) once crashed.
//
// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-verify-effects,sg-verify-level{level=train},sg-lower-checkpointing))'

// Every number is a stream, also those that hash tables set aside.
func.func @streams(%x: tensor<8xf32>, %s: tensor<i64>) {
  // expected-note @+1 {{the other op}}
  %u = sg.random_uniform %s, %s stream 9223372036854775807
    : tensor<i64>, tensor<i64> -> tensor<8xf32>
  // expected-error @+1 {{draws from stream 9223372036854775807, which another op draws from}}
  %b = sg.dropout %u, %s, %s {probability = 0.5 : f64, stream = 9223372036854775807 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  return
}

// -----

// So is every number an instance.
sg.variable @w : tensor<f32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
func.func @instances(%a: tensor<f32>) {
  sg.module "a" (%i = %a : tensor<f32>)
      attributes {instance = 9223372036854775807 : i64} {
    sg.write @w, %i : tensor<f32>
  }
  %g = sg.backward of [@w] -> tensor<f32> {
    sg.module "a" (%i = %a : tensor<f32>)
        attributes {instance = 9223372036854775807 : i64, phase = #sg.phase<backward>} {
    }
    sg.yield %a : tensor<f32>
  }
  return
}
