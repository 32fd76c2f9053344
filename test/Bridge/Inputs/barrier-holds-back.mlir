// "clone" right behind "first" would free two values for one, before "third"
// needs room; the barrier holds it back.
sg.variable @w : tensor<4xf32>
  {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @v : tensor<4xf32>
  {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

func.func @f(%g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %l = sg.kernel "left" (%x = %g : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %r = sg.kernel "right" (%x = %g : tensor<4xf32>, %y = %g : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %a = sg.kernel "first" (%x = %l : tensor<4xf32>, %y = %r : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %n = sg.kernel "second" (%x = %a : tensor<4xf32>, %y = %a : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %m = sg.kernel "third" (%x = %a : tensor<4xf32>, %y = %n : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  %b:2 = sg.barrier (%l, %r) after (%m)
      : (tensor<4xf32>, tensor<4xf32>) after (tensor<4xf32>)
      -> tensor<4xf32>, tensor<4xf32>
  %c = sg.kernel "clone" (%x = %b#0 : tensor<4xf32>, %y = %b#1 : tensor<4xf32>)
      -> tensor<4xf32> {
    %s = sg.add %x, %y : tensor<4xf32>
    sg.yield %s : tensor<4xf32>
  }
  return %c, %m : tensor<4xf32>, tensor<4xf32>
}
