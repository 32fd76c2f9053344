// What cannot become a program.
// RUN: reprise-opt %s --sg-lower-to-rt -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{cannot be run by any step; only kernels and library ops can (run sg-decompose and sg-form-kernels first)}}
  %y = sg.relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
  init = #sg.init<zeros>}
func.func @f(%x: tensor<4xf32>) {
  sg.write @w, %x : tensor<4xf32>
  // expected-error@+1 {{writes @w a second time in one step}}
  sg.write @w, %x : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{argument 0 is a tensor without elements, which cannot be placed}}
func.func @f(%x: tensor<0x4xf32>) {
  return
}
