// Blocks by path are annotated beside those of the mode.
// RUN: reprise-opt %s --sg-assign-checkpointing="mode=none recompute=layer1*" | FileCheck %s
// RUN: not reprise-opt %s --sg-assign-checkpointing="mode=none recompute=layer3" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'layer3' matches no block and no source location of a block

// CHECK: sg.module "layer1"
// CHECK-SAME: activation_checkpointing
// CHECK: sg.module "layer2"
// CHECK-NOT: activation_checkpointing
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = sg.module "layer1" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = sg.relu %a : tensor<8xf32>
    sg.yield %r : tensor<8xf32>
  }
  %z = sg.module "layer2" (%a = %y : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %r = sg.relu %a : tensor<8xf32>
    sg.yield %r : tensor<8xf32>
  }
  return %z : tensor<8xf32>
}
