// RUN: reprise-opt %s -split-input-file -verify-diagnostics '--sg-average-variables=decay=0.5'
// RUN: not reprise-opt %S/average-variables.mlir '--sg-average-variables=decay=1' 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: not reprise-opt %S/average-variables.mlir '--sg-average-variables=keeps-by=skipped' 2>&1 | FileCheck %s --check-prefix=FLAG
// DECAY: error: decay is {{.*}}; it must be at least 0 and below 1
// FLAG: error: returns no flag of a skipped step

// expected-error @+1 {{updates no parameter whose average could be kept; averages follow an optimizer}}
func.func @nothing(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @+1 {{has elements of 'bf16', in which a moving average loses its changes; averages are of f32 and f64}}
sg.variable @w : tensor<4xbf16> {init = #sg.init<ones>, role = #sg.role<parameter>}
func.func @half(%x: tensor<4xbf16>) {
  sg.write @w, %x : tensor<4xbf16>
  return
}

// -----

sg.variable @w : tensor<4xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
// expected-error @+1 {{has the name of a variable of the averages of variables; give it another}}
sg.variable @w.ema : tensor<4xf32> {init = #sg.init<ones>, role = #sg.role<counter>}
func.func @taken(%x: tensor<4xf32>) {
  sg.write @w, %x : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{a step is a function of one block}}
func.func private @outside(tensor<4xf32>)
