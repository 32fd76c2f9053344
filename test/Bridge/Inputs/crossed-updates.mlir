// The new w is made of v and the new v of w: only one of them can go first.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) {
  %w = sg.read @w : tensor<4xf32>
  %v = sg.read @v : tensor<4xf32>
  %a = sg.kernel "mix1" (%x = %v : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %b = sg.kernel "mix2" (%x = %w : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  sg.write @w, %a : tensor<4xf32>
  sg.write @v, %b : tensor<4xf32>
  return
}
