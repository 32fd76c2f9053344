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
