// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --sg-reduce-over-ranks=ranks=2
// RUN: not reprise-opt %s -split-input-file \
// RUN:   --sg-reduce-over-ranks=ranks=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: a step has 1 to 4096 ranks, not 0

// expected-error @+1 {{returns no gradients to reduce}}
func.func @no_gradient(%x: tensor<2x4xf32>) -> (tensor<2x4xf32> {sg.binding = #sg.binding<logits>}) {
  return %x : tensor<2x4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

func.func @updated(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  // expected-error @+1 {{updates @w; gradients are reduced before an optimizer takes them}}
  sg.write @w, %g : tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{result 1 is of one rank: neither loss, metric nor gradient, nor rows of a batch}}
func.func @other_result(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">},
        tensor<4xf32>) {
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  return %g, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xbf16> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{result 0 is of type 'tensor<4xbf16>'; ranks add f32 and f64}}
func.func @narrow(%x: tensor<2x4xbf16>)
    -> (tensor<4xbf16> {sg.binding = #sg.binding<gradient of "w">}) {
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xbf16> -> tensor<4xbf16>
  return %g : tensor<4xbf16>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// expected-error @+1 {{result 0 is of type 'tensor<0xf32>'; ranks add tensors of a fixed number of elements, at least 1}}
func.func @empty(%x: tensor<0xf32>)
    -> (tensor<0xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  return %x : tensor<0xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @m : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

func.func @joined_and_local(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %m = sg.read @m : tensor<4xf32>
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  %s = sg.all_reduce %g ranks 2 sequence 0 : tensor<4xf32> -> tensor<4xf32>
  %n = sg.add %m, %s : tensor<4xf32>
  %o = sg.add %n, %g : tensor<4xf32>
  // expected-error @+1 {{sets @m by values of one rank and by values of all ranks}}
  sg.write @m, %o : tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @m : tensor<4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

func.func @reads_what_all_ranks_write(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %m = sg.read @m : tensor<4xf32>
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  // expected-error @+1 {{more than the next value of such variables depends on it}}
  %n = sg.add %m, %g : tensor<4xf32>
  sg.write @m, %n : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @m : tensor<2x4xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}

func.func @takes_rows(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %m = sg.read @m : tensor<2x4xf32>
  %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  // expected-error @+1 {{takes argument 0 of one rank for a variable that all ranks write}}
  %n = sg.add %m, %x : tensor<2x4xf32>
  sg.write @m, %n : tensor<2x4xf32>
  return %g : tensor<4xf32>
}

// -----

sg.variable @w : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<ones>}

func.func @computes_with_the_step(%x: tensor<2xf32>,
    %step: tensor<i64> {sg.binding = #sg.binding<step>})
    -> (tensor<f32> {sg.binding = #sg.binding<gradient of "w">}) {
  // expected-error @+1 {{computes with the step, which on a rank is only the place of random numbers}}
  %s = sg.cast %step : tensor<i64> to tensor<f32>
  return %s : tensor<f32>
}

// -----

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @n : tensor<i64> {role = #sg.role<counter>, init = #sg.init<zeros>}

func.func @computes_with_a_counter(%x: tensor<2x4xf32>, %one: tensor<i64> {sg.binding = #sg.binding<seed>})
    -> (tensor<f32> {sg.binding = #sg.binding<gradient of "w">}) {
  %n = sg.read @n : tensor<i64>
  // expected-error @+1 {{more than the next value of such variables depends on it}}
  %s = sg.cast %n : tensor<i64> to tensor<f32>
  %m = sg.add %n, %one : tensor<i64>
  sg.write @n, %m : tensor<i64>
  return %s : tensor<f32>
}

// -----

sg.variable @w : tensor<4xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
sg.variable @mean : tensor<4xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}

func.func @writes_a_variable_twice(%x: tensor<2x4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
  %0 = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  sg.write @mean, %0 : tensor<4xf32>
  // expected-error @+1 {{'sg.write' op is the second write of @mean in a step}}
  sg.write @mean, %0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
