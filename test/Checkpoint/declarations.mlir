// Passes leave declarations alone, whose body they cannot see.
//
// RUN: reprise-opt %s --sg-to-inference | FileCheck %s
// RUN: reprise-opt %s --sg-flatten | FileCheck %s
// RUN: reprise-opt %s --sg-differentiate | FileCheck %s
// RUN: reprise-opt %s --sg-lower-checkpointing | FileCheck %s
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=per-block | FileCheck %s
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=sqrt | FileCheck %s
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=segments=2 2>&1 | FileCheck %s
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=threshold-bytes=1 | FileCheck %s

// CHECK-NOT: warning
// CHECK: func.func private @is_a_declaration(tensor<8xf32>) -> tensor<f32>
func.func private @is_a_declaration(tensor<8xf32>) -> tensor<f32>
