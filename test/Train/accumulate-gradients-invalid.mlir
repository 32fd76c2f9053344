// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --sg-accumulate-gradients=micro-batches=2
// RUN: not reprise-opt %s -split-input-file \
// RUN:   --sg-accumulate-gradients=micro-batches=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: a step has one micro-batch at least, not 0

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{argument 1 has 3 rows, but others have 2}}
func.func @other_rows(%x: tensor<2x4xf32>, %y: tensor<3xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{argument 0 is not rows of a batch, so it cannot be split into micro-batches}}
func.func @scalar_data(%x: tensor<f32>)
    -> (tensor<f32> {sg.binding = #sg.binding<gradient of "w">}) {
  return %x : tensor<f32>
}

// -----

sg.variable @w : tensor<i64> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// expected-error @+1 {{has no rows of a batch to take in parts}}
func.func @no_data(%x: tensor<i64> {sg.binding = #sg.binding<seed>})
    -> (tensor<i64> {sg.binding = #sg.binding<gradient of "w">}) {
  return %x : tensor<i64>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{result 1 is of one micro-batch: neither loss, metric nor gradient, nor 2 rows of a batch}}
func.func @other_result(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}, tensor<4xf32>) {
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  return %g, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{returns no gradients to accumulate}}
func.func @no_gradient(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  return %x : tensor<2x4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

func.func @updated(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  // expected-error @+1 {{updates @w; gradients are accumulated before an optimizer takes them}}
  sg.write @w, %g : tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

func.func @block(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  // expected-error @+1 {{does not belong to a flat function of primitives; flatten it first}}
  %g = sg.module "a" (%a = %x : tensor<2x4xf32>) -> tensor<4xf32> {
    %s = sg.reduce_sum %a dims [0] : tensor<2x4xf32> -> tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  return %g : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{2 micro-batches of 1073741824 rows are more than a tensor holds}}
func.func @too_many_rows(%x: tensor<1073741824xi8>, %y: tensor<1073741824x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %g = sg.reduce_sum %y dims [0] : tensor<1073741824x4xf32> -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

sg.variable @w : tensor<2x4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

func.func @streams_meet(%x: tensor<2x4xf32>,
    %seed: tensor<i64> {sg.binding = #sg.binding<seed>},
    %step: tensor<i64> {sg.binding = #sg.binding<step>})
    -> (tensor<2x4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %a = sg.dropout %x, %seed, %step {probability = 0.5 : f64, stream = 1 : i64}
    : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
  // expected-error @+1 {{draws from stream 1048577, whose numbers in micro-batch 0 are those of another draw; streams are numbers from 0 on, micro-batches at most 4096}}
  %b = sg.dropout %a, %seed, %step {probability = 0.5 : f64, stream = 1048577 : i64}
    : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// -----

sg.variable @w : tensor<i64> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// expected-error @+1 {{result 0 is of type 'tensor<i64>', of which micro-batches have no mean}}
func.func @no_mean(%x: tensor<4xf32>, %y: tensor<i64> {sg.binding = #sg.binding<seed>})
    -> (tensor<i64> {sg.binding = #sg.binding<gradient of "w">}) {
  return %y : tensor<i64>
}

// -----

// expected-error @+1 {{argument 0 is not rows of a batch, so it cannot be split into micro-batches}}
func.func @no_numbers(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %x : tensor<4xcomplex<f32>>
}
