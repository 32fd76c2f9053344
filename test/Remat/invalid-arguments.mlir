// Arguments that have no bytes.
// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(sg-rematerialize{budget-bytes=60000})"

// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'tensor<4xcomplex<f32>>'}}
func.func @f(%x: tensor<4xcomplex<f32>>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'tensor<*xf32>'}}
func.func @f(%x: tensor<*xf32>) {
  return
}
