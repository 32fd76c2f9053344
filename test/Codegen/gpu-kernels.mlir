// Kernels as functions of a GPU: what threads load, exchange and store.
//
// RUN: kernels-to-gpu %s | FileCheck %s
// RUN: kernels-to-gpu %s --ptx sm_90 | FileCheck %s --check-prefix=PTX
// RUN: kernels-to-gpu %s --ptx sm_80 | FileCheck %s --check-prefix=EXACT --implicit-check-not=.approx --implicit-check-not=.ftz --implicit-check-not=extern
// RUN: not kernels-to-gpu %s --ptx sm_9 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not kernels-to-gpu %s --ptx sm_70 2>&1 | FileCheck %s --check-prefix=OLD
// EXACT: .version
// OLD: error: kernels need sm_80 or newer, not sm_70
// ARCH: error: LLVM knows no architecture 'sm_9'

// Rounded by an instruction, but for the bits of a NaN.
// CHECK-LABEL: gpu.func @narrow(
// CHECK: arith.truncf {{.*}} : vector<4xf32> to vector<4xbf16>
// PTX-LABEL: .entry narrow(
// PTX-NOT: bfe
// PTX-NOT: setp
// PTX-COUNT-2: cvt.rn.bf16x2.f32
// PTX: mov.b32 {{.*}}, 2143322048;
// PTX-COUNT-2: min.s16x2
// EXACT-LABEL: .entry narrow(
// EXACT-COUNT-2: cvt.rn.bf16x2.f32
// EXACT-COUNT-4: min.s16 {{.*}}, 32704;
func.func @narrowed(%x: tensor<256x64xf32>) -> tensor<256x64xbf16> {
  %y = sg.kernel "narrow" (%a = %x : tensor<256x64xf32>) -> tensor<256x64xbf16> {
    %c = sg.cast %a : tensor<256x64xf32> to tensor<256x64xbf16>
    sg.yield %c : tensor<256x64xbf16>
  }
  return %y : tensor<256x64xbf16>
}

// Sixteen bytes a thread, whole rows; the first block has the last ones.
// CHECK-LABEL: gpu.func @scale_relu(
// CHECK-SAME: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 16, 1, 1>
// CHECK: %[[BLOCK:.*]] = gpu.block_id
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[BLOCK]]
// CHECK: %[[LAST:.*]] = arith.constant 15 : i64
// CHECK: arith.subi %[[LAST]], %[[NUMBER]]
// CHECK: scf.if
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// PTX-LABEL: .entry scale_relu(
// PTX: .maxntid 256
// PTX: ld.global.v4.b32
// PTX: mul.rn.f32
// PTX: st.global.v4.b32
func.func @pointwise(%x: tensor<256x64xf32>, %s: tensor<64xf32>) -> tensor<256x64xf32> {
  %y = sg.kernel "scale_relu" (%a = %x : tensor<256x64xf32>, %c = %s : tensor<64xf32>) -> tensor<256x64xf32> {
    %b = sg.broadcast %c dims [1] : tensor<64xf32> -> tensor<256x64xf32>
    %m = sg.mul %a, %b : tensor<256x64xf32>
    %r = sg.relu %m : tensor<256x64xf32>
    sg.yield %r : tensor<256x64xf32>
  }
  return %y : tensor<256x64xf32>
}

// Eight numbers of 16 bits are 16 bytes; rows of six hold vectors of two.
// CHECK-LABEL: gpu.func @half(
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-LABEL: gpu.func @six(
// CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
func.func @narrow(%x: tensor<4096xbf16>, %z: tensor<5x6xf32>, %s: tensor<6xf32>) -> (tensor<4096xbf16>, tensor<5x6xf32>) {
  %y = sg.kernel "half" (%a = %x : tensor<4096xbf16>) -> tensor<4096xbf16> {
    %r = sg.relu %a : tensor<4096xbf16>
    sg.yield %r : tensor<4096xbf16>
  }
  %w = sg.kernel "six" (%a = %z : tensor<5x6xf32>, %c = %s : tensor<6xf32>) -> tensor<5x6xf32> {
    %b = sg.broadcast %c dims [1] : tensor<6xf32> -> tensor<5x6xf32>
    %m = sg.mul %a, %b : tensor<5x6xf32>
    sg.yield %m : tensor<5x6xf32>
  }
  return %y, %w : tensor<4096xbf16>, tensor<5x6xf32>
}

// A warp a row: lanes, then five exchanges; nothing goes through memory.
// CHECK-LABEL: gpu.func @softmax(
// CHECK-NOT: workgroup
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: arith.subf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: arith.divf
// CHECK: llvm.store
// PTX-LABEL: .entry softmax(
// PTX-COUNT-10: shfl.sync.bfly.b32
// PTX: div.rn.f32
func.func @rows(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = sg.kernel "softmax" (%a = %x : tensor<8x64xf32>) -> tensor<8x64xf32> {
    %m = sg.reduce_max %a dims [1] : tensor<8x64xf32> -> tensor<8xf32>
    %b = sg.broadcast %m dims [0] : tensor<8xf32> -> tensor<8x64xf32>
    %d = sg.sub %a, %b : tensor<8x64xf32>
    %e = sg.exp %d : tensor<8x64xf32>
    %s = sg.reduce_sum %e dims [1] : tensor<8x64xf32> -> tensor<8xf32>
    %t = sg.broadcast %s dims [0] : tensor<8xf32> -> tensor<8x64xf32>
    %q = sg.div %e, %t : tensor<8x64xf32>
    sg.yield %q : tensor<8x64xf32>
  }
  return %y : tensor<8x64xf32>
}

// A long row takes a block, whose warps meet at a barrier.
// CHECK-LABEL: gpu.func @long_row(
// CHECK-SAME: workgroup(%{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : f32
func.func @blocks(%x: tensor<3x8192xf32>) -> tensor<3xf32> {
  %y = sg.kernel "long_row" (%a = %x : tensor<3x8192xf32>) -> tensor<3xf32> {
    %s = sg.reduce_sum %a dims [1] : tensor<3x8192xf32> -> tensor<3xf32>
    sg.yield %s : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// Sixteen vectors of columns, sixteen rows of threads and a tree of four
// levels; what is made of the sums is stored by the first row.
// CHECK-LABEL: gpu.func @columns(
// CHECK-SAME: workgroup(%{{.*}} : memref<256xvector<4xf32>, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// CHECK: scf.for {{.*}} -> (vector<4xf32>)
// CHECK-COUNT-4: gpu.barrier
// CHECK: arith.mulf {{.*}} : vector<4xf32>
// CHECK: llvm.store {{.*}} : vector<4xf32>
func.func @over_rows(%x: tensor<4x28x64xbf16>) -> tensor<64xf32> {
  %y = sg.kernel "columns" (%a = %x : tensor<4x28x64xbf16>) -> tensor<64xf32> {
    %f = sg.cast %a : tensor<4x28x64xbf16> to tensor<4x28x64xf32>
    %s = sg.reduce_sum %f dims [0, 1] : tensor<4x28x64xf32> -> tensor<64xf32>
    %m = sg.mul %s, %s : tensor<64xf32>
    sg.yield %m : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// Two variables of one shape and one of another: blocks of their own.
// CHECK-LABEL: gpu.func @updates(
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK-COUNT-3: scf.if
func.func @several(%v: tensor<64xf32>, %w: tensor<64xf32>, %u: tensor<8xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<8xf32>) {
  %y:3 = sg.kernel "updates" (%a = %v : tensor<64xf32>, %b = %w : tensor<64xf32>, %c = %u : tensor<8xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<8xf32>) {
    %p = sg.neg %a : tensor<64xf32>
    %q = sg.abs %b : tensor<64xf32>
    %r = sg.neg %c : tensor<8xf32>
    sg.yield %p, %q, %r : tensor<64xf32>, tensor<64xf32>, tensor<8xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<64xf32>, tensor<64xf32>, tensor<8xf32>
}

// Blocks that have parts of long columns: what they wrote is there before they
// count themselves, and before the last one reads it.
// CHECK-LABEL: gpu.func @long_columns(
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK-NEXT: llvm.atomicrmw add
// CHECK-NEXT: llvm.fence syncscope("device") acq_rel
// CHECK: gpu.barrier
// PTX-LABEL: .entry long_columns(
// PTX: bar.sync 0
// PTX: {{fence.acq_rel.gpu|membar.gl}}
// PTX-NEXT: atom.global.add.u32
// PTX-NEXT: {{fence.acq_rel.gpu|membar.gl}}
// PTX: bar.sync 0
func.func @columns_of_blocks(%x: tensor<65536x64xf32>) -> tensor<64xf32> {
  %y = sg.kernel "long_columns" (%a = %x : tensor<65536x64xf32>) -> tensor<64xf32> {
    %s = sg.reduce_sum %a dims [0] : tensor<65536x64xf32> -> tensor<64xf32>
    sg.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// Two sums in f64 share what their rows and their blocks are added in.
// PTX-LABEL: .entry wide_sums(
// PTX-COUNT-2: .shared .align 32 .b8 {{.*}}[8192];
func.func @wide_columns(%x: tensor<65536x64xf64>) -> (tensor<64xf64>, tensor<64xf64>) {
  %y:2 = sg.kernel "wide_sums" (%a = %x : tensor<65536x64xf64>) -> (tensor<64xf64>, tensor<64xf64>) {
    %m = sg.mul %a, %a : tensor<65536x64xf64>
    %s = sg.reduce_sum %a dims [0] : tensor<65536x64xf64> -> tensor<64xf64>
    %t = sg.reduce_sum %m dims [0] : tensor<65536x64xf64> -> tensor<64xf64>
    sg.yield %s, %t : tensor<64xf64>, tensor<64xf64>
  }
  return %y#0, %y#1 : tensor<64xf64>, tensor<64xf64>
}

// Rows of three loops are rows of one: their addresses go on by as much each
// time, without a division. Two numbers of a channel are read in front of all
// rows, four at a time, and not for each. Two bf16 come from a register.
// CHECK-LABEL: gpu.func @centred(
// CHECK: llvm.load
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xbf16>
// CHECK-NOT: llvm.load {{.*}} -> vector<4xf32>
// CHECK: scf.yield
// PTX-LABEL: .entry centred(
// PTX-NOT: mul.hi
// PTX: ld.global.v2.b32
// PTX-NOT: cvt
// PTX: shl.b32 {{.*}}, 16;
// PTX: and.b32 {{.*}}, -65536;
func.func @channels(%x: tensor<64x28x28x64xbf16>, %m: tensor<64xf32>, %n: tensor<64xf32>) -> tensor<64xf32> {
  %y = sg.kernel "centred" (%a = %x : tensor<64x28x28x64xbf16>, %b = %m : tensor<64xf32>, %c = %n : tensor<64xf32>) -> tensor<64xf32> {
    %f = sg.cast %a : tensor<64x28x28x64xbf16> to tensor<64x28x28x64xf32>
    %mean = sg.broadcast %b dims [3] : tensor<64xf32> -> tensor<64x28x28x64xf32>
    %d = sg.sub %f, %mean : tensor<64x28x28x64xf32>
    %scale = sg.broadcast %c dims [3] : tensor<64xf32> -> tensor<64x28x28x64xf32>
    %p = sg.mul %d, %scale : tensor<64x28x28x64xf32>
    %s = sg.reduce_sum %p dims [0, 1, 2] : tensor<64x28x28x64xf32> -> tensor<64xf32>
    sg.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// Columns that no vector of a block holds: a thread without one reads what the
// last has.
// CHECK-LABEL: gpu.func @seven(
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[COLUMN:.*]], %{{.*}} : i64
// CHECK: arith.select %[[EXISTS]], %[[COLUMN]], %{{.*}} : i64
// CHECK: llvm.load
// CHECK: scf.for
func.func @narrow_columns(%x: tensor<64x7xf32>, %m: tensor<7xf32>) -> tensor<7xf32> {
  %y = sg.kernel "seven" (%a = %x : tensor<64x7xf32>, %b = %m : tensor<7xf32>) -> tensor<7xf32> {
    %mean = sg.broadcast %b dims [1] : tensor<7xf32> -> tensor<64x7xf32>
    %d = sg.sub %a, %mean : tensor<64x7xf32>
    %s = sg.reduce_sum %d dims [0] : tensor<64x7xf32> -> tensor<7xf32>
    sg.yield %s : tensor<7xf32>
  }
  return %y : tensor<7xf32>
}

// With sums what is made of two narrow operands: four blocks at a time.
// CHECK-LABEL: gpu.func @masked(
// CHECK-SAME: nvvm.minctasm = 4 : i32
// PTX-LABEL: .entry masked(
// PTX: .minnctapersm 4
func.func @gradient(%x: tensor<65536x64xbf16>, %d: tensor<65536x64xbf16>) -> (tensor<65536x64xbf16>, tensor<64xf32>) {
  %y:2 = sg.kernel "masked" (%a = %x : tensor<65536x64xbf16>, %b = %d : tensor<65536x64xbf16>) -> (tensor<65536x64xbf16>, tensor<64xf32>) {
    %g = sg.relu_grad %a, %b : tensor<65536x64xbf16>
    %f = sg.cast %g : tensor<65536x64xbf16> to tensor<65536x64xf32>
    %s = sg.reduce_sum %f dims [0] : tensor<65536x64xf32> -> tensor<64xf32>
    sg.yield %g, %s : tensor<65536x64xbf16>, tensor<64xf32>
  }
  return %y#0, %y#1 : tensor<65536x64xbf16>, tensor<64xf32>
}

// A row of three numbers and five zeros is stored at once.
// CHECK-LABEL: gpu.func @eight_of_three(
// CHECK-SAME: known_grid_size = array<i32: 16, 1, 1>
// PTX-LABEL: .entry eight_of_three(
// PTX-COUNT-3: ld.global.b32
// PTX: st.global.v4.b32 {{.*}}, 0, 0}
func.func @channels_of_zeros(%x: tensor<4x32x32x3xf32>) -> tensor<4x32x32x8xbf16> {
  %y = sg.kernel "eight_of_three" (%a = %x : tensor<4x32x32x3xf32>) -> tensor<4x32x32x8xbf16> {
    %p = sg.pad %a low [0, 0, 0, 0] high [0, 0, 0, 5] interior [0, 0, 0, 0] value 0.0 : tensor<4x32x32x3xf32> -> tensor<4x32x32x8xf32>
    %c = sg.cast %p : tensor<4x32x32x8xf32> to tensor<4x32x32x8xbf16>
    sg.yield %c : tensor<4x32x32x8xbf16>
  }
  return %y : tensor<4x32x32x8xbf16>
}
