// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-verify-effects

sg.variable @counter : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

func.func @writes_once(%a: tensor<i64>) {
  sg.write @counter, %a : tensor<i64>
  return
}

func.func @writes_once_in_another_function(%a: tensor<i64>) {
  sg.write @counter, %a : tensor<i64>
  return
}

// -----

sg.variable @counter : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

func.func @writes_twice(%a: tensor<i64>, %b: tensor<i64>) {
  // expected-note @+1 {{first written here}}
  sg.write @counter, %a : tensor<i64>
  // expected-error @+1 {{'sg.write' op writes @counter a second time in one step}}
  sg.write @counter, %b : tensor<i64>
  return
}

// -----

sg.variable @counter : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

func.func @writes_a_second_time_in_a_block(%a: tensor<i64>) {
  // expected-note @+1 {{first written here}}
  sg.write @counter, %a : tensor<i64>
  sg.module "a" (%i = %a : tensor<i64>) {
    // expected-error @+1 {{writes @counter a second time in one step}}
    sg.write @counter, %i : tensor<i64>
    sg.yield
  }
  return
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @writes_in_the_backward_region(%a: tensor<f32>) {
  %g = sg.backward of [@w] -> tensor<f32> {
    // expected-error @+1 {{'sg.write' op writes @w in the backward phase}}
    sg.write @w, %a : tensor<f32>
    sg.yield %a : tensor<f32>
  }
  return
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @writes_in_a_clone(%a: tensor<f32>) {
  %g = sg.backward of [@w] -> tensor<f32> {
    sg.module "a" (%i = %a : tensor<f32>)
        attributes {instance = 0 : i64, phase = #sg.phase<recompute>} {
      // expected-error @+1 {{'sg.write' op writes @w in the recompute phase}}
      sg.write @w, %i : tensor<f32>
      sg.yield
    }
    sg.yield %a : tensor<f32>
  }
  return
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @writes_in_a_flattened_clone(%a: tensor<f32>) {
  // expected-error @+1 {{'sg.write' op writes @w in the recompute phase}}
  sg.write @w, %a {sg.origin = #sg.origin<"a", recompute>} : tensor<f32>
  return
}

// -----

// What a recomputed kernel holds is recomputed, whatever it says itself.
func.func @draws_again_in_a_clone_of_a_kernel(%s: tensor<i64>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %a = sg.kernel "u" (%t = %s : tensor<i64>) -> tensor<8xf32>
      attributes {sg.origin = #sg.origin<"a", forward>} {
    %u = sg.random_uniform %t, %t stream 3
      {sg.origin = #sg.origin<"a", forward>}
      : tensor<i64>, tensor<i64> -> tensor<8xf32>
    sg.yield %u : tensor<8xf32>
  }
  %b = sg.kernel "u" (%t = %s : tensor<i64>) -> tensor<8xf32>
      attributes {sg.origin = #sg.origin<"a", recompute>} {
    %u = sg.random_uniform %t, %t stream 3
      {sg.origin = #sg.origin<"a", forward>}
      : tensor<i64>, tensor<i64> -> tensor<8xf32>
    sg.yield %u : tensor<8xf32>
  }
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @draws_in_two_kernels(%s: tensor<i64>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %a = sg.kernel "u" (%t = %s : tensor<i64>) -> tensor<8xf32> {
    // expected-note @+1 {{the other op}}
    %u = sg.random_uniform %t, %t stream 3
      : tensor<i64>, tensor<i64> -> tensor<8xf32>
    sg.yield %u : tensor<8xf32>
  }
  %b = sg.kernel "u" (%t = %s : tensor<i64>) -> tensor<8xf32> {
    // expected-error @+1 {{draws from stream 3, which another op draws from}}
    %u = sg.random_uniform %t, %t stream 3
      : tensor<i64>, tensor<i64> -> tensor<8xf32>
    sg.yield %u : tensor<8xf32>
  }
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @draws_from_two_streams(%x: tensor<8xf32>, %s: tensor<i64>) -> tensor<8xf32> {
  %a = sg.dropout %x, %s, %s {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  %b = sg.dropout %a, %s, %s {probability = 0.5 : f64, stream = 2 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

func.func @draws_from_one_stream_twice(%x: tensor<8xf32>, %s: tensor<i64>) -> tensor<8xf32> {
  // expected-note @+1 {{the other op}}
  %a = sg.dropout %x, %s, %s {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  // expected-error @+1 {{'sg.dropout' op draws from stream 1, which another op draws from}}
  %b = sg.dropout %a, %s, %s {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

func.func @draws_by_different_ops(%x: tensor<8xf32>, %s: tensor<i64>) -> tensor<8xf32> {
  // expected-note @+1 {{the other op}}
  %u = sg.random_uniform %s, %s stream 3
    : tensor<i64>, tensor<i64> -> tensor<8xf32>
  // expected-error @+1 {{'sg.dropout' op draws from stream 3, which another op draws from}}
  %b = sg.dropout %u, %s, %s {probability = 0.5 : f64, stream = 3 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @repeats_a_stream_in_a_clone(%x: tensor<8xf32>, %s: tensor<i64>) -> tensor<8xf32> {
  %a = sg.dropout %x, %s, %s {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
  %g = sg.backward of [@w] -> tensor<8xf32> {
    %r = sg.dropout %x, %s, %s {probability = 0.5 : f64, stream = 1 : i64}
      : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
    sg.yield %r : tensor<8xf32>
  }
  return %a : tensor<8xf32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @repeats_a_stream_that_nobody_draws_from(%x: tensor<8xf32>, %s: tensor<i64>) -> tensor<8xf32> {
  %g = sg.backward of [@w] -> tensor<8xf32> {
    // expected-error @+1 {{'sg.dropout' op repeats stream 2 in the backward phase, but no forward op draws from it}}
    %r = sg.dropout %x, %s, %s {probability = 0.5 : f64, stream = 2 : i64}
      : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<8xf32>
    sg.yield %r : tensor<8xf32>
  }
  return %g : tensor<8xf32>
}

// -----

func.func @repeats_a_collective(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-note @+1 {{the first one}}
  %x = sg.all_reduce %a ranks 2 sequence 0 : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{'sg.all_reduce' op is collective 0 of a step a second time}}
  %y = sg.all_reduce %a ranks 2 sequence 0 : tensor<4xf32> -> tensor<4xf32>
  return %x, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @recomputes_a_collective(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{'sg.all_gather' op is collective 0 in the recompute phase, which may repeat it}}
  %x = sg.all_gather %a ranks 2 sequence 0 {sg.origin = #sg.origin<"a", recompute>} : tensor<4xf32> -> tensor<2x4xf32>
  return %x : tensor<2x4xf32>
}
