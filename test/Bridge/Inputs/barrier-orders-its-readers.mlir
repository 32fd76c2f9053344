// Without the barrier, "clone" could run first, and program order has it so.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = sg.kernel "first" (%x = %g : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %b = sg.barrier (%g) after (%a)
      : (tensor<4xf32>) after (tensor<4xf32>) -> tensor<4xf32>
  %v1 = sg.reshape %b : tensor<4xf32> -> tensor<2x2xf32>
  %v2 = sg.reshape %v1 : tensor<2x2xf32> -> tensor<4xf32>
  %c = sg.kernel "clone" (%x = %v2 : tensor<4xf32>, %y = %v2 : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  return %c, %a : tensor<4xf32>, tensor<4xf32>
}
