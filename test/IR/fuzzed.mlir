// Inputs on which a fuzzer of the passes (test/fuzz/ir) once crashed.
//
// RUN: reprise-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(sg-verify-effects))'

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
