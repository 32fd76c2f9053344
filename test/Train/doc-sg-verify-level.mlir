// The example of sg-verify-level's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-verify-level`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: not reprise-opt %t.mlir --sg-verify-level=level=flat 2>&1 | FileCheck %s

// CHECK: error: 'sg.module' op does not belong to a flat function
