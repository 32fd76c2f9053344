// RUN: not reprise-opt %s --sg-select-parameters=freeze=b* 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: freeze: no parameter matches 'b*'
// RUN: not reprise-opt %s --sg-select-parameters=freeze=* 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: error: freeze: every parameter is frozen, so that nothing is trained
// RUN: not reprise-opt %s '--sg-select-parameters=freeze=[a' 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: error: freeze: '[a' is not a pattern
// RUN: not reprise-opt %s --sg-select-parameters=lr-scale=a=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: lr-scale 'a=0': write PATTERN=FACTOR with a factor above 0
// RUN: not reprise-opt %s --sg-select-parameters=lr-scale=a 2>&1 | FileCheck %s --check-prefix=FACTOR
// FACTOR: error: lr-scale 'a': write PATTERN=FACTOR
// RUN: not reprise-opt %s --sg-select-parameters=layer-decay=1.5 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: layer-decay is 1.5{{.*}}; it must be above 0 and at most 1
// RUN: not reprise-opt %s --sg-select-parameters=layer-decay=0.5 2>&1 | FileCheck %s --check-prefix=LAYER
// LAYER: error: layer-decay: the model has one layer only
sg.variable @a : tensor<4xf32> {role = #sg.role<parameter>,
                                init = #sg.init<ones>}
func.func @f() -> tensor<f32> {
  %a = sg.read @a : tensor<4xf32>
  %l = sg.reduce_sum %a dims [0] : tensor<4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
