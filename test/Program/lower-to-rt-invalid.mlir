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

// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'tensor<0x4xf32>'; only tensors of f32, bf16, f16, f64, i1, i8, i32 or i64 with no encoding, extents of 1 to 2147483647 and below 2^48 bytes can}}
func.func @f(%x: tensor<0x4xf32>) {
  return
}

// -----

func.func @f(%x: tensor<4xf32>,
             // expected-error@+1 {{argument 1 of @f cannot be placed: it is a 'tensor<4xcomplex<f32>>'}}
             %y: tensor<4xcomplex<f32>>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'tensor<*xf32>'}}
func.func @f(%x: tensor<*xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'tensor<?xf32>'}}
func.func @f(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'index'}}
func.func @f(%x: index) {
  return
}

// -----

// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'tensor<2147483647x2147483647x2147483647xf32>'}}
func.func @f(%x: tensor<2147483647x2147483647x2147483647xf32>) {
  return
}

// -----

// Bytes that leave 64 bits are not few.
// expected-error@+1 {{argument 0 of @f cannot be placed: it is a 'tensor<32768x1073741824x1073741824xf32>'}}
func.func @f(%x: tensor<32768x1073741824x1073741824xf32>) {
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{has a result that cannot be placed: it is a 'index'}}
  %x = builtin.unrealized_conversion_cast to index
  return
}

// -----

// expected-error@below {{has the name that the program is to have, 'model'; give it another one}}
module @model {}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{has no function that could become an entry}}
module {
}
