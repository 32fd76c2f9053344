// A kernel whose blocks leave parts of a sum has a workspace, which is placed and
// lives while it runs.
//
// REQUIRES: cudnn
// RUN: reprise-opt %s --pass-pipeline='builtin.module(sg-kernels-to-program{target=cuda:h200})' | FileCheck %s

// 256 blocks, each with 64 sums of four bytes.
// CHECK: rt.buffer [[WORKSPACE:[0-9]+]] "workspace of l:sum" workspace at {{.*}} size 65536 live 0 to 0
// CHECK: rt.launch @k0_sum {{.*}} workspace <[[WORKSPACE]] + 0 : tensor<65536xi8>>
func.func @f(%x: tensor<65536x64xf32>) -> tensor<64xf32> {
  %y = sg.kernel "sum" (%a = %x : tensor<65536x64xf32>) -> tensor<64xf32> attributes {sg.origin = #sg.origin<"l", forward>} {
    %s = sg.reduce_sum %a dims [0] {sg.origin = #sg.origin<"l", forward>} : tensor<65536x64xf32> -> tensor<64xf32>
    sg.yield %s : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
