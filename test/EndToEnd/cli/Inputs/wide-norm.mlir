// A normalization whose moments, of two ranks, have more than 256 KiB.
sg.variable @a : tensor<20000x1x1x3xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @a_scale : tensor<20000xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @a_offset : tensor<20000xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @a_mean : tensor<20000xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @a_variance : tensor<20000xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @fc : tensor<20000x5xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}

func.func @wide(%image: tensor<4x2x2x3xf32> {sg.name = "image"},
                %label: tensor<4xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %a = sg.read @a : tensor<20000x1x1x3xf32>
  %x = sg.conv2d %image, %a {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x2x2x3xf32>, tensor<20000x1x1x3xf32>) -> tensor<4x2x2x20000xf32>
  %scale = sg.read @a_scale : tensor<20000xf32>
  %offset = sg.read @a_offset : tensor<20000xf32>
  %n = sg.batch_norm %x, %scale, %offset {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @a_mean, running_variance = @a_variance} : (tensor<4x2x2x20000xf32>, tensor<20000xf32>, tensor<20000xf32>) -> tensor<4x2x2x20000xf32>
  %r = sg.relu %n : tensor<4x2x2x20000xf32>
  %pooled = sg.global_avg_pool %r : (tensor<4x2x2x20000xf32>) -> tensor<4x20000xf32>
  %fc = sg.read @fc : tensor<20000x5xf32>
  %logits = sg.matmul %pooled, %fc : (tensor<4x20000xf32>, tensor<20000x5xf32>) -> tensor<4x5xf32>
  %losses, %lse = sg.cross_entropy %logits, %label : (tensor<4x5xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>)
  %total = sg.reduce_sum %losses dims [0] : tensor<4xf32> -> tensor<f32>
  %count = sg.constant dense<4.0> : tensor<f32>
  %loss = sg.div %total, %count : tensor<f32>
  return %loss : tensor<f32>
}
