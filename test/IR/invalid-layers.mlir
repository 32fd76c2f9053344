// Every rule of the layers and their gradients, broken once.
//
// RUN: reprise-opt %s -split-input-file -verify-diagnostics

func.func @matmul_rank(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul needs two tensors of equal rank, at least 2, and equal element type}}
  %0 = sg.matmul %a, %b : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @matmul_vectors(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul needs two tensors of equal rank, at least 2, and equal element type}}
  %0 = sg.matmul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @matmul_element(%a: tensor<4x4xf32>, %b: tensor<4x4xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul needs two tensors of equal rank, at least 2, and equal element type}}
  %0 = sg.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf64>) -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_batch(%a: tensor<2x4x4xf32>, %b: tensor<3x4x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul of batches 2 and 3}}
  %0 = sg.matmul %a, %b : (tensor<2x4x4xf32>, tensor<3x4x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_contraction(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul contracts 3 with 4}}
  %0 = sg.matmul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @matmul_transposed(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul contracts 3 with 5}}
  %0 = sg.matmul %a, %b {transpose_b} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_transposed_lhs(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul contracts 2 with 3}}
  %0 = sg.matmul %a, %b {transpose_a} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @conv_rank(%x: tensor<32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{convolution needs an image (N,H,W,C) and a filter (O,H,W,I), both of rank 4}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_counts(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{convolution needs 2 strides, 4 paddings and 2 dilations}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_stride_count(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{convolution needs 2 strides, 4 paddings and 2 dilations}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_dilation_count(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{convolution needs 2 strides, 4 paddings and 2 dilations}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_padding(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{padding must be between 0 and 2147483647, but is -1}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, -1, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_far(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{padding must be between 0 and 2147483647, but is 9223372036854775807}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 9223372036854775807, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_stride(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{strides and dilations must be between 1 and 2147483647, but one is 0}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 1, 0>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_dilation(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{strides and dilations must be between 1 and 2147483647, but one is 9223372036854775807}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 9223372036854775807, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{4 groups do not divide 4 input and 6 output channels}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 4 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_input_groups(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{3 groups do not divide 4 input and 6 output channels}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 3 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_no_groups(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{0 groups do not divide 4 input and 6 output channels}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 0 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_channels(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{filter has 4 input channels, but the image has 4 in 2 groups}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 2 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_element(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{image and filter differ in element type}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf64>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_fit(%x: tensor<8x2x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{filter of extent 3 does not fit an image of extent 2}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x2x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x16x6xf32>
  return
}

// -----

func.func @conv_result(%x: tensor<8x32x32x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<8x16x16x6xf32>' are incompatible with return type(s) of operation 'tensor<8x16x15x6xf32>'}}
  %0 = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<6x3x3x4xf32>) -> tensor<8x16x15x6xf32>
  return
}

// -----

func.func @conv_input_grad_add(%dy: tensor<8x16x16x6xf32>, %w: tensor<6x3x3x4xf32>, %a: tensor<8x32x32x5xf32>) {
  // expected-error @+1 {{adds 'tensor<8x32x32x5xf32>' to a gradient of type 'tensor<8x32x32x4xf32>'}}
  %0 = sg.conv2d_input_grad_add %dy, %w, %a {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x16x16x6xf32>, tensor<6x3x3x4xf32>, tensor<8x32x32x5xf32>) -> tensor<8x32x32x4xf32>
  return
}

// -----

func.func @conv_input_grad_add_of_another(%dy: tensor<8x16x15x6xf32>, %w: tensor<6x3x3x4xf32>, %a: tensor<8x32x32x4xf32>) {
  // expected-error @+1 {{has a cotangent of type 'tensor<8x16x15x6xf32>', but the convolution's result is 'tensor<8x16x16x6xf32>'}}
  %0 = sg.conv2d_input_grad_add %dy, %w, %a {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x16x15x6xf32>, tensor<6x3x3x4xf32>, tensor<8x32x32x4xf32>) -> tensor<8x32x32x4xf32>
  return
}

// -----

func.func @conv_input_grad(%dy: tensor<8x16x15x6xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+1 {{has a cotangent of type 'tensor<8x16x15x6xf32>', but the convolution's result is 'tensor<8x16x16x6xf32>'}}
  %0 = sg.conv2d_input_grad %dy, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x16x15x6xf32>, tensor<6x3x3x4xf32>) -> tensor<8x32x32x4xf32>
  return
}

// -----

func.func @conv_filter_grad(%x: tensor<8x32x32x4xf32>, %dy: tensor<8x16x15x6xf32>) {
  // expected-error @+1 {{has a cotangent of type 'tensor<8x16x15x6xf32>', but the convolution's result is 'tensor<8x16x16x6xf32>'}}
  %0 = sg.conv2d_filter_grad %x, %dy {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x32x4xf32>, tensor<8x16x15x6xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @conv_filter_grad_groups(%x: tensor<8x32x32x4xf32>, %dy: tensor<8x16x15x6xf32>) {
  // expected-error @+1 {{4 groups do not divide 4 input and 6 output channels}}
  %0 = sg.conv2d_filter_grad %x, %dy {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 4 : i64} : (tensor<8x32x32x4xf32>, tensor<8x16x15x6xf32>) -> tensor<6x3x3x4xf32>
  return
}

// -----

func.func @pool_rank(%x: tensor<16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{pooling needs an image (N,H,W,C)}}
  %0 = sg.max_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @pool_counts(%x: tensor<8x16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{pooling needs 2 window extents, 2 strides and 4 paddings}}
  %0 = sg.max_pool2d %x {window = array<i64: 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @pool_stride_count(%x: tensor<8x16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{pooling needs 2 window extents, 2 strides and 4 paddings}}
  %0 = sg.avg_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 3, 3, 3>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @pool_window(%x: tensor<8x16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{windows and strides must be between 1 and 2147483647, but one is 0}}
  %0 = sg.max_pool2d %x {window = array<i64: 0, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @pool_stride(%x: tensor<8x16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{windows and strides must be between 1 and 2147483647, but one is -2}}
  %0 = sg.avg_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, -2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @pool_padding(%x: tensor<8x16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{padding must be between 0 and 2, below the window's extent}}
  %0 = sg.max_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 3, 1, 1>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @pool_negative(%x: tensor<8x16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{padding must be between 0 and 2, below the window's extent}}
  %0 = sg.max_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: -1, 1, 1, 1>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @pool_fit(%x: tensor<8x16x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{window of extent 30 does not fit an image of extent 16}}
  %0 = sg.max_pool2d %x {window = array<i64: 3, 30>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  return
}

// -----

func.func @max_pool_grad(%x: tensor<8x16x16x4xf32>, %dy: tensor<8x8x7x4xf32>) {
  // expected-error @+1 {{has a cotangent of type 'tensor<8x8x7x4xf32>', but the pool's result is 'tensor<8x8x8x4xf32>'}}
  %0 = sg.max_pool2d_grad %x, %dy {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>, tensor<8x8x7x4xf32>) -> tensor<8x16x16x4xf32>
  return
}

// -----

func.func @max_pool_positions(%at: tensor<8x8x8x4xi32>, %dy: tensor<8x8x8x4xf32>) {
  // expected-error @+1 {{has positions of type 'tensor<8x8x8x4xi32>', but those of its windows are 'tensor<8x8x8x4xi8>'}}
  %0 = sg.max_pool2d_scatter %at, %dy {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x8x8x4xi32>, tensor<8x8x8x4xf32>) -> tensor<8x16x16x4xf32>
  return
}

// -----

func.func @max_pool_grad_window(%x: tensor<8x16x16x4xf32>, %dy: tensor<8x8x7x4xf32>) {
  // expected-error @+1 {{windows and strides must be between 1 and 2147483647, but one is 0}}
  %0 = sg.max_pool2d_grad %x, %dy {window = array<i64: 3, 3>, strides = array<i64: 0, 1>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>, tensor<8x8x7x4xf32>) -> tensor<8x16x16x4xf32>
  return
}

// -----

func.func @max_pool_grad_result(%x: tensor<8x16x16x4xf32>, %dy: tensor<8x8x7x4xf32>) {
  // expected-error @+1 {{all of {x, result} have same type}}
  %0 = sg.max_pool2d_grad %x, %dy {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x16x16x4xf32>, tensor<8x8x7x4xf32>) -> tensor<8x16x15x4xf32>
  return
}

// -----

func.func @avg_pool_grad(%dy: tensor<8x8x7x4xf32>) {
  // expected-error @+1 {{has a cotangent of type 'tensor<8x8x7x4xf32>', but the pool's result is 'tensor<8x8x8x4xf32>'}}
  %0 = sg.avg_pool2d_grad %dy {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<8x8x7x4xf32>) -> tensor<8x16x16x4xf32>
  return
}

// -----

func.func @global_pool(%x: tensor<8x16x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{pooling needs an image (N,H,W,C)}}
  %0 = sg.global_avg_pool %x : (tensor<8x16x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @batch_norm_channels(%x: tensor<8x3x3x4xf32>, %c: tensor<5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<8x3x3x4xf32>' needs 'tensor<4xf32>', but has 'tensor<5xf32>'}}
  %0:4 = sg.batch_norm_training %x, %c, %c {epsilon = 1.0e-05 : f64} : (tensor<8x3x3x4xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<8x3x3x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @batch_norm_rank(%c: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization needs a tensor of rank 2 or more, but has 'tensor<4xf32>'}}
  %0:4 = sg.batch_norm_training %c, %c, %c {epsilon = 1.0e-05 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @normalize(%x: tensor<8x3x3x4xf32>, %c: tensor<4xf32>, %d: tensor<4xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<8x3x3x4xf32>' needs 'tensor<4xf32>', but has 'tensor<4xf64>'}}
  %0 = sg.normalize %x, %c, %c, %c, %d : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) -> tensor<8x3x3x4xf32>
  return
}

// -----

func.func @inference(%x: tensor<8x3x3x4xf32>, %c: tensor<4xf32>, %d: tensor<5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<8x3x3x4xf32>' needs 'tensor<4xf32>', but has 'tensor<5xf32>'}}
  %0 = sg.batch_norm_inference %x, %c, %c, %c, %d {epsilon = 1.0e-05 : f64} : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf32>) -> tensor<8x3x3x4xf32>
  return
}

// -----

func.func @batch_norm_grad_channels(%x: tensor<8x3x3x4xf32>, %c: tensor<4xf32>, %d: tensor<5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<8x3x3x4xf32>' needs 'tensor<4xf32>', but has 'tensor<5xf32>'}}
  %0:3 = sg.batch_norm_grad %x, %c, %c, %d, %x : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<8x3x3x4xf32>) -> (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @batch_norm_grad_cotangent(%x: tensor<8x3x3x4xf32>, %c: tensor<4xf32>, %dy: tensor<8x3x2x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{cotangent 'tensor<8x3x2x4xf32>' differs from the input 'tensor<8x3x3x4xf32>'}}
  %0:3 = sg.batch_norm_grad %x, %c, %c, %c, %dy : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x3x2x4xf32>) -> (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

sg.variable @m : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
func.func @batch_norm_model(%x: tensor<8x3x3x4xf32>, %c: tensor<5xf32>) {
  // expected-error @+1 {{normalization of 'tensor<8x3x3x4xf32>' needs 'tensor<4xf32>', but has 'tensor<5xf32>'}}
  %0 = sg.batch_norm %x, %c, %c {epsilon = 1.0e-05 : f64, momentum = 0.1 : f64, running_mean = @m, running_variance = @m} : (tensor<8x3x3x4xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<8x3x3x4xf32>
  return
}

// -----

func.func @cross_entropy_shape(%l: tensor<8x10xf32>, %t: tensor<7xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{cross entropy needs logits (N,K) and labels (N), but has 'tensor<8x10xf32>' and 'tensor<7xi32>'}}
  %0:2 = sg.cross_entropy %l, %t : (tensor<8x10xf32>, tensor<7xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @auxiliary_loss_rank(%l: tensor<2xf32>) {
  // expected-error @+1 {{adds scalars, but has 'tensor<2xf32>'}}
  %0 = sg.auxiliary_loss %l, %l weight 0.3 : tensor<2xf32>
  return
}

// -----

func.func @auxiliary_loss_weight(%l: tensor<f32>) {
  // expected-error @+1 {{needs a weight that is finite and not negative, but has -3.000000e-01}}
  %0 = sg.auxiliary_loss %l, %l weight -0.3 : tensor<f32>
  return
}

// -----

func.func @cross_entropy_labels(%l: tensor<8x10xf32>, %t: tensor<8xi8>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{labels must be i32 or i64, but are 'i8'}}
  %0:2 = sg.cross_entropy %l, %t : (tensor<8x10xf32>, tensor<8xi8>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @cross_entropy_grad_labels(%l: tensor<8x10xf32>, %t: tensor<7xi32>, %r: tensor<8xf32>) {
  // expected-error @+1 {{cross entropy needs logits (N,K) and labels (N)}}
  %0 = sg.cross_entropy_grad %l, %t, %r, %r : (tensor<8x10xf32>, tensor<7xi32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x10xf32>
  return
}

// -----

func.func @cross_entropy_grad_rows(%l: tensor<8x10xf32>, %t: tensor<8xi32>, %r: tensor<7xf32>) {
  // expected-error @+1 {{needs lse and dlosses of type 'tensor<8xf32>'}}
  %0 = sg.cross_entropy_grad %l, %t, %r, %r : (tensor<8x10xf32>, tensor<8xi32>, tensor<7xf32>, tensor<7xf32>) -> tensor<8x10xf32>
  return
}

// -----

func.func @dropout_one(%x: tensor<8x10xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{needs a probability in [0, 1), but has}}
  %0 = sg.dropout %x, %s, %s {probability = 1.0 : f64, stream = 0 : i64} : (tensor<8x10xf32>, tensor<i64>, tensor<i64>) -> tensor<8x10xf32>
  return
}

// -----

func.func @dropout_negative(%x: tensor<8x10xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{needs a probability in [0, 1), but has}}
  %0 = sg.dropout %x, %s, %s {probability = -0.1 : f64, stream = 0 : i64} : (tensor<8x10xf32>, tensor<i64>, tensor<i64>) -> tensor<8x10xf32>
  return
}

// -----

func.func @dropout_nan(%x: tensor<8x10xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{needs a probability in [0, 1), but has}}
  %0 = sg.dropout %x, %s, %s {probability = 0x7FF8000000000000 : f64, stream = 0 : i64} : (tensor<8x10xf32>, tensor<i64>, tensor<i64>) -> tensor<8x10xf32>
  return
}

// -----

func.func @matmul_widened_f64(%a: tensor<4x4xbf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'sg.matmul' op inferred type(s) 'tensor<4x4xbf16>' are incompatible with return type(s) of operation 'tensor<4x4xf64>'}}
  %0 = sg.matmul %a, %a : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf64>
  return
}

// -----

func.func @matmul_narrowed(%a: tensor<4x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'sg.matmul' op inferred type(s) 'tensor<4x4xf32>' are incompatible with return type(s) of operation 'tensor<4x4xbf16>'}}
  %0 = sg.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xbf16>
  return
}

// -----

func.func @matmul_mixed(%a: tensor<4x4xbf16>, %b: tensor<4x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul needs two tensors of equal rank, at least 2, and equal element type}}
  %0 = sg.matmul %a, %b : (tensor<4x4xbf16>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @filter_grad_f64(%x: tensor<1x4x4x2xbf16>, %dy: tensor<1x4x4x3xbf16>) {
  // expected-error @+1 {{image and filter differ in element type}}
  %0 = sg.conv2d_filter_grad %x, %dy {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x4x2xbf16>, tensor<1x4x4x3xbf16>) -> tensor<3x1x1x2xf64>
  return
}

// -----

// Parameters may be wider than what they normalize, all of them.
func.func @normalize_by_mixed(%x: tensor<2x4xbf16>, %w: tensor<4xf32>, %n: tensor<4xbf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<2x4xbf16>' needs 'tensor<4xf32>', but has 'tensor<4xbf16>'}}
  %0 = sg.normalize %x, %w, %w, %n, %w : (tensor<2x4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>) -> tensor<2x4xbf16>
  return
}

// -----

func.func @normalize_by_narrower(%x: tensor<2x4xf32>, %n: tensor<4xbf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<2x4xf32>' needs 'tensor<4xf32>', but has 'tensor<4xbf16>'}}
  %0:4 = sg.batch_norm_training %x, %n, %n {epsilon = 1.0e-05 : f64} : (tensor<2x4xf32>, tensor<4xbf16>, tensor<4xbf16>) -> (tensor<2x4xf32>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
  return
}

// -----

func.func @normalize_doubles_by_singles(%x: tensor<2x4xf64>, %n: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<2x4xf64>' needs 'tensor<4xf64>', but has 'tensor<4xf32>'}}
  %0:4 = sg.batch_norm_training %x, %n, %n {epsilon = 1.0e-05 : f64} : (tensor<2x4xf64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4xf64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// expected-note @+1 {{declared here}}
sg.variable @m : tensor<4xbf16> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @narrow_running_mean(%x: tensor<2x4xbf16>, %c: tensor<4xf32>) {
  // expected-error @+1 {{has type 'tensor<4xf32>', but @m has type 'tensor<4xbf16>'}}
  %0 = sg.batch_norm %x, %c, %c {epsilon = 1.0e-05 : f64, momentum = 0.1 : f64, running_mean = @m, running_variance = @v} : (tensor<2x4xbf16>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xbf16>
  return
}

// -----

func.func @losses_of_two_types(%x: tensor<2x4xbf16>, %l: tensor<2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{are incompatible with return type(s) of operation}}
  %0:2 = sg.cross_entropy %x, %l : (tensor<2x4xbf16>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xbf16>)
  return
}

// -----

func.func @loss_gradient_of_two_types(%x: tensor<2x4xbf16>, %l: tensor<2xi32>, %s: tensor<2xf32>, %d: tensor<2xbf16>) {
  // expected-error @+1 {{needs lse and dlosses of type 'tensor<2xf32>'}}
  %0 = sg.cross_entropy_grad %x, %l, %s, %d : (tensor<2x4xbf16>, tensor<2xi32>, tensor<2xf32>, tensor<2xbf16>) -> tensor<2x4xbf16>
  return
}

// -----

func.func @average_of_other_elements(%a: tensor<4xf32>, %r: tensor<3x4xf64>) {
  // expected-error @+1 {{takes averages (C) and rows (R,N) of one element type, not 'tensor<4xf32>' and 'tensor<3x4xf64>'}}
  %0 = sg.running_average %a, %r {keep = 9.0e-01 : f64, start = 0 : i64} : tensor<4xf32>, tensor<3x4xf64>
  return
}

// -----

func.func @average_beyond_rows(%a: tensor<4xf32>, %r: tensor<3x6xf32>) {
  // expected-error @+1 {{reads 4 elements of rows of 6, from number 3 on}}
  %0 = sg.running_average %a, %r {keep = 9.0e-01 : f64, start = 3 : i64} : tensor<4xf32>, tensor<3x6xf32>
  return
}

// -----

func.func @average_before_rows(%a: tensor<4xf32>, %r: tensor<3x6xf32>) {
  // expected-error @+1 {{from number -1 on}}
  %0 = sg.running_average %a, %r {keep = 9.0e-01 : f64, start = -1 : i64} : tensor<4xf32>, tensor<3x6xf32>
  return
}

// -----

func.func @bytes_of_halves(%x: tensor<4xbf16>) {
  // expected-error @+1 {{operand #0 must be}}
  %0 = sg.encode_fp8 %x : tensor<4xbf16> to tensor<4xi8>
  return
}
