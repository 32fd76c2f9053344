// A value that waits is copied to host memory, where the link takes less time
// than recomputing it: no op runs again, and nothing waits.
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=70000 gflops=10 gbytes-per-second=1 host-bytes=65536 host-gbytes-per-second=10" -o %t.step
// RUN: FileCheck %s --input-file=%t.step
// RUN: reprise-opt %t.step --pass-pipeline='builtin.module(sg-lower-to-rt,rt.program(rt-verify-program,rt-verify-effects))' -o %t.program
// RUN: FileCheck %s --check-prefix=PROGRAM --input-file=%t.program
//
// It is recomputed if the host has too little memory or the link is slow.
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=70000 gflops=10 gbytes-per-second=1 host-bytes=65535 host-gbytes-per-second=10" | FileCheck %s --check-prefix=AGAIN
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=70000 gflops=10 gbytes-per-second=1 host-bytes=65536 host-gbytes-per-second=0.1" | FileCheck %s --check-prefix=AGAIN
//
// Remarks say which values are copied.
// RUN: reprise-opt %s --mlir-disable-threading --remark-format=emitRemark --remarks-filter=sg-rematerialize -o /dev/null --sg-rematerialize="budget-bytes=70000 gflops=10 gbytes-per-second=1 host-bytes=65536 host-gbytes-per-second=10" 2>&1 | FileCheck %s --check-prefix=REMARKS
// REMARKS: remark: [Passed] offloaded | Category:sg-rematerialize | Function=step | Remark="{{.*}}: host memory holds it until it is read again", bytes=65536
// REMARKS-NOT: recomputed

// RUN: not reprise-opt %s --sg-rematerialize="budget-bytes=70000 host-bytes=65536" 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: host-bytes needs host-gbytes-per-second, above 0

// CHECK-LABEL: func.func @step
// CHECK:         %[[A:.*]] = sg.kernel "grow"
// CHECK:         %[[B:.*]] = sg.kernel "sum" (%{{.*}} = %[[A]]
// CHECK:         %[[H:.*]] = sg.offload %[[A]] {sg.offsets = array<i64: -1, -1>,
// CHECK-SAME:      sg.picoseconds = 0
// CHECK:         %[[C:.*]] = sg.kernel "grow"
// CHECK:         %[[D:.*]] = sg.kernel "sum" (%{{.*}} = %[[C]]
// CHECK-NOT:     sg.kernel
// CHECK:         %[[F:.*]] = sg.fetch %[[H]] {{.*}}sg.origin = #sg.origin<"", recompute>
// CHECK:         sg.kernel "both" (%{{.*}} = %[[F]]

// PROGRAM:       certificate = #rt.certificate<budget 70000, plan <[[#]] bytes, [[#PS:]] ps>, plain <[[#]] bytes, [[#PLAIN:]] ps>
// PROGRAM:       rt.buffer {{.*}} recomputed {{.*}} because fetched
// PROGRAM:       rt.offload <[[#]] + 0 : tensor<64x256xf32>> to host 0
// PROGRAM-SAME:    <"offload" in "" forward, flops 0, bytes 65536
// PROGRAM:       rt.fetch host 0 to <[[#]] + 0 : tensor<64x256xf32>>
// PROGRAM-SAME:    <"fetch" in "" recompute, flops 0, bytes 65536

// AGAIN-LABEL: func.func @step
// AGAIN-NOT:     sg.offload
// AGAIN:         sg.barrier
// AGAIN-NOT:     sg.fetch

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
  %c = sg.kernel "grow" (%v = %b : tensor<256xf32>) -> tensor<64x256xf32> {
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
