// Equal names and types, but the operands of the sum change places.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) -> tensor<4xf32> {
  %a = sg.kernel "k" (%x = %g : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %b = sg.kernel "k" (%x = %g : tensor<4xf32>, %y = %a : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %y, %x : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  return %b : tensor<4xf32>
}
