// The loops of kernels, before a target makes code of them: over grains, then
// vectors of four and a masked rest.
//
// RUN: reprise-opt %s --test-kernel-loops='lanes=4 grain-elements=16' --canonicalize --cse -split-input-file | FileCheck %s
// RUN: not reprise-opt %s --test-kernel-loops='lanes=3' -split-input-file 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: lanes must be a power of two and grain-elements a multiple of them, not 3 and 8192

// A row of ten takes more than half a grain: a row is a grain.
// CHECK-LABEL: llvm.func @add_relu(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64
// CHECK-DAG: %[[ALL:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<[true, true, false, false]>
// CHECK: %[[LAST:.*]] = arith.minsi %[[END]], %[[ALL]]
// CHECK: scf.for %[[ROW:.*]] = %[[BEGIN]] to %[[LAST]]
// CHECK: scf.for %[[COLUMN:.*]] =
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK: }
// CHECK: llvm.intr.masked.load %{{.*}}, %[[MASK]]
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]]
// CHECK: }
func.func @pointwise(%x: tensor<6x10xf32>, %b: tensor<10xf32>) -> tensor<6x10xf32> {
  %y = sg.kernel "add_relu" (%a = %x : tensor<6x10xf32>, %c = %b : tensor<10xf32>) -> tensor<6x10xf32> {
    %d = sg.broadcast %c dims [1] : tensor<10xf32> -> tensor<6x10xf32>
    %s = sg.add %a, %d : tensor<6x10xf32>
    %r = sg.relu %s : tensor<6x10xf32>
    sg.yield %r : tensor<6x10xf32>
  }
  return %y : tensor<6x10xf32>
}

// -----

// Four sums side by side, the rest beside them, then a tree of two levels.
// CHECK-LABEL: llvm.func @reduce_sum(
// CHECK: scf.for
// CHECK: %[[SUMS:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<4xf32>)
// CHECK: arith.addf %[[SUM]], %{{.*}} : vector<4xf32>
// CHECK: llvm.intr.masked.load
// CHECK: %[[REST:.*]] = arith.select
// CHECK: %[[WHOLE:.*]] = arith.addf %[[SUMS]], %[[REST]] : vector<4xf32>
// CHECK: vector.shuffle %[[WHOLE]], %[[WHOLE]] [0, 1]
// CHECK: vector.shuffle %[[WHOLE]], %[[WHOLE]] [2, 3]
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.addf {{.*}} : vector<1xf32>
// CHECK: llvm.store {{.*}} : f32
func.func @reduction(%x: tensor<6x10xf32>) -> tensor<6xf32> {
  %y = sg.kernel "reduce_sum" (%a = %x : tensor<6x10xf32>) -> tensor<6xf32> {
    %r = sg.reduce_sum %a dims [1] : tensor<6x10xf32> -> tensor<6xf32>
    sg.yield %r : tensor<6xf32>
  }
  return %y : tensor<6xf32>
}

// -----

// Columns are summed by vectors, and what is made of their sums too.
// CHECK-LABEL: llvm.func @reduce_sum_mul(
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: arith.mulf {{.*}} : vector<4xf32>
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK: llvm.intr.masked.store
func.func @columns(%x: tensor<3x10xf32>, %f: tensor<10xf32>) -> tensor<10xf32> {
  %y = sg.kernel "reduce_sum_mul" (%a = %x : tensor<3x10xf32>, %c = %f : tensor<10xf32>) -> tensor<10xf32> {
    %s = sg.reduce_sum %a dims [0] : tensor<3x10xf32> -> tensor<10xf32>
    %m = sg.mul %s, %c : tensor<10xf32>
    sg.yield %m : tensor<10xf32>
  }
  return %y : tensor<10xf32>
}

// -----

// Three passes over a row, of which the last stores; what the row has one of
// is stored behind it. The sum is rounded before it divides.
// CHECK-LABEL: llvm.func @softmax(
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.maximumf
// CHECK-NOT: llvm.store
// CHECK: %[[MAX:.*]] = vector.extract {{.*}} : f32 from vector<1xf32>
// CHECK: %[[M:.*]] = arith.truncf %[[MAX]] : f32 to bf16
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[SHIFT:.*]] = vector.broadcast %[[M]]
// CHECK: arith.subf %{{.*}}, %[[SHIFT]]
// CHECK: math.exp
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK-NOT: llvm.store
// CHECK: %[[SUM:.*]] = vector.extract {{.*}} : f32 from vector<1xf32>
// CHECK: %[[S:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK: %[[L:.*]] = math.log %[[S]] : bf16
// CHECK: scf.for
// CHECK: math.exp
// CHECK: %[[DIVISOR:.*]] = vector.broadcast %[[S]]
// CHECK: arith.divf %{{.*}}, %[[DIVISOR]]
// CHECK: llvm.store {{.*}} : vector<4xbf16>
// CHECK: }
// CHECK: llvm.store %[[L]]
// CHECK: }
func.func @rows(%x: tensor<6x8xbf16>) -> (tensor<6xbf16>, tensor<6x8xbf16>) {
  %y:2 = sg.kernel "softmax" (%a = %x : tensor<6x8xbf16>) -> (tensor<6xbf16>, tensor<6x8xbf16>) {
    %m = sg.reduce_max %a dims [1] : tensor<6x8xbf16> -> tensor<6xbf16>
    %mb = sg.broadcast %m dims [0] : tensor<6xbf16> -> tensor<6x8xbf16>
    %c = sg.sub %a, %mb : tensor<6x8xbf16>
    %e = sg.exp %c : tensor<6x8xbf16>
    %s = sg.reduce_sum %e dims [1] : tensor<6x8xbf16> -> tensor<6xbf16>
    %l = sg.log %s : tensor<6xbf16>
    %sb = sg.broadcast %s dims [0] : tensor<6xbf16> -> tensor<6x8xbf16>
    %r = sg.div %e, %sb : tensor<6x8xbf16>
    sg.yield %l, %r : tensor<6xbf16>, tensor<6x8xbf16>
  }
  return %y#0, %y#1 : tensor<6xbf16>, tensor<6x8xbf16>
}

// -----

// A row of two dimensions: two loops in each pass.
// CHECK-LABEL: llvm.func @center(
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.addf
// CHECK-NOT: llvm.store
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.subf
// CHECK: llvm.store
func.func @rows_of_two_dimensions(%x: tensor<6x3x8xf32>) -> tensor<6x3x8xf32> {
  %y = sg.kernel "center" (%a = %x : tensor<6x3x8xf32>) -> tensor<6x3x8xf32> {
    %s = sg.reduce_sum %a dims [1, 2] : tensor<6x3x8xf32> -> tensor<6xf32>
    %b = sg.broadcast %s dims [0] : tensor<6xf32> -> tensor<6x3x8xf32>
    %r = sg.sub %a, %b : tensor<6x3x8xf32>
    sg.yield %r : tensor<6x3x8xf32>
  }
  return %y : tensor<6x3x8xf32>
}

// -----

// Neighbours of the result are not neighbours of the operand.
// CHECK-LABEL: llvm.func @transpose(
// CHECK-NOT: vector
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[ROW:.*]] = arith.muli %[[J]], %c8
// CHECK: %[[FROM:.*]] = arith.addi %[[ROW]], %[[I]]
// CHECK: llvm.getelementptr inbounds %{{.*}}[%[[FROM]]]
// CHECK: llvm.load {{.*}} -> f32
// CHECK: llvm.store {{.*}} : f32
func.func @transpose(%x: tensor<6x8xf32>) -> tensor<8x6xf32> {
  %y = sg.kernel "transpose" (%a = %x : tensor<6x8xf32>) -> tensor<8x6xf32> {
    %t = sg.transpose %a perm [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
    sg.yield %t : tensor<8x6xf32>
  }
  return %y : tensor<8x6xf32>
}
