// A target whose kernels run attention has tiles, unless heads are wider than a
// block takes.
//
// RUN: reprise-opt %s --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{target=cuda:h200 gflops=53600 narrow-gflops=791200 gbytes-per-second=4320}))' \
// RUN:   | FileCheck %s
// RUN: not reprise-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(sg-choose-attention{target=cuda:h200 form=tiled}))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: 'sg.attention' op has no tiles on target 'cuda', whose library has no such function of 'f32' with heads of 200 numbers

// CHECK-LABEL: func.func @f(
// CHECK:         sg.attention %{{[a-z0-9]*}}, %{{[a-z0-9]*}} {scale = 1.250000e-01 : f64}
// CHECK-NOT:     sg.attention
// CHECK:         sg.softmax %{{.*}} : tensor<2x1x128x128xf32>

// expected-remark@+1 {{1 of 2 attentions run by tiles: 28.1 MiB of scores are not stored}}
func.func @f(%x: tensor<1024x49x3x3x32xbf16>, %b: tensor<64x3x49x49xf32>,
             %wide: tensor<2x128x3x1x200xf32>)
    -> (tensor<1024x49x3x32xbf16>, tensor<2x128x1x200xf32>) {
  %y, %lse = sg.attention %x, %b {scale = 0.125 : f64}
    : (tensor<1024x49x3x3x32xbf16>, tensor<64x3x49x49xf32>)
    -> (tensor<1024x49x3x32xbf16>, tensor<1024x3x49xf32>)
  %z, %zlse = sg.attention %wide {scale = 0.5 : f64}
    : (tensor<2x128x3x1x200xf32>)
    -> (tensor<2x128x1x200xf32>, tensor<2x1x128xf32>)
  return %y, %z : tensor<1024x49x3x32xbf16>, tensor<2x128x1x200xf32>
}
