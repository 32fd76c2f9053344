// What mixed precision is not made of.
//
// RUN: reprise-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-autocast{type=bf16}))'
// RUN: not reprise-opt %s --split-input-file --sg-autocast=type=f8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TYPE
// TYPE: error: has no mixed precision of type 'f8'; bf16 and f16 are possible

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>,
                                init = #sg.init<zeros>}
func.func @differentiated(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'sg.backward' op is there already; types are chosen before differentiation}}
  %dw = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %x : tensor<8xf32>
  }
  return %dw : tensor<8xf32>
}

// -----

func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
