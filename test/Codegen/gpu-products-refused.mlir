// Kernels around a product that blocks of a GPU do not run.
//
// RUN: split-file %s %t
// RUN: not kernels-to-gpu %t/wide.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not kernels-to-gpu %t/few.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not kernels-to-gpu %t/right.mlir 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not kernels-to-gpu %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not kernels-to-gpu %t/unsummed.mlir 2>&1 | FileCheck %s --check-prefix=UNSUMMED
// RUN: not kernels-to-gpu %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not kernels-to-gpu %t/made.mlir 2>&1 | FileCheck %s --check-prefix=MADE
// RUN: not kernels-to-gpu %t/shape.mlir 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not kernels-to-gpu %t/room.mlir 2>&1 | FileCheck %s --check-prefix=ROOM
// WIDE: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: its numbers are neither bf16 nor f16
// FEW: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: tiles of 128 rows, 128 or 64 columns and 32 neighbours are no part of it
// RIGHT: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: its right operand is not an argument of the kernel
// TWO: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: there is a second one
// UNSUMMED: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: nothing sums columns of its result
// ROWS: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: its result is not read element by element and by sums of columns
// MADE: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: its left operand is not made element by element
// SHAPE: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: what reads its result makes something of another shape
// ROOM: error: 'sg.conv2d' op runs by no block of a GPU in this kernel: its sums do not fit together with a tile of it

//--- wide.mlir
func.func @made(%x0: tensor<2x8x8x64xf32>, %x1: tensor<64x1x1x64xf32>) -> (tensor<2x8x8x64xf32>) {
  %k = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xf32>, %a1 = %x1 : tensor<64x1x1x64xf32>) -> (tensor<2x8x8x64xf32>) {
    %p = sg.conv2d %a0, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xf32>, tensor<64x1x1x64xf32>) -> tensor<2x8x8x64xf32>
    sg.yield %p : tensor<2x8x8x64xf32>
  }
  return %k : tensor<2x8x8x64xf32>
}

//--- few.mlir
func.func @made(%x0: tensor<2x8x8x24xbf16>, %x1: tensor<64x1x1x24xbf16>) -> (tensor<2x8x8x64xbf16>) {
  %k = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x24xbf16>, %a1 = %x1 : tensor<64x1x1x24xbf16>) -> (tensor<2x8x8x64xbf16>) {
    %p = sg.conv2d %a0, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x24xbf16>, tensor<64x1x1x24xbf16>) -> tensor<2x8x8x64xbf16>
    sg.yield %p : tensor<2x8x8x64xbf16>
  }
  return %k : tensor<2x8x8x64xbf16>
}

//--- right.mlir
func.func @made(%x0: tensor<2x8x8x64xbf16>, %x1: tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
  %k = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xbf16>, %a1 = %x1 : tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
    %m = sg.neg %a1 : tensor<64x1x1x64xbf16>
    %p = sg.conv2d %a0, %m {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x8x8x64xbf16>
    sg.yield %p : tensor<2x8x8x64xbf16>
  }
  return %k : tensor<2x8x8x64xbf16>
}

//--- two.mlir
func.func @made(%x0: tensor<2x8x8x64xbf16>, %x1: tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
  %k = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xbf16>, %a1 = %x1 : tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
    %p = sg.conv2d %a0, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x8x8x64xbf16>
    %q = sg.conv2d %p, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x8x8x64xbf16>
    sg.yield %q : tensor<2x8x8x64xbf16>
  }
  return %k : tensor<2x8x8x64xbf16>
}

//--- unsummed.mlir
func.func @made(%x0: tensor<2x8x8x64xbf16>, %x1: tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
  %k = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xbf16>, %a1 = %x1 : tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
    %p = sg.conv2d %a0, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x8x8x64xbf16>
    %r = sg.relu %p : tensor<2x8x8x64xbf16>
    sg.yield %r : tensor<2x8x8x64xbf16>
  }
  return %k : tensor<2x8x8x64xbf16>
}

//--- rows.mlir
func.func @made(%x0: tensor<2x8x8x64xbf16>, %x1: tensor<64x1x1x64xbf16>) -> (tensor<2x8x8xbf16>) {
  %k = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xbf16>, %a1 = %x1 : tensor<64x1x1x64xbf16>) -> (tensor<2x8x8xbf16>) {
    %p = sg.conv2d %a0, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x8x8x64xbf16>
    %s = sg.reduce_sum %p dims [3] : tensor<2x8x8x64xbf16> -> tensor<2x8x8xbf16>
    sg.yield %s : tensor<2x8x8xbf16>
  }
  return %k : tensor<2x8x8xbf16>
}

//--- made.mlir
func.func @made(%x0: tensor<2x8x8x64xbf16>, %x1: tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
  %k = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xbf16>, %a1 = %x1 : tensor<64x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>) {
    %m = sg.roll %a0 by [0, 0, 1, 0] : tensor<2x8x8x64xbf16>
    %p = sg.conv2d %m, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>) -> tensor<2x8x8x64xbf16>
    sg.yield %p : tensor<2x8x8x64xbf16>
  }
  return %k : tensor<2x8x8x64xbf16>
}

//--- shape.mlir
func.func @made(%x0: tensor<2x8x8x64xbf16>, %x1: tensor<128x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>, tensor<128xbf16>) {
  %k:2 = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xbf16>, %a1 = %x1 : tensor<128x1x1x64xbf16>) -> (tensor<2x8x8x64xbf16>, tensor<128xbf16>) {
    %g = sg.relu %a0 : tensor<2x8x8x64xbf16>
    %h = sg.neg %a0 : tensor<2x8x8x64xbf16>
    %p = sg.conv2d %g, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<128x1x1x64xbf16>) -> tensor<2x8x8x128xbf16>
    %s = sg.reduce_sum %p dims [0, 1, 2] : tensor<2x8x8x128xbf16> -> tensor<128xbf16>
    sg.yield %h, %s : tensor<2x8x8x64xbf16>, tensor<128xbf16>
  }
  return %k#0, %k#1 : tensor<2x8x8x64xbf16>, tensor<128xbf16>
}

//--- room.mlir
func.func @made(%x0: tensor<2x8x8x64xbf16>, %x1: tensor<128x1x1x64xbf16>) -> (tensor<128xf64>, tensor<128xf64>, tensor<128xf64>) {
  %k:3 = sg.kernel "k" (%a0 = %x0 : tensor<2x8x8x64xbf16>, %a1 = %x1 : tensor<128x1x1x64xbf16>) -> (tensor<128xf64>, tensor<128xf64>, tensor<128xf64>) {
    %p = sg.conv2d %a0, %a1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x8x64xbf16>, tensor<128x1x1x64xbf16>) -> tensor<2x8x8x128xbf16>
    %w0 = sg.cast %p : tensor<2x8x8x128xbf16> to tensor<2x8x8x128xf64>
    %m0 = sg.mul %w0, %w0 : tensor<2x8x8x128xf64>
    %s0 = sg.reduce_sum %m0 dims [0, 1, 2] : tensor<2x8x8x128xf64> -> tensor<128xf64>
    %w1 = sg.cast %p : tensor<2x8x8x128xbf16> to tensor<2x8x8x128xf64>
    %m1 = sg.mul %w1, %w1 : tensor<2x8x8x128xf64>
    %s1 = sg.reduce_sum %m1 dims [0, 1, 2] : tensor<2x8x8x128xf64> -> tensor<128xf64>
    %w2 = sg.cast %p : tensor<2x8x8x128xbf16> to tensor<2x8x8x128xf64>
    %m2 = sg.mul %w2, %w2 : tensor<2x8x8x128xf64>
    %s2 = sg.reduce_sum %m2 dims [0, 1, 2] : tensor<2x8x8x128xf64> -> tensor<128xf64>
    sg.yield %s0, %s1, %s2 : tensor<128xf64>, tensor<128xf64>, tensor<128xf64>
  }
  return %k#0, %k#1, %k#2 : tensor<128xf64>, tensor<128xf64>, tensor<128xf64>
}
