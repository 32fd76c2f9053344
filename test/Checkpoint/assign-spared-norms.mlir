// No segment ends between a convolution and a batch norm that spares it, nor at
// what stands between the two: it ends behind the norm.
//
// RUN: reprise-opt %s --pass-pipeline='builtin.module(func.func(sg-assign-checkpointing{mode=threshold-bytes=0}))' | FileCheck %s
// RUN: reprise-opt %s --pass-pipeline='builtin.module(func.func(sg-assign-checkpointing{mode=segments=8}))' 2>/dev/null | FileCheck %s
// RUN: reprise-opt %s --pass-pipeline='builtin.module(func.func(sg-assign-checkpointing{mode=sqrt}))' | FileCheck %s
//
// Without the attribute each of the three cuts there.
// RUN: sed 's/, spares_x//' %s > %t.usual
// RUN: reprise-opt %t.usual --pass-pipeline='builtin.module(func.func(sg-assign-checkpointing{mode=threshold-bytes=0}))' | FileCheck %s --check-prefix=USUAL
// RUN: reprise-opt %t.usual --pass-pipeline='builtin.module(func.func(sg-assign-checkpointing{mode=segments=8}))' 2>/dev/null | FileCheck %s --check-prefix=USUAL

// CHECK-LABEL: func.func @chain(
// CHECK:         %[[X:.*]] = sg.conv2d {{.*}} -> tensor<2x8x16x16xf32>
// CHECK-NOT:     sg.yield
// CHECK:         sg.batch_norm {{.*}}, spares_x}

// USUAL-LABEL: func.func @chain(
// USUAL:         sg.conv2d {{.*}} -> tensor<2x8x16x16xf32>
// USUAL:         sg.yield
// USUAL:         sg.batch_norm

sg.variable @m : tensor<16xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
func.func @chain(%i: tensor<2x8x16x4xf32>, %u: tensor<4x3x3x4xf32>, %v: tensor<16x1x1x4xf32>, %w: tensor<4x3x3x16xf32>, %g: tensor<16xf32>) -> tensor<f32> {
  %a = sg.conv2d %i, %u {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<4x3x3x4xf32>) -> tensor<2x8x16x4xf32>
  %b = sg.relu %a : tensor<2x8x16x4xf32>
  %x = sg.conv2d %b, %v {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x4xf32>, tensor<16x1x1x4xf32>) -> tensor<2x8x16x16xf32>
  %k = sg.keep %x : tensor<2x8x16x16xf32>
  %n = sg.batch_norm %k, %g, %g {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64, running_mean = @m, running_variance = @m, spares_x} : (tensor<2x8x16x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16x16xf32>
  %r = sg.relu %n : tensor<2x8x16x16xf32>
  %c = sg.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x16x16xf32>, tensor<4x3x3x16xf32>) -> tensor<2x8x16x4xf32>
  %d = sg.relu %c : tensor<2x8x16x4xf32>
  %l = sg.reduce_sum %d dims [0, 1, 2, 3] : tensor<2x8x16x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
