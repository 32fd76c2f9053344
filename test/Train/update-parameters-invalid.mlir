// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-update-parameters

// expected-error @+1 {{returns no gradients for an optimizer}}
func.func @no_gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 is the gradient of "w", which is not a parameter of its type}}
func.func @no_variable(%x: tensor<4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  return %x : tensor<4xf32>
}

// -----

sg.variable @w : tensor<2xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{result 0 is the gradient of "w", which is not a parameter of its type}}
func.func @other_type(%x: tensor<4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  return %x : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xui8> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{result 0 is the gradient of "w", whose elements are 'ui8'; an optimizer takes bf16, f16, f32 and f64}}
func.func @bytes(%x: tensor<4xui8>)
    -> (tensor<4xui8> {sg.binding = #sg.binding<gradient of "w">}) {
  return %x : tensor<4xui8>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
// expected-error @+1 {{has the name of the momentum of @w; give it another}}
sg.variable @w.momentum_buffer : tensor<f32> {role = #sg.role<counter>, init = #sg.init<zeros>}

func.func @another_momentum(%x: tensor<4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  return %x : tensor<4xf32>
}
