// The example of sg-verify-effects's documentation, taken from its page.
//
// RUN: sed -e '1,/^### `-sg-verify-effects`/d' %source/docs/passes/train.md > %t.page
// RUN: sed -e '1,/^```mlir/d' %t.page > %t.start
// RUN: sed -e '/^```/,$d' %t.start > %t.mlir
// RUN: not reprise-opt %t.mlir --sg-verify-effects 2>&1 | FileCheck %s

// CHECK: error: 'sg.write' op writes @counter a second time in one step
// CHECK: note: first written here
