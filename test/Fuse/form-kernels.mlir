// RUN: reprise-opt %s --sg-form-kernels | FileCheck %s
// RUN: reprise-opt %s --sg-form-kernels=target=cuda:h100 | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func @sums_of_the_same_data_share_a_kernel
// CHECK: sg.kernel "reduce_sum_mul"
// CHECK-SAME: -> (tensor<8x64xf32>, tensor<8x64xf32>)
// CHECK-NOT: sg.kernel "reduce_sum"
// CHECK: return
func.func @sums_of_the_same_data_share_a_kernel(%x: tensor<8x32x64xf32>,
    %y: tensor<8x32x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %s = sg.reduce_sum %x dims [1] : tensor<8x32x64xf32> -> tensor<8x64xf32>
  %p = sg.mul %x, %y : tensor<8x32x64xf32>
  %t = sg.reduce_sum %p dims [1] : tensor<8x32x64xf32> -> tensor<8x64xf32>
  return %s, %t : tensor<8x64xf32>, tensor<8x64xf32>
}

// CHECK-LABEL: func.func @what_depends_on_a_sum_runs_after_it
// CHECK: %[[S:.*]] = sg.kernel "reduce_sum"
// CHECK: sg.kernel "sub" ({{.*}} = %[[S]] : tensor<64xf32>
// CHECK: sg.broadcast
func.func @what_depends_on_a_sum_runs_after_it(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %s = sg.reduce_sum %x dims [0] : tensor<32x64xf32> -> tensor<64xf32>
  %b = sg.broadcast %s dims [1] : tensor<64xf32> -> tensor<32x64xf32>
  %y = sg.sub %x, %b : tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}

// The difference is computed again instead of being stored and read.
// CHECK-LABEL: func.func @short_chains_are_computed_again
// CHECK: sg.kernel "sub_mul_reduce_sum"
// CHECK-SAME: -> tensor<64xf32> {
// CHECK: sg.kernel "sub_mul"
// CHECK-SAME: tensor<128x64xf32>
// CHECK-SAME: tensor<64xf32>
// CHECK-SAME: tensor<64xf32>
// CHECK: return
func.func @short_chains_are_computed_again(%x: tensor<128x64xf32>,
    %m: tensor<64xf32>) -> tensor<128x64xf32> {
  %b = sg.broadcast %m dims [1] : tensor<64xf32> -> tensor<128x64xf32>
  %c = sg.sub %x, %b : tensor<128x64xf32>
  %q = sg.mul %c, %c : tensor<128x64xf32>
  %v = sg.reduce_sum %q dims [0] : tensor<128x64xf32> -> tensor<64xf32>
  %d = sg.broadcast %v dims [1] : tensor<64xf32> -> tensor<128x64xf32>
  %y = sg.mul %c, %d : tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

// CHECK-LABEL: func.func @exponentials_are_stored
// CHECK: sg.kernel "exp_reduce_sum"
// CHECK-SAME: -> (tensor<128x64xf32>, tensor<64xf32>)
// CHECK: sg.kernel "div"
// CHECK-NOT: sg.exp
// CHECK: return
func.func @exponentials_are_stored(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %e = sg.exp %x : tensor<128x64xf32>
  %s = sg.reduce_sum %e dims [0] : tensor<128x64xf32> -> tensor<64xf32>
  %b = sg.broadcast %s dims [1] : tensor<64xf32> -> tensor<128x64xf32>
  %y = sg.div %e, %b : tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

// The product waits for the first relu: joining it would delay the product.
// CHECK-LABEL: func.func @library_ops_do_not_wait_longer
// CHECK: sg.kernel "relu"
// CHECK: sg.matmul
// CHECK: sg.kernel "add"
func.func @library_ops_do_not_wait_longer(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %r = sg.relu %x : tensor<8x8xf32>
  %p = sg.matmul %r, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = sg.add %r, %x : tensor<8x8xf32>
  return %p, %y : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @both_sides_of_a_sum_join_it
// CHECK: sg.matmul
// CHECK: sg.matmul
// CHECK: sg.kernel "relu_neg_add"
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @both_sides_of_a_sum_join_it(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %p = sg.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = sg.relu %p : tensor<8x8xf32>
  %q = sg.matmul %w, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = sg.neg %q : tensor<8x8xf32>
  %y = sg.add %a, %b : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @an_update_is_one_kernel
// CHECK: %[[K:.*]]:2 = sg.kernel "mul_add_sub"
// CHECK-NOT: sg.kernel
// CHECK: sg.write @m, %[[K]]#0
// CHECK: sg.write @w, %[[K]]#1
sg.variable @w : tensor<64xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @m : tensor<64xf32> {role = #sg.role<optimizer_state>, init = #sg.init<zeros>}
func.func @an_update_is_one_kernel(%g: tensor<64xf32>, %rate: tensor<f32>) {
  %w = sg.read @w : tensor<64xf32>
  %m = sg.read @m : tensor<64xf32>
  %k = sg.constant dense<9.000000e-01> : tensor<64xf32>
  %r = sg.broadcast %rate dims [] : tensor<f32> -> tensor<64xf32>
  %d = sg.mul %m, %k : tensor<64xf32>
  %n = sg.add %d, %g : tensor<64xf32>
  %s = sg.mul %r, %n : tensor<64xf32>
  %u = sg.sub %w, %s : tensor<64xf32>
  sg.write @m, %n : tensor<64xf32>
  sg.write @w, %u : tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @phases_do_not_mix
// CHECK: sg.kernel "neg"
// CHECK-SAME: attributes {sg.origin = #sg.origin<"a", forward>}
// CHECK: sg.kernel "relu"
// CHECK-SAME: attributes {sg.origin = #sg.origin<"a", backward>}
func.func @phases_do_not_mix(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = sg.neg %x {sg.origin = #sg.origin<"a", forward>} : tensor<8xf32>
  %b = sg.relu %a {sg.origin = #sg.origin<"a", backward>} : tensor<8xf32>
  return %b : tensor<8xf32>
}

// A fixed op needs the broadcast itself; the kernel repeats it.
// CHECK-LABEL: func.func @broadcasts_for_library_ops_are_stored
// CHECK: %[[B:.*]] = sg.kernel "broadcast"
// CHECK: sg.matmul %[[B]]
// CHECK: sg.kernel "add" (%{{.*}} = %{{.*}} : tensor<8x8xf32>, %{{.*}} = %{{.*}} : tensor<8xf32>)
// CHECK: sg.broadcast
func.func @broadcasts_for_library_ops_are_stored(%x: tensor<8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %b = sg.broadcast %x dims [1] : tensor<8xf32> -> tensor<8x8xf32>
  %p = sg.matmul %b, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = sg.add %p, %b : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// A barrier keeps what was computed before it apart from what reads it after.
// CHECK-LABEL: func.func @barriers_separate
// CHECK: sg.kernel "relu"
// CHECK: sg.barrier
// CHECK: sg.kernel "neg"
func.func @barriers_separate(%x: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %a = sg.relu %x : tensor<8xf32>
  %b = sg.barrier (%a) after (%g) : (tensor<8xf32>) after (tensor<8xf32>) -> tensor<8xf32>
  %y = sg.neg %b : tensor<8xf32>
  return %y : tensor<8xf32>
}

// The order of a sum must not depend on what it is fused with, and a kernel
// that moves elements may handle them one by one.
// CHECK-LABEL: func.func @a_sum_does_not_move_elements_as_well
// CHECK: sg.kernel "transpose"
// CHECK: sg.kernel "reduce_sum"
// CHECK: return
func.func @a_sum_does_not_move_elements_as_well(%x: tensor<8x32xf32>)
    -> (tensor<32x8xf32>, tensor<32xf32>) {
  %t = sg.transpose %x perm [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
  %s = sg.reduce_sum %t dims [1] : tensor<32x8xf32> -> tensor<32xf32>
  return %t, %s : tensor<32x8xf32>, tensor<32xf32>
}

// What takes rows as they are keeps no sum from handling several columns at once.
// CHECK-LABEL: func.func @a_sum_of_rows_that_are_moved
// CHECK: sg.kernel "slice_reduce_sum"
// CHECK-NOT: sg.kernel
// CHECK: return
func.func @a_sum_of_rows_that_are_moved(%x: tensor<8x5x32xf32>) -> tensor<5x32xf32> {
  %t = sg.slice %x [1, 0, 0] to [8, 5, 32] by [3, 1, 1] : tensor<8x5x32xf32> -> tensor<3x5x32xf32>
  %s = sg.reduce_sum %t dims [0] : tensor<3x5x32xf32> -> tensor<5x32xf32>
  return %s : tensor<5x32xf32>
}

// CHECK-LABEL: func.func @a_sum_of_every_other_column
// CHECK: sg.kernel "slice"
// CHECK: sg.kernel "reduce_sum"
// CHECK: return
func.func @a_sum_of_every_other_column(%x: tensor<8x5x32xf32>) -> tensor<5x16xf32> {
  %t = sg.slice %x [0, 0, 0] to [8, 5, 32] by [1, 1, 2] : tensor<8x5x32xf32> -> tensor<8x5x16xf32>
  %s = sg.reduce_sum %t dims [0] : tensor<8x5x16xf32> -> tensor<5x16xf32>
  return %s : tensor<5x16xf32>
}

// What is marked is handed out, and its kernel has the mark. Without it the
// chain would be computed again by each reader.
// CHECK-LABEL: func.func @hands_out_what_is_marked
// CHECK: %[[K:.*]] = sg.kernel {{.*}}attributes {{{.*}}sg.keep
// CHECK: sg.neg
// CHECK-NOT: sg.keep
// CHECK: sg.matmul %[[K]]
// CHECK: return
func.func @hands_out_what_is_marked(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %n = sg.neg %x {sg.keep} : tensor<128x128xf32>
  %p = sg.matmul %n, %x : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %s = sg.add %p, %n : tensor<128x128xf32>
  return %s : tensor<128x128xf32>
}

// A chain on two large values is computed again by a kernel that reads both in any
// case. A GPU's kernel that reads one of them reads the other instead of what would
// be stored.

// CHECK-LABEL: func.func @at_hand(
// CHECK:         sg.kernel "mul_reduce_sum" {{.*}} -> tensor<128xf32>
// CHECK:         sg.kernel "mul_add_sub"
// CHECK-COUNT-2: sg.mul
func.func @at_hand(%x: tensor<64x128xf32>, %dy: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %p = sg.mul %x, %dy : tensor<64x128xf32>
  %s = sg.reduce_sum %p dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %v = sg.reshape %s : tensor<128xf32> -> tensor<1x128xf32>
  %m = sg.matmul %v, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %t = sg.reshape %m : tensor<1x128xf32> -> tensor<128xf32>
  %b = sg.broadcast %t dims [1] : tensor<128xf32> -> tensor<64x128xf32>
  %q = sg.mul %p, %b : tensor<64x128xf32>
  %u = sg.add %q, %x : tensor<64x128xf32>
  %z = sg.sub %u, %dy : tensor<64x128xf32>
  return %z : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @read_instead(
// CHECK:         sg.kernel "mul_reduce_sum" {{.*}} -> (tensor<64x128xf32>, tensor<128xf32>)
// GPU-LABEL: func.func @read_instead(
// GPU-SAME:    %{{.*}}: tensor<64x128xf32>, %[[DY:[a-z0-9]+]]: tensor<64x128xf32>
// GPU:         sg.kernel "mul_reduce_sum" {{.*}} -> tensor<128xf32>
// GPU:         sg.kernel "mul_add" {{.*}} = %[[DY]] : tensor<64x128xf32>
func.func @read_instead(%x: tensor<64x128xf32>, %dy: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %p = sg.mul %x, %dy : tensor<64x128xf32>
  %s = sg.reduce_sum %p dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %v = sg.reshape %s : tensor<128xf32> -> tensor<1x128xf32>
  %m = sg.matmul %v, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %t = sg.reshape %m : tensor<1x128xf32> -> tensor<128xf32>
  %b = sg.broadcast %t dims [1] : tensor<128xf32> -> tensor<64x128xf32>
  %q = sg.mul %p, %b : tensor<64x128xf32>
  %u = sg.add %q, %x : tensor<64x128xf32>
  return %u : tensor<64x128xf32>
}

// GPU-LABEL: func.func @not_at_hand(
// GPU:         sg.kernel "mul_reduce_sum" {{.*}} -> (tensor<64x128xf32>, tensor<128xf32>)
func.func @not_at_hand(%x: tensor<64x128xf32>, %dy: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %p = sg.mul %x, %dy : tensor<64x128xf32>
  %s = sg.reduce_sum %p dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %v = sg.reshape %s : tensor<128xf32> -> tensor<1x128xf32>
  %m = sg.matmul %v, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %t = sg.reshape %m : tensor<1x128xf32> -> tensor<128xf32>
  %b = sg.broadcast %t dims [1] : tensor<128xf32> -> tensor<64x128xf32>
  %q = sg.mul %p, %b : tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}

// So is one on rows from other places, by a kernel that takes them from there too;
// what it reads as it was moved has been stored.

// CHECK-LABEL: func.func @rows_of_other_places(
// CHECK-SAME:    %{{.*}}: tensor<64x128xf32>, %[[DY:[a-z0-9]+]]: tensor<64x128xf32>
// CHECK:         sg.kernel "roll_neg_reduce_sum" {{.*}} -> tensor<128xf32>
// CHECK:         sg.kernel "roll_neg_mul_add" {{.*}} = %[[DY]] : tensor<64x128xf32>
func.func @rows_of_other_places(%x: tensor<64x128xf32>, %dy: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %r = sg.roll %dy by [5, 0] : tensor<64x128xf32>
  %c = sg.neg %r : tensor<64x128xf32>
  %s = sg.reduce_sum %c dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %v = sg.reshape %s : tensor<128xf32> -> tensor<1x128xf32>
  %m = sg.matmul %v, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %t = sg.reshape %m : tensor<1x128xf32> -> tensor<128xf32>
  %b = sg.broadcast %t dims [1] : tensor<128xf32> -> tensor<64x128xf32>
  %q = sg.mul %c, %b : tensor<64x128xf32>
  %u = sg.add %q, %x : tensor<64x128xf32>
  return %u : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @moved_and_read(
// CHECK:         sg.kernel "roll_mul_reduce_sum" {{.*}} -> (tensor<64x128xf32>, tensor<128xf32>)
// CHECK:         sg.kernel "mul_add_sub"
func.func @moved_and_read(%x: tensor<64x128xf32>, %dy: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %r = sg.roll %dy by [5, 0] : tensor<64x128xf32>
  %p = sg.mul %x, %r : tensor<64x128xf32>
  %s = sg.reduce_sum %p dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %v = sg.reshape %s : tensor<128xf32> -> tensor<1x128xf32>
  %m = sg.matmul %v, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %t = sg.reshape %m : tensor<1x128xf32> -> tensor<128xf32>
  %b = sg.broadcast %t dims [1] : tensor<128xf32> -> tensor<64x128xf32>
  %q = sg.mul %p, %b : tensor<64x128xf32>
  %u = sg.add %q, %x : tensor<64x128xf32>
  %z = sg.sub %u, %r : tensor<64x128xf32>
  return %z : tensor<64x128xf32>
}

// What is widened is handed out narrow, however it was made of wide values.

// CHECK-LABEL: func.func @narrow_is_handed_out(
// CHECK:         sg.kernel "add_cast_reduce_sum" {{.*}} -> (tensor<128xf32>, tensor<64x128xbf16>)
// CHECK:         sg.kernel "cast_mul" ({{.*}} : tensor<64x128xbf16>, {{.*}} : tensor<128xf32>)
func.func @narrow_is_handed_out(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %t = sg.add %x, %y : tensor<64x128xf32>
  %n = sg.cast %t : tensor<64x128xf32> to tensor<64x128xbf16>
  %h = sg.cast %n : tensor<64x128xbf16> to tensor<64x128xf32>
  %s = sg.reduce_sum %h dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %v = sg.reshape %s : tensor<128xf32> -> tensor<1x128xf32>
  %m = sg.matmul %v, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %r = sg.reshape %m : tensor<1x128xf32> -> tensor<128xf32>
  %b = sg.broadcast %r dims [1] : tensor<128xf32> -> tensor<64x128xf32>
  %q = sg.mul %h, %b : tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}

// A part that is taken of a value does not keep all of it.

// CHECK-LABEL: func.func @part_of_a_value(
// CHECK:         sg.kernel "slice_neg_reduce_sum" {{.*}} -> (tensor<64x128xf32>, tensor<128xf32>)
func.func @part_of_a_value(%x: tensor<4096x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %p = sg.slice %x [0, 0] to [64, 128] by [1, 1] : tensor<4096x128xf32> -> tensor<64x128xf32>
  %h = sg.neg %p : tensor<64x128xf32>
  %s = sg.reduce_sum %h dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  %v = sg.reshape %s : tensor<128xf32> -> tensor<1x128xf32>
  %m = sg.matmul %v, %w : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
  %r = sg.reshape %m : tensor<1x128xf32> -> tensor<128xf32>
  %b = sg.broadcast %r dims [1] : tensor<128xf32> -> tensor<64x128xf32>
  %q = sg.mul %h, %b : tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}

// Who moves what has been moved does both at once, where rows stay rows and
// nobody else reads it.

// CHECK-LABEL: func.func @moved_twice(
// CHECK-NEXT:    %[[Y:.*]] = sg.kernel "transpose_pad_cast" (%{{.*}} = %{{[^:]*}} : tensor<8x16x4xf32>) -> tensor<17x8x8xbf16>
// CHECK-NEXT:      sg.transpose
// CHECK-NEXT:      sg.pad
// CHECK-NEXT:      sg.cast
// CHECK-NEXT:      sg.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Y]]
func.func @moved_twice(%x: tensor<8x16x4xf32>) -> tensor<17x8x8xbf16> {
  %t = sg.transpose %x perm [1, 0, 2] : tensor<8x16x4xf32> -> tensor<16x8x4xf32>
  %p = sg.pad %t low [1, 0, 0] high [0, 0, 4] interior [0, 0, 0] value 0.0 : tensor<16x8x4xf32> -> tensor<17x8x8xf32>
  %c = sg.cast %p : tensor<17x8x8xf32> to tensor<17x8x8xbf16>
  return %c : tensor<17x8x8xbf16>
}

// CHECK-LABEL: func.func @moved_for_two(
// CHECK:         sg.kernel "transpose" {{.*}} -> tensor<16x8x4xf32>
// CHECK:         sg.kernel "pad"
func.func @moved_for_two(%x: tensor<8x16x4xf32>) -> (tensor<17x8x8xf32>, tensor<16x8x4xf32>) {
  %t = sg.transpose %x perm [1, 0, 2] : tensor<8x16x4xf32> -> tensor<16x8x4xf32>
  %p = sg.pad %t low [1, 0, 0] high [0, 0, 4] interior [0, 0, 0] value 0.0 : tensor<16x8x4xf32> -> tensor<17x8x8xf32>
  return %p, %t : tensor<17x8x8xf32>, tensor<16x8x4xf32>
}

// CHECK-LABEL: func.func @rows_turned(
// CHECK:         sg.kernel "transpose" {{.*}} -> tensor<8x4x16xf32>
// CHECK:         sg.kernel "pad"
func.func @rows_turned(%x: tensor<8x16x4xf32>) -> tensor<9x4x16xf32> {
  %t = sg.transpose %x perm [0, 2, 1] : tensor<8x16x4xf32> -> tensor<8x4x16xf32>
  %p = sg.pad %t low [1, 0, 0] high [0, 0, 0] interior [0, 0, 0] value 0.0 : tensor<8x4x16xf32> -> tensor<9x4x16xf32>
  return %p : tensor<9x4x16xf32>
}

// Not what is to be kept, and not a part of a tensor.

// CHECK-LABEL: func.func @moved_and_kept(
// CHECK:         sg.kernel "transpose"
// CHECK:         sg.kernel "pad"
func.func @moved_and_kept(%x: tensor<8x16x4xf32>) -> tensor<17x8x8xf32> {
  %t = sg.transpose %x perm [1, 0, 2] {sg.keep} : tensor<8x16x4xf32> -> tensor<16x8x4xf32>
  %p = sg.pad %t low [1, 0, 0] high [0, 0, 4] interior [0, 0, 0] value 0.0 : tensor<16x8x4xf32> -> tensor<17x8x8xf32>
  return %p : tensor<17x8x8xf32>
}

// CHECK-LABEL: func.func @part_is_moved(
// CHECK:         sg.kernel "slice" {{.*}} -> tensor<1x16x4xf32>
// CHECK:         sg.kernel "concat"
func.func @part_is_moved(%x: tensor<8x16x4xf32>, %y: tensor<8x16x4xf32>) -> tensor<9x16x4xf32> {
  %s = sg.slice %x [3, 0, 0] to [4, 16, 4] by [1, 1, 1] : tensor<8x16x4xf32> -> tensor<1x16x4xf32>
  %c = sg.concat %s, %y dim 0 : (tensor<1x16x4xf32>, tensor<8x16x4xf32>) -> tensor<9x16x4xf32>
  return %c : tensor<9x16x4xf32>
}

// Of moves in a row the first is none of the last one's reader.

// CHECK-LABEL: func.func @chain_of_moves(
// CHECK:         sg.kernel "roll"
// CHECK:         sg.kernel "transpose"
// CHECK:         sg.kernel "pad"
func.func @chain_of_moves(%x: tensor<8x16x4xf32>) -> tensor<17x8x8xf32> {
  %r = sg.roll %x by [1, 2, 0] : tensor<8x16x4xf32>
  %t = sg.transpose %r perm [1, 0, 2] : tensor<8x16x4xf32> -> tensor<16x8x4xf32>
  %p = sg.pad %t low [1, 0, 0] high [0, 0, 4] interior [0, 0, 0] value 0.0 : tensor<16x8x4xf32> -> tensor<17x8x8xf32>
  return %p : tensor<17x8x8xf32>
}

// Nor is what the forward pass moved moved again in the backward pass.

// CHECK-LABEL: func.func @moved_before(
// CHECK:         sg.kernel "transpose"
// CHECK:         sg.kernel "pad"
func.func @moved_before(%x: tensor<8x16x4xf32>) -> tensor<17x8x8xf32> {
  %t = sg.transpose %x perm [1, 0, 2] {sg.origin = #sg.origin<"a", forward>} : tensor<8x16x4xf32> -> tensor<16x8x4xf32>
  %p = sg.pad %t low [1, 0, 0] high [0, 0, 4] interior [0, 0, 0] value 0.0 {sg.origin = #sg.origin<"a", backward>} : tensor<16x8x4xf32> -> tensor<17x8x8xf32>
  return %p : tensor<17x8x8xf32>
}

// What is made of two moved tensors reads two, and is stored.

// CHECK-LABEL: func.func @sum_of_moved(
// CHECK:         sg.kernel "transpose_pad_add_neg" {{.*}} -> (tensor<17x640x8xf32>, tensor<17x640x8xf32>)
// CHECK:         sg.kernel "mul" {{.*}} -> tensor<17x640x8xf32>
func.func @sum_of_moved(%x: tensor<640x16x8xf32>, %y: tensor<640x16x8xf32>, %w: tensor<8x8xf32>) -> tensor<17x640x8xf32> {
  %t = sg.transpose %x perm [1, 0, 2] : tensor<640x16x8xf32> -> tensor<16x640x8xf32>
  %p = sg.pad %t low [1, 0, 0] high [0, 0, 0] interior [0, 0, 0] value 0.0 : tensor<16x640x8xf32> -> tensor<17x640x8xf32>
  %u = sg.transpose %y perm [1, 0, 2] : tensor<640x16x8xf32> -> tensor<16x640x8xf32>
  %q = sg.pad %u low [1, 0, 0] high [0, 0, 0] interior [0, 0, 0] value 0.0 : tensor<16x640x8xf32> -> tensor<17x640x8xf32>
  %a = sg.add %p, %q : tensor<17x640x8xf32>
  %n = sg.neg %a : tensor<17x640x8xf32>
  %v = sg.reshape %n : tensor<17x640x8xf32> -> tensor<10880x8xf32>
  %m = sg.matmul %v, %w : (tensor<10880x8xf32>, tensor<8x8xf32>) -> tensor<10880x8xf32>
  %b = sg.reshape %m : tensor<10880x8xf32> -> tensor<17x640x8xf32>
  %z = sg.mul %a, %b : tensor<17x640x8xf32>
  return %z : tensor<17x640x8xf32>
}
