// RUN: reprise-opt %s -split-input-file -verify-diagnostics

func.func @layer_norm_by_rows(%x: tensor<2x4xf32>, %g: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<2x4xf32>' needs 'tensor<4xf32>', but has 'tensor<2xf32>'}}
  %y, %m, %r = sg.layer_norm %x, %g, %g {epsilon = 1.0e-05 : f64} : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_of_a_vector(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization needs a tensor of rank 2 or more, but has 'tensor<4xf32>'}}
  %y, %m, %r = sg.layer_norm %x, %x, %x {epsilon = 1.0e-05 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @layer_norm_grad_of_channels(%x: tensor<2x4xf32>, %g: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalization of 'tensor<2x4xf32>' needs 'tensor<2xf32>', but has 'tensor<4xf32>'}}
  %dx, %dg, %db = sg.layer_norm_grad %x, %g, %g, %g, %x : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @layer_norm_grad_of_another(%x: tensor<2x4xf32>, %g: tensor<4xf32>, %m: tensor<2xf32>, %dy: tensor<3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{cotangent 'tensor<3x4xf32>' differs from the input 'tensor<2x4xf32>'}}
  %dx, %dg, %db = sg.layer_norm_grad %x, %g, %m, %m, %dy : (tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @roll_around(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{roll by 4 does not fit extent 4}}
  %y = sg.roll %x by [0, 4] : tensor<2x4xf32>
  return
}

// -----

func.func @roll_far_back(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{roll by -9223372036854775808 does not fit extent 2}}
  %y = sg.roll %x by [-9223372036854775808, 0] : tensor<2x4xf32>
  return
}

// -----

func.func @roll_of_unknown_extent(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{roll needs a static shape, but has 'tensor<?x4xf32>'}}
  %y = sg.roll %x by [3, 2] : tensor<?x4xf32>
  return
}

// -----

func.func @roll_of_one(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{roll of rank 2 has 1 shifts}}
  %y = sg.roll %x by [1] : tensor<2x4xf32>
  return
}

// -----

func.func @gather_by_bytes(%t: tensor<2x4xf32>, %i: tensor<3xi8>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{indices must be i32 or i64, but are 'i8'}}
  %y = sg.gather %t, %i : (tensor<2x4xf32>, tensor<3xi8>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_of_a_scalar(%t: tensor<f32>, %i: tensor<3xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{gather needs a table of rank 1 or more}}
  %y = sg.gather %t, %i : (tensor<f32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_grad_of_another(%i: tensor<3xi32>, %dy: tensor<4x2xf32>) {
  // expected-error @+1 {{of a table 'tensor<5x2xf32>' needs a cotangent 'tensor<3x2xf32>', but has 'tensor<4x2xf32>'}}
  %d = sg.gather_grad %i, %dy : (tensor<3xi32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @dropout_of_no_samples(%x: tensor<f32>, %s: tensor<i64>) {
  // expected-error @+1 {{needs a tensor of rank 1 or more to drop samples}}
  %0 = sg.dropout %x, %s, %s {per_sample, probability = 0.5 : f64, stream = 0 : i64} : (tensor<f32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  return
}

// -----

func.func @attention_of_pairs(%x: tensor<2x5x2x4x8xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{queries, keys and values are (B,N,3,H,D), but are 'tensor<2x5x2x4x8xf32>'}}
  %y, %l = sg.attention %x {scale = 1.0 : f64} : (tensor<2x5x2x4x8xf32>) -> (tensor<2x5x4x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_with_a_narrow_bias(%x: tensor<2x5x3x4x8xbf16>, %b: tensor<1x4x5x5xbf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{a bias of scores of 'tensor<2x5x3x4x8xbf16>' is 'tensor<1x4x5x5xf32>', or several of them that divide the samples, but is 'tensor<1x4x5x5xbf16>'}}
  %y, %l = sg.attention %x, %b {scale = 1.0 : f64} : (tensor<2x5x3x4x8xbf16>, tensor<1x4x5x5xbf16>) -> (tensor<2x5x4x8xbf16>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_with_biases_for_others(%x: tensor<2x5x3x4x8xf32>, %b: tensor<3x4x5x5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{several of them that divide the samples, but is 'tensor<3x4x5x5xf32>'}}
  %y, %l = sg.attention %x, %b {scale = 1.0 : f64} : (tensor<2x5x3x4x8xf32>, tensor<3x4x5x5xf32>) -> (tensor<2x5x4x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_scaled_by_no_number(%x: tensor<2x5x3x4x8xf32>) {
  // expected-error @+1 {{needs a scale that is a number}}
  %y, %l = sg.attention %x {scale = 0x7FF8000000000000 : f64} : (tensor<2x5x3x4x8xf32>) -> (tensor<2x5x4x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_that_drops_from_no_stream(%x: tensor<2x5x3x4x8xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{needs seed, step, probability and stream to drop weights, or none of them}}
  %y, %l = sg.attention %x dropout(%s, %s) {probability = 0.1 : f64, scale = 1.0 : f64} : (tensor<2x5x3x4x8xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x5x4x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_that_drops_all(%x: tensor<2x5x3x4x8xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{needs a probability between 0 and 1, but has 1.0}}
  %y, %l = sg.attention %x dropout(%s, %s) {probability = 1.0 : f64, scale = 1.0 : f64, stream = 1 : i64} : (tensor<2x5x3x4x8xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x5x4x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_grad_of_another(%x: tensor<2x5x3x4x8xbf16>, %y: tensor<2x5x4x8xbf16>, %l: tensor<2x4x5xbf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{attention of 'tensor<2x5x3x4x8xbf16>' needs 'tensor<2x4x5xf32>', but has 'tensor<2x4x5xbf16>'}}
  %d = sg.attention_grad %x, %y, %l, %y {scale = 1.0 : f64} : (tensor<2x5x3x4x8xbf16>, tensor<2x5x4x8xbf16>, tensor<2x4x5xbf16>, tensor<2x5x4x8xbf16>) -> tensor<2x5x3x4x8xbf16>
  return
}

// -----

func.func @matmul_with_a_bias_of_another_type(%x: tensor<6x6xbf16>, %b: tensor<6xf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{a bias of 'tensor<6x6xbf16>' is 'tensor<6xf32>', but is 'tensor<6xf16>'}}
  %y = sg.matmul_bias %x, %x, %b : (tensor<6x6xbf16>, tensor<6x6xbf16>, tensor<6xf16>) -> tensor<6x6xbf16>
  return
}
