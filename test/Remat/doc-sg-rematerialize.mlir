// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=70000" | FileCheck %s
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=200000" \
// RUN:   | FileCheck %s --check-prefix=PLENTY
// RUN: reprise-opt %s --sg-rematerialize="knee" \
// RUN:   | FileCheck %s --check-prefix=PLENTY
// RUN: reprise-opt %s --sg-rematerialize="budget-percent=100" \
// RUN:   | FileCheck %s --check-prefix=PLENTY
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=70000" \
// RUN:   --mlir-disable-threading --remarks-filter=sg-rematerialize \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: reprise-opt %s --sg-rematerialize="budget-bytes=70000" --cse \
// RUN:   --sg-lower-to-rt | FileCheck %s --check-prefix=PROGRAM

// The example as it stands on the page, whose two wide kernels have one name.
//
// RUN: sed -e '1,/^### `-sg-rematerialize`/d' %source/docs/passes/remat.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: reprise-opt %t.mlir --sg-rematerialize="budget-bytes=70000" | FileCheck %s --check-prefix=PAGE

// PAGE-LABEL: func.func @step
// PAGE:       sg.kernel "sum"
// PAGE:       %[[D:.*]] = sg.kernel "sum"
// PAGE:       %[[X:.*]] = sg.barrier(%arg0) after(%[[D]])
// PAGE:       %[[A1:.*]] = sg.kernel "grow" (%{{.*}} = %[[X]]
// PAGE:       sg.kernel "both" (%{{.*}} = %[[A1]] : tensor<64x256xf32>, %{{.*}} = %[[D]]

// The first sum frees 64 KiB that are needed again at the end, and 64 KiB are
// needed in between: with 70000 bytes they are computed again.

// CHECK-LABEL: func.func @step
// CHECK-SAME:    attributes {rt.certificate = #rt.certificate<budget 70000,
// CHECK-SAME:      sg.scheduled}
// CHECK:         %[[A:.*]] = sg.kernel "grow"
// CHECK:         %[[B:.*]] = sg.kernel "sum" (%{{.*}} = %[[A]]
// CHECK:         %[[C:.*]] = sg.kernel "widen" (%{{.*}} = %[[B]]
// CHECK:         %[[D:.*]] = sg.kernel "sum" (%{{.*}} = %[[C]]
// CHECK:         %[[X:.*]] = sg.barrier(%arg0) after(%[[D]])
// CHECK:         %[[A1:.*]] = sg.kernel "grow" (%{{.*}} = %[[X]]
// CHECK:         %[[E:.*]] = sg.kernel "both" (%{{.*}} = %[[A1]]
// CHECK-SAME:      %{{.*}} = %[[D]]
// CHECK:         return %[[E]]

// PLENTY-LABEL: func.func @step
// PLENTY-COUNT-1: sg.kernel "grow"
// PLENTY-NOT:     sg.kernel "grow"
// PLENTY:         return

// REMARK: remark: [Passed] recomputed | Category:sg-rematerialize
// REMARK-SAME: Function=step
// REMARK-SAME: grow: its bytes are worth more than its time
// REMARK-SAME: bytes=65536
// REMARK-SAME: executions=2

// The clone survives common-subexpression elimination, and the order stays.
// PROGRAM: rt.entry @step
// PROGRAM: rt.launch @{{.*}}grow
// PROGRAM: rt.launch @{{.*}}sum
// PROGRAM: rt.launch @{{.*}}widen
// PROGRAM: rt.launch @{{.*}}sum
// PROGRAM: rt.launch @{{.*}}grow
// PROGRAM-SAME: recompute
// PROGRAM: rt.launch @{{.*}}both

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
