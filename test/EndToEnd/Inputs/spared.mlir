// Two residual blocks that end in convolutions of single points, normalized, of
// many rows; one has such a shortcut.
sg.variable @stem : tensor<8x3x3x3xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @stem_scale : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @stem_offset : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @stem_mean : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @stem_variance : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @a : tensor<32x1x1x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @a_scale : tensor<32xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @a_offset : tensor<32xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @a_mean : tensor<32xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @a_variance : tensor<32xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @down : tensor<32x1x1x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @down_scale : tensor<32xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @down_offset : tensor<32xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @down_mean : tensor<32xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @down_variance : tensor<32xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @b : tensor<8x1x1x32xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @b_scale : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @b_offset : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b_mean : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @b_variance : tensor<8xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @c : tensor<32x1x1x8xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @c_scale : tensor<32xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @c_offset : tensor<32xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c_mean : tensor<32xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @c_variance : tensor<32xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @fc : tensor<32x5xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}

func.func @spared(%image: tensor<4x8x8x3xf32> {sg.name = "image"},
                  %label: tensor<4xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %stem = sg.read @stem : tensor<8x3x3x3xf32>
  %x_stem = sg.conv2d %image, %stem {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x8x8x3xf32>, tensor<8x3x3x3xf32>) -> tensor<4x8x8x8xf32>
  %scale_stem = sg.read @stem_scale : tensor<8xf32>
  %offset_stem = sg.read @stem_offset : tensor<8xf32>
  %s = sg.batch_norm %x_stem, %scale_stem, %offset_stem {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @stem_mean, running_variance = @stem_variance} : (tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x8x8xf32>
  %r = sg.relu %s : tensor<4x8x8x8xf32>
  %y0 = sg.module "first" (%i = %r : tensor<4x8x8x8xf32>) -> tensor<4x8x8x32xf32> attributes {activation_checkpointing} {
    %a = sg.read @a : tensor<32x1x1x8xf32>
    %x_a = sg.conv2d %i, %a {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<32x1x1x8xf32>) -> tensor<4x8x8x32xf32>
    %scale_a = sg.read @a_scale : tensor<32xf32>
    %offset_a = sg.read @a_offset : tensor<32xf32>
    %n0 = sg.batch_norm %x_a, %scale_a, %offset_a {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @a_mean, running_variance = @a_variance} : (tensor<4x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x8x8x32xf32>
    %down = sg.read @down : tensor<32x1x1x8xf32>
    %x_down = sg.conv2d %i, %down {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<32x1x1x8xf32>) -> tensor<4x8x8x32xf32>
    %scale_down = sg.read @down_scale : tensor<32xf32>
    %offset_down = sg.read @down_offset : tensor<32xf32>
    %n1 = sg.batch_norm %x_down, %scale_down, %offset_down {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @down_mean, running_variance = @down_variance} : (tensor<4x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x8x8x32xf32>
    %sum = sg.add %n0, %n1 : tensor<4x8x8x32xf32>
    %y = sg.relu %sum : tensor<4x8x8x32xf32>
    sg.yield %y : tensor<4x8x8x32xf32>
  }
  %y1 = sg.module "second" (%i = %y0 : tensor<4x8x8x32xf32>) -> tensor<4x8x8x32xf32> attributes {activation_checkpointing} {
    %b = sg.read @b : tensor<8x1x1x32xf32>
    %x_b = sg.conv2d %i, %b {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x8x8x32xf32>, tensor<8x1x1x32xf32>) -> tensor<4x8x8x8xf32>
    %scale_b = sg.read @b_scale : tensor<8xf32>
    %offset_b = sg.read @b_offset : tensor<8xf32>
    %n0 = sg.batch_norm %x_b, %scale_b, %offset_b {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @b_mean, running_variance = @b_variance} : (tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x8x8xf32>
    %h = sg.relu %n0 : tensor<4x8x8x8xf32>
    %c = sg.read @c : tensor<32x1x1x8xf32>
    %x_c = sg.conv2d %h, %c {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x8x8x8xf32>, tensor<32x1x1x8xf32>) -> tensor<4x8x8x32xf32>
    %scale_c = sg.read @c_scale : tensor<32xf32>
    %offset_c = sg.read @c_offset : tensor<32xf32>
    %n1 = sg.batch_norm %x_c, %scale_c, %offset_c {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @c_mean, running_variance = @c_variance} : (tensor<4x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x8x8x32xf32>
    %sum = sg.add %n1, %i : tensor<4x8x8x32xf32>
    %y = sg.relu %sum : tensor<4x8x8x32xf32>
    sg.yield %y : tensor<4x8x8x32xf32>
  }
  %pooled = sg.global_avg_pool %y1 : (tensor<4x8x8x32xf32>) -> tensor<4x32xf32>
  %fc = sg.read @fc : tensor<32x5xf32>
  %logits = sg.matmul %pooled, %fc : (tensor<4x32xf32>, tensor<32x5xf32>) -> tensor<4x5xf32>
  %losses, %lse = sg.cross_entropy %logits, %label : (tensor<4x5xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>)
  %total = sg.reduce_sum %losses dims [0] : tensor<4xf32> -> tensor<f32>
  %count = sg.constant dense<4.0> : tensor<f32>
  %loss = sg.div %total, %count : tensor<f32>
  return %loss : tensor<f32>
}
