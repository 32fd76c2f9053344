// No step runs at all.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) -> tensor<4xf32> {
  return %g : tensor<4xf32>
}
