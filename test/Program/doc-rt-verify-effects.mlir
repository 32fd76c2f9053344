// The example of rt-verify-effects's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-rt-verify-effects`/d' %source/docs/passes/program.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: not reprise-opt %t.mlir --pass-pipeline='builtin.module(rt.program(rt-verify-effects))' 2>&1 | FileCheck %s

// CHECK: error: 'rt.launch' op writes variable 'w' in the recompute phase
