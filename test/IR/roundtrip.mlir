// Every op is printed so that it parses to itself, in its own syntax and in the
// generic one, and in bytecode.
//
// RUN: reprise-opt %s | FileCheck %s
// RUN: reprise-opt %s | reprise-opt | FileCheck %s
// RUN: reprise-opt %s -mlir-print-op-generic | reprise-opt | FileCheck %s
// RUN: reprise-opt %s -emit-bytecode | reprise-opt | FileCheck %s
// RUN: reprise-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK: sg.variable @w : tensor<8x4xf32>
// CHECK-SAME: init = #sg.init<kaiming_normal>
// CHECK-SAME: role = #sg.role<parameter>
// GENERIC: "sg.variable"() <{
// GENERIC-SAME: sym_name = "w"
sg.variable @w : tensor<8x4xf32> {
  role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
// CHECK: sg.variable @conv1.weight : tensor<64x7x7x3xf32>
// CHECK-SAME: file_permutation = array<i32: 0, 3, 1, 2>
// CHECK-SAME: init = #sg.init<uniform, 1.250000e-01 : f64>
sg.variable @"conv1.weight" : tensor<64x7x7x3xf32> {
  role = #sg.role<optimizer_state>, init = #sg.init<uniform, 1.25e-01 : f64>,
  file_permutation = array<i32: 0, 3, 1, 2>}
// CHECK: #sg.init<zeros>, role = #sg.role<running_statistics>
sg.variable @mean : tensor<4xf32> {
  role = #sg.role<running_statistics>, init = #sg.init<zeros>}
// CHECK: #sg.init<ones>, role = #sg.role<running_statistics>
sg.variable @variance : tensor<4xf32> {
  role = #sg.role<running_statistics>, init = #sg.init<ones>}
// CHECK: #sg.init<constant, 3.000000e+00 : f64>, role = #sg.role<counter>
sg.variable @step : tensor<i64> {
  role = #sg.role<counter>, init = #sg.init<constant, 3.0 : f64>}
// CHECK: #sg.init<normal, 1.000000e-02 : f64>, role = #sg.role<seed>
sg.variable @seed : tensor<i64> {
  role = #sg.role<seed>, init = #sg.init<normal, 1.0e-02 : f64>}

// CHECK-LABEL: func.func @state
// CHECK-SAME: {sg.name = "image"}
// CHECK-SAME: {sg.name = "loss"}
func.func @state(%x: tensor<8x4xf32> {sg.name = "image"})
    -> (tensor<8x4xf32> {sg.name = "loss"}) {
  // CHECK: sg.read @w : tensor<8x4xf32>
  // GENERIC: "sg.read"() <{variable = @w}> : () -> tensor<8x4xf32>
  %w = sg.read @w : tensor<8x4xf32>
  // CHECK: sg.write @w, %{{.*}} : tensor<8x4xf32>
  // GENERIC: "sg.write"(%{{.*}}) <{variable = @w}> : (tensor<8x4xf32>) -> ()
  sg.write @w, %x : tensor<8x4xf32>
  // CHECK: sg.module "layer1" (%[[A:.*]] = %{{.*}} : tensor<8x4xf32>, %{{.*}} = %{{.*}} : tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) attributes {activation_checkpointing, instance = 3 : i64, phase = #sg.phase<recompute>, residuals = 1 : i64} {
  // CHECK-NEXT: sg.relu %[[A]]
  // CHECK-NEXT: sg.yield %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8x4xf32>
  // GENERIC: "sg.module"
  %m:2 = sg.module "layer1" (%a = %x : tensor<8x4xf32>, %b = %w : tensor<8x4xf32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>)
      attributes {activation_checkpointing, instance = 3 : i64,
                  phase = #sg.phase<recompute>, residuals = 1 : i64} {
    %r = sg.relu %a : tensor<8x4xf32>
    sg.yield %r, %b : tensor<8x4xf32>, tensor<8x4xf32>
  }
  // CHECK: sg.module "layer1.\22odd\22" () {
  // CHECK-NEXT: sg.yield
  // CHECK-NEXT: }
  sg.module "layer1.\22odd\22" () {
  }
  // CHECK: sg.kernel "add" (%{{.*}} = %{{.*}} : tensor<8x4xf32>) -> tensor<8x4xf32> {
  // GENERIC: "sg.kernel"
  %k = sg.kernel "add" (%a = %x : tensor<8x4xf32>) -> tensor<8x4xf32> {
    %s = sg.add %a, %a : tensor<8x4xf32>
    sg.yield %s : tensor<8x4xf32>
  }
  // CHECK: sg.backward of [@w] -> tensor<8x4xf32> {
  // GENERIC: "sg.backward"() <{parameters = [@w]}>
  %dw = sg.backward of [@w] -> tensor<8x4xf32> {
    %g = sg.mul %k, %m#1 : tensor<8x4xf32>
    sg.yield %g : tensor<8x4xf32>
  }
  // CHECK: sg.backward of [] {
  sg.backward of [] {
  }
  // CHECK: sg.barrier(%{{.*}}) after(%{{.*}}) : (tensor<8x4xf32>) after(tensor<8x4xf32>) -> tensor<8x4xf32>
  // GENERIC: "sg.barrier"
  %o = sg.barrier (%dw) after (%x)
    : (tensor<8x4xf32>) after (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @pointwise
func.func @pointwise(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>,
                     %i: tensor<8x4xi32>, %h: tensor<8x4xbf16>,
                     %d: tensor<8x4xf64>, %s: tensor<f16>) {
  // CHECK: sg.neg %{{.*}} : tensor<8x4xf32>
  // GENERIC: "sg.neg"(%{{.*}}) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = sg.neg %x : tensor<8x4xf32>
  // CHECK: sg.abs %{{.*}} : tensor<8x4xbf16>
  %1 = sg.abs %h : tensor<8x4xbf16>
  // CHECK: sg.exp %{{.*}} : tensor<8x4xf64>
  %2 = sg.exp %d : tensor<8x4xf64>
  // CHECK: sg.log %{{.*}} : tensor<f16>
  %3 = sg.log %s : tensor<f16>
  // CHECK: sg.sqrt %{{.*}} : tensor<8x4xf32>
  %4 = sg.sqrt %x : tensor<8x4xf32>
  // CHECK: sg.rsqrt %{{.*}} : tensor<8x4xf32>
  %5 = sg.rsqrt %x : tensor<8x4xf32>
  // CHECK: sg.tanh %{{.*}} : tensor<8x4xf32>
  %6 = sg.tanh %x : tensor<8x4xf32>
  // CHECK: sg.sigmoid %{{.*}} : tensor<8x4xf32>
  %7 = sg.sigmoid %x : tensor<8x4xf32>
  // CHECK: sg.erf %{{.*}} : tensor<8x4xf32>
  %8 = sg.erf %x : tensor<8x4xf32>
  // CHECK: sg.relu %{{.*}} : tensor<8x4xf32>
  %9 = sg.relu %x : tensor<8x4xf32>
  // CHECK: sg.add %{{.*}}, %{{.*}} : tensor<8x4xi32>
  %10 = sg.add %i, %i : tensor<8x4xi32>
  // CHECK: sg.sub %{{.*}}, %{{.*}} : tensor<8x4xf32>
  %11 = sg.sub %x, %y : tensor<8x4xf32>
  // CHECK: sg.mul %{{.*}}, %{{.*}} : tensor<8x4xf32>
  %12 = sg.mul %x, %y : tensor<8x4xf32>
  // CHECK: sg.div %{{.*}}, %{{.*}} : tensor<8x4xf32>
  %13 = sg.div %x, %y : tensor<8x4xf32>
  // CHECK: sg.maximum %{{.*}}, %{{.*}} : tensor<8x4xf32>
  %14 = sg.maximum %x, %y : tensor<8x4xf32>
  // CHECK: sg.minimum %{{.*}}, %{{.*}} : tensor<8x4xi32>
  %15 = sg.minimum %i, %i : tensor<8x4xi32>
  // CHECK: sg.compare gt %{{.*}}, %{{.*}} : tensor<8x4xf32> -> tensor<8x4xi1>
  // GENERIC: "sg.compare"(%{{.*}}, %{{.*}}) <{predicate = #sg<compare gt>}>
  %16 = sg.compare gt %x, %y : tensor<8x4xf32> -> tensor<8x4xi1>
  // CHECK: sg.compare ne %{{.*}}, %{{.*}} : tensor<8x4xi32> -> tensor<8x4xi1>
  %17 = sg.compare ne %i, %i : tensor<8x4xi32> -> tensor<8x4xi1>
  // CHECK: sg.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x4xi1>, tensor<8x4xf32>
  %18 = sg.select %16, %x, %y : tensor<8x4xi1>, tensor<8x4xf32>
  // CHECK: sg.cast %{{.*}} : tensor<8x4xf32> to tensor<8x4xbf16>
  %19 = sg.cast %x : tensor<8x4xf32> to tensor<8x4xbf16>
  // CHECK: sg.cast %{{.*}} : tensor<8x4xi1> to tensor<8x4xi64>
  %20 = sg.cast %16 : tensor<8x4xi1> to tensor<8x4xi64>
  // CHECK: sg.encode_fp8 %{{.*}} : tensor<8x4xf32> to tensor<8x4xi8>
  %21 = sg.encode_fp8 %x : tensor<8x4xf32> to tensor<8x4xi8>
  // CHECK: sg.decode_fp8 %{{.*}} : tensor<8x4xi8> to tensor<8x4xf32>
  %22 = sg.decode_fp8 %21 : tensor<8x4xi8> to tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<8x4xf32>, %v: tensor<4xf32>,
                  %seed: tensor<i64>) {
  // CHECK: sg.constant dense<0.000000e+00> : tensor<8x4xf32>
  // GENERIC: "sg.constant"() <{value = dense<0.000000e+00> : tensor<8x4xf32>}>
  %0 = sg.constant dense<0.0> : tensor<8x4xf32>
  // CHECK: sg.iota 1 : tensor<8x10xi32>
  %1 = sg.iota 1 : tensor<8x10xi32>
  // CHECK: sg.random_uniform %{{.*}}, %{{.*}} stream 3 : tensor<i64>, tensor<i64> -> tensor<8x4xf32>
  %2 = sg.random_uniform %seed, %seed stream 3
    : tensor<i64>, tensor<i64> -> tensor<8x4xf32>
  // CHECK: sg.broadcast %{{.*}} dims [1] : tensor<4xf32> -> tensor<8x4xf32>
  // GENERIC: "sg.broadcast"(%{{.*}}) <{dims = array<i64: 1>}>
  %3 = sg.broadcast %v dims [1] : tensor<4xf32> -> tensor<8x4xf32>
  // CHECK: sg.broadcast %{{.*}} dims [] : tensor<i64> -> tensor<2xi64>
  %4 = sg.broadcast %seed dims [] : tensor<i64> -> tensor<2xi64>
  // CHECK: sg.reshape %{{.*}} : tensor<8x4xf32> -> tensor<32xf32>
  %5 = sg.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: sg.transpose %{{.*}} perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %6 = sg.transpose %x perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: sg.slice %{{.*}} [0, 1] to [8, 4] by [2, 1] : tensor<8x4xf32> -> tensor<4x3xf32>
  %7 = sg.slice %x [0, 1] to [8, 4] by [2, 1] : tensor<8x4xf32> -> tensor<4x3xf32>
  // CHECK: sg.pad %{{.*}} low [1, 0] high [1, 0] interior [0, 1] value 0.000000e+00 : tensor<8x4xf32> -> tensor<10x7xf32>
  %8 = sg.pad %x low [1, 0] high [1, 0] interior [0, 1] value 0.0
    : tensor<8x4xf32> -> tensor<10x7xf32>
  // CHECK: sg.concat %{{.*}}, %{{.*}} dim 0 : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
  %9 = sg.slice %x [0, 0] to [4, 4] by [1, 1] : tensor<8x4xf32> -> tensor<4x4xf32>
  %10 = sg.concat %x, %9 dim 0
    : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
  // CHECK: sg.reduce_sum %{{.*}} dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  %11 = sg.reduce_sum %x dims [0, 1] : tensor<8x4xf32> -> tensor<f32>
  // CHECK: sg.reduce_max %{{.*}} dims [0] : tensor<8x4xf32> -> tensor<4xf32>
  %12 = sg.reduce_max %x dims [0] : tensor<8x4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<8x32x32x3xf32>, %w: tensor<64x3x3x3xf32>,
                    %dy: tensor<8x16x16x64xf32>, %a: tensor<2x8x4xf32>,
                    %b: tensor<2x10x4xf32>) {
  // CHECK: sg.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<2x8x4xf32>, tensor<2x10x4xf32>) -> tensor<2x8x10xf32>
  // GENERIC: "sg.matmul"(%{{.*}}, %{{.*}}) <{transpose_b}>
  %0 = sg.matmul %a, %b {transpose_b}
    : (tensor<2x8x4xf32>, tensor<2x10x4xf32>) -> tensor<2x8x10xf32>
  // CHECK: sg.matmul %{{.*}}, %{{.*}} {transpose_a} : (tensor<2x8x4xf32>, tensor<2x8x10xf32>) -> tensor<2x4x10xf32>
  %1 = sg.matmul %a, %0 {transpose_a}
    : (tensor<2x8x4xf32>, tensor<2x8x10xf32>) -> tensor<2x4x10xf32>
  // CHECK: sg.conv2d %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
  // GENERIC: "sg.conv2d"
  %2 = sg.conv2d %x, %w {strides = array<i64: 2, 2>,
      padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<8x32x32x3xf32>, tensor<64x3x3x3xf32>) -> tensor<8x16x16x64xf32>
  // Strides, padding, dilation and groups have defaults.
  // CHECK: sg.conv2d %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
  %21 = sg.conv2d %x, %w {strides = array<i64: 2, 2>}
    : (tensor<8x32x32x3xf32>, tensor<64x3x3x3xf32>) -> tensor<8x15x15x64xf32>
  // CHECK: sg.conv2d_input_grad %{{.*}}, %{{.*}} {{.*}} -> tensor<8x32x32x3xf32>
  %3 = sg.conv2d_input_grad %dy, %w {strides = array<i64: 2, 2>,
      padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<8x16x16x64xf32>, tensor<64x3x3x3xf32>) -> tensor<8x32x32x3xf32>
  // CHECK: sg.conv2d_input_grad_add %{{.*}}, %{{.*}}, %{{.*}} {{.*}} -> tensor<8x32x32x3xf32>
  %31 = sg.conv2d_input_grad_add %dy, %w, %3 {strides = array<i64: 2, 2>,
      padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<8x16x16x64xf32>, tensor<64x3x3x3xf32>, tensor<8x32x32x3xf32>)
      -> tensor<8x32x32x3xf32>
  // CHECK: sg.conv2d_filter_grad %{{.*}}, %{{.*}} {{.*}} -> tensor<64x3x3x3xf32>
  %4 = sg.conv2d_filter_grad %x, %dy {strides = array<i64: 2, 2>,
      padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
      groups = 1 : i64}
    : (tensor<8x32x32x3xf32>, tensor<8x16x16x64xf32>) -> tensor<64x3x3x3xf32>
  return
}

// CHECK-LABEL: func.func @volumes
func.func @volumes(%x: tensor<2x4x9x8x3xf32>, %w: tensor<6x3x3x2x3xf32>) {
  // CHECK: sg.conv3d %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1, 0, 0, 0, 0>, strides = array<i64: 1, 2, 2>}
  // GENERIC: "sg.conv3d"
  %0 = sg.conv3d %x, %w {strides = array<i64: 1, 2, 2>,
      padding = array<i64: 1, 1, 0, 0, 0, 0>}
    : (tensor<2x4x9x8x3xf32>, tensor<6x3x3x2x3xf32>) -> tensor<2x4x4x4x6xf32>
  // Strides, padding, dilation and groups have defaults.
  // CHECK: sg.conv3d %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>}
  %1 = sg.conv3d %x, %w
    : (tensor<2x4x9x8x3xf32>, tensor<6x3x3x2x3xf32>) -> tensor<2x2x7x7x6xf32>
  // CHECK: sg.conv3d_input_grad %{{.*}}, %{{.*}} {{.*}} -> tensor<2x4x9x8x3xf32>
  %2 = sg.conv3d_input_grad %0, %w {strides = array<i64: 1, 2, 2>,
      padding = array<i64: 1, 1, 0, 0, 0, 0>}
    : (tensor<2x4x4x4x6xf32>, tensor<6x3x3x2x3xf32>) -> tensor<2x4x9x8x3xf32>
  // CHECK: sg.conv3d_filter_grad %{{.*}}, %{{.*}} {{.*}} -> tensor<6x3x3x2x3xf32>
  %3 = sg.conv3d_filter_grad %x, %0 {strides = array<i64: 1, 2, 2>,
      padding = array<i64: 1, 1, 0, 0, 0, 0>}
    : (tensor<2x4x9x8x3xf32>, tensor<2x4x4x4x6xf32>) -> tensor<6x3x3x2x3xf32>
  return
}

// CHECK-LABEL: func.func @pools
func.func @pools(%x: tensor<8x16x16x4xf32>, %dy: tensor<8x8x8x4xf32>) {
  // CHECK: sg.max_pool2d %{{.*}} {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  %0 = sg.max_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      padding = array<i64: 1, 1, 1, 1>}
    : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  // CHECK: sg.max_pool2d_grad %{{.*}}, %{{.*}} {{.*}} : (tensor<8x16x16x4xf32>, tensor<8x8x8x4xf32>) -> tensor<8x16x16x4xf32>
  %1 = sg.max_pool2d_grad %x, %dy {window = array<i64: 3, 3>,
      strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : (tensor<8x16x16x4xf32>, tensor<8x8x8x4xf32>) -> tensor<8x16x16x4xf32>
  // CHECK: %[[AT:.*]] = sg.max_pool2d_argmax %{{.*}} {{.*}} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xi8>
  %at = sg.max_pool2d_argmax %x {window = array<i64: 3, 3>,
      strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xi8>
  // CHECK: sg.max_pool2d_scatter %[[AT]], %{{.*}} {{.*}} : (tensor<8x8x8x4xi8>, tensor<8x8x8x4xf32>) -> tensor<8x16x16x4xf32>
  %dx = sg.max_pool2d_scatter %at, %dy {window = array<i64: 3, 3>,
      strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : (tensor<8x8x8x4xi8>, tensor<8x8x8x4xf32>) -> tensor<8x16x16x4xf32>
  // CHECK: sg.max_pool2d_argmax %{{.*}} {{.*}} : (tensor<8x16x16x4xf32>) -> tensor<8x5x5x4xi32>
  %wide = sg.max_pool2d_argmax %x {window = array<i64: 12, 12>,
      strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>}
    : (tensor<8x16x16x4xf32>) -> tensor<8x5x5x4xi32>
  // CHECK: sg.avg_pool2d %{{.*}} {count_include_pad, {{.*}}} : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  %2 = sg.avg_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      padding = array<i64: 1, 1, 1, 1>, count_include_pad}
    : (tensor<8x16x16x4xf32>) -> tensor<8x8x8x4xf32>
  // CHECK: sg.avg_pool2d_grad %{{.*}} {padding {{.*}}} : (tensor<8x8x8x4xf32>) -> tensor<8x16x16x4xf32>
  %3 = sg.avg_pool2d_grad %dy {window = array<i64: 3, 3>,
      strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : (tensor<8x8x8x4xf32>) -> tensor<8x16x16x4xf32>
  // CHECK: sg.global_avg_pool %{{.*}} : (tensor<8x16x16x4xf32>) -> tensor<8x4xf32>
  %4 = sg.global_avg_pool %x : (tensor<8x16x16x4xf32>) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @normalization
func.func @normalization(%x: tensor<8x3x3x4xf32>, %c: tensor<4xf32>) {
  // CHECK: sg.batch_norm %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 1.000000e-05 : f64, momentum = 1.000000e-01 : f64, running_mean = @mean, running_variance = @variance}
  %0 = sg.batch_norm %x, %c, %c {epsilon = 1.0e-05 : f64,
      momentum = 1.0e-01 : f64, running_mean = @mean,
      running_variance = @variance}
    : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x3x3x4xf32>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = sg.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 1.000000e-05 : f64}
  // GENERIC: "sg.batch_norm_training"(%{{.*}}) <{epsilon = 1.000000e-05 : f64}>
  %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %c, %c
      {epsilon = 1.0e-05 : f64}
    : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: sg.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 1.000000e-05 : f64, spares_x}
  // GENERIC: "sg.batch_norm_training"(%{{.*}}) <{epsilon = 1.000000e-05 : f64, spares_x}>
  %s:4 = sg.batch_norm_training %x, %c, %c
      {epsilon = 1.0e-05 : f64, spares_x}
    : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: sg.normalize %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
  %1 = sg.normalize %x, %mean, %rstd, %c, %c
    : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
       tensor<4xf32>) -> tensor<8x3x3x4xf32>
  // CHECK: sg.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 1.000000e-05 : f64}
  %2 = sg.batch_norm_inference %x, %c, %c, %mean, %variance
      {epsilon = 1.0e-05 : f64}
    : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
       tensor<4xf32>) -> tensor<8x3x3x4xf32>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = sg.batch_norm_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
  %dx, %dgamma, %dbeta = sg.batch_norm_grad %x, %c, %mean, %rstd, %1
    : (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
       tensor<8x3x3x4xf32>)
    -> (tensor<8x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: func.func @losses
func.func @losses(%x: tensor<8x10xf32>, %labels: tensor<8xi32>,
                  %seed: tensor<i64>) {
  // CHECK: sg.relu_grad %{{.*}}, %{{.*}} : tensor<8x10xf32>
  %0 = sg.relu_grad %x, %x : tensor<8x10xf32>
  // CHECK: sg.softmax %{{.*}} : tensor<8x10xf32>
  %1 = sg.softmax %x : tensor<8x10xf32>
  // CHECK: sg.softmax_grad %{{.*}}, %{{.*}} : tensor<8x10xf32>
  %2 = sg.softmax_grad %1, %x : tensor<8x10xf32>
  // CHECK: %{{.*}}, %{{.*}} = sg.cross_entropy %{{.*}}, %{{.*}} : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  %losses, %lse = sg.cross_entropy %x, %labels
    : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK: sg.cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x10xf32>
  %3 = sg.cross_entropy_grad %x, %labels, %lse, %losses
    : (tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>)
    -> tensor<8x10xf32>
  // CHECK: sg.auxiliary_loss %{{.*}}, %{{.*}} weight 3.000000e-01 : tensor<f32>
  %main = sg.constant dense<1.0> : tensor<f32>
  %total = sg.auxiliary_loss %main, %main weight 0.3 : tensor<f32>
  // CHECK: sg.dropout %{{.*}}, %{{.*}}, %{{.*}} {probability = 5.000000e-01 : f64, stream = 1 : i64} : (tensor<8x10xf32>, tensor<i64>, tensor<i64>) -> tensor<8x10xf32>
  %4 = sg.dropout %x, %seed, %seed {probability = 5.0e-01 : f64,
                                    stream = 1 : i64}
    : (tensor<8x10xf32>, tensor<i64>, tensor<i64>) -> tensor<8x10xf32>
  return
}

// CHECK-LABEL: func.func @origins
func.func @origins(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sg.neg %{{.*}} {sg.path = "layer1.0.conv1"} : tensor<8xf32>
  %a = sg.neg %x {sg.path = "layer1.0.conv1"} : tensor<8xf32>
  // CHECK: sg.neg %{{.*}} {sg.origin = #sg.origin<"layer1.0.conv1", forward>} : tensor<8xf32>
  %b = sg.neg %a {sg.origin = #sg.origin<"layer1.0.conv1", forward>} : tensor<8xf32>
  // CHECK: sg.neg %{{.*}} {sg.origin = #sg.origin<"", recompute, -3>} : tensor<8xf32>
  %c = sg.neg %b {sg.origin = #sg.origin<"", recompute, -3>} : tensor<8xf32>
  return %c : tensor<8xf32>
}

// CHECK-LABEL: func.func @addresses
// CHECK-SAME: {sg.offset = 64 : i64}
func.func @addresses(%x: tensor<8xf32> {sg.offset = 64 : i64}) -> tensor<8xf32> {
  // CHECK: sg.copy %{{.*}} {sg.offsets = array<i64: 128, -1>} : tensor<8xf32>
  %a = sg.copy %x {sg.offsets = array<i64: 128, -1>} : tensor<8xf32>
  return %a : tensor<8xf32>
}

// Activations may be narrower than parameters, statistics and losses.
// CHECK-LABEL: func @mixed
func.func @mixed(%x: tensor<8x4xbf16>, %c: tensor<4xf32>, %l: tensor<8xi32>,
                 %i: tensor<1x4x4x2xf16>, %w: tensor<3x1x1x2xf16>) {
  // CHECK: sg.matmul {{.*}} -> tensor<8x8xf32>
  %0 = sg.matmul %x, %x {transpose_b} : (tensor<8x4xbf16>, tensor<8x4xbf16>) -> tensor<8x8xf32>
  // CHECK: sg.conv2d {{.*}} -> tensor<1x4x4x3xf32>
  %1 = sg.conv2d %i, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x4x2xf16>, tensor<3x1x1x2xf16>) -> tensor<1x4x4x3xf32>
  %2 = sg.cast %1 : tensor<1x4x4x3xf32> to tensor<1x4x4x3xf16>
  // CHECK: sg.conv2d_filter_grad {{.*}} -> tensor<3x1x1x2xf32>
  %3 = sg.conv2d_filter_grad %i, %2 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x4x2xf16>, tensor<1x4x4x3xf16>) -> tensor<3x1x1x2xf32>
  // CHECK: sg.conv2d_input_grad {{.*}} -> tensor<1x4x4x2xf32>
  %4 = sg.conv2d_input_grad %2, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x4x3xf16>, tensor<3x1x1x2xf16>) -> tensor<1x4x4x2xf32>
  // CHECK: sg.batch_norm_training {{.*}} -> (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y, %m, %v, %r = sg.batch_norm_training %x, %c, %c {epsilon = 1.0e-05 : f64}
    : (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: sg.batch_norm_grad {{.*}} -> (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>)
  %dx, %dg, %db = sg.batch_norm_grad %x, %c, %m, %r, %y
    : (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8x4xbf16>) -> (tensor<8x4xbf16>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: sg.cross_entropy {{.*}} -> (tensor<8xf32>, tensor<8xf32>)
  %losses, %lse = sg.cross_entropy %y, %l : (tensor<8x4xbf16>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK: sg.cross_entropy_grad {{.*}} -> tensor<8x4xbf16>
  %5 = sg.cross_entropy_grad %y, %l, %lse, %losses : (tensor<8x4xbf16>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4xbf16>
  return
}

// CHECK-LABEL: func @transformers
func.func @transformers(%x: tensor<2x4x6xbf16>, %c: tensor<6xf32>, %t: tensor<5x6xbf16>,
                        %i: tensor<2x4xi32>, %s: tensor<i64>) {
  // CHECK: sg.layer_norm {{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<2x4x6xbf16>, tensor<6xf32>, tensor<6xf32>) -> (tensor<2x4x6xbf16>, tensor<2x4xf32>, tensor<2x4xf32>)
  %y, %m, %r = sg.layer_norm %x, %c, %c {epsilon = 1.0e-05 : f64}
    : (tensor<2x4x6xbf16>, tensor<6xf32>, tensor<6xf32>) -> (tensor<2x4x6xbf16>, tensor<2x4xf32>, tensor<2x4xf32>)
  // CHECK: sg.layer_norm_grad {{.*}} -> (tensor<2x4x6xbf16>, tensor<6xf32>, tensor<6xf32>)
  %dx, %dg, %db = sg.layer_norm_grad %x, %c, %m, %r, %y
    : (tensor<2x4x6xbf16>, tensor<6xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x6xbf16>)
    -> (tensor<2x4x6xbf16>, tensor<6xf32>, tensor<6xf32>)
  // CHECK: sg.gelu %{{.*}} : tensor<2x4x6xbf16>
  %0 = sg.gelu %x : tensor<2x4x6xbf16>
  // CHECK: sg.gelu %{{.*}} {tanh} : tensor<2x4x6xbf16>
  %1 = sg.gelu %x {tanh} : tensor<2x4x6xbf16>
  // CHECK: sg.silu %{{.*}} : tensor<2x4x6xbf16>
  %2 = sg.silu %x : tensor<2x4x6xbf16>
  // CHECK: sg.hard_sigmoid %{{.*}} : tensor<2x4x6xbf16>
  %3 = sg.hard_sigmoid %x : tensor<2x4x6xbf16>
  // CHECK: sg.hard_swish %{{.*}} : tensor<2x4x6xbf16>
  %4 = sg.hard_swish %x : tensor<2x4x6xbf16>
  // CHECK: sg.roll %{{.*}} by [0, -3, 5] : tensor<2x4x6xbf16>
  %5 = sg.roll %x by [0, -3, 5] : tensor<2x4x6xbf16>
  // CHECK: sg.gather %{{.*}}, %{{.*}} : (tensor<5x6xbf16>, tensor<2x4xi32>) -> tensor<2x4x6xbf16>
  %6 = sg.gather %t, %i : (tensor<5x6xbf16>, tensor<2x4xi32>) -> tensor<2x4x6xbf16>
  %half = sg.constant dense<1.0> : tensor<6x6xbf16>
  // CHECK: sg.matmul_bias %{{.*}}, %{{.*}}, %{{.*}} {transpose_a} : (tensor<6x6xbf16>, tensor<6x6xbf16>, tensor<6xf32>) -> tensor<6x6xf32>
  %mb = sg.matmul_bias %half, %half, %c {transpose_a}
    : (tensor<6x6xbf16>, tensor<6x6xbf16>, tensor<6xf32>) -> tensor<6x6xf32>
  %narrow = sg.constant dense<1.0> : tensor<6xbf16>
  // CHECK: sg.matmul_bias %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x6xbf16>, tensor<6x6xbf16>, tensor<6xbf16>) -> tensor<6x6xbf16>
  %nb = sg.matmul_bias %half, %half, %narrow
    : (tensor<6x6xbf16>, tensor<6x6xbf16>, tensor<6xbf16>) -> tensor<6x6xbf16>
  %qkv = sg.constant dense<1.0> : tensor<4x5x3x2x8xbf16>
  %bias = sg.constant dense<1.0> : tensor<2x2x5x5xf32>
  // CHECK: sg.attention %{{.*}} {scale = 2.500000e-01 : f64} : (tensor<4x5x3x2x8xbf16>) -> (tensor<4x5x2x8xbf16>, tensor<4x2x5xf32>)
  %ay, %al = sg.attention %qkv {scale = 0.25 : f64}
    : (tensor<4x5x3x2x8xbf16>) -> (tensor<4x5x2x8xbf16>, tensor<4x2x5xf32>)
  // CHECK: sg.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {scale = 2.500000e-01 : f64} : (tensor<4x5x3x2x8xbf16>, tensor<4x5x2x8xbf16>, tensor<4x2x5xf32>, tensor<4x5x2x8xbf16>, tensor<2x2x5x5xf32>) -> (tensor<4x5x3x2x8xbf16>, tensor<2x2x5x5xf32>)
  %ad, %ab = sg.attention_grad %qkv, %ay, %al, %ay, %bias {scale = 0.25 : f64}
    : (tensor<4x5x3x2x8xbf16>, tensor<4x5x2x8xbf16>, tensor<4x2x5xf32>,
       tensor<4x5x2x8xbf16>, tensor<2x2x5x5xf32>)
    -> (tensor<4x5x3x2x8xbf16>, tensor<2x2x5x5xf32>)
  // CHECK: sg.attention %{{.*}}, %{{.*}} dropout(%{{.*}}, %{{.*}}) {probability = 1.000000e-01 : f64, scale = 2.500000e-01 : f64, stream = 4 : i64} : (tensor<4x5x3x2x8xbf16>, tensor<2x2x5x5xf32>, tensor<i64>, tensor<i64>) ->
  %dy, %dl = sg.attention %qkv, %bias dropout(%s, %s) {probability = 0.1 : f64, scale = 0.25 : f64, stream = 4 : i64}
    : (tensor<4x5x3x2x8xbf16>, tensor<2x2x5x5xf32>, tensor<i64>, tensor<i64>)
    -> (tensor<4x5x2x8xbf16>, tensor<4x2x5xf32>)
  // CHECK: sg.attention_grad %{{[^d]*}} dropout(%{{.*}}, %{{.*}}) {probability = 1.000000e-01 : f64, scale = 2.500000e-01 : f64, stream = 4 : i64} :
  %dd = sg.attention_grad %qkv, %dy, %dl, %dy dropout(%s, %s) {probability = 0.1 : f64, scale = 0.25 : f64, stream = 4 : i64}
    : (tensor<4x5x3x2x8xbf16>, tensor<4x5x2x8xbf16>, tensor<4x2x5xf32>,
       tensor<4x5x2x8xbf16>, tensor<i64>, tensor<i64>) -> tensor<4x5x3x2x8xbf16>
  // CHECK: sg.gather_grad %{{.*}}, %{{.*}} : (tensor<2x4xi32>, tensor<2x4x6xbf16>) -> tensor<5x6xbf16>
  %7 = sg.gather_grad %i, %x : (tensor<2x4xi32>, tensor<2x4x6xbf16>) -> tensor<5x6xbf16>
  // CHECK: sg.keep %{{.*}} : tensor<2x4x6xbf16>
  // CHECK: sg.recompute %{{.*}} : tensor<2x4x6xbf16>
  %kept = sg.keep %x : tensor<2x4x6xbf16>
  %again = sg.recompute %kept : tensor<2x4x6xbf16>
  // CHECK: sg.dropout {{.*}} {per_sample, probability = 5.000000e-01 : f64, stream = 2 : i64}
  %8 = sg.dropout %x, %s, %s {per_sample, probability = 5.0e-01 : f64, stream = 2 : i64}
    : (tensor<2x4x6xbf16>, tensor<i64>, tensor<i64>) -> tensor<2x4x6xbf16>
  return
}
