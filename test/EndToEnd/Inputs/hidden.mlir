// Two perceptrons of many rows: one with biases and views around it, one without,
// of other forms.
sg.variable @stem : tensor<8x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @a0 : tensor<32x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @c0 : tensor<32xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b0 : tensor<8x32xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @d0 : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @a1 : tensor<8x32xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @b1 : tensor<32x5xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}

func.func @hidden(%image: tensor<256x1x8xf32> {sg.name = "image"},
                  %label: tensor<256xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %stem = sg.read @stem : tensor<8x8xf32>
  %flat = sg.reshape %image : tensor<256x1x8xf32> -> tensor<256x8xf32>
  %s0 = sg.matmul %flat, %stem : (tensor<256x8xf32>, tensor<8x8xf32>) -> tensor<256x8xf32>
  %x0 = sg.reshape %s0 : tensor<256x8xf32> -> tensor<256x1x8xf32>
  %x = sg.module "first" (%i = %x0 : tensor<256x1x8xf32>) -> tensor<256x1x8xf32> attributes {activation_checkpointing} {
    %a = sg.read @a0 : tensor<32x8xf32>
    %rows = sg.reshape %i : tensor<256x1x8xf32> -> tensor<256x8xf32>
    %p = sg.matmul %rows, %a {transpose_b} : (tensor<256x8xf32>, tensor<32x8xf32>) -> tensor<256x32xf32>
    %q = sg.reshape %p : tensor<256x32xf32> -> tensor<256x1x32xf32>
    %c = sg.read @c0 : tensor<32xf32>
    %cs = sg.broadcast %c dims [2] : tensor<32xf32> -> tensor<256x1x32xf32>
    %h = sg.add %q, %cs : tensor<256x1x32xf32>
    %g = sg.gelu %h : tensor<256x1x32xf32>
    %b = sg.read @b0 : tensor<8x32xf32>
    %gs = sg.reshape %g : tensor<256x1x32xf32> -> tensor<256x32xf32>
    %s = sg.matmul %gs, %b {transpose_b} : (tensor<256x32xf32>, tensor<8x32xf32>) -> tensor<256x8xf32>
    %t = sg.reshape %s : tensor<256x8xf32> -> tensor<256x1x8xf32>
    %d = sg.read @d0 : tensor<8xf32>
    %ds = sg.broadcast %d dims [2] : tensor<8xf32> -> tensor<256x1x8xf32>
    %u = sg.add %t, %ds : tensor<256x1x8xf32>
    %y = sg.add %i, %u : tensor<256x1x8xf32>
    sg.yield %y : tensor<256x1x8xf32>
  }
  %rows = sg.reshape %x : tensor<256x1x8xf32> -> tensor<256x8xf32>
  %logits = sg.module "second" (%i = %rows : tensor<256x8xf32>) -> tensor<256x5xf32> attributes {activation_checkpointing} {
    %a = sg.read @a1 : tensor<8x32xf32>
    %h = sg.matmul %i, %a : (tensor<256x8xf32>, tensor<8x32xf32>) -> tensor<256x32xf32>
    %e = sg.tanh %h : tensor<256x32xf32>
    %g = sg.mul %h, %e : tensor<256x32xf32>
    %b = sg.read @b1 : tensor<32x5xf32>
    %y = sg.matmul %g, %b : (tensor<256x32xf32>, tensor<32x5xf32>) -> tensor<256x5xf32>
    sg.yield %y : tensor<256x5xf32>
  }
  %losses, %lse = sg.cross_entropy %logits, %label : (tensor<256x5xf32>, tensor<256xi32>) -> (tensor<256xf32>, tensor<256xf32>)
  %sum = sg.reduce_sum %losses dims [0] : tensor<256xf32> -> tensor<f32>
  %count = sg.constant dense<256.0> : tensor<f32>
  %loss = sg.div %sum, %count : tensor<f32>
  return %loss : tensor<f32>
}
