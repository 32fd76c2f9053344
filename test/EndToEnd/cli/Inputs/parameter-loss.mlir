// The loss is a parameter: its flat step has no op that comes from a block.
sg.variable @s : tensor<f32> {init = #sg.init<ones>, role = #sg.role<parameter>}
func.func @f(%x: tensor<4x3xf32> {sg.name = "x"})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %s = sg.read @s : tensor<f32>
  return %s : tensor<f32>
}
