// Modes that cut segments refuse ops of dialects that are not registered, as
// they refuse other foreign ops.
//
// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --allow-unregistered-dialect --sg-assign-checkpointing=mode=segments=2
// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --allow-unregistered-dialect --sg-assign-checkpointing=mode=sqrt
// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --allow-unregistered-dialect \
// RUN:   --sg-assign-checkpointing=mode=threshold-bytes=16

func.func @between_blocks(%x: tensor<4xf32>) -> tensor<f32> {
  %r = sg.relu %x : tensor<4xf32>
  %l = sg.reduce_sum %r dims [0] : tensor<4xf32> -> tensor<f32>
  // expected-error @+1 {{'other.use' op is not an op of sg and declares no cost; segments are cut from ops with one}}
  "other.use"(%l) : (tensor<f32>) -> ()
  return %l : tensor<f32>
}

// -----

func.func @in_a_block(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = sg.module "a" (%y = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'other.double' op is not an op of sg and declares no cost}}
    %z = "other.double"(%y) : (tensor<4xf32>) -> tensor<4xf32>
    sg.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @at_the_end(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = sg.relu %x : tensor<4xf32>
  // expected-error @+1 {{'other.return' op is not an op of sg and declares no cost}}
  "other.return"(%r) : (tensor<4xf32>) -> ()
}
