// RUN: reprise-opt %s --split-input-file --allow-unregistered-dialect --sg-differentiate=optimizer=none --sg-lower-checkpointing --verify-diagnostics -o /dev/null

// What other dialects have in an annotated block would run twice. A load is
// refused, since what it reads may be another number by then.

sg.variable @w : tensor<8x4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
memref.global "private" @state : memref<8x4xf32> = dense<0.0>
func.func @load(%x: tensor<8x4xf32> {sg.name = "x"})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}) {
  %w = sg.read @w : tensor<8x4xf32>
  %p = sg.module "b" (%a = %x : tensor<8x4xf32>, %b = %w : tensor<8x4xf32>)
      -> tensor<8x4xf32> attributes {activation_checkpointing} {
    %m = memref.get_global @state : memref<8x4xf32>
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    // expected-error@below {{'memref.load' op is in a block that is recomputed, but is not marked as free of effects (remat.pure)}}
    %v = memref.load %m[%c0, %c0] : memref<8x4xf32>
    %v1 = arith.addf %v, %one : f32
    memref.store %v1, %m[%c0, %c0] : memref<8x4xf32>
    %k = tensor.splat %v1 : tensor<8x4xf32>
    %p1 = sg.mul %k, %b : tensor<8x4xf32>
    %p2 = sg.tanh %p1 : tensor<8x4xf32>
    sg.yield %p2 : tensor<8x4xf32>
  }
  %l = sg.reduce_sum %p dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// An op of which nothing is known; one whose result nobody needs again is left
// alone, as are those that only compute.

sg.variable @w : tensor<8x4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
func.func @unknown(%x: tensor<8x4xf32> {sg.name = "x"})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}) {
  %w = sg.read @w : tensor<8x4xf32>
  %p = sg.module "b" (%a = %x : tensor<8x4xf32>, %b = %w : tensor<8x4xf32>)
      -> tensor<8x4xf32> attributes {activation_checkpointing} {
    // expected-error@below {{'other.op' op is in a block that is recomputed}}
    %k = "other.op"(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %two = arith.addf %k, %k : tensor<8x4xf32>
    %p1 = sg.mul %two, %b : tensor<8x4xf32>
    %p2 = sg.tanh %p1 : tensor<8x4xf32>
    %q = "other.sink"(%p2) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    sg.yield %p2 : tensor<8x4xf32>
  }
  %l = sg.reduce_sum %p dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// One that says so runs again, and what its regions read comes with it.

sg.variable @w : tensor<8x4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
func.func @pure(%x: tensor<8x4xf32> {sg.name = "x"})
    -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}) {
  %w = sg.read @w : tensor<8x4xf32>
  %p = sg.module "b" (%a = %x : tensor<8x4xf32>, %b = %w : tensor<8x4xf32>)
      -> tensor<8x4xf32> attributes {activation_checkpointing} {
    %k = "other.op"(%a) {remat.pure} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %t = arith.constant true
    %i = scf.if %t -> tensor<8x4xf32> {
      scf.yield %k : tensor<8x4xf32>
    } else {
      scf.yield %a : tensor<8x4xf32>
    }
    %p1 = sg.mul %i, %b : tensor<8x4xf32>
    %p2 = sg.tanh %p1 : tensor<8x4xf32>
    sg.yield %p2 : tensor<8x4xf32>
  }
  %l = sg.reduce_sum %p dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
