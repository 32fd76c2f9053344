// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-verify-level=level=train

// expected-error @+1 {{has 0 sg.backward, but level train has one}}
func.func @is_not_differentiated(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// expected-error @+1 {{has 2 sg.backward, but level train has one}}
func.func @is_differentiated_twice(%x: tensor<8xf32>) {
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  %h = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return
}

// -----

sg.variable @w : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @holds_an_op_of_a_model(%x: tensor<8x3xf32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{'sg.batch_norm' op is not specialized to training}}
  %y = sg.batch_norm %x, %c, %c
      {epsilon = 1.0e-05 : f64, momentum = 0.25 : f64,
       running_mean = @w, running_variance = @w}
    : (tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  %g = sg.backward of [@w] -> tensor<3xf32> {
    sg.yield %c : tensor<3xf32>
  }
  return
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @has_a_block_without_number(%x: tensor<8xf32>) {
  // expected-error @+1 {{'sg.module' op has no instance number}}
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32> {
    sg.yield %i : tensor<8xf32>
  }
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @has_two_mirrors_of_a_block(%x: tensor<8xf32>) {
  %y = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {instance = 0 : i64} {
    sg.yield %i : tensor<8xf32>
  }
  %g = sg.backward of [@w] -> tensor<8xf32> {
    // expected-error @+1 {{'sg.module' op is one of several mirrors of a block}}
    %a = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
        attributes {instance = 0 : i64, phase = #sg.phase<backward>} {
      sg.yield %i : tensor<8xf32>
    }
    %b = sg.module "a" (%i = %a : tensor<8xf32>) -> tensor<8xf32>
        attributes {instance = 0 : i64, phase = #sg.phase<backward>} {
      sg.yield %i : tensor<8xf32>
    }
    sg.yield %b : tensor<8xf32>
  }
  return
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @has_a_mirror_without_block(%x: tensor<8xf32>) {
  %g = sg.backward of [@w] -> tensor<8xf32> {
    // expected-error @+1 {{'sg.module' op mirrors no block}}
    %a = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
        attributes {instance = 0 : i64, phase = #sg.phase<backward>} {
      sg.yield %i : tensor<8xf32>
    }
    sg.yield %a : tensor<8xf32>
  }
  return
}

// -----

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

func.func @says_an_origin(%x: tensor<8xf32>) -> tensor<8xf32> {
  %g = sg.backward of [@w] -> tensor<8xf32> {
    // expected-error @+1 {{'sg.relu' op has sg.origin, but the function is not flat}}
    %y = sg.relu %x {sg.origin = #sg.origin<"a", backward>} : tensor<8xf32>
    sg.yield %y : tensor<8xf32>
  }
  return %g : tensor<8xf32>
}
