// JAX's meshes of one device, composites and their decompositions survive a plan;
// a mesh of several devices is refused.
// RUN: reprise rematerialize %s --budget 70% -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: evaluate-stablehlo %s %t.mlir
// RUN: sed 's/"x"=1/"x"=4/' %s > %t.four.mlir
// RUN: not reprise rematerialize %t.four.mlir --budget 70% -o %t.none.mlir 2>&1 | FileCheck %s --check-prefix=FOUR
// FOUR: error: {{.*}}the mesh 'mesh' has 4 devices: shapes are not those of one device

// CHECK: sdy.mesh @mesh = <["x"=1, "=9"=1]>
// CHECK: sdy.sharding_constraint {{.*}} <@mesh, [{"x"}]>
// CHECK: stablehlo.composite "mine.wave"
// CHECK: stablehlo.optimization_barrier
// CHECK: func.func private @wave.impl
sdy.mesh @mesh = <["x"=1, "=9"=1]>
func.func public @main(%x: tensor<1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> tensor<1024xf32> {
  %a = stablehlo.sine %x : tensor<1024xf32>
  %b = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<1024xf32>
  %c = stablehlo.composite "mine.wave" %b {decomposition = @wave.impl} : (tensor<1024xf32>) -> tensor<1024xf32>
  %d = stablehlo.cosine %c : tensor<1024xf32>
  %e = stablehlo.multiply %d, %c : tensor<1024xf32>
  %f = stablehlo.add %e, %a : tensor<1024xf32>
  return %f : tensor<1024xf32>
}
func.func private @wave.impl(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = stablehlo.tanh %x : tensor<1024xf32>
  return %y : tensor<1024xf32>
}
