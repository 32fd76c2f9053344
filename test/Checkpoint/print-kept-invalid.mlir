// RUN: reprise-opt %s -verify-diagnostics --sg-print-kept

// expected-error @+1 {{is not differentiated; nothing is kept}}
func.func @is_a_model(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
