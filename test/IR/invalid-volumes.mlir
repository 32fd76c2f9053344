// Rules of convolutions of volumes, each broken once.
//
// RUN: reprise-opt %s -split-input-file -verify-diagnostics

func.func @conv3d_rank(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{convolution needs a volume (N,D,H,W,C) and a filter (O,D,H,W,I), both of rank 5}}
  %0 = sg.conv3d %x, %w : (tensor<8x32x32x4xf32>, tensor<6x3x3x3x4xf32>) -> tensor<8x30x30x6xf32>
  return
}

// -----

func.func @conv3d_counts(%x: tensor<8x4x32x32x4xf32>, %w: tensor<6x3x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{convolution needs 3 strides, 6 paddings and 3 dilations}}
  %0 = sg.conv3d %x, %w {strides = array<i64: 1, 1>} : (tensor<8x4x32x32x4xf32>, tensor<6x3x3x3x4xf32>) -> tensor<8x2x30x30x6xf32>
  return
}

// -----

func.func @conv3d_depth(%x: tensor<8x2x32x32x4xf32>, %w: tensor<6x3x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{filter of extent 3 does not fit an image of extent 2}}
  %0 = sg.conv3d %x, %w : (tensor<8x2x32x32x4xf32>, tensor<6x3x3x3x4xf32>) -> tensor<8x1x30x30x6xf32>
  return
}

// -----

func.func @conv3d_input_grad(%dy: tensor<8x2x30x29x6xf32>, %w: tensor<6x3x3x3x4xf32>) {
  // expected-error @+1 {{has a cotangent of type 'tensor<8x2x30x29x6xf32>', but the convolution's result is 'tensor<8x2x30x30x6xf32>'}}
  %0 = sg.conv3d_input_grad %dy, %w : (tensor<8x2x30x29x6xf32>, tensor<6x3x3x3x4xf32>) -> tensor<8x4x32x32x4xf32>
  return
}

// -----

func.func @conv3d_filter_grad(%x: tensor<8x4x32x32x4xf32>, %dy: tensor<8x2x30x30x5xf32>) {
  // expected-error @+1 {{has a cotangent of type 'tensor<8x2x30x30x5xf32>', but the convolution's result is 'tensor<8x2x30x30x6xf32>'}}
  %0 = sg.conv3d_filter_grad %x, %dy : (tensor<8x4x32x32x4xf32>, tensor<8x2x30x30x5xf32>) -> tensor<6x3x3x3x4xf32>
  return
}
