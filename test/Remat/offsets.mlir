// What the plan says of addresses is what the program holds.
//
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=70000" -o %t.step
// RUN: reprise-opt %t.step --sg-lower-to-rt -o %t.program
// RUN: cat %t.step %t.program | FileCheck %s
//
// A function that was changed since has no plan.
//
// RUN: sed '/"both"/s/sg.offsets = array<i64: [0-9]*/sg.offsets = array<i64: 1024/' %t.step > %t.moved
// RUN: not reprise-opt %t.moved --sg-lower-to-rt 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: sed '/"both"/s/sg.offsets = array<i64: [0-9]*/sg.offsets = array<i64: 1027/' %t.step > %t.odd
// RUN: not reprise-opt %t.odd --sg-lower-to-rt 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: sed '/"both"/s/ attributes {sg.offsets[^}]*}//' %t.step > %t.none
// RUN: not reprise-opt %t.none --sg-lower-to-rt 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: sed 's/, sg.offset = [0-9]* : i64//' %t.step > %t.argument
// RUN: not reprise-opt %t.argument --sg-lower-to-rt 2>&1 | FileCheck %s --check-prefix=ARGUMENT

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    sg.offset = [[#X:]] : i64
// CHECK:         sg.kernel "grow"
// CHECK-SAME:      sg.offsets = array<i64: [[#A:]], -1>
// CHECK:         sg.kernel "sum"
// CHECK-SAME:      sg.offsets = array<i64: [[#S:]], -1>
// CHECK:         sg.kernel "both"
// CHECK-SAME:      sg.offsets = array<i64: [[#E:]], -1>
// CHECK:         rt.entry @step
// CHECK-DAG:     rt.buffer {{[0-9]+}} "x" input at [[#X]] size 1024
// CHECK-DAG:     rt.buffer {{[0-9]+}} "grow" activation at [[#A]] size 65536
// CHECK-DAG:     rt.buffer {{[0-9]+}} "sum" activation at [[#S]] size 1024
// CHECK-DAG:     rt.buffer {{[0-9]+}} "both" output at [[#E]] size 1024

// MOVED: error: the plan is wrong: {{.*}}
// ODD: error: does not say where 'both' lies, in bytes that are a multiple of 64; was it changed after sg-rematerialize?
// ARGUMENT: error: does not say where 'x' lies

func.func @step(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<256xf32> {sg.name = "y"}) {
  %a = sg.kernel "grow" (%v = %x : tensor<256xf32>) -> tensor<64x256xf32> {
    %r = sg.broadcast %v dims [1] : tensor<256xf32> -> tensor<64x256xf32>
    sg.yield %r : tensor<64x256xf32>
  }
  %b = sg.kernel "sum" (%v = %a : tensor<64x256xf32>) -> tensor<256xf32> {
    %r = sg.reduce_sum %v dims [0] : tensor<64x256xf32> -> tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  %c = sg.kernel "widen" (%v = %b : tensor<256xf32>) -> tensor<64x256xf32> {
    %r = sg.broadcast %v dims [1] : tensor<256xf32> -> tensor<64x256xf32>
    sg.yield %r : tensor<64x256xf32>
  }
  %d = sg.kernel "narrow" (%v = %c : tensor<64x256xf32>) -> tensor<256xf32> {
    %r = sg.reduce_sum %v dims [0] : tensor<64x256xf32> -> tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  %e = sg.kernel "both" (%v = %a : tensor<64x256xf32>, %w = %d : tensor<256xf32>) -> tensor<256xf32> {
    %s = sg.broadcast %w dims [1] : tensor<256xf32> -> tensor<64x256xf32>
    %t = sg.add %v, %s : tensor<64x256xf32>
    %r = sg.reduce_sum %t dims [0] : tensor<64x256xf32> -> tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  return %e : tensor<256xf32>
}
