// Casts of variables share a kernel where launching one takes as long as running
// it, but not large ones with small ones, and on no other target.
//
// RUN: reprise-opt %s --sg-form-kernels=target=cuda:h200 | FileCheck %s
// RUN: reprise-opt %s --sg-form-kernels | FileCheck %s --check-prefix=OWN

#f = #sg.origin<"net", forward>

sg.variable @a : tensor<8x1x1x8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<8x1x1x8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c : tensor<8x16x16x8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @casts_of_filters
// CHECK: %[[K:.*]]:2 = sg.kernel "cast"
// CHECK-SAME: -> (tensor<8x1x1x8xbf16>, tensor<8x1x1x8xbf16>)
// CHECK: sg.conv2d %arg0, %[[K]]#0
// CHECK: sg.conv2d {{.*}}, %[[K]]#1
// CHECK: sg.kernel "cast" {{.*}} -> tensor<8x16x16x8xbf16>
// CHECK-NOT: sg.kernel
// CHECK: return
// OWN-LABEL: func.func @casts_of_filters
// OWN-COUNT-3: sg.kernel "cast"
// OWN-NOT: sg.kernel
// OWN: return
func.func @casts_of_filters(%x: tensor<4x64x64x8xbf16>) -> tensor<4x49x49x8xbf16> {
  %a = sg.read @a : tensor<8x1x1x8xf32>
  %an = sg.cast %a {sg.origin = #f} : tensor<8x1x1x8xf32> to tensor<8x1x1x8xbf16>
  %y = sg.conv2d %x, %an {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x64x64x8xbf16>, tensor<8x1x1x8xbf16>) -> tensor<4x64x64x8xbf16>
  %b = sg.read @b : tensor<8x1x1x8xf32>
  %bn = sg.cast %b {sg.origin = #f} : tensor<8x1x1x8xf32> to tensor<8x1x1x8xbf16>
  %z = sg.conv2d %y, %bn {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x64x64x8xbf16>, tensor<8x1x1x8xbf16>) -> tensor<4x64x64x8xbf16>
  %c = sg.read @c : tensor<8x16x16x8xf32>
  %cn = sg.cast %c {sg.origin = #f} : tensor<8x16x16x8xf32> to tensor<8x16x16x8xbf16>
  %u = sg.conv2d %z, %cn {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, sg.origin = #f} : (tensor<4x64x64x8xbf16>, tensor<8x16x16x8xbf16>) -> tensor<4x49x49x8xbf16>
  return %u : tensor<4x49x49x8xbf16>
}
