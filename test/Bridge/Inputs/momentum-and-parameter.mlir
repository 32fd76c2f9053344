// Momentum is updated first and read by the update of the parameter: both in
// place.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) {
  %w = sg.read @w : tensor<4xf32>
  %v = sg.read @v : tensor<4xf32>
  %m = sg.kernel "ew1" (%x = %v : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %n = sg.kernel "ew2" (%x = %w : tensor<4xf32>, %y = %m : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  sg.write @v, %m : tensor<4xf32>
  sg.write @w, %n : tensor<4xf32>
  return
}
