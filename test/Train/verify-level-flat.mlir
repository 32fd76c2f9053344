// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-verify-level=level=flat

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @has_a_backward_pass(%x: tensor<8xf32>) {
  // expected-error @+1 {{'sg.backward' op does not belong to a flat function}}
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @has_a_block(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'sg.module' op does not belong to a flat function}}
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    sg.yield %i : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keeps_a_path(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'sg.relu' op has sg.path, which sg-flatten makes part of sg.origin}}
  %y = sg.relu %x {sg.path = "a"} : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @says_no_origins(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = sg.relu %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @lost_an_origin(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = sg.relu %x {sg.origin = #sg.origin<"a", forward>} : tensor<8xf32>
  // expected-error @+1 {{'sg.neg' op has no sg.origin, but others of the function have one}}
  %z = sg.neg %y : tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

// A kernel says it for what it holds, and a constant is of nobody.
func.func @says_what_is_needed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = sg.constant dense<1.0> : tensor<8xf32>
  %y = sg.kernel "relu_add" (%i = %x : tensor<8xf32>, %j = %c : tensor<8xf32>)
      -> tensor<8xf32> attributes {sg.origin = #sg.origin<"a", forward, 3>} {
    %r = sg.relu %i : tensor<8xf32>
    %s = sg.add %r, %j : tensor<8xf32>
    sg.yield %s : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}
