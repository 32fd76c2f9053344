// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-assign-checkpointing

func.func @input(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@below {{marks an input of the model; there is nothing to recompute it from}}
    %m = sg.recompute %i : tensor<8xf32>
    %r = sg.relu %m : tensor<8xf32>
    sg.yield %r : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = sg.constant dense<1.0> : tensor<8xf32>
  // expected-error@below {{marks a variable or a constant of the model; there is nothing to recompute it from}}
  %m = sg.recompute %c : tensor<8xf32>
  %r = sg.add %x, %m : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @both(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = sg.exp %x : tensor<8xf32>
  // expected-note@below {{by this mark}}
  %k = sg.keep %e : tensor<8xf32>
  // expected-error@below {{marks what is to be held as well}}
  %m = sg.recompute %k : tensor<8xf32>
  return %m : tensor<8xf32>
}

// -----

func.func @both_the_other_way(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = sg.exp %x : tensor<8xf32>
  // expected-error@below {{marks what is to be held as well}}
  %m = sg.recompute %e : tensor<8xf32>
  // expected-note@below {{by this mark}}
  %k = sg.keep %m : tensor<8xf32>
  return %k : tensor<8xf32>
}
