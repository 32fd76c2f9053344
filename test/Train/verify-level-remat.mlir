// RUN: reprise-opt %s -split-input-file -verify-diagnostics --sg-verify-level=level=remat
// RUN: reprise-opt %s -split-input-file --sg-verify-level=level=train | FileCheck %s
// RUN: not reprise-opt %s -split-input-file --sg-verify-level=level=raw 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RAW

// RAW: error: unknown level 'raw'; known are model, train, remat and flat

sg.variable @w : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @is_not_lowered(
func.func @is_not_lowered(%x: tensor<8xf32>) {
  // expected-error @+1 {{'sg.module' op is checkpointed, but hands out a residual that is not a statistic}}
  %y, %r = sg.module "a" (%i = %x : tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>)
      attributes {activation_checkpointing, instance = 0 : i64,
                  residuals = 1 : i64} {
    %e = sg.exp %i : tensor<8xf32>
    sg.yield %i, %e : tensor<8xf32>, tensor<8xf32>
  }
  %g = sg.backward of [@w] -> tensor<8xf32> {
    sg.yield %r : tensor<8xf32>
  }
  return
}
