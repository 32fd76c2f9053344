// The cost of products, and what runs once.
// RUN: reprise rematerialize %s --sweep --function dot --gflops 1 --json | FileCheck %s --check-prefix=DOT
// RUN: reprise rematerialize %s --sweep --function conv --gflops 1 --json | FileCheck %s --check-prefix=CONV
// RUN: reprise rematerialize %s --sweep --function dilated --gflops 1 --json | FileCheck %s --check-prefix=DILATED
// RUN: reprise rematerialize %s --sweep --function once | FileCheck %s --check-prefix=ONCE

// 2 * 64 * 32 * 128 operations at 10^6 a millisecond.
// DOT: "plain": {
// DOT: "milliseconds": 0.524288,
func.func @dot(%a: tensor<64x128xf32>, %b: tensor<128x32xf32>)
    -> tensor<64x32xf32> {
  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// 2 * (2 * 16 * 16 * 8) * (3 * 3 * 4).
// CONV: "plain": {
// CONV: "milliseconds": 0.294912,
func.func @conv(%a: tensor<2x16x16x4xf32>, %b: tensor<3x3x4x8xf32>)
    -> tensor<2x16x16x8xf32> {
  %r = stablehlo.convolution(%a, %b)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x16x16x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x16x16x8xf32>
  return %r : tensor<2x16x16x8xf32>
}

// A quarter of the input is there: 2 * (2 * 31 * 31 * 8) * (3 * 3 * 4) / 4.
// DILATED: "plain": {
// DILATED: "milliseconds": 0.276768,
func.func @dilated(%a: tensor<2x16x16x4xf32>, %b: tensor<3x3x4x8xf32>)
    -> tensor<2x31x31x8xf32> {
  %r = stablehlo.convolution(%a, %b)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x16x16x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x31x31x8xf32>
  return %r : tensor<2x31x31x8xf32>
}

// ONCE: run once {{ *}}stablehlo.all_reduce (1): nothing is known of it
// ONCE: run once {{ *}}chlo.ragged_dot (2): nothing is known of it
func.func @once(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = "stablehlo.all_reduce"(%x) ({
  ^bb0(%l: tensor<f32>, %m: tensor<f32>):
    %t = stablehlo.add %l, %m : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  %b = "chlo.ragged_dot"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = "chlo.ragged_dot"(%b) : (tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
