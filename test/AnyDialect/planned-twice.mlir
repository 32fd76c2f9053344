// A second run numbers its clones after those of the first: what is made of
// nothing has this number alone to differ by.
//
// RUN: reprise-opt %s --allow-unregistered-dialect --remat-to-budget="budget-bytes=135000" \
// RUN:   --remat-to-budget="budget-bytes=101500" | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK:         "foreign.table"() {remat.cost = {{.*}}, remat.pure}
// CHECK-DAG:     "foreign.table"() {remat.cost = {{.*}}, remat.pure, remat.recomputed = 1 : i64}
// CHECK-DAG:     "foreign.table"() {remat.cost = {{.*}}, remat.pure, remat.recomputed = 2 : i64}
// CHECK:         return
func.func @step(%x: tensor<256xf32>) -> tensor<256xf32> {
  %m = "foreign.table"() {remat.pure, remat.cost = 0.01} : () -> tensor<64x256xf32>
  %b = "foreign.join"(%m, %x) {remat.pure, remat.cost = 5.0} : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %c = "foreign.grow"(%b) {remat.pure, remat.cost = 5.0} : (tensor<256xf32>) -> tensor<64x256xf32>
  %d = "foreign.join"(%c, %b) {remat.pure, remat.cost = 5.0} : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %e = "foreign.join"(%m, %d) {remat.pure, remat.cost = 5.0} : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %f = "foreign.grow"(%e) {remat.pure, remat.cost = 5.0} : (tensor<256xf32>) -> tensor<96x256xf32>
  %g = "foreign.join"(%f, %e) {remat.pure, remat.cost = 5.0} : (tensor<96x256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %h = "foreign.join"(%m, %g) {remat.pure, remat.cost = 5.0} : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<256xf32>
  return %h : tensor<256xf32>
}
