// A step that keeps a budget says so, by the costs that it was planned with: these
// are the function's, whatever the lowering is told.
// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-rematerialize{budget-bytes=70000 gflops=10 gbytes-per-second=1},sg-lower-to-rt{gflops=99},rt.program(rt-verify-program))' | FileCheck %s
// A function that is not scheduled is priced where it is lowered.
// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-lower-to-rt{gbytes-per-second=1},rt.program(rt-verify-program))' | FileCheck %s --check-prefix=PLAIN
// RUN: not reprise-opt %s --sg-lower-to-rt=gflops=0 2>&1 | FileCheck %s --check-prefix=RATE
// RATE: gflops and gbytes-per-second must be above 0 and at most 1e9, not 0

// CHECK: rt.entry @step
// CHECK-SAME: kept [[#]] after [[#]]
// CHECK-SAME: certificate = #rt.certificate<budget 70000, plan <[[#]] bytes, [[#]] ps>
// CHECK-SAME: plain <[[#]] bytes, [[#]] ps>, smallest <[[#]] bytes, [[#]] ps>
// CHECK-SAME: bound [[#]], price [[#]], proven [[#]] at "{{.+}}"
// CHECK: rt.buffer {{.*}} "x" input {{.*}} because input
// CHECK: rt.buffer {{.*}} "grow" activation {{.*}} because passing
// CHECK: rt.buffer {{.*}} "grow#2" recomputed {{.*}} because again
// 1024 bytes are read, 65536 written, at one a nanosecond.
// CHECK: rt.launch @{{.*}}grow {{.*}} forward, {{.*}} takes 66560000>
// CHECK: rt.launch @{{.*}}grow {{.*}} recompute, {{.*}} takes 66560000, again 0>

// PLAIN: rt.entry @step
// PLAIN-NOT: certificate
// PLAIN: rt.launch @{{.*}}grow {{.*}} forward, {{.*}} takes 66560000>
// PLAIN-NOT: again

func.func @step(%x: tensor<256xf32> {sg.name = "x"})
    -> (tensor<256xf32> {sg.name = "y"}) {
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
  %c = sg.kernel "widen" (%v = %b : tensor<256xf32>) -> tensor<64x256xf32> {
    %r = sg.broadcast %v dims [1]
      : tensor<256xf32> -> tensor<64x256xf32>
    sg.yield %r : tensor<64x256xf32>
  }
  %d = sg.kernel "sum" (%v = %c : tensor<64x256xf32>) -> tensor<256xf32> {
    %r = sg.reduce_sum %v dims [0]
      : tensor<64x256xf32> -> tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  %e = sg.kernel "both" (%v = %a : tensor<64x256xf32>,
                         %w = %d : tensor<256xf32>) -> tensor<256xf32> {
    %s = sg.broadcast %w dims [1]
      : tensor<256xf32> -> tensor<64x256xf32>
    %t = sg.add %v, %s : tensor<64x256xf32>
    %r = sg.reduce_sum %t dims [0]
      : tensor<64x256xf32> -> tensor<256xf32>
    sg.yield %r : tensor<256xf32>
  }
  return %e : tensor<256xf32>
}
