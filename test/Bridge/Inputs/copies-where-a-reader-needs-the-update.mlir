// "both" reads the old and the new value.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) -> tensor<4xf32> {
  %w = sg.read @w : tensor<4xf32>
  %n = sg.kernel "ew" (%x = %w : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  sg.write @w, %n : tensor<4xf32>
  %r = sg.kernel "both" (%x = %w : tensor<4xf32>, %y = %n : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
