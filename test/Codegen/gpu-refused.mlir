// RUN: not kernels-to-gpu %s 2>&1 | FileCheck %s

// CHECK: error: 'sg.kernel' op computes exp of f64, of which a GPU has no code
func.func @wide(%x: tensor<8xf64>) -> tensor<8xf64> {
  %y = sg.kernel "wide" (%a = %x : tensor<8xf64>) -> tensor<8xf64> {
    %e = sg.exp %a : tensor<8xf64>
    sg.yield %e : tensor<8xf64>
  }
  return %y : tensor<8xf64>
}
