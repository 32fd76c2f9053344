// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --sg-shard-optimizer="ranks=2 least-bytes=16"
// RUN: not reprise-opt %s -split-input-file \
// RUN:   --sg-shard-optimizer="ranks=1" 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: optimizer state is shared by 2 to 4096 ranks in one step, not by 1 in 1

sg.variable @m : tensor<2xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

// expected-error @+1 {{has no optimizer state of 16 bytes or more in a variable, so that there is nothing to shard}}
func.func @small_state(%g: tensor<2xf32>) {
  sg.write @m, %g : tensor<2xf32>
  return
}

// -----

sg.variable @m : tensor<4xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @gradient_of_one_rank(%g: tensor<4xf32>) {
  %m = sg.read @m : tensor<4xf32>
  // expected-error @+1 {{takes a 'tensor<4xf32>' for optimizer state that ranks share, and ranks may have other elements of it}}
  %n = sg.add %m, %g : tensor<4xf32>
  sg.write @m, %n : tensor<4xf32>
  return
}

// -----

sg.variable @m : tensor<4xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @other_ranks(%g: tensor<4xf32>) {
  %m = sg.read @m : tensor<4xf32>
  // expected-error @+1 {{adds those of 3 ranks, but shards are of 2}}
  %s = sg.all_reduce %g ranks 3 sequence 0 : tensor<4xf32> -> tensor<4xf32>
  %n = sg.add %m, %s : tensor<4xf32>
  sg.write @m, %n : tensor<4xf32>
  return
}

// -----

sg.variable @m : tensor<4xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @not_by_elements(%g: tensor<2x4xf32>) {
  %n = sg.reduce_sum %g dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  // expected-error @+1 {{sets optimizer state that ranks share to a value that is not computed element by element}}
  sg.write @m, %n : tensor<4xf32>
  return
}
