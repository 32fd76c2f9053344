// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-differentiate

// expected-error @+1 {{differentiation needs a scalar floating-point loss as first result}}
func.func @loss_is_a_vector(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{differentiation needs a scalar floating-point loss as first result}}
func.func @loss_is_an_integer(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}

// -----

// expected-error @+1 {{differentiation needs a scalar floating-point loss as first result}}
func.func @has_no_loss() {
  return
}

// -----

// expected-error @+1 {{differentiation needs a function of one block}}
func.func @has_two_blocks(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^end
^end:
  return %x : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>,
                                init = #sg.init<zeros>}
func.func @is_flat() -> tensor<f32> {
  // expected-error @+1 {{the function is flat already; differentiate it before sg-flatten}}
  %w = sg.read @w {sg.origin = #sg.origin<"", forward>} : tensor<8xf32>
  %l = sg.reduce_sum %w dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @+1 {{the loss depends on no parameter}}
func.func @reads_no_parameter(%x: tensor<8xf32>) -> tensor<f32> {
  %l = sg.reduce_sum %x dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @is_differentiated_already(%x: tensor<8xf32>) -> tensor<f32> {
  %l = sg.reduce_sum %x dims [0] : tensor<8xf32> -> tensor<f32>
  // expected-error @+1 {{the function is differentiated already}}
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<1x2x2x2xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @passes_through_an_op_without_derivative() -> tensor<f32> {
  %w = sg.read @w : tensor<1x2x2x2xf32>
  // expected-error @+1 {{a gradient flows through 'sg.avg_pool2d_grad', which has neither a derivative nor a decomposition}}
  %r = sg.avg_pool2d_grad %w {window = array<i64: 2, 2>,
      strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>}
    : (tensor<1x2x2x2xf32>) -> tensor<1x4x4x2xf32>
  %l = sg.reduce_sum %r dims [0, 1, 2, 3] : tensor<1x4x4x2xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @writes_a_parameter(%x: tensor<f32>) -> tensor<f32> {
  %w = sg.read @w : tensor<f32>
  // expected-error @+1 {{writes parameter @w, which the optimizer updates; give the variable another role}}
  sg.write @w, %x : tensor<f32>
  return %w : tensor<f32>
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
// expected-error @+1 {{has the name of the momentum of @w; give it another}}
sg.variable @w.momentum_buffer : tensor<8xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @has_other_momentum(%x: tensor<f32>) -> tensor<f32> {
  %w = sg.read @w : tensor<f32>
  return %w : tensor<f32>
}

// -----

// expected-error@+1 {{has a tensor with an encoding, which cannot be differentiated}}
func.func @encoded(%x: tensor<f32, "encoded">) -> tensor<f32, "encoded"> {
  return %x : tensor<f32, "encoded">
}

// -----

// expected-error @+1 {{differentiation needs a scalar floating-point loss as first result, or as the one of 'sg.binding = #sg.binding<loss>'}}
func.func @metric_is_no_loss(%x: tensor<8xf32>) -> (tensor<8xf32> {sg.name = "y"}) {
  return %x : tensor<8xf32>
}

// -----

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

func.func @spares_an_input(%x: tensor<2x2x2x3xf32>) -> tensor<f32> {
  %gamma = sg.read @gamma : tensor<3xf32>
  // expected-error @+1 {{spares x, which is not a convolution of single points in f32 in the same block}}
  %y = sg.batch_norm %x, %gamma, %gamma
      {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64, running_mean = @mean,
       running_variance = @mean, spares_x}
    : (tensor<2x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x2x2x3xf32>
  %l = sg.reduce_sum %y dims [0, 1, 2, 3] : tensor<2x2x2x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

sg.variable @gamma : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @beta : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @mean : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @var : tensor<3xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}

func.func @normalizes_one_value(%x: tensor<1x1x1x3xf32>) -> tensor<f32> {
  %gamma = sg.read @gamma : tensor<3xf32>
  %beta = sg.read @beta : tensor<3xf32>
  // expected-error @+1 {{batch normalization has one value for each channel in training, of an input of 1x1x1x3}}
  %y = sg.batch_norm %x, %gamma, %beta
      {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64,
       running_mean = @mean, running_variance = @var}
    : (tensor<1x1x1x3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> tensor<1x1x1x3xf32>
  %l = sg.reduce_sum %y dims [0, 1, 2, 3] : tensor<1x1x1x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}
