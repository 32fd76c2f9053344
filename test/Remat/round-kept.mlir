// RUN: reprise-opt %s --split-input-file --sg-round-kept | FileCheck %s --check-prefix=BF16
// RUN: reprise-opt %s --split-input-file --sg-round-kept=type=fp8 | FileCheck %s --check-prefix=FP8
// RUN: reprise-opt %s --split-input-file --sg-round-kept=exact-bytes=0 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: not reprise-opt %s --split-input-file --sg-round-kept=type=int4 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: reprise-opt %s --split-input-file --sg-round-kept=exact-bytes=1000000 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: no kept value is rounded to bf16: each is as narrow, or a statistic, or of at most 1000000 bytes
// NONE-NOT: sg.cast
// TYPE: error: 'type' must be bf16 or fp8, not 'int4'

#f = #sg.origin<"norm", forward>
#b = #sg.origin<"norm", backward>
#c = #sg.origin<"conv", backward>

// A statistic, and what is made of it at its own index, stays exact; a value
// that two layers read is restored for each, and the forward pass reads it as it
// was.
// REMARK: remark: 1 kept value is rounded to bf16: 0.1 MiB instead of 0.1 MiB
// BF16-LABEL: func.func @statistics
// BF16:         %[[H:.*]] = sg.exp
// BF16-NEXT:    %[[S:.*]] = sg.cast %[[H]] {sg.origin = #sg.origin<"norm", forward>}
// BF16:         %[[SUM:.*]] = sg.reduce_sum %[[H]]
// BF16-NEXT:    %[[M:.*]] = sg.sqrt %[[SUM]]
// BF16:         %[[R:.*]] = sg.cast %[[S]] {sg.origin = #sg.origin<"norm", backward>}
// BF16-NEXT:    sg.mul %arg1, %[[R]]
// BF16:         sg.mul %arg2, %[[M]]
// BF16-NEXT:    %[[T:.*]] = sg.cast %[[S]] {sg.origin = #sg.origin<"conv", backward>}
// BF16-NEXT:    sg.mul {{.*}}, %[[T]]
// FP8-LABEL:  func.func @statistics
// FP8:          %[[H:.*]] = sg.exp
// FP8-NEXT:     %[[A:.*]] = sg.abs %[[H]]
// FP8-NEXT:     %[[L:.*]] = sg.reduce_max %[[A]] dims [1]
// FP8:          %[[F:.*]] = sg.div {{.*}} : tensor<2048xf32>
// FP8:          %[[Q:.*]] = sg.encode_fp8 {{.*}} : tensor<2048x16xf32> to tensor<2048x16xi8>
// FP8:          %[[D:.*]] = sg.decode_fp8 %[[Q]] {sg.origin = #sg.origin<"norm", backward>}
// FP8-NEXT:     %[[B:.*]] = sg.broadcast %[[F]] dims [0]
// FP8-NEXT:     %[[R:.*]] = sg.mul %[[D]], %[[B]]
// FP8-NEXT:     sg.mul %arg1, %[[R]]
func.func @statistics(%x: tensor<2048x16xf32>, %dy: tensor<2048x16xf32>,
                      %ds: tensor<2048xf32>)
    -> (tensor<2048xf32>, tensor<2048x16xf32>, tensor<2048xf32>) {
  %h = sg.exp %x {sg.origin = #f} : tensor<2048x16xf32>
  %s = sg.reduce_sum %h dims [1] {sg.origin = #f}
    : tensor<2048x16xf32> -> tensor<2048xf32>
  %m = sg.sqrt %s {sg.origin = #f} : tensor<2048xf32>
  %l = sg.exp %m {sg.origin = #f} : tensor<2048xf32>
  %d = sg.mul %dy, %h {sg.origin = #b} : tensor<2048x16xf32>
  %e = sg.mul %ds, %m {sg.origin = #b} : tensor<2048xf32>
  %g = sg.mul %d, %h {sg.origin = #c} : tensor<2048x16xf32>
  return %l, %g, %e : tensor<2048xf32>, tensor<2048x16xf32>, tensor<2048xf32>
}

// -----

#f = #sg.origin<"block", forward>
#r = #sg.origin<"block", recompute>
#b = #sg.origin<"block", backward>

// The inputs of a recomputed block pass the barrier as they are stored.
// BF16-LABEL: func.func @barrier
// BF16:         %[[S:.*]] = sg.cast {{.*}} to tensor<128x16xbf16>
// BF16:         %[[P:.*]] = sg.barrier(%[[S]]) after(%{{.*}}) {{.*}} : (tensor<128x16xbf16>) after(tensor<128x16xf32>) -> tensor<128x16xbf16>
// BF16-NEXT:    %[[R:.*]] = sg.cast %[[P]] {sg.origin = #sg.origin<"block", recompute>}
// BF16-NEXT:    sg.tanh %[[R]]
// FP8-LABEL:  func.func @barrier
// FP8:          sg.barrier(%{{.*}}, %{{.*}}) after(%{{.*}}) {{.*}} : (tensor<128x16xi8>, tensor<128xf32>) after(tensor<128x16xf32>) -> tensor<128x16xi8>, tensor<128xf32>
// FP8-NEXT:     sg.decode_fp8
func.func @barrier(%x: tensor<128x16xf32>, %dy: tensor<128x16xf32>)
    -> (tensor<128x16xf32>, tensor<128x16xf32>) {
  %h = sg.exp %x {sg.origin = #f} : tensor<128x16xf32>
  %y = sg.tanh %h {sg.origin = #f} : tensor<128x16xf32>
  %z = sg.barrier (%h) after (%dy) {sg.origin = #r}
    : (tensor<128x16xf32>) after (tensor<128x16xf32>) -> tensor<128x16xf32>
  %t = sg.tanh %z {sg.origin = #r} : tensor<128x16xf32>
  %d = sg.mul %dy, %t {sg.origin = #b} : tensor<128x16xf32>
  return %y, %d : tensor<128x16xf32>, tensor<128x16xf32>
}

// -----

#f = #sg.origin<"a", forward>
#b = #sg.origin<"a", backward>

// Returned, small, already as narrow, integers, rows of few elements for fp8.
// BF16-LABEL: func.func @exact
// BF16-COUNT-1: sg.cast %{{.*}} to tensor<4096x4xbf16>
// BF16-NOT:     sg.cast %{{.*}} to tensor<{{.*}}xbf16>
// FP8-LABEL:  func.func @exact
// FP8:          %[[N:.*]] = sg.exp %arg2
// FP8-NEXT:     sg.cast %[[N]]
// FP8-COUNT-1:  sg.encode_fp8 %{{.*}} : tensor<64x64xf32>
// FP8-NOT:      sg.encode_fp8
func.func @exact(%x: tensor<64x64xf32>, %s: tensor<16x64xf32>,
                 %n: tensor<64x64xbf16>, %i: tensor<64x64xi32>,
                 %w: tensor<4096x4xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<16x64xf32>,
        tensor<64x64xbf16>, tensor<64x64xi32>, tensor<4096x4xf32>) {
  %xr = sg.exp %x {sg.origin = #f} : tensor<64x64xf32>
  %sr = sg.exp %s {sg.origin = #f} : tensor<16x64xf32>
  %nr = sg.exp %n {sg.origin = #f} : tensor<64x64xbf16>
  %ir = sg.add %i, %i {sg.origin = #f} : tensor<64x64xi32>
  %wr = sg.exp %w {sg.origin = #f} : tensor<4096x4xf32>
  %xb = sg.tanh %xr {sg.origin = #b} : tensor<64x64xf32>
  %sb = sg.tanh %sr {sg.origin = #b} : tensor<16x64xf32>
  %nb = sg.tanh %nr {sg.origin = #b} : tensor<64x64xbf16>
  %ib = sg.add %ir, %ir {sg.origin = #b} : tensor<64x64xi32>
  %wb = sg.tanh %wr {sg.origin = #b} : tensor<4096x4xf32>
  return %xr, %xb, %sb, %nb, %ib, %wb : tensor<64x64xf32>, tensor<64x64xf32>,
    tensor<16x64xf32>, tensor<64x64xbf16>, tensor<64x64xi32>, tensor<4096x4xf32>
}

// -----

#f = #sg.origin<"a", forward>
#b = #sg.origin<"a", backward>

// An attention's log-sum-exp is a statistic, its result is not.
// BF16-LABEL: func.func @attention
// BF16:         %[[Y:.*]], %[[L:.*]] = sg.attention
// BF16-NEXT:    %[[S:.*]] = sg.cast %[[Y]] {{.*}} to tensor<8x64x4x16xbf16>
// BF16-NEXT:    %[[R:.*]] = sg.cast %[[S]]
// BF16-NEXT:    sg.attention_grad %arg0, %[[R]], %[[L]], %arg1
// FP8-LABEL:  func.func @attention
// FP8:          %{{.*}}, %[[L:.*]] = sg.attention
// FP8:          sg.attention_grad %arg0, %{{.*}}, %[[L]], %arg1
func.func @attention(%qkv: tensor<8x64x3x4x16xf32>, %dy: tensor<8x64x4x16xf32>)
    -> tensor<8x64x3x4x16xf32> {
  %y, %lse = sg.attention %qkv {scale = 0.25 : f64, sg.origin = #f}
    : (tensor<8x64x3x4x16xf32>) -> (tensor<8x64x4x16xf32>, tensor<8x4x64xf32>)
  %d = sg.attention_grad %qkv, %y, %lse, %dy {scale = 0.25 : f64, sg.origin = #b}
    : (tensor<8x64x3x4x16xf32>, tensor<8x64x4x16xf32>, tensor<8x4x64xf32>,
       tensor<8x64x4x16xf32>) -> tensor<8x64x3x4x16xf32>
  return %d : tensor<8x64x3x4x16xf32>
}

// -----

#f = #sg.origin<"block", forward>
#r = #sg.origin<"block", recompute>
#b = #sg.origin<"block", backward>

// A barrier has a value twice, and waits for it.
// BF16-LABEL: func.func @barrier_of_one_value
// BF16:         %[[X:.*]] = sg.exp %arg0
// BF16-NEXT:    %[[S:.*]] = sg.cast %[[X]]
// BF16:         %[[P:.*]]:3 = sg.barrier(%[[S]], %arg1, %[[S]]) after(%[[X]])
// BF16-DAG:     sg.cast %[[P]]#0
// BF16-DAG:     sg.cast %[[P]]#2
// FP8-LABEL:  func.func @barrier_of_one_value
// FP8:          %[[P:.*]]:5 = sg.barrier(%[[Q:.*]], %arg1, %[[Q]], %[[F:.*]], %[[F]]) after
// FP8-COUNT-2:  sg.decode_fp8 %[[P]]
func.func @barrier_of_one_value(%x: tensor<128x16xf32>, %dy: tensor<128x16xf32>)
    -> (tensor<128x16xf32>, tensor<128x16xf32>) {
  %h = sg.exp %x {sg.origin = #f} : tensor<128x16xf32>
  %y = sg.tanh %h {sg.origin = #f} : tensor<128x16xf32>
  %z:3 = sg.barrier (%h, %dy, %h) after (%h) {sg.origin = #r}
    : (tensor<128x16xf32>, tensor<128x16xf32>, tensor<128x16xf32>)
    after (tensor<128x16xf32>)
    -> tensor<128x16xf32>, tensor<128x16xf32>, tensor<128x16xf32>
  %t = sg.mul %z#0, %z#2 {sg.origin = #r} : tensor<128x16xf32>
  %d = sg.mul %z#1, %t {sg.origin = #b} : tensor<128x16xf32>
  return %y, %d : tensor<128x16xf32>, tensor<128x16xf32>
}
