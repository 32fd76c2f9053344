// What the planner counts of upstream ops, by MLIR's interfaces and the models.
//
// DEFINE: %{remarks} = --mlir-disable-threading --remarks-filter=remat-to-budget --remark-format=emitRemark
// RUN: reprise-opt %s -split-input-file --allow-unregistered-dialect %{remarks} \
// RUN:   --remat-to-budget="budget-bytes=1000000 gflops=1 gbytes-per-second=1" -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t

// Destinations are taken over, and empty tensors are nothing. 2*8*16*32
// operations take 8.192e-3 ms at 1 GFLOP/s, more than the bytes do; the fill's
// bytes, 4 read and 512 written, 5.12e-4 and what the scalar costs.

// REMARK:      Function=destinations |
// REMARK-SAME: live_bytes=512, live_bytes_plain=512, milliseconds=8.704000e-03
func.func @destinations(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>)
    -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>)
    -> tensor<8x16xf32>
  %r = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>)
    outs(%z : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// The destination is read after the op, so that the result has other bytes.

// REMARK:      Function=destination_read_later |
// REMARK-SAME: live_bytes=1536, live_bytes_plain=1536
func.func @destination_read_later(%a: tensor<128xf32>)
    -> (tensor<128xf32>, tensor<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %x = linalg.exp ins(%a : tensor<128xf32>) outs(%e : tensor<128xf32>)
    -> tensor<128xf32>
  %y = linalg.add ins(%a, %a : tensor<128xf32>, tensor<128xf32>)
    outs(%x : tensor<128xf32>) -> tensor<128xf32>
  %z = linalg.sub ins(%y, %x : tensor<128xf32>, tensor<128xf32>)
    outs(%e : tensor<128xf32>) -> tensor<128xf32>
  return %y, %z : tensor<128xf32>, tensor<128xf32>
}

// -----

// Views take nothing and keep what they view alive.

// REMARK:      Function=views |
// REMARK-SAME: live_bytes=1024, live_bytes_plain=1024
func.func @views(%a: tensor<8x16xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %x = linalg.exp ins(%a : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>)
    -> tensor<8x16xf32>
  %v = tensor.collapse_shape %x [[0, 1]]
    : tensor<8x16xf32> into tensor<128xf32>
  %f = tensor.empty() : tensor<128xf32>
  %y = linalg.exp ins(%v : tensor<128xf32>) outs(%f : tensor<128xf32>)
    -> tensor<128xf32>
  return %y : tensor<128xf32>
}

// -----

// A region reads from outside.

// REMARK:      Function=captured |
// REMARK-SAME: live_bytes=1024, live_bytes_plain=1024
// CHECK-LABEL: func.func @captured
// CHECK:         %[[X:.*]] = linalg.exp
// CHECK:         scf.for
// CHECK:           tensor.extract %[[X]]
func.func @captured(%a: tensor<128xf32>) -> (tensor<128xf32>, f32) {
  %e = tensor.empty() : tensor<128xf32>
  %x = linalg.exp ins(%a : tensor<128xf32>) outs(%e : tensor<128xf32>)
    -> tensor<128xf32>
  %y = linalg.exp ins(%a : tensor<128xf32>) outs(%e : tensor<128xf32>)
    -> tensor<128xf32>
  %zero = arith.constant 0.0 : f32
  %from = arith.constant 0 : index
  %to = arith.constant 128 : index
  %by = arith.constant 1 : index
  %s = scf.for %i = %from to %to step %by iter_args(%sum = %zero) -> f32 {
    %v = tensor.extract %x[%i] : tensor<128xf32>
    %w = tensor.extract %y[%i] : tensor<128xf32>
    %t = arith.addf %sum, %v : f32
    %u = arith.addf %t, %w : f32
    scf.yield %u : f32
  }
  return %y, %s : tensor<128xf32>, f32
}

// -----

// What has memory effects keeps its order, and each runs once.

// CHECK-LABEL: func.func @memrefs
// CHECK:         memref.alloc
// CHECK:         linalg.exp
// CHECK:         linalg.add
// CHECK:         memref.load
// CHECK:         memref.dealloc
// CHECK-NOT:     remat.recomputed
// CHECK:         return
func.func @memrefs(%a: memref<128xf32>) -> f32 {
  %i = arith.constant 3 : index
  %m = memref.alloc() : memref<128xf32>
  linalg.exp ins(%a : memref<128xf32>) outs(%m : memref<128xf32>)
  linalg.add ins(%a, %m : memref<128xf32>, memref<128xf32>)
    outs(%m : memref<128xf32>)
  %v = memref.load %m[%i] : memref<128xf32>
  memref.dealloc %m : memref<128xf32>
  return %v : f32
}

// -----

// Elements take powers of two of bytes: 8 * (1 + 4 + 8 + 16 + 16), each value
// rounded up to 64 bytes; scalars, vectors and tokens take none.

// REMARK:      Function=element_types |
// REMARK-SAME: live_bytes=448
func.func @element_types() -> (tensor<8xi1>, tensor<8xi24>, tensor<8xindex>,
    tensor<8xcomplex<f64>>, tensor<8xvector<4xf32>>, index, vector<64xf32>,
    !other.token) {
  %r:8 = "other.op"() : () -> (tensor<8xi1>, tensor<8xi24>, tensor<8xindex>,
    tensor<8xcomplex<f64>>, tensor<8xvector<4xf32>>, index, vector<64xf32>,
    !other.token)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7
    : tensor<8xi1>, tensor<8xi24>, tensor<8xindex>, tensor<8xcomplex<f64>>,
      tensor<8xvector<4xf32>>, index, vector<64xf32>, !other.token
}

// -----

// A barrier holds back what reads it, also in a function that has some.

// CHECK-LABEL: func.func @planned_twice
// CHECK:         "other.last"
// CHECK:         remat.barrier %arg0 after
// CHECK:         "other.again"
func.func @planned_twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = "other.first"(%x) {remat.pure} : (tensor<8xf32>) -> tensor<8xf32>
  %b = "other.last"(%a) {remat.pure} : (tensor<8xf32>) -> tensor<64xf32>
  %x1 = remat.barrier %x after %b : tensor<8xf32>, tensor<64xf32>
  %c = "other.again"(%x1) {remat.pure} : (tensor<8xf32>) -> tensor<8xf32>
  %d = "other.both"(%b, %c) {remat.pure}
    : (tensor<64xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %d : tensor<8xf32>
}

// -----

// The function without ops has one schedule; it returns a copy of its argument.

// REMARK:      Function=empty |
// REMARK-SAME: live_bytes=64, live_bytes_plain=64
func.func @empty(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// Ops of sg answer, too: 2*8*16*32 operations, and a reshape is a view.

// REMARK:      Function=sg |
// REMARK-SAME: live_bytes=512, live_bytes_plain=512, milliseconds=8.192000e-03
func.func @sg(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> tensor<128xf32> {
  %r = sg.matmul %a, %b
    : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %v = sg.reshape %r : tensor<8x16xf32> -> tensor<128xf32>
  return %v : tensor<128xf32>
}

// -----

// A kernel's arithmetic is that of its body, counted once: 3 * 4096 operations.

// REMARK:      Function=kernel |
// REMARK-SAME: live_bytes=64, live_bytes_plain=64, milliseconds=1.228800e-02
func.func @kernel(%x: tensor<8xf32>) -> tensor<1xf32> {
  %r = sg.kernel "grow" (%v = %x : tensor<8xf32>) -> tensor<1xf32> {
    %a = sg.broadcast %v dims [1] : tensor<8xf32> -> tensor<512x8xf32>
    %b = sg.tanh %a : tensor<512x8xf32>
    %c = sg.exp %b : tensor<512x8xf32>
    %d = sg.reduce_sum %c dims [0, 1] : tensor<512x8xf32> -> tensor<f32>
    %e = sg.reshape %d : tensor<f32> -> tensor<1xf32>
    sg.yield %e : tensor<1xf32>
  }
  return %r : tensor<1xf32>
}

// -----

// So do tosa's products: 2*8*16*32 operations. 160 bytes of constants are none.

// REMARK:      Function=tosa |
// REMARK-SAME: live_bytes=512, live_bytes_plain=512, milliseconds=8.192000e-03
func.func @tosa(%a: tensor<1x8x32xf32>, %b: tensor<1x32x16xf32>)
    -> tensor<1x8x16xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>}
    : () -> tensor<1xf32>
  %r = tosa.matmul %a, %b, %zp, %zp
    : (tensor<1x8x32xf32>, tensor<1x32x16xf32>, tensor<1xf32>, tensor<1xf32>)
    -> tensor<1x8x16xf32>
  return %r : tensor<1x8x16xf32>
}

// -----

// A product reads its destination as an operand, too: not in place. Neither does
// a transposition, nor what reads a view of it; addition reads each element where
// it writes that.

// REMARK:      Function=product_over_operand |
// REMARK-SAME: live_bytes=2048, live_bytes_plain=2048
func.func @product_over_operand(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %x = linalg.exp ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>)
    -> tensor<16x16xf32>
  %y = linalg.matmul ins(%x, %a : tensor<16x16xf32>, tensor<16x16xf32>)
    outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// REMARK:      Function=transposed_over_operand |
// REMARK-SAME: live_bytes=2048, live_bytes_plain=2048
#straight = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @transposed_over_operand(%a: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %x = linalg.exp ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>)
    -> tensor<16x16xf32>
  %y = linalg.generic {indexing_maps = [#turned, #straight],
      iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<16x16xf32>) outs(%x : tensor<16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// REMARK:      Function=view_of_destination |
// REMARK-SAME: live_bytes=2048, live_bytes_plain=2048
func.func @view_of_destination(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %x = linalg.exp ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>)
    -> tensor<16x16xf32>
  %flat = tensor.collapse_shape %x [[0, 1]]
    : tensor<16x16xf32> into tensor<256xf32>
  %v = tensor.expand_shape %flat [[0, 1]] output_shape [16, 16]
    : tensor<256xf32> into tensor<16x16xf32>
  %y = linalg.matmul ins(%v, %a : tensor<16x16xf32>, tensor<16x16xf32>)
    outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// REMARK:      Function=sum_over_operand |
// REMARK-SAME: live_bytes=1024, live_bytes_plain=1024
func.func @sum_over_operand(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %x = linalg.exp ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>)
    -> tensor<16x16xf32>
  %y = linalg.add ins(%x, %a : tensor<16x16xf32>, tensor<16x16xf32>)
    outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// An iteration makes %b, %v and %s, 4096 + 256 bytes at once, beside the carried
// tensor, which counts twice: the loop may have to copy what it starts with.
// The op's own workspace counts instead.

// REMARK:      Function=loop |
// REMARK-SAME: live_bytes=4864, live_bytes_plain=4864
// REMARK:      Function=loop_that_says |
// REMARK-SAME: live_bytes=576, live_bytes_plain=576
func.func @loop(%x: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %from = arith.constant 0 : index
  %by = arith.constant 1 : index
  %r = scf.for %i = %from to %n step %by iter_args(%a = %x)
      -> tensor<64xf32> {
    %e = tensor.empty() : tensor<16x64xf32>
    %b = linalg.broadcast ins(%a : tensor<64xf32>)
      outs(%e : tensor<16x64xf32>) dimensions = [0]
    %flat = tensor.collapse_shape %b [[0, 1]]
      : tensor<16x64xf32> into tensor<1024xf32>
    %v = tensor.expand_shape %flat [[0, 1]] output_shape [64, 16]
      : tensor<1024xf32> into tensor<64x16xf32>
    %f = tensor.empty() : tensor<64xf32>
    %s = linalg.reduce {arith.addf} ins(%v : tensor<64x16xf32>)
      outs(%f : tensor<64xf32>) dimensions = [1]
    scf.yield %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

func.func @loop_that_says(%x: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %from = arith.constant 0 : index
  %by = arith.constant 1 : index
  %r = scf.for %i = %from to %n step %by iter_args(%a = %x)
      -> tensor<64xf32> {
    %b = "other.make"(%a) : (tensor<64xf32>) -> tensor<4096xf32>
    %s = "other.take"(%b) : (tensor<4096xf32>) -> tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  } {remat.workspace = 64 : i64}
  return %r : tensor<64xf32>
}

// -----

// The larger branch counts; what it yields is the result.

// REMARK:      Function=branches |
// REMARK-SAME: live_bytes=2304, live_bytes_plain=2304
func.func @branches(%x: tensor<64xf32>, %which: i1) -> tensor<64xf32> {
  %r = scf.if %which -> tensor<64xf32> {
    %b = "other.make"(%x) : (tensor<64xf32>) -> tensor<512xf32>
    %s = "other.take"(%b) : (tensor<512xf32>) -> tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  } else {
    %b = "other.make"(%x) : (tensor<64xf32>) -> tensor<256xf32>
    %s = "other.take"(%b) : (tensor<256xf32>) -> tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

// A fixed view runs once and keeps what it views: %a, %c and what %c reads are
// 512 + 256 + 64 bytes.

// REMARK:      Function=fixed_view |
// REMARK-SAME: live_bytes=832, live_bytes_plain=832
// CHECK-LABEL: func.func @fixed_view
// CHECK:         "other.view"
// CHECK-NOT:     "other.view"
// CHECK:         return
func.func @fixed_view(%x: tensor<16xf32>) -> tensor<16xf32> {
  %a = "other.grow"(%x) {remat.pure} : (tensor<16xf32>) -> tensor<16x8xf32>
  %v = "other.view"(%a) {remat.pure, remat.fixed, remat.view = 0 : i64}
    : (tensor<16x8xf32>) -> tensor<128xf32>
  %b = "other.sum"(%v) {remat.pure} : (tensor<128xf32>) -> tensor<16xf32>
  %c = "other.grow"(%b) {remat.pure} : (tensor<16xf32>) -> tensor<16x4xf32>
  %d = "other.sum"(%c) {remat.pure} : (tensor<16x4xf32>) -> tensor<16xf32>
  %e = "other.both"(%v, %d) {remat.pure}
    : (tensor<128xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}
