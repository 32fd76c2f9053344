// A dialect that Reprise knows nothing of, and whose ops answer RematOpInterface
// (FakeOps.td, FakeDialect.cpp), in remat-to-budget.
//
// DEFINE: %{remarks} = --mlir-disable-threading --remarks-filter=remat-to-budget --remark-format=emitRemark
// RUN: fake-opt %s -split-input-file --remat-to-budget="budget-bytes=8192" | FileCheck %s
// RUN: fake-opt %s -split-input-file --remat-to-budget="budget-bytes=8192" --cse --canonicalize --remat-erase-barriers \
// RUN:   | FileCheck %s --check-prefix=ERASED
// RUN: fake-opt %s -split-input-file %{remarks} --remat-to-budget="budget-bytes=8192" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// 4096 bytes don't live beside the 8192 in the middle: what is needed of them
// at the end is computed again.

// REMARK:      Function=counts_a_foreign_type
// REMARK-SAME: live_bytes=8192, live_bytes_plain=12288
// CHECK-LABEL: func.func @counts_a_foreign_type
// CHECK:         %[[A:.*]] = fake.scale %arg0 :
// CHECK:         %[[B:.*]] = fake.grad %[[A]] :
// CHECK:         %[[C:.*]] = fake.grad %[[B]] :
// CHECK:         %[[D:.*]] = fake.grad %[[C]] :
// CHECK:         %[[X:.*]] = remat.barrier %arg0 after %[[D]] : !fake.block<4096>, !fake.block<64>
// CHECK:         %[[A1:.*]] = fake.scale %[[X]] {remat.recomputed = 1 : i64}
// CHECK:         fake.grad %[[D]], %[[A1]]
// ERASED-LABEL: func.func @counts_a_foreign_type
// ERASED-COUNT-2: fake.scale %arg0
func.func @counts_a_foreign_type(%x: !fake.block<4096>) -> !fake.block<64> {
  %a = fake.scale %x : (!fake.block<4096>) -> !fake.block<4096>
  %b = fake.grad %a : (!fake.block<4096>) -> !fake.block<4032>
  %c = fake.grad %b : (!fake.block<4032>) -> !fake.block<4160>
  %d = fake.grad %c : (!fake.block<4160>) -> !fake.block<64>
  %e = fake.grad %d, %a
    : (!fake.block<64>, !fake.block<4096>) -> !fake.block<64>
  return %e : !fake.block<64>
}

// -----

// A view is made anew of the clone of what it views.

// CHECK-LABEL: func.func @makes_views_anew
// CHECK:         %[[A:.*]] = fake.scale %arg0 :
// CHECK:         fake.relayout %[[A]]
// CHECK:         %[[A1:.*]] = fake.scale %{{.*}} {remat.recomputed = 1 : i64}
// CHECK:         %[[V1:.*]] = fake.relayout %[[A1]]
// CHECK:         fake.grad %{{.*}}, %[[V1]]
func.func @makes_views_anew(%x: !fake.block<4096>) -> !fake.block<64> {
  %a = fake.scale %x : (!fake.block<4096>) -> !fake.block<4096>
  %v = fake.relayout %a : (!fake.block<4096>) -> !fake.block<4096>
  %b = fake.grad %v : (!fake.block<4096>) -> !fake.block<4032>
  %c = fake.grad %b : (!fake.block<4032>) -> !fake.block<4160>
  %d = fake.grad %c : (!fake.block<4160>) -> !fake.block<64>
  %e = fake.grad %d, %v
    : (!fake.block<64>, !fake.block<4096>) -> !fake.block<64>
  return %e : !fake.block<64>
}

// -----

// 1024 bytes of the result and 2048 to work in.

// REMARK:      Function=counts_a_workspace
// REMARK-SAME: live_bytes=3072,
func.func @counts_a_workspace(%x: !fake.block<4096>) -> !fake.block<1024> {
  %a = fake.attention %x : (!fake.block<4096>) -> !fake.block<1024>
  return %a : !fake.block<1024>
}

// -----

// REMARK:      Function=writes_in_place
// REMARK-SAME: live_bytes=4096,
func.func @writes_in_place(%x: !fake.block<4096>) -> !fake.block<4096> {
  %a = fake.grad %x : (!fake.block<4096>) -> !fake.block<4096>
  %b = fake.scale %a : (!fake.block<4096>) -> !fake.block<4096>
  %c = fake.scale %b : (!fake.block<4096>) -> !fake.block<4096>
  return %c : !fake.block<4096>
}

// -----

// The other order would need 4224 bytes, but these say nothing of effects.

// REMARK:      Function=keeps_what_says_nothing_in_order
// REMARK-SAME: live_bytes=8192,
// CHECK-LABEL: func.func @keeps_what_says_nothing_in_order
// CHECK:         fake.dropout %arg0
// CHECK-NEXT:    fake.dropout %arg1
func.func @keeps_what_says_nothing_in_order(
    %x: !fake.block<64>, %y: !fake.block<64>) -> !fake.block<64> {
  %a = fake.dropout %x : (!fake.block<64>) -> !fake.block<4096>
  %b = fake.dropout %y : (!fake.block<64>) -> !fake.block<4032>
  %c = fake.grad %b : (!fake.block<4032>) -> !fake.block<64>
  %d = fake.grad %a, %c
    : (!fake.block<4096>, !fake.block<64>) -> !fake.block<64>
  return %d : !fake.block<64>
}

// -----

// Without the interface: by MLIR's, and by the bytes of a tensor.

// REMARK:      Function=takes_ops_that_do_not_join
// REMARK-SAME: live_bytes=4096,
func.func @takes_ops_that_do_not_join(%x: !fake.block<64>) -> tensor<1024xf32> {
  %a = fake.opaque %x : (!fake.block<64>) -> tensor<1024xf32>
  return %a : tensor<1024xf32>
}
