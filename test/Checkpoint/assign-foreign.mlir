// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --sg-assign-checkpointing=mode=sqrt

func.func private @external(tensor<8xf32>) -> index

func.func @calls_another_function(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = sg.exp %x : tensor<8xf32>
  // expected-error @+1 {{'func.call' op is not an op of sg and declares no cost; segments are cut from ops with one}}
  %i = call @external(%e) : (tensor<8xf32>) -> index
  %f = sg.exp %e : tensor<8xf32>
  return %f : tensor<8xf32>
}

// -----

// expected-error @+1 {{segments are cut from a function of one block}}
func.func @has_two_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
^unreachable(%y: tensor<8xf32>):
  return %y : tensor<8xf32>
}
