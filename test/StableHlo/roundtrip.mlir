// Pretty and generic text of each op, as JAX and StableHLO 1.x print it.
// RUN: reprise-opt %s > %t.pretty.mlir
// RUN: FileCheck %s < %t.pretty.mlir
// RUN: reprise-opt %t.pretty.mlir | diff %t.pretty.mlir -
// RUN: reprise-opt %s --mlir-print-op-generic | reprise-opt | diff %t.pretty.mlir -

// CHECK-LABEL: func @elementwise
func.func @elementwise(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>)
    -> tensor<4xf32> {
  // CHECK: %[[E:.*]] = stablehlo.exponential %{{.*}} : tensor<4xf32>
  %e = stablehlo.exponential %x : tensor<4xf32>
  // CHECK: stablehlo.add %[[E]], %{{.*}} : tensor<4xf32>
  %a = stablehlo.add %e, %x : tensor<4xf32>
  // CHECK: stablehlo.compare  GT, %{{.*}}, %{{.*}},  FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %c = stablehlo.compare GT, %a, %x, FLOAT
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare  EQ, %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %d = "stablehlo.compare"(%i, %i)
    {comparison_direction = #stablehlo<comparison_direction EQ>}
    : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %s = stablehlo.select %c, %a, %x : tensor<4xi1>, tensor<4xf32>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<4xi32>) -> tensor<4xf32>
  %f = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK: stablehlo.clamp %{{.*}} : tensor<4xf32>
  %k = stablehlo.clamp %f, %s, %x : tensor<4xf32>
  // CHECK: stablehlo.clamp %{{.*}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.clamp %zero, %k, %zero
    : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e8m7 : tensor<4xf32>
  %q = stablehlo.reduce_precision %l, format = e8m7 : tensor<4xf32>
  // CHECK: chlo.erf %{{.*}} : tensor<4xf32> -> tensor<4xf32>
  %h = chlo.erf %q : tensor<4xf32> -> tensor<4xf32>
  // CHECK: stablehlo.is_finite %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %r = stablehlo.is_finite %q : (tensor<4xf32>) -> tensor<4xi1>
  return %q : tensor<4xf32>
}

// CHECK-LABEL: func @movement
func.func @movement(%x: tensor<2x3xf32>, %i: tensor<i32>) -> tensor<3xf32> {
  // CHECK: %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %c = stablehlo.constant dense<7> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  // CHECK: stablehlo.iota dim = 0 : tensor<4xi32>
  %iota = stablehlo.iota dim = 0 : tensor<4xi32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %b = "stablehlo.broadcast_in_dim"(%x)
    {broadcast_dimensions = dense<[1, 2]> : tensor<2xi64>}
    : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %b0 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<2xf32>
  // CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
  %r = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<3x2xf32>
  %v = stablehlo.reverse %t, dims = [0] : tensor<3x2xf32>
  // CHECK: stablehlo.slice %{{.*}} [0:6:2] : (tensor<6xf32>) -> tensor<3xf32>
  %s = stablehlo.slice %r [0:6:2] : (tensor<6xf32>) -> tensor<3xf32>
  // CHECK: stablehlo.slice %{{.*}} [1:3, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
  %s2 = stablehlo.slice %v [1:3, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.pad %{{.*}}, %cst, low = [1], high = [-1], interior = [2] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  %p = stablehlo.pad %s, %z, low = [1], high = [-1], interior = [2]
    : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<3xf32>, tensor<7xf32>) -> tensor<10xf32>
  %c = stablehlo.concatenate %s, %p, dim = 0
    : (tensor<3xf32>, tensor<7xf32>) -> tensor<10xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, sizes = [3] : (tensor<10xf32>, tensor<i32>) -> tensor<3xf32>
  %ds = stablehlo.dynamic_slice %c, %i, sizes = [3]
    : (tensor<10xf32>, tensor<i32>) -> tensor<3xf32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<10xf32>, tensor<3xf32>, tensor<i32>) -> tensor<10xf32>
  %du = stablehlo.dynamic_update_slice %c, %ds, %i
    : (tensor<10xf32>, tensor<3xf32>, tensor<i32>) -> tensor<10xf32>
  return %ds : tensor<3xf32>
}

// CHECK-LABEL: func @products
func.func @products(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>,
                    %x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  %d = stablehlo.dot_general %a, %b, batching_dims = [0] x [0],
    contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT]
    : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  // CHECK: stablehlo.dot_general {{.*}} contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> :
  %e = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers =
      #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
        lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16,
        rhs_precision_type = bf16, accumulation_type = f32,
        lhs_component_count = 1, rhs_component_count = 1,
        num_primitive_operations = 1, allow_imprecise_accumulation = false>}>
    : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[\[}}1, 1], [0, 0]], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x5x3x6xf32>
  %c = stablehlo.convolution(%x, %w)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 2], pad = [[1, 1], [0, 0]], rhs_dilate = [1, 2],
              reverse = [false, true]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64,
     precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}
    : (tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x5x3x6xf32>
  // CHECK: window = {} {
  %f = "stablehlo.convolution"(%x, %w) {batch_group_count = 1 : i64,
    dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
    feature_group_count = 1 : i64}
    : (tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x7x7x6xf32>
  return
}

// CHECK-LABEL: func @regions
func.func @regions(%x: tensor<4x6xf32>, %i: tensor<4x6xi32>, %at: tensor<2x1xi32>,
                   %u: tensor<2x6xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %j = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK-NEXT: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) (%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>)  {
  %m:2 = stablehlo.reduce(%x init: %z), (%i init: %j) across dimensions = [1]
    : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>)
    -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %s = stablehlo.maximum %a, %b : tensor<f32>
    %t = stablehlo.maximum %c, %d : tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }
  // CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}>
  %g = "stablehlo.gather"(%x, %at) <{dimension_numbers =
      #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 6>}>
    : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
  // CHECK: "stablehlo.scatter"
  // CHECK-SAME: #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  %sc = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers =
      #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) : tensor<i32>, tensor<4xf32>
  // CHECK-NEXT: cond {
  // CHECK: stablehlo.compare  LT, %[[I]]
  // CHECK: } do {
  // CHECK: stablehlo.return %{{.*}}, %{{.*}} : tensor<i32>, tensor<4xf32>
  %w:2 = stablehlo.while(%k = %j, %y = %r) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y2 = stablehlo.tanh %y : tensor<4xf32>
    %k2 = stablehlo.add %k, %n : tensor<i32>
    stablehlo.return %k2, %y2 : tensor<i32>, tensor<4xf32>
  }
  return %w#1 : tensor<4xf32>
}

// CHECK-LABEL: func @others
func.func @others(%x: tensor<4xf32>, %s: tensor<2xui64>) -> tensor<4xf32> {
  // CHECK: stablehlo.custom_call @Sharding(%{{.*}}) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = stablehlo.custom_call @Sharding(%x)
    {backend_config = "", mhlo.sharding = "{replicated}"}
    : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2xui64>
  %b:2 = stablehlo.optimization_barrier %a, %s : tensor<4xf32>, tensor<2xui64>
  // CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %k, %bits = stablehlo.rng_bit_generator %b#1, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // CHECK: "stablehlo.all_reduce"(%{{.*}}) ({
  // CHECK: }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups =
  %r = "stablehlo.all_reduce"(%b#0) ({
  ^bb0(%l: tensor<f32>, %m: tensor<f32>):
    %t = stablehlo.add %l, %m : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK: sdy.mesh @mesh = <["x"=1, "y"=1]>
sdy.mesh @mesh = <["x"=1, "y"=1]>
// CHECK: sdy.mesh @empty_mesh = <[], device_ids=[0]>
"sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[0]>, sym_name = "empty_mesh"}> : () -> ()

// CHECK-LABEL: func @shardings
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
func.func @shardings(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>})
    -> tensor<4x6xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y"}> : tensor<4x6xf32>
  %a = sdy.sharding_constraint %x <@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y"}> : tensor<4x6xf32>
  // CHECK: sdy.sharding_constraint %{{.*}} <mesh<["z"=1]>, [{}, {"z"}]> : tensor<4x6xf32>
  %b = "sdy.sharding_constraint"(%a) <{sharding = #sdy.sharding<mesh<["z"=1]>, [{}, {"z"}]>}>
    : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: stablehlo.tanh %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x6xf32>
  %c = stablehlo.tanh %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}

// CHECK-LABEL: func @largest
func.func @largest(%x: tensor<4x6xf32>, %c: tensor<4xcomplex<f32>>) {
  // CHECK: chlo.top_k(%{{.*}}, k = 3) : tensor<4x6xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %v, %i = chlo.top_k(%x, k = 3) : tensor<4x6xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  // CHECK: stablehlo.composite "chlo.top_k" %{{.*}} {composite_attributes = {k = 2 : i64}, decomposition = @top_k.impl, version = 1 : i32} : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %w:2 = stablehlo.composite "chlo.top_k" %x
    {composite_attributes = {k = 2 : i64}, decomposition = @top_k.impl, version = 1 : i32}
    : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  // CHECK: chlo.zeta %{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  %z = chlo.zeta %x, %x : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  // CHECK: stablehlo.real %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %r = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>
  %d = stablehlo.complex %r, %r : tensor<4xcomplex<f32>>
  // CHECK: stablehlo.compare  GT, %{{.*}}, %{{.*}},  WEAKORDER :
  %o = stablehlo.compare GT, %r, %r, WEAKORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
func.func private @top_k.impl(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %v, %i = chlo.top_k(%x, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %v, %i : tensor<4x2xf32>, tensor<4x2xi32>
}
