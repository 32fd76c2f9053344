// Every rule of the ops that compare, move and reduce, broken once.
//
// RUN: reprise-opt %s -split-input-file -verify-diagnostics

func.func @compare_types(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "sg.compare"(%x, %y) <{predicate = #sg<compare eq>}> : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_shape(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4xi1>' are incompatible with return type(s) of operation 'tensor<5xi1>'}}
  %0 = sg.compare eq %x, %x : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @select(%m: tensor<5xi1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{all of {condition, result} have same shape}}
  %0 = "sg.select"(%m, %x, %x) : (tensor<5xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_types(%m: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{all of {on_true, on_false, result} have same type}}
  %0 = "sg.select"(%m, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @cast(%x: tensor<4xf32>) {
  // expected-error @+1 {{all of {operand, result} have same shape}}
  %0 = sg.cast %x : tensor<4xf32> to tensor<5xf64>
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{all of {value, result} have same type}}
  %0 = "sg.constant"() <{value = dense<0.0> : tensor<4xf32>}> : () -> tensor<5xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{counts along dimension 1 of a tensor of rank 1}}
  %0 = sg.iota 1 : tensor<4xi32>
  return
}

// -----

func.func @iota_negative() {
  // expected-error @+1 {{counts along dimension -1 of a tensor of rank 1}}
  %0 = sg.iota -1 : tensor<4xi32>
  return
}

// -----

func.func @random(%s: tensor<1xi64>, %t: tensor<i64>) {
  // expected-error @+1 {{operand #0 must be 0D tensor of 64-bit signless integer values}}
  %0 = sg.random_uniform %s, %t stream 0 : tensor<1xi64>, tensor<i64> -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_element(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes the element type}}
  %0 = sg.broadcast %x dims [1] : tensor<4xf32> -> tensor<2x4xf64>
  return
}

// -----

func.func @broadcast_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 dims for an operand of rank 1}}
  %0 = sg.broadcast %x dims [0, 1] : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_order(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has dims that do not increase below the rank 2}}
  %0 = sg.broadcast %x dims [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{has dims that do not increase below the rank 2}}
  %0 = sg.broadcast %x dims [2] : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_negative(%x: tensor<4xf32>) {
  // expected-error @+1 {{has dims that do not increase below the rank 2}}
  %0 = sg.broadcast %x dims [-1] : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<2xf32>) {
  // expected-error @+1 {{cannot repeat extent 2 to 4}}
  %0 = sg.broadcast %x dims [0] : tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reshape_element(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes the element type}}
  %0 = sg.reshape %x : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @reshape_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 4 elements before and 6 after}}
  %0 = sg.reshape %x : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_repeated(%x: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{perm is not a permutation of 2 dimensions}}
  %0 = sg.transpose %x perm [0, 0] : tensor<4x2xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @transpose_short(%x: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{perm has 1 entries for rank 2}}
  %0 = sg.transpose %x perm [0] : tensor<4x2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @transpose_result(%x: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible with return type(s) of operation 'tensor<4x2xf32>'}}
  %0 = sg.transpose %x perm [1, 0] : tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @slice_count(%x: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{starts, limits and strides need 2 entries each}}
  %0 = sg.slice %x [0, 0] to [4, 2] by [1] : tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @slice_limit(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{slice [0, 5) by 1 does not fit extent 4}}
  %0 = sg.slice %x [0] to [5] by [1] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @slice_empty(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{slice [2, 2) by 1 does not fit extent 4}}
  %0 = sg.slice %x [2] to [2] by [1] : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

func.func @slice_start(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{slice [-1, 2) by 1 does not fit extent 4}}
  %0 = sg.slice %x [-1] to [2] by [1] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{slice [0, 4) by 0 does not fit extent 4}}
  %0 = sg.slice %x [0] to [4] by [0] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_far(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{slice [0, 4) by 9223372036854775807 does not fit extent 4}}
  %0 = sg.slice %x [0] to [4] by [9223372036854775807] : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

func.func @pad_count(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{low, high and interior need 1 entries each}}
  %0 = sg.pad %x low [0] high [0, 0] interior [0] value 0.0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{padding must be between 0 and 2147483647, but is -1}}
  %0 = sg.pad %x low [0] high [-1] interior [0] value 0.0 : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @pad_far(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{padding must be between 0 and 2147483647, but is 9223372036854775807}}
  %0 = sg.pad %x low [0] high [0] interior [9223372036854775807] value 0.0 : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{concat needs an operand}}
  %0 = "sg.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_dim(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{concat along dimension 1 of tensors of rank 1}}
  %0 = sg.concat %x dim 1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_rank(%x: tensor<4xf32>, %y: tensor<4x1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{concat of tensors of different rank or element type}}
  %0 = sg.concat %x, %y dim 0 : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_extent(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{concat of extents 2 and 3 in dimension 1}}
  %0 = sg.concat %x, %y dim 0 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @reduce_order(%x: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dims must increase and lie below the rank 2}}
  %0 = sg.reduce_sum %x dims [1, 0] : tensor<4x2xf32> -> tensor<f32>
  return
}

// -----

func.func @reduce_rank(%x: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dims must increase and lie below the rank 2}}
  %0 = sg.reduce_max %x dims [2] : tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @softmax_rank(%x: tensor<f32>) {
  // expected-error @+1 {{needs a tensor of rank 1 or more}}
  %0 = sg.softmax %x : tensor<f32>
  return
}

// -----

func.func @softmax_grad_rank(%x: tensor<f32>) {
  // expected-error @+1 {{needs a tensor of rank 1 or more}}
  %0 = sg.softmax_grad %x, %x : tensor<f32>
  return
}
