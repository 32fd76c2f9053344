// Two entries of equal code share its constant and its kernel.
func.func @f(%g: tensor<4xf32>) -> tensor<4xf32> {
  %c = sg.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r = sg.kernel "ew" (%x = %c : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

func.func @h(%g: tensor<4xf32>) -> tensor<4xf32> {
  %c = sg.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r = sg.kernel "ew" (%x = %c : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
