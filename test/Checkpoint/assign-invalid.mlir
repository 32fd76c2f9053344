// RUN: not reprise-opt %s --sg-assign-checkpointing=mode=often 2>&1 | FileCheck %s
// RUN: not reprise-opt %s --sg-assign-checkpointing=mode=segments=0 2>&1 | FileCheck %s
// RUN: not reprise-opt %s --sg-assign-checkpointing=mode=segments=two 2>&1 | FileCheck %s
// RUN: not reprise-opt %s --sg-assign-checkpointing=mode=segments=1000001 2>&1 | FileCheck %s
// RUN: not reprise-opt %s --sg-assign-checkpointing=mode=threshold-bytes=-1 2>&1 | FileCheck %s
// RUN: not reprise-opt %s --sg-assign-checkpointing=mode=threshold-bytes=segments=2 2>&1 | FileCheck %s
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=segments=1000000 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY

// CHECK: error: unknown checkpointing mode '{{.*}}'; known are none, annotated, per-block, nested, segments=N, sqrt, threshold-bytes=SIZE

// MANY: warning: can be cut into 2 segments at most, not into 1000000
// MANY: sg.module "segment1"
func.func @has_one_articulation_value(%x: tensor<8xf32>) -> tensor<f32> {
  %a = sg.exp %x : tensor<8xf32>
  %l = sg.reduce_sum %a dims [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
