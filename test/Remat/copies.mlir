// Copies that variables need stand in the schedule, where the plan has them.
//
// RUN: reprise-opt %s --sg-rematerialize="budget-percent=100" -o %t.step
// RUN: FileCheck %s --input-file=%t.step
// RUN: reprise-opt %t.step --sg-lower-to-rt -o %t.program
// RUN: FileCheck %s --check-prefix=PROGRAM --input-file=%t.program
// RUN: reprise-opt %t.step --pass-pipeline='builtin.module(sg-lower-to-rt,rt.program(rt-verify-program,rt-verify-effects))' -o /dev/null

sg.variable @a : tensor<64xf32> {role = #sg.role<parameter>, init = #sg.init<zeros>}
sg.variable @b : tensor<64xf32> {role = #sg.role<parameter>, init = #sg.init<ones>}

// Both change places, and the old value of one is returned.
// CHECK-LABEL: func.func @swap
// CHECK-SAME:    sg.scheduled}
// CHECK-DAG:     %[[A:.*]] = sg.read @a
// CHECK-DAG:     %[[B:.*]] = sg.read @b
// CHECK-DAG:     sg.copy %[[A]] {sg.offsets = array<i64:
// CHECK-DAG:     sg.copy %[[B]] {sg.offsets = array<i64:
// CHECK-DAG:     sg.write @b, %{{.*}}
// CHECK-DAG:     sg.write @a, %{{.*}}
// CHECK:         return
// PROGRAM:       rt.entry @swap
// PROGRAM-COUNT-4: rt.copy
// PROGRAM-NOT:   rt.copy
func.func @swap() -> (tensor<64xf32> {sg.name = "old"}) {
  %a = sg.read @a : tensor<64xf32>
  %b = sg.read @b : tensor<64xf32>
  sg.write @a, %b : tensor<64xf32>
  sg.write @b, %a : tensor<64xf32>
  return %a : tensor<64xf32>
}
