// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-verify-level=level=model

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @has_a_backward_pass(%x: tensor<8xf32>) {
  // expected-error @+1 {{'sg.backward' op does not belong to a model}}
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @has_a_barrier(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'sg.barrier' op does not belong to a model}}
  %y = sg.barrier (%x) after (%x)
    : (tensor<8xf32>) after (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @has_a_clone(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'sg.module' op is not a forward block}}
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {instance = 0 : i64, phase = #sg.phase<recompute>} {
    sg.yield %i : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @hands_out_residuals(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'sg.module' op hands out residuals, but the function is not differentiated}}
  %y, %r = sg.module "a" (%i = %x : tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>)
      attributes {instance = 0 : i64, residuals = 1 : i64} {
    %e = sg.exp %i : tensor<8xf32>
    sg.yield %i, %e : tensor<8xf32>, tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @says_an_origin(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'sg.relu' op has sg.origin, but the function is not flat}}
  %y = sg.relu %x {sg.origin = #sg.origin<"a", forward>} : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @says_a_leaf(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = sg.relu %x {sg.path = "a"} : tensor<8xf32>
  return %y : tensor<8xf32>
}
