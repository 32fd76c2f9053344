// Which element types calls may have depends on the processors of the target;
// kernels have all of them.
//
// RUN: %if avx512 %{ reprise-opt %s --sg-lower-to-rt="target=cpu:x86-64-v4" | FileCheck %s %}
// RUN: not reprise-opt %s --sg-lower-to-rt="target=cpu:x86-64-v3" 2>&1 | FileCheck %s --check-prefix=V3
// V3: error: 'sg.matmul' op runs on bf16, but matmul of target 'cpu' takes f32{{$}}

// CHECK: rt.call matmul
// CHECK-SAME: writes [#rt.view<{{.*}} : tensor<4x4xf32>>]
// CHECK: rt.launch @k0_cast
func.func @f(%x: tensor<4x4xbf16>) -> tensor<4x4xf16> {
  %y = sg.matmul %x, %x : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  %z = sg.kernel "cast" (%a = %y : tensor<4x4xf32>) -> tensor<4x4xf16> {
    %b = sg.cast %a : tensor<4x4xf32> to tensor<4x4xf16>
    sg.yield %b : tensor<4x4xf16>
  }
  return %z : tensor<4x4xf16>
}
