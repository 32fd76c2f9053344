// Updates of small variables share a kernel, whatever their shapes.
//
// RUN: reprise-opt %s --sg-form-kernels -split-input-file | FileCheck %s

// The large one waits for nobody.
// CHECK-LABEL: func.func @small_updates_are_one_kernel
// CHECK: %[[LARGE:.*]] = sg.kernel "neg_sub" ({{.*}}) -> tensor<64x1024xf32>
// CHECK: sg.write @w, %[[LARGE]]
// CHECK: %[[K:.*]]:4 = sg.kernel "neg_sub_add"
// CHECK-SAME: -> (tensor<16xf32>, tensor<16xf32>, tensor<2x4xf32>, tensor<f32>)
// CHECK-SAME: attributes {sg.origin = #sg.origin<"net.a", forward>}
// CHECK-NOT: sg.kernel
// CHECK-DAG: sg.write @a, %[[K]]#0
// CHECK-DAG: sg.write @b, %[[K]]#1
// CHECK-DAG: sg.write @c, %[[K]]#2
// CHECK-DAG: sg.write @d, %[[K]]#3
sg.variable @w : tensor<64x1024xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @a : tensor<16xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<16xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c : tensor<2x4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @d : tensor<f32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @small_updates_are_one_kernel(%gw: tensor<64x1024xf32>, %ga: tensor<16xf32>,
    %gb: tensor<16xf32>, %gc: tensor<2x4xf32>, %gd: tensor<f32>) {
  %wg = sg.neg %gw {sg.origin = #sg.origin<"l", backward>} : tensor<64x1024xf32>
  %ag = sg.neg %ga {sg.origin = #sg.origin<"l", backward>} : tensor<16xf32>
  %bg = sg.neg %gb {sg.origin = #sg.origin<"l", backward>} : tensor<16xf32>
  %cg = sg.neg %gc {sg.origin = #sg.origin<"l", backward>} : tensor<2x4xf32>
  %dg = sg.neg %gd {sg.origin = #sg.origin<"l", backward>} : tensor<f32>
  %a = sg.read @a : tensor<16xf32>
  %na = sg.sub %a, %ag {sg.origin = #sg.origin<"net.a.x", forward>} : tensor<16xf32>
  sg.write @a, %na {sg.origin = #sg.origin<"net.a.x", forward>} : tensor<16xf32>
  %w = sg.read @w : tensor<64x1024xf32>
  %nw = sg.sub %w, %wg {sg.origin = #sg.origin<"net.ab", forward>} : tensor<64x1024xf32>
  sg.write @w, %nw {sg.origin = #sg.origin<"net.ab", forward>} : tensor<64x1024xf32>
  %b = sg.read @b : tensor<16xf32>
  %nb = sg.add %b, %bg {sg.origin = #sg.origin<"net.a.y.z", forward>} : tensor<16xf32>
  sg.write @b, %nb {sg.origin = #sg.origin<"net.a.y.z", forward>} : tensor<16xf32>
  %c = sg.read @c : tensor<2x4xf32>
  %nc = sg.sub %c, %cg {sg.origin = #sg.origin<"net.a.y.z", forward>} : tensor<2x4xf32>
  sg.write @c, %nc {sg.origin = #sg.origin<"net.a.y.z", forward>} : tensor<2x4xf32>
  %d = sg.read @d : tensor<f32>
  %nd = sg.sub %d, %dg {sg.origin = #sg.origin<"net.a", forward>} : tensor<f32>
  sg.write @d, %nd {sg.origin = #sg.origin<"net.a", forward>} : tensor<f32>
  return
}

// -----

// Three are too few to wait for one another.
// CHECK-LABEL: func.func @few_updates
// CHECK-COUNT-4: sg.kernel "neg_sub"
// CHECK: return
sg.variable @w : tensor<64x1024xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @a : tensor<16xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<8xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @few_updates(%gw: tensor<64x1024xf32>, %ga: tensor<16xf32>, %gb: tensor<8xf32>,
    %gc: tensor<4xf32>) {
  %wg = sg.neg %gw {sg.origin = #sg.origin<"l", backward>} : tensor<64x1024xf32>
  %ag = sg.neg %ga {sg.origin = #sg.origin<"l", backward>} : tensor<16xf32>
  %bg = sg.neg %gb {sg.origin = #sg.origin<"l", backward>} : tensor<8xf32>
  %cg = sg.neg %gc {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %w = sg.read @w : tensor<64x1024xf32>
  %nw = sg.sub %w, %wg {sg.origin = #sg.origin<"l", forward>} : tensor<64x1024xf32>
  sg.write @w, %nw {sg.origin = #sg.origin<"l", forward>} : tensor<64x1024xf32>
  %a = sg.read @a : tensor<16xf32>
  %na = sg.sub %a, %ag {sg.origin = #sg.origin<"l", forward>} : tensor<16xf32>
  sg.write @a, %na {sg.origin = #sg.origin<"l", forward>} : tensor<16xf32>
  %b = sg.read @b : tensor<8xf32>
  %nb = sg.sub %b, %bg {sg.origin = #sg.origin<"l", forward>} : tensor<8xf32>
  sg.write @b, %nb {sg.origin = #sg.origin<"l", forward>} : tensor<8xf32>
  %c = sg.read @c : tensor<4xf32>
  %nc = sg.sub %c, %cg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @c, %nc {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  return
}

// -----

// Three that may wait, and one whose new value is returned.
// CHECK-LABEL: func.func @what_is_returned_does_not_wait
// CHECK-COUNT-5: sg.kernel "neg_sub"
// CHECK: return
sg.variable @w : tensor<16384xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @d : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @e : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @what_is_returned_does_not_wait(%gw: tensor<16384xf32>, %gb: tensor<4xf32>,
    %gc: tensor<4xf32>, %gd: tensor<4xf32>, %ge: tensor<4xf32>) -> tensor<4xf32> {
  %wg = sg.neg %gw {sg.origin = #sg.origin<"l", backward>} : tensor<16384xf32>
  %bg = sg.neg %gb {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %cg = sg.neg %gc {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %dg = sg.neg %gd {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %eg = sg.neg %ge {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %w = sg.read @w : tensor<16384xf32>
  %nw = sg.sub %w, %wg {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  sg.write @w, %nw {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  %b = sg.read @b : tensor<4xf32>
  %nb = sg.sub %b, %bg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @b, %nb {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %c = sg.read @c : tensor<4xf32>
  %nc = sg.sub %c, %cg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @c, %nc {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %d = sg.read @d : tensor<4xf32>
  %nd = sg.sub %d, %dg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @d, %nd {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %e = sg.read @e : tensor<4xf32>
  %ne = sg.sub %e, %eg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @e, %ne {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  return %ne : tensor<4xf32>
}

// -----

// Or read again.
// CHECK-LABEL: func.func @what_is_read_does_not_wait
// CHECK-COUNT-5: sg.kernel "neg_sub"
// CHECK: return
sg.variable @w : tensor<16384xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @d : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @e : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @what_is_read_does_not_wait(%gw: tensor<16384xf32>, %gb: tensor<4xf32>,
    %gc: tensor<4xf32>, %gd: tensor<4xf32>, %ge: tensor<4xf32>) -> tensor<2x2xf32> {
  %wg = sg.neg %gw {sg.origin = #sg.origin<"l", backward>} : tensor<16384xf32>
  %bg = sg.neg %gb {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %cg = sg.neg %gc {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %dg = sg.neg %gd {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %eg = sg.neg %ge {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %w = sg.read @w : tensor<16384xf32>
  %nw = sg.sub %w, %wg {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  sg.write @w, %nw {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  %b = sg.read @b : tensor<4xf32>
  %nb = sg.sub %b, %bg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @b, %nb {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %c = sg.read @c : tensor<4xf32>
  %nc = sg.sub %c, %cg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @c, %nc {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %d = sg.read @d : tensor<4xf32>
  %nd = sg.sub %d, %dg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @d, %nd {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %e = sg.read @e : tensor<4xf32>
  %ne = sg.sub %e, %eg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @e, %ne {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %r = sg.reshape %ne : tensor<4xf32> -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

// Or made of no gradient.
// CHECK-LABEL: func.func @what_waits_for_no_gradient
// CHECK-COUNT-4: sg.kernel "neg_sub"
// CHECK: sg.kernel "add"
// CHECK: return
sg.variable @w : tensor<16384xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @d : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @e : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @what_waits_for_no_gradient(%gw: tensor<16384xf32>, %gb: tensor<4xf32>,
    %gc: tensor<4xf32>, %gd: tensor<4xf32>, %ge: tensor<4xf32>) {
  %wg = sg.neg %gw {sg.origin = #sg.origin<"l", backward>} : tensor<16384xf32>
  %bg = sg.neg %gb {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %cg = sg.neg %gc {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %dg = sg.neg %gd {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %eg = sg.neg %ge {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %w = sg.read @w : tensor<16384xf32>
  %nw = sg.sub %w, %wg {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  sg.write @w, %nw {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  %b = sg.read @b : tensor<4xf32>
  %nb = sg.sub %b, %bg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @b, %nb {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %c = sg.read @c : tensor<4xf32>
  %nc = sg.sub %c, %cg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @c, %nc {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %d = sg.read @d : tensor<4xf32>
  %nd = sg.sub %d, %dg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @d, %nd {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %e = sg.read @e : tensor<4xf32>
  %ne = sg.add %e, %e {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @e, %ne {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  return
}

// -----

// With a fourth like them they do.
// CHECK-LABEL: func.func @four_wait
// CHECK-COUNT-2: sg.kernel "neg_sub"
// CHECK-NOT: sg.kernel "neg_sub"
// CHECK: return
sg.variable @w : tensor<16384xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @c : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @d : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @e : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
func.func @four_wait(%gw: tensor<16384xf32>, %gb: tensor<4xf32>,
    %gc: tensor<4xf32>, %gd: tensor<4xf32>, %ge: tensor<4xf32>) {
  %wg = sg.neg %gw {sg.origin = #sg.origin<"l", backward>} : tensor<16384xf32>
  %bg = sg.neg %gb {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %cg = sg.neg %gc {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %dg = sg.neg %gd {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %eg = sg.neg %ge {sg.origin = #sg.origin<"l", backward>} : tensor<4xf32>
  %w = sg.read @w : tensor<16384xf32>
  %nw = sg.sub %w, %wg {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  sg.write @w, %nw {sg.origin = #sg.origin<"l", forward>} : tensor<16384xf32>
  %b = sg.read @b : tensor<4xf32>
  %nb = sg.sub %b, %bg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @b, %nb {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %c = sg.read @c : tensor<4xf32>
  %nc = sg.sub %c, %cg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @c, %nc {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %d = sg.read @d : tensor<4xf32>
  %nd = sg.sub %d, %dg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @d, %nd {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  %e = sg.read @e : tensor<4xf32>
  %ne = sg.sub %e, %eg {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  sg.write @e, %ne {sg.origin = #sg.origin<"l", forward>} : tensor<4xf32>
  return
}
