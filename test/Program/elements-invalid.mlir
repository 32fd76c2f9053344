// An op that a target has no code or call for, on its element type, is refused at
// the op before a library is asked or code is made.
//
// RUN: reprise-opt %s --sg-lower-to-rt="target=cpu:x86-64-v4" -split-input-file -verify-diagnostics

func.func @convolution_f64(%x: tensor<2x6x6x3xf64>, %w: tensor<8x3x3x3xf64>) -> tensor<2x4x4x8xf64> {
  // expected-error@+1 {{'sg.conv2d' op runs on f64, but conv2d of target 'cpu' takes f32 and bf16}}
  %y = sg.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x6x6x3xf64>, tensor<8x3x3x3xf64>) -> tensor<2x4x4x8xf64>
  return %y : tensor<2x4x4x8xf64>
}

// -----

func.func @product_f16(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error@+1 {{'sg.matmul' op runs on f16, but matmul of target 'cpu' takes f32 and bf16}}
  %y = sg.matmul %x, %x : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  return %y : tensor<4x4xf16>
}

// -----

// A result that is taken is no help for operands that are not.
func.func @wide_product_f16(%x: tensor<4x4xf16>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'sg.matmul' op runs on f16, but matmul of target 'cpu' takes f32 and bf16}}
  %y = sg.matmul %x, %x : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @product_i8(%x: tensor<4x4xi8>) -> tensor<4x4xi8> {
  // expected-error@+1 {{'sg.matmul' op operand #0 must be statically shaped tensor of floating-point number values}}
  %y = sg.matmul %x, %x : (tensor<4x4xi8>, tensor<4x4xi8>) -> tensor<4x4xi8>
  return %y : tensor<4x4xi8>
}
