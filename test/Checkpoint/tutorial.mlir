// The commands of docs/tutorial.md print what it says, on the model it shows.
//
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: sed -n '/^sg.variable @"part1.0/,/^}$/p' %s > %t.dir/model.mlir
// RUN: sed -n '/^sg.variable @"part1.0/,/^}$/p' %source/docs/tutorial.md > %t.dir/documented.mlir
// RUN: diff %t.dir/model.mlir %t.dir/documented.mlir
//
// RUN: cd %t.dir
// RUN: reprise-opt model.mlir --sg-differentiate --sg-print-kept -o /dev/null > before.txt
// RUN: sed -n '/--sg-differentiate --sg-print-kept/,/values$/p' %source/docs/tutorial.md > page-before.txt
// RUN: sed -n 's/^    \(kept in\|  *[0-9][0-9]* bytes\)/\1/p' page-before.txt > documented-before.txt
// RUN: diff before.txt documented-before.txt
//
// RUN: reprise-opt model.mlir --sg-differentiate --sg-lower-checkpointing --sg-print-kept -o /dev/null > after.txt
// RUN: sed -n '/--sg-lower-checkpointing --sg-print-kept/,/values$/p' %source/docs/tutorial.md > page-after.txt
// RUN: sed -n 's/^    \(kept in\|  *[0-9][0-9]* bytes\)/\1/p;/values$/q' page-after.txt > documented-after.txt
// RUN: diff after.txt documented-after.txt
//
// RUN: reprise-opt model.mlir --sg-differentiate --sg-lower-checkpointing | FileCheck %s

// The network in C++ is the one of the consumer project.
// RUN: sed -n '/^struct Classifier/,/^};/p' %source/docs/tutorial.md > documented.cpp
// RUN: sed -n '/^struct Classifier/,/^};/p' %source/test/consumer/consumer.cpp > consumer.cpp
// RUN: diff consumer.cpp documented.cpp

// The clone as the tutorial shows it.
// CHECK: %[[B:.*]] = sg.barrier(%{{.*}}) after(%{{.*}}) : (tensor<512x28x28x1xf32>) after(tensor<512x64xf32>)
// CHECK-NEXT: sg.module "part1" (%[[I:.*]] = %[[B]] : tensor<512x28x28x1xf32>) -> (tensor<512x512xf32>, tensor<512x784xf32>)
// CHECK-SAME: attributes {instance = 0 : i64, phase = #sg.phase<recompute>} {
// CHECK-NEXT:   %[[V:.*]] = sg.reshape %[[I]]
// CHECK-NEXT:   %[[W:.*]] = sg.read @part1.0.weight
// CHECK-NEXT:   %[[H0:.*]] = sg.matmul %[[V]], %[[W]] {transpose_b}
// CHECK-NEXT:   %[[H1:.*]] = sg.relu %[[H0]]
// CHECK-NEXT:   sg.yield %[[H1]], %[[V]]

sg.variable @"part1.0.weight" : tensor<512x784xf32> {
  role = #sg.role<parameter>, init = #sg.init<uniform, 3.57e-02 : f64>}
sg.variable @"part1.2.weight" : tensor<64x512xf32> {
  role = #sg.role<parameter>, init = #sg.init<uniform, 4.42e-02 : f64>}
sg.variable @"part2.0.weight" : tensor<1024x64xf32> {
  role = #sg.role<parameter>, init = #sg.init<uniform, 0.125 : f64>}
sg.variable @"part2.2.weight" : tensor<10x1024xf32> {
  role = #sg.role<parameter>, init = #sg.init<uniform, 3.12e-02 : f64>}

func.func @classifier(
    %image: tensor<512x28x28x1xf32> {sg.name = "image"},
    %label: tensor<512xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>},
        tensor<512x10xf32> {sg.name = "logits", sg.binding = #sg.binding<logits>}) {
  %features = sg.module "part1" (%x = %image : tensor<512x28x28x1xf32>)
      -> tensor<512x64xf32> attributes {activation_checkpointing} {
    %v = sg.reshape %x : tensor<512x28x28x1xf32> -> tensor<512x784xf32>
    %w0 = sg.read @"part1.0.weight" : tensor<512x784xf32>
    %h0 = sg.matmul %v, %w0 {transpose_b}
      : (tensor<512x784xf32>, tensor<512x784xf32>) -> tensor<512x512xf32>
    %h1 = sg.relu %h0 : tensor<512x512xf32>
    %w2 = sg.read @"part1.2.weight" : tensor<64x512xf32>
    %h2 = sg.matmul %h1, %w2 {transpose_b}
      : (tensor<512x512xf32>, tensor<64x512xf32>) -> tensor<512x64xf32>
    %h3 = sg.relu %h2 : tensor<512x64xf32>
    sg.yield %h3 : tensor<512x64xf32>
  }
  %logits = sg.module "part2" (%x = %features : tensor<512x64xf32>)
      -> tensor<512x10xf32> {
    %w0 = sg.read @"part2.0.weight" : tensor<1024x64xf32>
    %h0 = sg.matmul %x, %w0 {transpose_b}
      : (tensor<512x64xf32>, tensor<1024x64xf32>) -> tensor<512x1024xf32>
    %h1 = sg.relu %h0 : tensor<512x1024xf32>
    %w2 = sg.read @"part2.2.weight" : tensor<10x1024xf32>
    %y = sg.matmul %h1, %w2 {transpose_b}
      : (tensor<512x1024xf32>, tensor<10x1024xf32>) -> tensor<512x10xf32>
    sg.yield %y : tensor<512x10xf32>
  }
  %losses, %lse = sg.cross_entropy %logits, %label
    : (tensor<512x10xf32>, tensor<512xi32>) -> (tensor<512xf32>, tensor<512xf32>)
  %sum = sg.reduce_sum %losses dims [0] : tensor<512xf32> -> tensor<f32>
  %scale = sg.constant dense<1.953125e-03> : tensor<f32>
  %loss = sg.mul %sum, %scale : tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<512x10xf32>
}
