// RUN: reprise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

func.func @constant() {
  // expected-error @+1 {{has a value of another type, 'tensor<3xf32>'}}
  %c = "stablehlo.constant"() {value = dense<0.0> : tensor<3xf32>} : () -> tensor<4xf32>
  return
}

// -----

func.func @reshape(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes the number of elements}}
  %r = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @slice(%x: tensor<4xf32>) {
  // expected-error @+1 {{has lists of different lengths}}
  %r = "stablehlo.slice"(%x) {start_indices = array<i64: 0>,
    limit_indices = array<i64: 1, 2>, strides = array<i64: 1>}
    : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @dot(%x: tensor<4xf32>) {
  // expected-error @+1 {{has dimension 1 of the left operand, which is none or there twice}}
  %r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @dot_pairs(%x: tensor<4xf32>) {
  // expected-error @+1 {{pairs different numbers of dimensions}}
  %r = stablehlo.dot_general %x, %x, contracting_dims = [0] x []
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @ranks(%x: tensor<1x9x9x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @+1 {{needs arrays of 4 dimensions; one is a 'tensor<3x4x6xf32>'}}
  %c = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x9x9x4xf32>, tensor<3x4x6xf32>) -> tensor<1x7x7x6xf32>
  return
}

// -----

func.func @strides(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has a stride or dilation of 0}}
  %c = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x7x7x6xf32>
  return
}

// -----

func.func @letters(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{expected a list of 'b', 'f' and the dimensions of space, each once}}
  %c = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x7x7x6xf32>
  return
}

// -----

func.func @barrier(%x: tensor<4xf32>) {
  // expected-error @+1 {{has results that differ from its operands}}
  %r = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reduce(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{has 1 arguments of its body for 2 operands}}
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @while(%x: tensor<4xf32>) {
  // expected-error @+1 {{has arguments of a region that differ from its operands}}
  %r = "stablehlo.while"(%x) ({
  ^bb0:
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @composite(%x: tensor<4xf32>) {
  // expected-error @+1 {{has the decomposition @nowhere, which is not in the module}}
  %r = stablehlo.composite "mine.op" %x {decomposition = @nowhere} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sharding(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a priority such as p0}}
  %r = sdy.sharding_constraint %x <@mesh, [{"x"}first]> : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{expected '='}}
sdy.mesh @mesh = <["x"]>
