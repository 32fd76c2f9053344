// A kernel says that it is backward and of layer1; the kernel that reads its
// result says nothing and is of the update.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) {
  %b = sg.kernel "k" (%x = %g : tensor<4xf32>) -> tensor<4xf32>
      attributes {sg.origin = #sg.origin<"layer1", backward>} {
    %s = sg.relu %x : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %w = sg.read @w : tensor<4xf32>
  %n = sg.kernel "ew" (%x = %w : tensor<4xf32>, %y = %b : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  sg.write @w, %n : tensor<4xf32>
  return
}
