// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --sg-synchronize-norms=ranks=2
// RUN: not reprise-opt %s -split-input-file \
// RUN:   --sg-synchronize-norms=ranks=1 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: statistics are joined by 2 to 4096 ranks in a function of one block, not by 1

// expected-error @+1 {{has no batch normalization in training whose statistics ranks could join}}
func.func @without_norms(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  return %x : tensor<2x4xf32>
}

// -----

func.func @statistics_in_a_clone(%x: tensor<4x3xf32>, %w: tensor<3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{computes its statistics again; those of all ranks are computed once}}
  %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %w, %w
      {epsilon = 1.0e-05 : f64, sg.origin = #sg.origin<"bn", recompute>}
    : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y : tensor<4x3xf32>
}
