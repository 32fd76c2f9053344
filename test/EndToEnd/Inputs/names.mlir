// One value under several names: given to a block twice, further in by names
// that differ, handed straight through a block, handed out twice.
module {
  sg.variable @w : tensor<8x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
  sg.variable @v : tensor<4x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
  func.func @names(%image: tensor<2x8xf32> {sg.name = "image"}, %label: tensor<2xi32> {sg.name = "label", sg.binding = #sg.binding<label>}) -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}, tensor<2x4xf32> {sg.name = "logits", sg.binding = #sg.binding<logits>}) {
    %w = sg.read @w : tensor<8x8xf32>
    %x = sg.matmul %image, %w {transpose_b} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %a:3 = sg.module "twice" (%p = %x : tensor<2x8xf32>, %q = %x : tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) attributes {activation_checkpointing} {
      %i = sg.module "twice.inner" (%r = %p : tensor<2x8xf32>, %s = %q : tensor<2x8xf32>) -> tensor<2x8xf32> attributes {activation_checkpointing} {
        %t = sg.tanh %r : tensor<2x8xf32>
        %m = sg.mul %t, %s : tensor<2x8xf32>
        %e = sg.abs %t : tensor<2x8xf32>
        %n = sg.mul %m, %e : tensor<2x8xf32>
        %u = sg.tanh %n : tensor<2x8xf32>
        sg.yield %u : tensor<2x8xf32>
      }
      %k = sg.mul %i, %q : tensor<2x8xf32>
      %o = sg.tanh %k : tensor<2x8xf32>
      sg.yield %o, %p, %o : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    }
    %b = sg.module "through" (%p = %a#1 : tensor<2x8xf32>, %q = %a#2 : tensor<2x8xf32>) -> tensor<2x8xf32> attributes {activation_checkpointing} {
      %c = sg.module "through.only" (%r = %p : tensor<2x8xf32>) -> tensor<2x8xf32> {
        sg.yield %r : tensor<2x8xf32>
      }
      %d = sg.mul %c, %q : tensor<2x8xf32>
      %e = sg.tanh %p : tensor<2x8xf32>
      %f = sg.mul %d, %e : tensor<2x8xf32>
      sg.yield %f : tensor<2x8xf32>
    }
    %g = sg.add %a#0, %x : tensor<2x8xf32>
    %h = sg.mul %a#2, %b : tensor<2x8xf32>
    %z = sg.tanh %g : tensor<2x8xf32>
    %i = sg.mul %z, %h : tensor<2x8xf32>
    %y = sg.add %i, %a#1 : tensor<2x8xf32>
    %j = sg.tanh %y : tensor<2x8xf32>
    %v = sg.read @v : tensor<4x8xf32>
    %logits = sg.matmul %j, %v {transpose_b} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
    %losses, %lse = sg.cross_entropy %logits, %label : (tensor<2x4xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
    %sum = sg.reduce_sum %losses dims [0] : tensor<2xf32> -> tensor<f32>
    return %sum, %logits : tensor<f32>, tensor<2x4xf32>
  }
}
