// What sg-change-loss refuses.
//
// RUN: reprise-opt %s --split-input-file --verify-diagnostics \
// RUN:   '--pass-pipeline=builtin.module(func.func(sg-change-loss{label-smoothing=0.1 mixup}))'
// RUN: reprise-opt %s --split-input-file \
// RUN:   '--pass-pipeline=builtin.module(func.func(sg-change-loss))'
// RUN: sed '/^\/\/ -----/,$d' %s > %t.mlir
// RUN: not reprise-opt %t.mlir '--pass-pipeline=builtin.module(func.func(sg-change-loss{class-weights=1,2}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: there are 2 weights of classes, but the model tells 3 apart
// RUN: not reprise-opt %t.mlir '--pass-pipeline=builtin.module(func.func(sg-change-loss{class-weights=1,-2,3}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: the weight of class 1 is {{-2.*}}; it must be finite and not negative
// RUN: not reprise-opt %t.mlir '--pass-pipeline=builtin.module(func.func(sg-change-loss{class-weights=1,nan,3}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAN
// NAN: error: the weight of class 1 is {{.*}}; it must be finite and not negative
// RUN: not reprise-opt %t.mlir '--pass-pipeline=builtin.module(func.func(sg-change-loss{class-weights=0,0,0}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// ZERO: error: the weights of all classes are 0
// RUN: not reprise-opt %t.mlir '--pass-pipeline=builtin.module(func.func(sg-change-loss{label-smoothing=1.5}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANGE
// RUN: sed -n '/^func.func @ignoring/,$p' %s > %t.ignoring.mlir
// RUN: not reprise-opt %t.ignoring.mlir '--pass-pipeline=builtin.module(func.func(sg-change-loss{ignore-index=-1}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=IGNORES
// IGNORES: error: ignores the label -100, and not -1
// RANGE: error: label-smoothing is {{1.5.*}}; it must be between 0 and 1

func.func @one(%x: tensor<1x3xf32> {sg.name = "x"},
               %y: tensor<1xi32> {sg.name = "y", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  // expected-error @below {{mixup mixes the images of a batch, and this one has 1}}
  %l, %lse = sg.cross_entropy %x, %y
    : (tensor<1x3xf32>, tensor<1xi32>) -> (tensor<1xf32>, tensor<1xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<1xf32> -> tensor<f32>
  %n = sg.constant dense<1.0> : tensor<f32>
  %m = sg.div %s, %n : tensor<f32>
  return %m : tensor<f32>
}

// -----

// expected-error @below {{label smoothing, weights of classes, mixup and ignored labels are for a loss that is the mean of sg.cross_entropy over the rows, and this one is another}}
func.func @sum(%x: tensor<2x3xf32>,
               %y: tensor<2xi32> {sg.name = "y", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  %l, %lse = sg.cross_entropy %x, %y
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<2xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

func.func @unbound(%x: tensor<2x3xf32> {sg.name = "x"},
                   %y: tensor<2xi32> {sg.name = "y"})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  // expected-error @below {{mixup needs a label for each sample, in the model's argument of role label; this loss takes other labels}}
  %l, %lse = sg.cross_entropy %x, %y
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<2xf32> -> tensor<f32>
  %n = sg.constant dense<2.0> : tensor<f32>
  %m = sg.div %s, %n : tensor<f32>
  return %m : tensor<f32>
}

// -----

// expected-error @below {{mixup mixes rows of floating-point numbers, as many as labels (2), and argument 1 is 'tensor<2xi32>'}}
func.func @whole(%x: tensor<2x3xf32> {sg.name = "x"}, %i: tensor<2xi32> {sg.name = "i"},
                 %y: tensor<2xi32> {sg.name = "y", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  %l, %lse = sg.cross_entropy %x, %y
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<2xf32> -> tensor<f32>
  %n = sg.constant dense<2.0> : tensor<f32>
  %m = sg.div %s, %n : tensor<f32>
  return %m : tensor<f32>
}

// -----

// expected-error @below {{mixup mixes rows of floating-point numbers, as many as labels (2), and argument 2 is 'index'}}
func.func @number(%x: tensor<2x3xf32> {sg.name = "x"},
                  %y: tensor<2xi32> {sg.name = "y", sg.binding = #sg.binding<label>},
                  %n: index)
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  %l, %lse = sg.cross_entropy %x, %y
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<2xf32> -> tensor<f32>
  %c = sg.constant dense<2.0> : tensor<f32>
  %m = sg.div %s, %c : tensor<f32>
  return %m : tensor<f32>
}

// -----

// expected-error @below {{mixes its images itself}}
func.func @itself(%x: tensor<2x3xf32> {sg.name = "x"},
                  %y: tensor<2xi32> {sg.name = "y", sg.binding = #sg.binding<label>},
                  %r: tensor<f32> {sg.name = "r", sg.binding = #sg.binding<mix_ratio>})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  %l, %lse = sg.cross_entropy %x, %y
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<2xf32> -> tensor<f32>
  %n = sg.constant dense<2.0> : tensor<f32>
  %m = sg.div %s, %n : tensor<f32>
  return %m : tensor<f32>
}

// -----

func.func @ignoring(%x: tensor<2x3xf32> {sg.name = "x"},
                    %y: tensor<2xi32> {sg.name = "y", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>}) {
  %l, %lse = sg.cross_entropy %x, %y {ignore_index = -100 : i64}
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = sg.reduce_sum %l dims [0] : tensor<2xf32> -> tensor<f32>
  %n = sg.constant dense<2.0> : tensor<f32>
  %m = sg.div %s, %n : tensor<f32>
  return %m : tensor<f32>
}
