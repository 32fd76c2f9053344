// Evaluation begins with the pool, while the input that nothing reads is there.
sg.variable @rng.step : tensor<i64> {init = #sg.init<zeros>, role = #sg.role<counter>}
sg.variable @p : tensor<f32> {init = #sg.init<ones>, role = #sg.role<parameter>}
func.func @g(%x: tensor<7x8x6x4xf32> {sg.name = "x"},
             %unused: tensor<7x64xf32> {sg.name = "unused"})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %a = sg.avg_pool2d %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>}
    : (tensor<7x8x6x4xf32>) -> tensor<7x4x3x4xf32>
  %s = sg.reduce_sum %a dims [0, 1, 2, 3] : tensor<7x4x3x4xf32> -> tensor<f32>
  %p = sg.read @p : tensor<f32>
  %l = sg.mul %s, %p : tensor<f32>
  %one = sg.constant dense<1> : tensor<i64>
  %step = sg.read @rng.step : tensor<i64>
  %next = sg.add %step, %one : tensor<i64>
  sg.write @rng.step, %next : tensor<i64>
  return %l : tensor<f32>
}
