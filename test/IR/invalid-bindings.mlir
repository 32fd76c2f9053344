// RUN: reprise-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{binds argument 0, but the role 'loss' is one of outputs}}
func.func @loss_is_fed(%x: tensor<f32> {sg.binding = #sg.binding<loss>}) {
  return
}

// -----

// expected-error @+1 {{binds result 0, but the role 'label' is one of inputs}}
func.func @label_is_returned(%x: tensor<4xi32>)
    -> (tensor<4xi32> {sg.binding = #sg.binding<label>}) {
  return %x : tensor<4xi32>
}

// -----

// expected-error @+1 {{binds argument 0, but the role 'label' is for a vector of i32, not for tensor<4xf32>}}
func.func @label_is_real(%x: tensor<4xf32> {sg.binding = #sg.binding<label>}) {
  return
}

// -----

// expected-error @+1 {{binds argument 0, but the role 'learning_rate' is for a floating-point scalar, not for tensor<1xf32>}}
func.func @rate_is_a_vector(%x: tensor<1xf32> {sg.binding = #sg.binding<learning_rate>}) {
  return
}

// -----

// expected-error @+1 {{binds argument 0, but the role 'seed' is for a scalar of i64, not for tensor<i32>}}
func.func @seed_is_short(%x: tensor<i32> {sg.binding = #sg.binding<seed>}) {
  return
}

// -----

// expected-error @+1 {{binds argument 0, but the role 'step' is for a ranked tensor, not for i64}}
func.func @step_is_no_tensor(%x: i64 {sg.binding = #sg.binding<step>}) {
  return
}

// -----

// expected-error @+1 {{binds result 0, but the role 'logits' is for a floating-point matrix, not for tensor<4xf32>}}
func.func @logits_are_a_vector(%x: tensor<4xf32>)
    -> (tensor<4xf32> {sg.binding = #sg.binding<logits>}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{binds result 0, but the role 'nonfinite' is for a scalar of i1, not for tensor<f32>}}
func.func @flag_is_real(%x: tensor<f32>)
    -> (tensor<f32> {sg.binding = #sg.binding<nonfinite>}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{binds result 0 and result 1 as its 'loss'}}
func.func @two_losses(%x: tensor<f32>)
    -> (tensor<f32> {sg.binding = #sg.binding<loss>},
        tensor<f32> {sg.binding = #sg.binding<loss>}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{binding gradient needs the name of its variable}}
func.func @gradient_of_nothing(%x: tensor<f32>) -> (tensor<f32> {sg.binding = #sg.binding<gradient>}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{binding metric is of no variable}}
func.func @metric_of_a_variable(%x: tensor<f32>) -> (tensor<f32> {sg.binding = #sg.binding<metric of "w">}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has a result with attribute 'sg.size'; only a string 'sg.name' and a #sg.binding 'sg.binding' are known}}
func.func @unknown(%x: tensor<f32>) -> (tensor<f32> {sg.size = 3 : i64}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has a result with attribute 'sg.binding'; only a string}}
func.func @role_as_text(%x: tensor<f32>) -> (tensor<f32> {sg.binding = "loss"}) {
  return %x : tensor<f32>
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 0 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{binds 'x', but the role 'loss' is one of outputs}}
  rt.entry @e inputs [#rt.binding<"x" as <loss>, <0 + 0 : tensor<f32>>>]
      outputs [] peak 64 max_live 64 base_flops 0 {
    rt.buffer 0 "x" input at 0 size 4 live 0 to 0
  }
}

// -----

rt.program @p attributes {arena_bytes = 64 : i64, fixed_bytes = 0 : i64,
    library = "", target = #rt.target<"cpu", "">, threads = 1 : i64} {
  // expected-error@+1 {{binds 'x' and 'y' as its 'seed'}}
  rt.entry @e inputs [#rt.binding<"x" as <seed>, <0 + 0 : tensor<i64>>>,
                      #rt.binding<"y" as <seed>, <0 + 0 : tensor<i64>>>]
      outputs [] peak 64 max_live 64 base_flops 0 {
    rt.buffer 0 "x" input at 0 size 8 live 0 to 0
  }
}
