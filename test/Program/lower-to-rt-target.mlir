// What a program is for, and what is no target.
// RUN: reprise-opt %s --sg-lower-to-rt="target=cpu:x86-64-v3" | FileCheck %s
// RUN: reprise-opt %s --sg-lower-to-rt="target=cpu:x86-64-v3,-avx2,+gfni" | FileCheck %s --check-prefix=CHANGED
// RUN: reprise-opt %s --sg-lower-to-rt="target=cpu:x86-64" | FileCheck %s --check-prefix=BASE
// RUN: not reprise-opt %s --sg-lower-to-rt="target=x86-64-v3" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not reprise-opt %s --sg-rematerialize="knee target=cpu:none" 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: rt.program
// CHECK-SAME: library = ""
// CHECK-SAME: target = #rt.target<"cpu", "avx,avx2,bmi,bmi2,cx16,f16c,fma,lzcnt,movbe,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3">
// CHANGED: target = #rt.target<"cpu", "avx,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3">
// BASE: target = #rt.target<"cpu", "">
// WRONG: error: 'x86-64-v3' is not a target: there is no device 'x86-64-v3' (a target begins with a device and a colon; devices are cpu, cuda)
// NONE: error: 'cpu:none' is not a target: no processor is named 'none' (processors are native,

func.func @eval_step(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
