// RUN: reprise-opt %s -verify-diagnostics --sg-assign-checkpointing=mode=none

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// expected-error @+1 {{annotations are assigned before differentiation}}
func.func @is_differentiated(%x: tensor<8xf32>) {
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return
}
