// Which op computes in which type, and where casts stand.
//
// RUN: reprise-opt %s --split-input-file --sg-autocast \
// RUN:   | FileCheck %s --check-prefixes=CHECK,BF16 -DT=bf16
// RUN: reprise-opt %s --split-input-file --sg-autocast=type=f16 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,F16 -DT=f16

// A product's bias, narrow like the other operands, is added in f32 before the sum
// is rounded, once, behind a view too.

// CHECK-LABEL: func.func @bias(
// CHECK:         %[[P:.*]] = sg.matmul {{.*}} -> tensor<8x10xf32>
// CHECK-NEXT:    %[[V:.*]] = sg.reshape %[[P]] : tensor<8x10xf32> -> tensor<2x4x10xf32>
// CHECK:         %[[N:.*]] = sg.cast %{{.*}} : tensor<10xf32> to tensor<10x[[T]]>
// CHECK-NEXT:    %[[W:.*]] = sg.cast %[[N]] : tensor<10x[[T]]> to tensor<10xf32>
// CHECK-NEXT:    %[[B:.*]] = sg.broadcast %[[W]] dims [2] : tensor<10xf32> -> tensor<2x4x10xf32>
// CHECK-NEXT:    %[[S:.*]] = sg.add %[[V]], %[[B]] : tensor<2x4x10xf32>
// CHECK-NEXT:    %[[R:.*]] = sg.cast %[[S]] : tensor<2x4x10xf32> to tensor<2x4x10x[[T]]>
// CHECK-NEXT:    %[[G:.*]] = sg.gelu %[[R]] : tensor<2x4x10x[[T]]>
// CHECK-NEXT:    %[[O:.*]] = sg.cast %[[G]] : tensor<2x4x10x[[T]]> to tensor<2x4x10xf32>
// CHECK-NEXT:    return %[[O]]
func.func @bias(%x: tensor<8x4xf32>, %w: tensor<10x4xf32>,
                %b: tensor<10xf32>) -> tensor<2x4x10xf32> {
  %p = sg.matmul %x, %w {transpose_b}
    : (tensor<8x4xf32>, tensor<10x4xf32>) -> tensor<8x10xf32>
  %v = sg.reshape %p : tensor<8x10xf32> -> tensor<2x4x10xf32>
  %c = sg.broadcast %b dims [2] : tensor<10xf32> -> tensor<2x4x10xf32>
  %s = sg.add %v, %c : tensor<2x4x10xf32>
  %g = sg.gelu %s : tensor<2x4x10xf32>
  return %g : tensor<2x4x10xf32>
}

// -----

// So is that of patches, which become a product; of other convolutions a kernel
// adds it, as it is.

// CHECK-LABEL: func.func @patches(
// CHECK:         sg.conv2d {{.*}} -> tensor<2x4x4x6xf32>
// CHECK:         sg.cast %{{.*}} : tensor<6xf32> to tensor<6x[[T]]>
// CHECK:         %[[W:.*]] = sg.cast %{{.*}} : tensor<6x[[T]]> to tensor<6xf32>
// CHECK-NEXT:    sg.broadcast %[[W]] dims [3]
// CHECK-LABEL: func.func @windows(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<6xf32>
// CHECK:         sg.conv2d {{.*}} -> tensor<2x8x8x6xf32>
// CHECK-NOT:     tensor<6x[[T]]>
// CHECK:         sg.broadcast %[[B]] dims [3]
func.func @patches(%x: tensor<2x8x8x4xf32>, %w: tensor<6x2x2x4xf32>, %b: tensor<6xf32>) -> tensor<2x4x4x6xf32> {
  %p = sg.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<6x2x2x4xf32>) -> tensor<2x4x4x6xf32>
  %c = sg.broadcast %b dims [3] : tensor<6xf32> -> tensor<2x4x4x6xf32>
  %s = sg.add %p, %c : tensor<2x4x4x6xf32>
  return %s : tensor<2x4x4x6xf32>
}
func.func @windows(%b: tensor<6xf32>, %x: tensor<2x8x8x4xf32>, %w: tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32> {
  %p = sg.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
  %c = sg.broadcast %b dims [3] : tensor<6xf32> -> tensor<2x8x8x6xf32>
  %s = sg.add %p, %c : tensor<2x8x8x6xf32>
  return %s : tensor<2x8x8x6xf32>
}

// -----

// A product that something else reads too is rounded where it is made; what is
// added to it is wider, and so is the sum.

// CHECK-LABEL: func.func @read_twice(
// CHECK:         %[[P:.*]] = sg.matmul {{.*}} -> tensor<8x10x[[T]]>
// CHECK:         %[[W:.*]] = sg.cast %[[P]] : tensor<8x10x[[T]]> to tensor<8x10xf32>
// CHECK-NEXT:    sg.add %[[W]], %{{.*}} : tensor<8x10xf32>
// CHECK:         sg.relu %[[P]] : tensor<8x10x[[T]]>
func.func @read_twice(%x: tensor<8x4xf32>, %w: tensor<10x4xf32>,
    %b: tensor<10xf32>) -> (tensor<8x10xf32>, tensor<8x10xf32>) {
  %p = sg.matmul %x, %w {transpose_b}
    : (tensor<8x4xf32>, tensor<10x4xf32>) -> tensor<8x10xf32>
  %c = sg.broadcast %b dims [1] : tensor<10xf32> -> tensor<8x10xf32>
  %s = sg.add %p, %c : tensor<8x10xf32>
  %r = sg.relu %p : tensor<8x10xf32>
  return %s, %r : tensor<8x10xf32>, tensor<8x10xf32>
}

// -----

// Attention: scores are scaled by a number, which says nothing of a type;
// softmax is f32. What was cast once is cast no second time, and what was
// widened is taken from where it was narrow.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<2x4x8xf32>
// CHECK:         %[[N:.*]] = sg.cast %[[Q]] : tensor<2x4x8xf32> to tensor<2x4x8x[[T]]>
// CHECK:         %[[S:.*]] = sg.matmul %[[N]], %[[N]] {transpose_b} : (tensor<2x4x8x[[T]]>, tensor<2x4x8x[[T]]>) -> tensor<2x4x4x[[T]]>
// CHECK:         %[[C:.*]] = sg.cast %{{.*}} : tensor<2x4x4xf32> to tensor<2x4x4x[[T]]>
// CHECK-NEXT:    %[[D:.*]] = sg.mul %[[S]], %[[C]] : tensor<2x4x4x[[T]]>
// CHECK-NEXT:    %[[L:.*]] = sg.cast %[[D]] : tensor<2x4x4x[[T]]> to tensor<2x4x4xf32>
// CHECK-NEXT:    %[[P:.*]] = sg.softmax %[[L]] : tensor<2x4x4xf32>
// CHECK-NEXT:    %[[A:.*]] = sg.cast %[[P]] : tensor<2x4x4xf32> to tensor<2x4x4x[[T]]>
// CHECK-NEXT:    sg.matmul %[[A]], %[[N]] : (tensor<2x4x4x[[T]]>, tensor<2x4x8x[[T]]>)
// CHECK:         sg.matmul %[[D]], %[[N]]
func.func @attention(%q: tensor<2x4x8xf32>)
    -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %s = sg.matmul %q, %q {transpose_b}
    : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  %half = sg.constant dense<0.5> : tensor<2x4x4xf32>
  %d = sg.mul %s, %half : tensor<2x4x4xf32>
  %p = sg.softmax %d : tensor<2x4x4xf32>
  %o = sg.matmul %p, %q
    : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %r = sg.matmul %d, %q
    : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o, %r : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// -----

// Blocks take and give narrow values. Normalizing narrow activations reads f32
// statistics; a write has the variable's type.

sg.variable @w : tensor<6x3x3x4xf32> {role = #sg.role<parameter>, init = #sg.init<kaiming_normal>}
sg.variable @g : tensor<6xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @m : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<zeros>}
sg.variable @v : tensor<6xf32> {role = #sg.role<running_statistics>, init = #sg.init<ones>}
sg.variable @last : tensor<2x6x6x6xf32> {role = #sg.role<counter>, init = #sg.init<zeros>}

// CHECK-LABEL: func.func @blocks(
// CHECK:         %[[A:.*]] = sg.module "a" {{.*}} -> tensor<2x6x6x6x[[T]]> {
// CHECK:           sg.conv2d {{.*}} -> tensor<2x6x6x6x[[T]]>
// CHECK:         sg.module "b" (%{{.*}} = %[[A]] : tensor<2x6x6x6x[[T]]>) -> tensor<2x6x6x6x[[T]]> {
// CHECK:           sg.batch_norm {{.*}} running_variance = @v} : (tensor<2x6x6x6x[[T]]>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x6x6x[[T]]>
// CHECK:         %[[W:.*]] = sg.cast %{{.*}} to tensor<2x6x6x6xf32>
// CHECK-NEXT:    sg.write @last, %[[W]] : tensor<2x6x6x6xf32>
// CHECK:         sg.global_avg_pool {{.*}} -> tensor<2x6xf32>
func.func @blocks(%x: tensor<2x8x8x4xf32>) -> tensor<2x6xf32> {
  %a = sg.module "a" (%y = %x : tensor<2x8x8x4xf32>) -> tensor<2x6x6x6xf32> {
    %w = sg.read @w : tensor<6x3x3x4xf32>
    %c = sg.conv2d %y, %w {strides = array<i64: 1, 1>,
        padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
        groups = 1 : i64}
      : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x6x6x6xf32>
    sg.yield %c : tensor<2x6x6x6xf32>
  }
  %b = sg.module "b" (%y = %a : tensor<2x6x6x6xf32>) -> tensor<2x6x6x6xf32> {
    %g = sg.read @g : tensor<6xf32>
    %n = sg.batch_norm %y, %g, %g
        {epsilon = 1.0e-05 : f64, momentum = 1.0e-01 : f64,
         running_mean = @m, running_variance = @v, spares_x}
      : (tensor<2x6x6x6xf32>, tensor<6xf32>, tensor<6xf32>)
      -> tensor<2x6x6x6xf32>
    sg.yield %n : tensor<2x6x6x6xf32>
  }
  sg.write @last, %b : tensor<2x6x6x6xf32>
  %p = sg.global_avg_pool %b : (tensor<2x6x6x6xf32>) -> tensor<2x6xf32>
  return %p : tensor<2x6xf32>
}

// -----

// f64 and the other narrow type stay what they are.

// CHECK-LABEL: func.func @others(
// CHECK:         sg.matmul {{.*}} -> tensor<4x4xf64>
// BF16:          sg.matmul {{.*}} -> tensor<4x4xf16>
// F16:           sg.matmul {{.*}} -> tensor<4x4xbf16>
func.func @others(%x: tensor<4x4xf64>, %y: tensor<4x4xbf16>,
    %z: tensor<4x4xf16>)
    -> (tensor<4x4xf64>, tensor<4x4xbf16>, tensor<4x4xf16>) {
  %a = sg.matmul %x, %x : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %c = sg.matmul %z, %z : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %b = sg.matmul %y, %y
    : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %a, %b, %c : tensor<4x4xf64>, tensor<4x4xbf16>, tensor<4x4xf16>
}

// A model that is narrow already has the results that it had.
// BF16-LABEL: func.func @narrow_already(
// BF16-SAME:    -> tensor<8x8xbf16>
// BF16:         %[[S:.*]] = sg.add {{.*}} : tensor<8x8xf32>
// BF16-NEXT:    %[[R:.*]] = sg.cast %[[S]] : tensor<8x8xf32> to tensor<8x8xbf16>
// BF16-NEXT:    return %[[R]]
func.func @narrow_already(%x: tensor<8x8xbf16>, %b: tensor<8xbf16>) -> tensor<8x8xbf16> {
  %p = sg.matmul %x, %x : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %r = sg.broadcast %b dims [1] : tensor<8xbf16> -> tensor<8x8xbf16>
  %y = sg.add %p, %r : tensor<8x8xbf16>
  return %y : tensor<8x8xbf16>
}

// Biases and statistics of an attention stay f32.
// CHECK-LABEL: func.func @attention(
// CHECK:         %[[H:.*]] = sg.cast %{{.*}} : tensor<2x5x3x2x4xf32> to tensor<2x5x3x2x4x[[T]]>
// CHECK:         sg.attention %[[H]], %{{.*}} {scale = 5.000000e-01 : f64} : (tensor<2x5x3x2x4x[[T]]>, tensor<1x2x5x5xf32>) -> (tensor<2x5x2x4x[[T]]>, tensor<2x2x5xf32>)
func.func @attention(%x: tensor<2x5x3x2x4xf32>, %b: tensor<1x2x5x5xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x5xf32>) {
  %y, %l = sg.attention %x, %b {scale = 0.5 : f64}
    : (tensor<2x5x3x2x4xf32>, tensor<1x2x5x5xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x2x5xf32>)
  return %y, %l : tensor<2x5x2x4xf32>, tensor<2x2x5xf32>
}
