// Gradients clipped by the norm of all of them.
//
// RUN: reprise-opt %s --sg-differentiate=clip-norm=0.5 | FileCheck %s
// RUN: reprise-opt %s '--sg-differentiate=clip-norm=0.5 emit-gradients' \
// RUN:   | FileCheck %s --check-prefix=EMIT
// RUN: reprise-opt %s --sg-model-to-train=clip-norm=0.5 \
// RUN:   | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: sg.minimum
// RUN: not reprise-opt %s --sg-differentiate=clip-norm=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: clip-norm is {{-1.*}}; it must be finite and not negative
// RUN: not reprise-opt %s --sg-differentiate=clip-norm=inf 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INFINITE
// INFINITE: error: clip-norm is {{.*}}; it must be finite and not negative
// RUN: not reprise-opt %s '--sg-differentiate=clip-norm=1 optimizer=none' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: clip-norm clips what an optimizer takes, and none takes no gradients
// RUN: sed 's/"loss"/"gradient_norm"/' %s \
// RUN:   | not reprise-opt --sg-differentiate=clip-norm=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// NAME: error: result 0 has the name 'gradient_norm' of the one that clip-norm adds; give it another

// By an average of the norms before: variables, and a norm that is not finite.
// RUN: reprise-opt %s '--sg-differentiate=clip-mode=average clip-tolerance=2' \
// RUN:   | FileCheck %s --check-prefix=AVERAGE
// RUN: reprise-opt %s \
// RUN:     '--sg-differentiate=clip-mode=moving_average clip-momentum=0.75 clip-norm-type=inf' \
// RUN:   | FileCheck %s --check-prefix=MOVING
// RUN: not reprise-opt %s --sg-differentiate=clip-mode=mean 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODE
// MODE: error: clip-mode is 'mean'; choose pre_defined, average or moving_average
// RUN: not reprise-opt %s '--sg-differentiate=clip-norm=1 clip-norm-type=3' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TYPE
// TYPE: error: clip-norm-type is '3'; choose 1, 2 or inf
// RUN: not reprise-opt %s '--sg-differentiate=clip-mode=average clip-norm=1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH
// BOTH: error: clip-norm needs the mode pre_defined, but the mode is average
// RUN: not reprise-opt %s '--sg-differentiate=clip-mode=average clip-tolerance=0' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TOLERANCE
// TOLERANCE: error: clip-tolerance is {{0.*}}; it must be finite and above 0
// RUN: not reprise-opt %s '--sg-differentiate=clip-mode=moving_average clip-momentum=1.5' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MOMENTUM
// MOMENTUM: error: clip-momentum is {{1.5.*}}; it must be between 0 and 1
// RUN: sed 's/@b/@gradient_norm.count/' %s \
// RUN:   | not reprise-opt --sg-differentiate=clip-mode=average 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: has the name of a variable of clipping; give it another
//
// AVERAGE: sg.variable @gradient_norm.average : tensor<f64> {init = #sg.init<zeros>, role = #sg.role<optimizer_state>}
// AVERAGE: sg.variable @gradient_norm.count : tensor<i64>
// AVERAGE: %[[NORM:.*]] = sg.sqrt
// AVERAGE: %[[MEAN:.*]] = sg.read @gradient_norm.average
// AVERAGE: %[[COUNT:.*]] = sg.read @gradient_norm.count
// AVERAGE: %[[HAS:.*]] = sg.compare gt %[[COUNT]]
// AVERAGE: %[[MOST:.*]] = sg.mul %[[MEAN]],
// AVERAGE: sg.cast %[[MOST]] {{.*}}: tensor<f64> to tensor<f32>
// AVERAGE: %[[LESS:.*]] = sg.minimum
// AVERAGE: %[[SCALE:.*]] = sg.select %[[HAS]], %[[LESS]],
// AVERAGE: %[[DEFECT:.*]] = sg.sub %[[NORM]], %[[NORM]]
// AVERAGE: %[[FINITE:.*]] = sg.compare eq %[[DEFECT]], %[[DEFECT]]
// AVERAGE: %[[NEXT:.*]] = sg.add %[[COUNT]],
// AVERAGE: sg.div
// AVERAGE: %[[NEW:.*]] = sg.select %[[FINITE]], %{{.*}}, %[[MEAN]]
// AVERAGE: sg.write @gradient_norm.average, %[[NEW]]
// AVERAGE: sg.select %[[FINITE]], %[[NEXT]], %[[COUNT]]
// AVERAGE: sg.write @gradient_norm.count
// AVERAGE: sg.broadcast %[[SCALE]]
//
// MOVING: %[[G:.*]]:2 = sg.backward
// MOVING: %[[SIZE:.*]] = sg.abs %[[G]]#0
// MOVING: %[[FIRST:.*]] = sg.reduce_max %[[SIZE]] dims [0]
// MOVING: %[[NORM:.*]] = sg.maximum %[[FIRST]],
// MOVING-NOT: sg.sqrt
// MOVING: sg.read @gradient_norm.average
// MOVING: sg.constant dense<7.500000e-01> : tensor<f64>
// MOVING: sg.constant dense<2.500000e-01> : tensor<f64>
// MOVING: sg.write @gradient_norm.average

sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}
sg.variable @b : tensor<4xbf16> {role = #sg.role<parameter>, init = #sg.init<ones>}

// CHECK-LABEL: func.func @clips
// CHECK-SAME: tensor<f32> {sg.binding = #sg.binding<metric>, sg.name = "gradient_norm"}
// CHECK: %[[G:.*]]:2 = sg.backward of [@w, @b]
// CHECK: %[[SQUARE:.*]] = sg.mul %[[G]]#0, %[[G]]#0
// CHECK: %[[FIRST:.*]] = sg.reduce_sum %[[SQUARE]] dims [0]
// CHECK: %[[WIDE:.*]] = sg.cast %[[G]]#1 {{.*}}: tensor<4xbf16> to tensor<4xf32>
// CHECK: %[[OTHER:.*]] = sg.mul %[[WIDE]], %[[WIDE]]
// CHECK: %[[SECOND:.*]] = sg.reduce_sum %[[OTHER]] dims [0]
// CHECK: %[[SUM:.*]] = sg.add %[[FIRST]], %[[SECOND]]
// CHECK: %[[NORM:.*]] = sg.sqrt %[[SUM]]
// CHECK: %[[MARGIN:.*]] = sg.constant dense<9.99999997E-7>
// CHECK: %[[MOST:.*]] = sg.constant dense<5.000000e-01>
// CHECK: %[[DIVISOR:.*]] = sg.add %[[NORM]], %[[MARGIN]]
// CHECK: %[[RATIO:.*]] = sg.div %[[MOST]], %[[DIVISOR]]
// CHECK: %[[SCALE:.*]] = sg.minimum %[[RATIO]],
// CHECK: %[[SCALES:.*]] = sg.broadcast %[[SCALE]] dims [] {{.*}}tensor<4xf32>
// CHECK: %[[CLIPPED:.*]] = sg.mul %[[G]]#0, %[[SCALES]]
// CHECK: sg.add %{{.*}}, %[[CLIPPED]]
// CHECK: sg.cast %[[SCALE]] {{.*}}: tensor<f32> to tensor<bf16>
// CHECK: return %{{.*}}, %[[NORM]]
//
// EMIT-LABEL: func.func @clips
// EMIT: %[[G:.*]]:2 = sg.backward
// EMIT: %[[NORM:.*]] = sg.sqrt
// EMIT: return %{{.*}}, %[[G]]#0, %[[G]]#1, %[[NORM]]
func.func @clips(%x: tensor<4xf32>) -> (tensor<f32> {sg.name = "loss"}) {
  %w = sg.read @w : tensor<4xf32>
  %b = sg.read @b : tensor<4xbf16>
  %c = sg.cast %b : tensor<4xbf16> to tensor<4xf32>
  %s = sg.add %w, %c : tensor<4xf32>
  %p = sg.mul %s, %x : tensor<4xf32>
  %l = sg.reduce_sum %p dims [0] : tensor<4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
