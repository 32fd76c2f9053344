// The example of rt-verify-program's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-rt-verify-program`/d' %source/docs/passes/program.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: not reprise-opt %t.mlir --pass-pipeline='builtin.module(rt.program(rt-verify-program))' 2>&1 | FileCheck %s

// CHECK: :12:5: error: 'rt.buffer' op 2 shares byte 64 with buffer 1; both live at step 1
