// RUN: reprise-opt %s -split-input-file -verify-diagnostics

func.func @one_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'sg.all_reduce' op is of 1 ranks; 2 to 4096 are possible}}
  %y = sg.all_reduce %x ranks 1 sequence 0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @too_many_ranks(%x: tensor<4xf32>) {
  // expected-error @+1 {{'sg.all_gather' op is of 4097 ranks; 2 to 4096 are possible}}
  %y = sg.all_gather %x ranks 4097 sequence 0 : tensor<4xf32> -> tensor<4097x4xf32>
  return
}

// -----

func.func @negative_number(%x: tensor<4xf32>) {
  // expected-error @+1 {{has sequence number -1; they count from 0}}
  %y = sg.all_reduce %x ranks 2 sequence -1 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @other_sum(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
  %y = "sg.all_reduce"(%x) {ranks = 2 : i64, sequence = 0 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @other_rows(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible}}
  %y = "sg.all_gather"(%x) {ranks = 2 : i64, sequence = 0 : i64} : (tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @other_shard(%x: tensor<5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<3xf32>' are incompatible}}
  %y = "sg.reduce_scatter"(%x) {ranks = 2 : i64, sequence = 0 : i64} : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @shards_of_another_tensor(%x: tensor<3xf32>) {
  // expected-error @+1 {{gathers shards of 'tensor<3xf32>', but those of its result are 'tensor<4xf32>'}}
  %y = sg.gather_shards %x ranks 2 sequence 0 : tensor<3xf32> -> tensor<2x4xf32>
  return
}

// -----

// expected-error @+1 {{of type 'tensor<2x2xf32>' is no shard of 'tensor<3x4xf32>'}}
sg.variable @m : tensor<2x2xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>, whole_shape = array<i64: 3, 4>}

// -----

func.func @no_operands() {
  // expected-error @+1 {{sums 0 tensors; 1 to 256 are possible}}
  "sg.all_reduce"() {ranks = 2 : i64, sequence = 0 : i64} : () -> ()
  return
}

// -----

func.func @two_element_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{sums 'tensor<4xf32>' and 'tensor<4xf64>'; one element type is possible}}
  %s:2 = sg.all_reduce %x, %y ranks 2 sequence 0 : tensor<4xf32>, tensor<4xf64> -> tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @fewer_results(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{are incompatible with return type(s) of operation}}
  %s = sg.all_reduce %x, %x ranks 2 sequence 0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}
