// RUN: reprise-opt %s -split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(sg-rematerialize{budget-bytes=60000})"
// RUN: not reprise-opt %S/doc-sg-rematerialize.mlir --sg-rematerialize="knee budget-bytes=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: not reprise-opt %S/doc-sg-rematerialize.mlir --sg-rematerialize 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: not reprise-opt %S/doc-sg-rematerialize.mlir --sg-rematerialize="budget-percent=nan" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAN
// RUN: not reprise-opt %S/doc-sg-rematerialize.mlir --sg-rematerialize="knee keep=layer9*" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEEP
// RUN: not reprise-opt %S/doc-sg-rematerialize.mlir --sg-rematerialize="budget-bytes=70000 keep=*sg-rematerialize.mlir*" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEPT
// RUN: not reprise-opt %S/doc-sg-rematerialize.mlir --sg-rematerialize="knee keep=[" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GLOB
// RUN: not reprise-opt %S/doc-sg-rematerialize.mlir --sg-rematerialize="knee function=other" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER

// BOTH: needs one of budget-bytes, budget-percent and knee
// NAN: budget-percent is {{.*}}nan
// KEEP: 'layer9*' matches no module and no source location of the model
// KEPT: budget of 68.4 KiB (70000 bytes) cannot be met
// GLOB: '[' is not a pattern
// OTHER: has no function 'other' to rematerialize

sg.variable @w : tensor<256xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
// expected-note@+2 {{1.0 KiB (1024 bytes) 'x', which it reads}}
// expected-error@below {{budget of 58.6 KiB (60000 bytes) cannot be met; the smallest found is 66.0 KiB (67584 bytes)}}
func.func @step(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<256xf32> {sg.name = "y"}) {
  // expected-note@below {{no schedule of these kernels exists below 65.9 KiB (67521 bytes), because while 'grow' runs these are live at once, in addition to 1.0 KiB (1024 bytes) of variables and constants}}
  // expected-note@below {{64.0 KiB (65536 bytes) 'grow', which it makes}}
  %a = sg.kernel "grow" (%v = %x : tensor<256xf32>) -> tensor<64x256xf32> {
    %r = sg.broadcast %v dims [1]
      : tensor<256xf32> -> tensor<64x256xf32>
    sg.yield %r : tensor<64x256xf32>
  }
  %b = sg.kernel "sum" (%v = %a : tensor<64x256xf32>) -> tensor<256xf32> {
    %r = sg.reduce_sum %v dims [0]
      : tensor<64x256xf32> -> tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  return %b : tensor<256xf32>
}

// -----

// The step is small, but another entry of its program is not.
sg.variable @w : tensor<256xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @step(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<256xf32> {sg.name = "y"}) {
  %b = sg.kernel "negate" (%v = %x : tensor<256xf32>) -> tensor<256xf32> {
    %r = sg.neg %v : tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  return %b : tensor<256xf32>
}
// expected-note@+2 {{1.0 KiB (1024 bytes) 'x', which it reads}}
// expected-error@below {{budget of 58.6 KiB (60000 bytes) cannot be met; the smallest found is 66.0 KiB (67584 bytes)}}
func.func @evaluation(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<256xf32> {sg.name = "y"}) {
  // expected-note@below {{no schedule of these kernels exists below 65.9 KiB (67521 bytes), because while 'grow of evaluation' runs these are live at once, in addition to 1.0 KiB (1024 bytes) of variables and constants}}
  // expected-note@below {{64.0 KiB (65536 bytes) 'grow', which it makes}}
  %a = sg.kernel "grow" (%v = %x : tensor<256xf32>) -> tensor<64x256xf32> {
    %r = sg.broadcast %v dims [1]
      : tensor<256xf32> -> tensor<64x256xf32>
    sg.yield %r : tensor<64x256xf32>
  }
  %b = sg.kernel "sum" (%v = %a : tensor<64x256xf32>) -> tensor<256xf32> {
    %r = sg.reduce_sum %v dims [0]
      : tensor<64x256xf32> -> tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  return %b : tensor<256xf32>
}

// -----

// expected-error@below {{has attribute 'sg.other', which is none of those known: a unit 'sg.scheduled' on functions, a string 'sg.path' that is not empty, a #sg.origin 'sg.origin', an array 'sg.offsets' of an i64 for each result and the workspace, an i64 'sg.picoseconds' from 0 on, a unit 'sg.keep'}}
func.func @unknown() attributes {sg.other} {
  return
}

// -----

// expected-error@+1 {{returns result 0 in host memory; fetch it to return it}}
func.func @stays_there(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<256xf32, #sg.host> {sg.name = "y"}) {
  %h = sg.offload %x : tensor<256xf32>
  return %h : tensor<256xf32, #sg.host>
}
