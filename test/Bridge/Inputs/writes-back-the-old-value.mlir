// A write that changes nothing.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) {
  %w = sg.read @w : tensor<4xf32>
  sg.write @w, %w : tensor<4xf32>
  return
}
