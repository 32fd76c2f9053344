// A function without blocks is reduced to the op that is wanted, in any dialect.
//
// RUN: rm -rf %t && split-file %s %t && cd %t && chmod +x wants.sh
// RUN: reprise-reduce sg.mlir --reduction-tree='test=./wants.sh test-arg=sg.exp' | FileCheck %s --check-prefix=SG
// RUN: reprise-reduce step.mlir --reduction-tree='traversal-mode=0 test=./wants.sh test-arg=linalg.exp' | FileCheck %s --check-prefix=STEP
// RUN: reprise-reduce other.mlir --allow-unregistered-dialect --reduction-tree='test=./wants.sh test-arg=other.fails' -o small.mlir
// RUN: FileCheck %s --check-prefix=OTHER < small.mlir
// RUN: not reprise-reduce sg.mlir --reduction-tree='test=./wants.sh test-arg=sg.tanh' 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not reprise-reduce sg.mlir 2>&1 | FileCheck %s --check-prefix=HOW

// SG:      func.func @f(%[[X:.*]]: tensor<8x4xf32>) {
// SG-NEXT:   sg.exp %[[X]] : tensor<8x4xf32>
// SG-NEXT:   return
// SG-NEXT: }

// STEP:     func.func @step
// STEP-NOT: arith
// STEP-NOT: scf
// STEP:     linalg.exp
// STEP-NOT: tosa
// STEP-NOT: tensor.extract
// STEP:     return
// STEP-NOT: func.func

// OTHER:      func.func @f() {
// OTHER-NEXT:   "other.fails"() {{.*}}
// OTHER-NEXT:   return
// OTHER-NEXT: }

// WHOLE: error: './wants.sh' does not exit with 1 on the whole module, so that nothing can be reduced
// HOW: error: say how to reduce, as in --reduction-tree='test=./still-fails.sh'

//--- wants.sh
#!/bin/sh
# Exits with 1 while the second argument, a file, has the first one.
! grep -q "$1" "$2"

//--- sg.mlir
func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %z = sg.exp %x : tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

//--- step.mlir
func.func @step(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = tosa.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %a = tensor.extract %z[%i] : tensor<4xf32>
    %b = arith.addf %sum, %a : f32
    scf.yield %b : f32
  }
  return %z, %s : tensor<4xf32>, f32
}
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- other.mlir
func.func @f() -> tensor<4xf32> {
  %a = "other.make"() : () -> tensor<4xf32>
  %b = "other.use"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = "other.fails"() : () -> tensor<4xf32>
  %d = "other.add"(%b, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
