// A view that is fixed runs once: what it views is not made again for it, and a
// budget that would need this is refused.
//
// RUN: reprise-opt %s --allow-unregistered-dialect --remat-to-budget="budget-bytes=133000" | FileCheck %s
// RUN: not reprise-opt %s --allow-unregistered-dialect --remat-to-budget="budget-bytes=70000" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED

// CHECK-LABEL: func.func @step
// CHECK:         "foreign.view"
// CHECK-NOT:     "foreign.view"
// CHECK:         return
// REFUSED: error: budget of 68.4 KiB (70000 bytes) cannot be met; the smallest found is 129.0 KiB (132096 bytes)
// REFUSED: note: 64.0 KiB (65536 bytes) 'foreign.grow', which is read later
func.func @step(%x: tensor<256xf32>) -> tensor<256xf32> {
  %a = "foreign.grow"(%x) {remat.pure}
    : (tensor<256xf32>) -> tensor<64x256xf32>
  %v = "foreign.view"(%a) {remat.pure, remat.fixed, remat.view = 0 : i64}
    : (tensor<64x256xf32>) -> tensor<16384xf32>
  %b = "foreign.sum"(%v) {remat.pure}
    : (tensor<16384xf32>) -> tensor<256xf32>
  %c = "foreign.grow"(%b) {remat.pure}
    : (tensor<256xf32>) -> tensor<64x256xf32>
  %d = "foreign.sum"(%c) {remat.pure}
    : (tensor<64x256xf32>) -> tensor<256xf32>
  %e = "foreign.both"(%v, %d) {remat.pure}
    : (tensor<16384xf32>, tensor<256xf32>) -> tensor<256xf32>
  return %e : tensor<256xf32>
}
