// RUN: reprise-opt %s --sg-assign-checkpointing=mode=none \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=annotated \
// RUN:   | FileCheck %s --check-prefix=ANNOTATED
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=per-block \
// RUN:   | FileCheck %s --check-prefix=BLOCK
// RUN: reprise-opt %s --sg-assign-checkpointing=mode=nested \
// RUN:   | FileCheck %s --check-prefix=NESTED

// NONE-LABEL: func.func @removes_or_sets_annotations_of_blocks(
// NONE-NOT:     activation_checkpointing
// NONE:         return

// ANNOTATED-LABEL: func.func @removes_or_sets_annotations_of_blocks(
// ANNOTATED: sg.module "a" {{.*}} attributes {activation_checkpointing} {
// ANNOTATED-NOT: activation_checkpointing
// ANNOTATED: return

// BLOCK-LABEL: func.func @removes_or_sets_annotations_of_blocks(
// BLOCK: sg.module "a" (%{{.*}} : tensor<8xf32>) -> tensor<8xf32> {
// BLOCK: sg.module "a.b" {{.*}} attributes {activation_checkpointing} {
// BLOCK: sg.module "c" {{.*}} attributes {activation_checkpointing} {

// NESTED-LABEL: func.func @removes_or_sets_annotations_of_blocks(
// NESTED: sg.module "a" {{.*}} attributes {activation_checkpointing} {
// NESTED: sg.module "a.b" {{.*}} attributes {activation_checkpointing} {
// NESTED: sg.module "c" {{.*}} attributes {activation_checkpointing} {
func.func @removes_or_sets_annotations_of_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = sg.module "a" (%i = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {activation_checkpointing} {
    %b = sg.module "a.b" (%j = %i : tensor<8xf32>) -> tensor<8xf32> {
      %e = sg.exp %j : tensor<8xf32>
      sg.yield %e : tensor<8xf32>
    }
    sg.yield %b : tensor<8xf32>
  }
  %c = sg.module "c" (%i = %a : tensor<8xf32>) -> tensor<8xf32> {
    %t = sg.tanh %i : tensor<8xf32>
    sg.yield %t : tensor<8xf32>
  }
  return %c : tensor<8xf32>
}
