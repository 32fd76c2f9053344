// The new value is a view of what the kernel made.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) {
  %t = sg.reshape %g : tensor<4xf32> -> tensor<2x2xf32>
  %k = sg.kernel "mix" (%x = %t : tensor<2x2xf32>) -> tensor<2x2xf32> {
    %s = sg.relu %x : tensor<2x2xf32>
    sg.yield %s : tensor<2x2xf32>
  }
  %n = sg.reshape %k : tensor<2x2xf32> -> tensor<4xf32>
  sg.write @w, %n : tensor<4xf32>
  return
}
