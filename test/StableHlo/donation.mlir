// A result in the storage of a donated argument takes no bytes; one whose
// argument is read later does.
// RUN: reprise rematerialize %s --sweep --function updated --json | FileCheck %s --check-prefix=UPDATED
// RUN: reprise rematerialize %s --sweep --function kept --json | FileCheck %s --check-prefix=KEPT
// RUN: reprise rematerialize %s --sweep --function donor --json | FileCheck %s --check-prefix=UPDATED
// RUN: reprise rematerialize %s --sweep --function read_later --json | FileCheck %s --check-prefix=LATER

// UPDATED: "donated_results": 1,
// UPDATED: "plain": {
// UPDATED-NEXT: "live_bytes": 4096,
func.func @updated(%w: tensor<1024xf32> {tf.aliasing_output = 0 : i32},
                   %g: tensor<1024xf32>) -> tensor<1024xf32> {
  %s = stablehlo.tanh %g : tensor<1024xf32>
  %r = stablehlo.subtract %w, %s : tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// KEPT: "donated_results": 0,
// KEPT: "live_bytes": 4096,
func.func @kept(%w: tensor<1024xf32>, %g: tensor<1024xf32>)
    -> tensor<1024xf32> {
  %s = stablehlo.tanh %g : tensor<1024xf32>
  %r = stablehlo.subtract %w, %s : tensor<1024xf32>
  return %r : tensor<1024xf32>
}

func.func @donor(%w: tensor<1024xf32> {jax.buffer_donor = true},
                 %g: tensor<1024xf32>) -> tensor<1024xf32> {
  %s = stablehlo.tanh %g : tensor<1024xf32>
  %r = stablehlo.subtract %w, %s : tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// LATER: "donated_results": 0,
// LATER: "plain": {
// LATER-NEXT: "live_bytes": 8192,
func.func @read_later(%w: tensor<1024xf32> {tf.aliasing_output = 0 : i32},
                      %g: tensor<1024xf32>)
    -> (tensor<1024xf32>, tensor<1024xf32>) {
  %r = stablehlo.subtract %w, %g : tensor<1024xf32>
  %s = stablehlo.multiply %w, %r : tensor<1024xf32>
  return %r, %s : tensor<1024xf32>, tensor<1024xf32>
}
