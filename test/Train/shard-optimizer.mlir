// Optimizer state that ranks divide: what has shards, what stays whole, and what
// is gathered.
//
// RUN: reprise-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(sg-shard-optimizer{ranks=4 least-bytes=16},func.func(sg-verify-effects,sg-verify-level{level=flat}))' \
// RUN:   | FileCheck %s

sg.variable @w : tensor<3x7xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @w.m : tensor<3x7xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>, file_permutation = array<i32: 1, 0>}
sg.variable @b : tensor<3xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b.m : tensor<3xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

// The small variable stays whole, and so does the norm's operand; constants and
// scalars are spread over the shard.
//
// CHECK: sg.variable @w : tensor<3x7xf32>
// CHECK: sg.variable @w.m : tensor<6xf32> {file_permutation = array<i32: 1, 0>, {{.*}}whole_shape = array<i64: 3, 7>}
// CHECK: sg.variable @b.m : tensor<3xf32>
// CHECK-NOT: whole_shape
// CHECK-LABEL: func.func @clips_by_the_norm
// CHECK: %[[SW:.*]] = sg.reduce_scatter %{{.*}} ranks 4 sequence 0 {{.*}}: tensor<3x7xf32> -> tensor<6xf32>
// CHECK: %[[FOUR:.*]] = sg.constant dense<4.000000e+00> : tensor<6xf32>
// CHECK: %[[GW:.*]] = sg.div %[[SW]], %[[FOUR]]
// CHECK: %[[WHOLE:.*]] = sg.gather_shards %[[GW]] ranks 4 sequence 2 {{.*}}: tensor<6xf32> -> tensor<3x7xf32>
// CHECK: %[[SB:.*]] = sg.all_reduce %{{.*}} ranks 4 sequence 1
// CHECK: sg.mul %[[WHOLE]], %[[WHOLE]]
// CHECK: %[[M:.*]] = sg.read @w.m : tensor<6xf32>
// CHECK: %[[SCALE:.*]] = sg.broadcast %{{.*}} dims [] {{.*}}-> tensor<6xf32>
// CHECK: %[[CLIPPED:.*]] = sg.mul %[[GW]], %[[SCALE]]
// CHECK: %[[NEXT:.*]] = sg.add %[[M]], %[[CLIPPED]]
// CHECK: sg.write @w.m, %[[NEXT]] {{.*}}: tensor<6xf32>
// CHECK: %[[W:.*]] = sg.read @w : tensor<3x7xf32>
// CHECK: %[[SHARD:.*]] = sg.take_shard %[[W]] ranks 4 sequence 3
// CHECK: %[[V:.*]] = sg.sub %[[SHARD]], %[[NEXT]]
// CHECK: %[[ALL:.*]] = sg.gather_shards %[[V]] ranks 4 sequence 4
// CHECK: sg.write @w, %[[ALL]]
// CHECK: sg.write @b.m, %{{.*}} : tensor<3xf32>
func.func @clips_by_the_norm(%x: tensor<3x7xf32>, %y: tensor<3xf32>) {
  %sw = sg.all_reduce %x ranks 4 sequence 0 {sg.origin = #sg.origin<"w", forward>}
    : tensor<3x7xf32> -> tensor<3x7xf32>
  %four = sg.constant dense<4.0> : tensor<3x7xf32>
  %gw = sg.div %sw, %four {sg.origin = #sg.origin<"w", forward>} : tensor<3x7xf32>
  %gb = sg.all_reduce %y ranks 4 sequence 1 {sg.origin = #sg.origin<"b", forward>}
    : tensor<3xf32> -> tensor<3xf32>
  %squares = sg.mul %gw, %gw {sg.origin = #sg.origin<"n", forward>} : tensor<3x7xf32>
  %scale = sg.reduce_sum %squares dims [0, 1] {sg.origin = #sg.origin<"n", forward>}
    : tensor<3x7xf32> -> tensor<f32>
  %m = sg.read @w.m : tensor<3x7xf32>
  %s = sg.broadcast %scale dims [] {sg.origin = #sg.origin<"w", forward>}
    : tensor<f32> -> tensor<3x7xf32>
  %g = sg.mul %gw, %s {sg.origin = #sg.origin<"w", forward>} : tensor<3x7xf32>
  %n = sg.add %m, %g {sg.origin = #sg.origin<"w", forward>} : tensor<3x7xf32>
  sg.write @w.m, %n {sg.origin = #sg.origin<"w", forward>} : tensor<3x7xf32>
  %w = sg.read @w : tensor<3x7xf32>
  %v = sg.sub %w, %n {sg.origin = #sg.origin<"w", forward>} : tensor<3x7xf32>
  sg.write @w, %v {sg.origin = #sg.origin<"w", forward>} : tensor<3x7xf32>
  %bm = sg.read @b.m : tensor<3xf32>
  %bn = sg.add %bm, %gb {sg.origin = #sg.origin<"b", forward>} : tensor<3xf32>
  sg.write @b.m, %bn {sg.origin = #sg.origin<"b", forward>} : tensor<3xf32>
  return
}

// -----

sg.variable @m : tensor<8xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

// A sum over the ranks adds whole tensors, also of what ranks hold in shards.
//
// CHECK-LABEL: func.func @sum_of_a_shard
// CHECK: %[[M:.*]] = sg.read @m : tensor<2xf32>
// CHECK: %[[WHOLE:.*]] = sg.gather_shards %[[M]] ranks 4 sequence 1 {{.*}}: tensor<2xf32> -> tensor<8xf32>
// CHECK: %[[S:.*]] = sg.reduce_scatter %[[WHOLE]] ranks 4 sequence 0 {{.*}}: tensor<8xf32> -> tensor<2xf32>
// CHECK: %[[N:.*]] = sg.add %[[M]], %[[S]]
// CHECK: sg.write @m, %[[N]] {{.*}}: tensor<2xf32>
func.func @sum_of_a_shard() {
  %m = sg.read @m : tensor<8xf32>
  %s = sg.all_reduce %m ranks 4 sequence 0 {sg.origin = #sg.origin<"m", forward>}
    : tensor<8xf32> -> tensor<8xf32>
  %n = sg.add %m, %s {sg.origin = #sg.origin<"m", forward>} : tensor<8xf32>
  sg.write @m, %n {sg.origin = #sg.origin<"m", forward>} : tensor<8xf32>
  return
}

// -----

sg.variable @m : tensor<8xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}

// Other readers get the whole tensor, also where no update reads the variable.
//
// CHECK-LABEL: func.func @read_by_others
// CHECK: %[[M:.*]] = sg.read @m : tensor<2xf32>
// CHECK: %[[WHOLE:.*]] = sg.gather_shards %[[M]] ranks 4 sequence 1 {{.*}}: tensor<2xf32> -> tensor<8xf32>
// CHECK: sg.reduce_scatter
// CHECK: return %[[WHOLE]]
func.func @read_by_others(%g: tensor<8xf32>) -> tensor<8xf32> {
  %m = sg.read @m : tensor<8xf32>
  %s = sg.all_reduce %g ranks 4 sequence 0 {sg.origin = #sg.origin<"m", forward>}
    : tensor<8xf32> -> tensor<8xf32>
  sg.write @m, %s {sg.origin = #sg.origin<"m", forward>} : tensor<8xf32>
  return %m : tensor<8xf32>
}
