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
