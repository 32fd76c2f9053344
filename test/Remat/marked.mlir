// An op that is marked runs once, whatever that costs: the budget of
// doc-sg-rematerialize.mlir, which takes a second run of it, is refused then.
//
// RUN: sed 's/\(sg.kernel "grow".*xf32>\) {/\1 attributes {sg.keep} {/' %S/doc-sg-rematerialize.mlir > %t.mlir
// RUN: not reprise-opt %t.mlir --sg-rematerialize="budget-bytes=70000" 2>&1 \
// RUN:   | FileCheck %s
// RUN: reprise-opt %t.mlir --sg-rematerialize="budget-bytes=200000" \
// RUN:   | FileCheck %s --check-prefix=PLENTY

// CHECK: error: budget of {{.*}} (70000 bytes) cannot be met

// PLENTY: sg.kernel "grow"
// PLENTY-SAME: sg.keep
// PLENTY-NOT: sg.kernel "grow"
// PLENTY: return
