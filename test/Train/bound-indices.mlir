// The ranges of integers that arguments have by the ops that read them.
//
// RUN: reprise-opt %s --sg-bound-indices | FileCheck %s

// CHECK-LABEL: func.func @takes_the_classes_of_each_loss_and_what_it_ignores
// CHECK-SAME: tensor<2xi32> {sg.index_ranges = [#sg.index_range<class 3 at[0, 1]>, #sg.index_range<class 5 ignoring -100 at[0, 1]>]}
func.func @takes_the_classes_of_each_loss_and_what_it_ignores(
    %x: tensor<2x3xf32>, %z: tensor<2x5xf32>, %y: tensor<2xi32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  %a, %b = sg.cross_entropy %z, %y {ignore_index = -100 : i64}
    : (tensor<2x5xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c, %d = sg.cross_entropy %x, %y
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %a, %c : tensor<2xf32>, tensor<2xf32>
}

// The classes of 2x2 images, through a block, a transposition, a cast and a
// reshape.
// CHECK-LABEL: func.func @follows_what_only_moves_elements
// CHECK-SAME: tensor<2x2x2xi64> {sg.index_ranges = [#sg.index_range<class 3 at[0, 4]>]}
func.func @follows_what_only_moves_elements(
    %x: tensor<8x3xf32>, %y: tensor<2x2x2xi64>) -> tensor<8xf32> {
  %l = sg.module "loss" (%a = %x : tensor<8x3xf32>, %b = %y : tensor<2x2x2xi64>)
      -> tensor<8xf32> {
    %t = sg.transpose %b perm [0, 2, 1] : tensor<2x2x2xi64> -> tensor<2x2x2xi64>
    %n = sg.cast %t : tensor<2x2x2xi64> to tensor<2x2x2xi32>
    %r = sg.reshape %n : tensor<2x2x2xi32> -> tensor<8xi32>
    %losses, %lse = sg.cross_entropy %a, %r
      : (tensor<8x3xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
    sg.yield %losses : tensor<8xf32>
  }
  return %l : tensor<8xf32>
}

// Every second integer of a row is an index, every fourth a class.
// CHECK-LABEL: func.func @tells_slices_apart
// CHECK-SAME: tensor<2x4xi32> {sg.index_ranges = [#sg.index_range<class 3 at[3, 4]>, #sg.index_range<row 7 at[0, 1, 2, 3]>]}
func.func @tells_slices_apart(%x: tensor<2x3xf32>, %t: tensor<7x1xf32>,
                              %y: tensor<2x4xi32>)
    -> (tensor<2x2x1xf32>, tensor<2xf32>) {
  %i = sg.slice %y [0, 0] to [2, 4] by [1, 2]
    : tensor<2x4xi32> -> tensor<2x2xi32>
  %g = sg.gather %t, %i
    : (tensor<7x1xf32>, tensor<2x2xi32>) -> tensor<2x2x1xf32>
  %c = sg.slice %y [0, 3] to [2, 4] by [1, 1]
    : tensor<2x4xi32> -> tensor<2x1xi32>
  %k = sg.reshape %c : tensor<2x1xi32> -> tensor<2xi32>
  %l, %lse = sg.cross_entropy %x, %k
    : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %g, %l : tensor<2x2x1xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @counts_elements_that_are_read_in_every_row
// CHECK-SAME: tensor<2xi32>)
func.func @counts_elements_that_are_read_in_every_row(
    %x: tensor<1x3xf32>, %y: tensor<2xi32>) -> tensor<1xf32> {
  %i = sg.slice %y [0] to [1] by [1] : tensor<2xi32> -> tensor<1xi32>
  %l, %lse = sg.cross_entropy %x, %i
    : (tensor<1x3xf32>, tensor<1xi32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %l : tensor<1xf32>
}

// CHECK-LABEL: func.func @knows_a_one_hot_encoding_of_a_label
// CHECK-SAME: tensor<2xi32> {sg.binding = #sg.binding<label>, sg.index_ranges = [#sg.index_range<class 3 at[0, 1]>]}
// CHECK-SAME: tensor<2xi32>)
func.func @knows_a_one_hot_encoding_of_a_label(
    %y: tensor<2xi32> {sg.binding = #sg.binding<label>}, %other: tensor<2xi32>)
    -> (tensor<2x3xi1>, tensor<2x3xi1>) {
  %classes = sg.iota 1 : tensor<2x3xi32>
  %wide = sg.broadcast %y dims [0] : tensor<2xi32> -> tensor<2x3xi32>
  %m = sg.compare eq %classes, %wide : tensor<2x3xi32> -> tensor<2x3xi1>
  %w = sg.broadcast %other dims [0] : tensor<2xi32> -> tensor<2x3xi32>
  %n = sg.compare eq %w, %classes : tensor<2x3xi32> -> tensor<2x3xi1>
  return %m, %n : tensor<2x3xi1>, tensor<2x3xi1>
}

// CHECK-LABEL: func.func @knows_one_hot_by_a_constant
// CHECK-SAME: sg.index_ranges = [#sg.index_range<class 3 at[0, 1]>]
func.func @knows_one_hot_by_a_constant(
    %y: tensor<2xi32> {sg.binding = #sg.binding<label>}) -> tensor<2x3xi1> {
  %f = sg.cast %y : tensor<2xi32> to tensor<2xf32>
  %wide = sg.broadcast %f dims [0] : tensor<2xf32> -> tensor<2x3xf32>
  %c = sg.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %classes = sg.broadcast %c dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  %m = sg.compare eq %wide, %classes : tensor<2x3xf32> -> tensor<2x3xi1>
  return %m : tensor<2x3xi1>
}

// Integers that are computed have no range.
// CHECK-LABEL: func.func @does_not_follow_arithmetic
// CHECK-SAME: %{{.*}}: tensor<2xi32>)
func.func @does_not_follow_arithmetic(%t: tensor<7x1xf32>, %y: tensor<2xi32>)
    -> tensor<2x1xf32> {
  %i = sg.add %y, %y : tensor<2xi32>
  %g = sg.gather %t, %i : (tensor<7x1xf32>, tensor<2xi32>) -> tensor<2x1xf32>
  return %g : tensor<2x1xf32>
}

// Negative indices that count from the end select rows, too.
// CHECK-LABEL: func.func @follows_what_counts_from_the_end
// CHECK-SAME: tensor<2x3xi64> {sg.index_ranges = [#sg.index_range<row 7 at[0, 3]>]}
func.func @follows_what_counts_from_the_end(%t: tensor<7x1xf32>,
                                            %y: tensor<2x3xi64>)
    -> tensor<2x3x1xf32> {
  %zero = sg.constant dense<0> : tensor<2x3xi64>
  %rows = sg.constant dense<7> : tensor<2x3xi64>
  %negative = sg.compare lt %y, %zero : tensor<2x3xi64> -> tensor<2x3xi1>
  %back = sg.add %y, %rows : tensor<2x3xi64>
  %i = sg.select %negative, %back, %y : tensor<2x3xi1>, tensor<2x3xi64>
  %g = sg.gather %t, %i
    : (tensor<7x1xf32>, tensor<2x3xi64>) -> tensor<2x3x1xf32>
  return %g : tensor<2x3x1xf32>
}

// A comparison with another number gives no range.
// CHECK-LABEL: func.func @does_not_follow_other_choices
// CHECK-NOT: sg.index_ranges
func.func @does_not_follow_other_choices(%t: tensor<7x1xf32>,
                                         %y: tensor<2x3xi64>)
    -> tensor<2x3x1xf32> {
  %three = sg.constant dense<3> : tensor<2x3xi64>
  %rows = sg.constant dense<7> : tensor<2x3xi64>
  %small = sg.compare lt %y, %three : tensor<2x3xi64> -> tensor<2x3xi1>
  %more = sg.add %y, %rows : tensor<2x3xi64>
  %i = sg.select %small, %more, %y : tensor<2x3xi1>, tensor<2x3xi64>
  %g = sg.gather %t, %i
    : (tensor<7x1xf32>, tensor<2x3xi64>) -> tensor<2x3x1xf32>
  return %g : tensor<2x3x1xf32>
}
