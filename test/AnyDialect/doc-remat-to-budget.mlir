// RUN: reprise-opt %s --allow-unregistered-dialect --remat-to-budget="budget-bytes=70000" | FileCheck %s
// RUN: reprise-opt %s --allow-unregistered-dialect --remat-to-budget="budget-percent=100" \
// RUN:   | FileCheck %s --check-prefix=PLENTY
// RUN: reprise-opt %s --allow-unregistered-dialect --remat-to-budget="knee" \
// RUN:   | FileCheck %s --check-prefix=PLENTY
// RUN: reprise-opt %s --allow-unregistered-dialect --remat-to-budget="budget-bytes=70000 function=step" \
// RUN:   --mlir-disable-threading --remarks-filter=remat-to-budget \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @step
// CHECK:         %[[A:.*]] = "foreign.grow"(%arg0) {remat.pure}
// CHECK:         %[[B:.*]] = "foreign.sum"(%[[A]])
// CHECK:         %[[C:.*]] = "foreign.grow"(%[[B]])
// CHECK:         %[[D:.*]] = "foreign.sum"(%[[C]])
// CHECK:         %[[X:.*]] = remat.barrier %arg0 after %[[D]] : tensor<256xf32>, tensor<256xf32>
// CHECK:         %[[A1:.*]] = "foreign.grow"(%[[X]]) {remat.pure, remat.recomputed = 1 : i64}
// CHECK:         %[[E:.*]] = "foreign.both"(%[[A1]], %[[D]])
// CHECK:         return %[[E]]

// PLENTY-LABEL: func.func @step
// PLENTY-NOT:     remat.recomputed
// PLENTY:         return

// REMARK:      [Passed] planned | Category:remat-to-budget | Function=step
// REMARK-SAME: argument_bytes=1024, budget_bytes=70000, live_bytes=67584, live_bytes_plain=132096
// REMARK-SAME: recomputed=1
// REMARK:      [Passed] recomputed | Category:remat-to-budget | Function=step
// REMARK-SAME: foreign.grow: its bytes are worth more than its time
// REMARK-SAME: bytes=65536, executions=2

func.func @step(%x: tensor<256xf32>) -> tensor<256xf32> {
  %a = "foreign.grow"(%x) {remat.pure}
    : (tensor<256xf32>) -> tensor<64x256xf32>
  %b = "foreign.sum"(%a) {remat.pure}
    : (tensor<64x256xf32>) -> tensor<256xf32>
  %c = "foreign.grow"(%b) {remat.pure}
    : (tensor<256xf32>) -> tensor<64x256xf32>
  %d = "foreign.sum"(%c) {remat.pure}
    : (tensor<64x256xf32>) -> tensor<256xf32>
  %e = "foreign.both"(%a, %d) {remat.pure}
    : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<256xf32>
  return %e : tensor<256xf32>
}
