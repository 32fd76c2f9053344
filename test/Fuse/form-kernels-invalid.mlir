// RUN: reprise-opt %s --sg-form-kernels -split-input-file -verify-diagnostics

func.func @composite(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{'sg.softmax' op is composite; run sg-decompose first}}
  %y = sg.softmax %x : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @nested(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'sg.module' op has a region; run sg-flatten first}}
  %y = sg.module "m" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    sg.yield %a : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

sg.variable @mean : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @variance : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @unspecialized(%x: tensor<8x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{'sg.batch_norm' op runs neither in a kernel nor in the library}}
  %y = sg.batch_norm %x, %g, %b {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64,
      running_mean = @mean, running_variance = @variance}
    : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
