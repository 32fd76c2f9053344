// Activations of bf16, parameters and statistics of f32.
sg.variable @conv : tensor<8x3x3x3xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @gamma : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @beta : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @mean : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @variance : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @conv2 : tensor<8x3x3x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @gamma2 : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @beta2 : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @mean2 : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @variance2 : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @fc : tensor<8x5xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}

func.func @mixed(%image: tensor<6x10x10x3xf32> {sg.name = "image"},
                 %label: tensor<6xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %x = sg.cast %image : tensor<6x10x10x3xf32> to tensor<6x10x10x3xbf16>
  %a = sg.module "first" (%i = %x : tensor<6x10x10x3xbf16>) -> tensor<6x10x10x8xbf16> attributes {activation_checkpointing} {
    %w = sg.read @conv : tensor<8x3x3x3xf32>
    %n = sg.cast %w : tensor<8x3x3x3xf32> to tensor<8x3x3x3xbf16>
    %y = sg.conv2d %i, %n {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<6x10x10x3xbf16>, tensor<8x3x3x3xbf16>) -> tensor<6x10x10x8xbf16>
    %g = sg.read @gamma : tensor<8xf32>
    %b = sg.read @beta : tensor<8xf32>
    %z = sg.batch_norm %y, %g, %b {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @mean, running_variance = @variance} : (tensor<6x10x10x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x10x10x8xbf16>
    %r = sg.relu %z : tensor<6x10x10x8xbf16>
    sg.yield %r : tensor<6x10x10x8xbf16>
  }
  %c = sg.module "second" (%i = %a : tensor<6x10x10x8xbf16>) -> tensor<6x10x10x8xbf16> attributes {activation_checkpointing} {
    %w = sg.read @conv2 : tensor<8x3x3x8xf32>
    %n = sg.cast %w : tensor<8x3x3x8xf32> to tensor<8x3x3x8xbf16>
    %y = sg.conv2d %i, %n {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<6x10x10x8xbf16>, tensor<8x3x3x8xbf16>) -> tensor<6x10x10x8xbf16>
    %g = sg.read @gamma2 : tensor<8xf32>
    %b = sg.read @beta2 : tensor<8xf32>
    %z = sg.batch_norm %y, %g, %b {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @mean2, running_variance = @variance2} : (tensor<6x10x10x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x10x10x8xbf16>
    %s = sg.add %z, %i : tensor<6x10x10x8xbf16>
    %r = sg.relu %s : tensor<6x10x10x8xbf16>
    sg.yield %r : tensor<6x10x10x8xbf16>
  }
  %p = sg.global_avg_pool %c : (tensor<6x10x10x8xbf16>) -> tensor<6x8xbf16>
  %w = sg.read @fc : tensor<8x5xf32>
  %n = sg.cast %w : tensor<8x5xf32> to tensor<8x5xbf16>
  // The logits' sums are f32, and need not be rounded before the loss.
  %wide = sg.matmul %p, %n : (tensor<6x8xbf16>, tensor<8x5xbf16>) -> tensor<6x5xf32>
  %logits = sg.cast %wide : tensor<6x5xf32> to tensor<6x5xbf16>
  %losses, %lse = sg.cross_entropy %logits, %label : (tensor<6x5xbf16>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>)
  %loss = sg.reduce_sum %losses dims [0] : tensor<6xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
