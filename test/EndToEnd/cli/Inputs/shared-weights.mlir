// One read with three uses, of which two are in a block, a second read in another
// block, and an activation that all of them share.
sg.variable @w : tensor<16x16xf32> {role = #sg.role<parameter>, init = #sg.init<uniform, 0.5 : f64>}
sg.variable @b : tensor<16xf32> {role = #sg.role<parameter>, init = #sg.init<uniform, 0.5 : f64>}
func.func @t(%x: tensor<8x16xf32> {sg.name = "x"},
             %label: tensor<8xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>},
        tensor<8x16xf32> {sg.name = "logits", sg.binding = #sg.binding<logits>}) {
  %w = sg.read @w : tensor<16x16xf32>
  %b = sg.read @b : tensor<16xf32>
  %m = sg.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %r = sg.broadcast %b dims [1] : tensor<16xf32> -> tensor<8x16xf32>
  %a = sg.add %m, %r : tensor<8x16xf32>
  %h = sg.tanh %a : tensor<8x16xf32>
  %p = sg.module "one" (%i = %h : tensor<8x16xf32>, %v = %w : tensor<16x16xf32>) -> tensor<8x16xf32>
      attributes {activation_checkpointing} {
    %c = sg.matmul %i, %v {transpose_b} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %d = sg.silu %c : tensor<8x16xf32>
    %e = sg.matmul %d, %v : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %f = sg.tanh %e : tensor<8x16xf32>
    sg.yield %f : tensor<8x16xf32>
  }
  %z = sg.module "two" (%i = %p : tensor<8x16xf32>) -> tensor<8x16xf32> {
    %v = sg.read @w : tensor<16x16xf32>
    %c = sg.matmul %i, %v : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %u = sg.read @b : tensor<16xf32>
    %g = sg.broadcast %u dims [1] : tensor<16xf32> -> tensor<8x16xf32>
    %d = sg.add %c, %g : tensor<8x16xf32>
    %t = sg.tanh %d : tensor<8x16xf32>
    sg.yield %t : tensor<8x16xf32>
  }
  %q = sg.matmul %z, %w {transpose_b} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %losses, %lse = sg.cross_entropy %q, %label : (tensor<8x16xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  %sum = sg.reduce_sum %losses dims [0] : tensor<8xf32> -> tensor<f32>
  return %sum, %q : tensor<f32>, tensor<8x16xf32>
}
