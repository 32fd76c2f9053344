module {
  sg.variable @head.weight31 : tensor<2xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @head.weight30 : tensor<100x2xf32> {init = #sg.init<kaiming_normal>, role = #sg.role<parameter>}
  sg.variable @block9.block1.block1.layer0.running29 : tensor<20xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block9.block1.block1.layer0.running28 : tensor<20xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block9.block1.block1.layer0.weight27 : tensor<20xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block9.block1.block1.layer0.weight26 : tensor<20xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @rng.step : tensor<i64> {init = #sg.init<zeros>, role = #sg.role<counter>}
  sg.variable @rng.seed : tensor<i64> {init = #sg.init<zeros>, role = #sg.role<seed>}
  sg.variable @block9.block0.block0.running25 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.running24 : tensor<10xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.running23 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.running22 : tensor<10xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.layer1.running21 : tensor<10xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.layer1.running20 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.layer1.weight19 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block9.block0.block0.layer1.weight18 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block9.block0.block0.layer0.running17 : tensor<10xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.layer0.running16 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block9.block0.block0.layer0.weight15 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block9.block0.block0.layer0.weight14 : tensor<10xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @layer8.weight13 : tensor<5x1x3x1xf32> {init = #sg.init<kaiming_normal>, role = #sg.role<parameter>}
  sg.variable @block4.block0.running12 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block4.block0.running11 : tensor<5xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block4.block0.running10 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block4.block0.running9 : tensor<5xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block4.block1.layer1.weight8 : tensor<4x3x2x5xf32> {init = #sg.init<kaiming_normal>, role = #sg.role<parameter>}
  sg.variable @block4.block0.block1.layer0.running7 : tensor<5xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block4.block0.block1.layer0.running6 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block4.block0.block1.layer0.weight5 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block4.block0.block1.layer0.weight4 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block4.block0.layer0.running3 : tensor<5xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block4.block0.layer0.running2 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block4.block0.layer0.weight1 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block2.block0.layer2.weight0 : tensor<5x2x1x2xf32> {init = #sg.init<kaiming_normal>, role = #sg.role<parameter>}
  func.func @graph(%arg0: tensor<4x6x5x1xf32> {sg.name = "image"}, %arg1: tensor<4xi32> {sg.binding = #sg.binding<label>, sg.name = "label"}) -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}, tensor<4x2xf32> {sg.binding = #sg.binding<logits>, sg.name = "logits"}) {
    %0 = sg.neg %arg0 : tensor<4x6x5x1xf32>
    %1 = sg.concat %arg0, %0 dim 3 : (tensor<4x6x5x1xf32>, tensor<4x6x5x1xf32>) -> tensor<4x6x5x2xf32>
    %2 = sg.reduce_sum %1 dims [1, 2] : tensor<4x6x5x2xf32> -> tensor<4x2xf32>
    %3 = sg.constant dense<0.0333333351> : tensor<4x2xf32>
    %4 = sg.mul %2, %3 : tensor<4x2xf32>
    %5 = sg.sigmoid %4 : tensor<4x2xf32>
    %6 = sg.broadcast %5 dims [0, 3] : tensor<4x2xf32> -> tensor<4x6x5x2xf32>
    %7 = sg.mul %1, %6 : tensor<4x6x5x2xf32>
    %8 = sg.module "block2" (%arg2 = %1 : tensor<4x6x5x2xf32>) -> tensor<4x4x7x5xf32> attributes {activation_checkpointing} {
      %40:2 = sg.module "block2.block0" (%arg3 = %arg2 : tensor<4x6x5x2xf32>) -> (tensor<4x4x7x5xf32>, tensor<4x6x5x2xf32>) attributes {activation_checkpointing} {
        %46 = sg.mul %arg3, %arg3 : tensor<4x6x5x2xf32>
        %47 = sg.constant dense<1.000000e+00> : tensor<4x6x5x2xf32>
        %48 = sg.add %46, %47 : tensor<4x6x5x2xf32>
        %49 = sg.rsqrt %48 : tensor<4x6x5x2xf32>
        %50 = sg.module "block2.block0.block1" (%arg4 = %49 : tensor<4x6x5x2xf32>, %arg5 = %arg3 : tensor<4x6x5x2xf32>) -> tensor<4x6x4x2xf32> attributes {activation_checkpointing} {
          %53 = sg.avg_pool2d %arg4 {count_include_pad, padding = array<i64: 1, 1, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 3, 2>} : (tensor<4x6x5x2xf32>) -> tensor<4x6x4x2xf32>
          sg.yield %53 : tensor<4x6x4x2xf32>
        }
        %51 = sg.read @block2.block0.layer2.weight0 : tensor<5x2x1x2xf32>
        %52 = sg.conv2d %50, %51 {dilation = array<i64: 2, 1>, groups = 1 : i64, padding = array<i64: 1, 2, 1, 2>, strides = array<i64: 2, 1>} : (tensor<4x6x4x2xf32>, tensor<5x2x1x2xf32>) -> tensor<4x4x7x5xf32>
        sg.yield %52, %49 : tensor<4x4x7x5xf32>, tensor<4x6x5x2xf32>
      }
      %41 = sg.constant dense<0.000000e+00> : tensor<4x4x7x5xf32>
      %42 = sg.compare  gt %40#0, %41 : tensor<4x4x7x5xf32> -> tensor<4x4x7x5xi1>
      %43 = sg.constant dense<2.500000e-01> : tensor<4x4x7x5xf32>
      %44 = sg.mul %40#0, %43 : tensor<4x4x7x5xf32>
      %45 = sg.select %42, %40#0, %44 : tensor<4x4x7x5xi1>, tensor<4x4x7x5xf32>
      sg.yield %45 : tensor<4x4x7x5xf32>
    }
    %9 = sg.module "block2.again3" (%arg2 = %7 : tensor<4x6x5x2xf32>) -> tensor<4x4x7x5xf32> {
      %40:2 = sg.module "block2.block0.again3" (%arg3 = %arg2 : tensor<4x6x5x2xf32>) -> (tensor<4x4x7x5xf32>, tensor<4x6x5x2xf32>) attributes {activation_checkpointing} {
        %46 = sg.mul %arg3, %arg3 : tensor<4x6x5x2xf32>
        %47 = sg.constant dense<1.000000e+00> : tensor<4x6x5x2xf32>
        %48 = sg.add %46, %47 : tensor<4x6x5x2xf32>
        %49 = sg.rsqrt %48 : tensor<4x6x5x2xf32>
        %50 = sg.module "block2.block0.block1.again3" (%arg4 = %49 : tensor<4x6x5x2xf32>, %arg5 = %arg3 : tensor<4x6x5x2xf32>) -> tensor<4x6x4x2xf32> attributes {activation_checkpointing} {
          %53 = sg.avg_pool2d %arg4 {count_include_pad, padding = array<i64: 1, 1, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 3, 2>} : (tensor<4x6x5x2xf32>) -> tensor<4x6x4x2xf32>
          sg.yield %53 : tensor<4x6x4x2xf32>
        }
        %51 = sg.read @block2.block0.layer2.weight0 : tensor<5x2x1x2xf32>
        %52 = sg.conv2d %50, %51 {dilation = array<i64: 2, 1>, groups = 1 : i64, padding = array<i64: 1, 2, 1, 2>, strides = array<i64: 2, 1>} : (tensor<4x6x4x2xf32>, tensor<5x2x1x2xf32>) -> tensor<4x4x7x5xf32>
        sg.yield %52, %49 : tensor<4x4x7x5xf32>, tensor<4x6x5x2xf32>
      }
      %41 = sg.constant dense<0.000000e+00> : tensor<4x4x7x5xf32>
      %42 = sg.compare  gt %40#0, %41 : tensor<4x4x7x5xf32> -> tensor<4x4x7x5xi1>
      %43 = sg.constant dense<2.500000e-01> : tensor<4x4x7x5xf32>
      %44 = sg.mul %40#0, %43 : tensor<4x4x7x5xf32>
      %45 = sg.select %42, %40#0, %44 : tensor<4x4x7x5xi1>, tensor<4x4x7x5xf32>
      sg.yield %45 : tensor<4x4x7x5xf32>
    }
    %10 = sg.module "block4" (%arg2 = %8 : tensor<4x4x7x5xf32>) -> tensor<4x4x7x10xf32> {
      %40 = sg.module "block4.block0" (%arg3 = %arg2 : tensor<4x4x7x5xf32>) -> tensor<4x4x7x10xf32> {
        %48 = sg.read @block4.block0.layer0.weight1 : tensor<5xf32>
        %49 = sg.read @block4.block0.layer0.weight1 : tensor<5xf32>
        %50 = sg.batch_norm %arg3, %48, %49 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block4.block0.layer0.running3, running_variance = @block4.block0.layer0.running2} : (tensor<4x4x7x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<4x4x7x5xf32>
        %51:2 = sg.module "block4.block0.block1" (%arg4 = %50 : tensor<4x4x7x5xf32>, %arg5 = %arg3 : tensor<4x4x7x5xf32>) -> (tensor<4x5xf32>, tensor<4x4x7x5xf32>) {
          %53 = sg.read @block4.block0.block1.layer0.weight4 : tensor<5xf32>
          %54 = sg.read @block4.block0.block1.layer0.weight5 : tensor<5xf32>
          %55 = sg.batch_norm %arg5, %53, %54 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block4.block0.block1.layer0.running7, running_variance = @block4.block0.block1.layer0.running6} : (tensor<4x4x7x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<4x4x7x5xf32>
          %56 = sg.global_avg_pool %55 : (tensor<4x4x7x5xf32>) -> tensor<4x5xf32>
          sg.yield %56, %55 : tensor<4x5xf32>, tensor<4x4x7x5xf32>
        }
        %52 = sg.concat %51#1, %50 dim 3 : (tensor<4x4x7x5xf32>, tensor<4x4x7x5xf32>) -> tensor<4x4x7x10xf32>
        sg.yield %52 : tensor<4x4x7x10xf32>
      }
      %41:2 = sg.module "block4.block1" (%arg3 = %arg2 : tensor<4x4x7x5xf32>, %arg4 = %40 : tensor<4x4x7x10xf32>) -> (tensor<4x4x7x10xf32>, tensor<4x2x5x4xf32>) {
        %48 = sg.reduce_sum %arg4 dims [1, 2] : tensor<4x4x7x10xf32> -> tensor<4x10xf32>
        %49 = sg.constant dense<0.0357142873> : tensor<4x10xf32>
        %50 = sg.mul %48, %49 : tensor<4x10xf32>
        %51 = sg.sigmoid %50 : tensor<4x10xf32>
        %52 = sg.broadcast %51 dims [0, 3] : tensor<4x10xf32> -> tensor<4x4x7x10xf32>
        %53 = sg.mul %arg4, %52 : tensor<4x4x7x10xf32>
        %54 = sg.read @block4.block1.layer1.weight8 : tensor<4x3x2x5xf32>
        %55 = sg.conv2d %arg4, %54 {dilation = array<i64: 1, 1>, groups = 2 : i64, padding = array<i64: 0, 1, 1, 2>, strides = array<i64: 2, 2>} : (tensor<4x4x7x10xf32>, tensor<4x3x2x5xf32>) -> tensor<4x2x5x4xf32>
        %56:2 = sg.module "block4.block1.block2" (%arg5 = %53 : tensor<4x4x7x10xf32>, %arg6 = %55 : tensor<4x2x5x4xf32>) -> (tensor<4x4x7x10xf32>, tensor<4x4x7x10xf32>) {
          %57 = sg.relu %arg5 : tensor<4x4x7x10xf32>
          %58 = sg.relu %arg5 : tensor<4x4x7x10xf32>
          sg.yield %58, %57 : tensor<4x4x7x10xf32>, tensor<4x4x7x10xf32>
        }
        sg.yield %56#1, %55 : tensor<4x4x7x10xf32>, tensor<4x2x5x4xf32>
      }
      %42 = sg.constant dense<0.000000e+00> : tensor<4x4x7x10xf32>
      %43 = sg.compare  gt %40, %42 : tensor<4x4x7x10xf32> -> tensor<4x4x7x10xi1>
      %44 = sg.constant dense<2.500000e-01> : tensor<4x4x7x10xf32>
      %45 = sg.mul %40, %44 : tensor<4x4x7x10xf32>
      %46 = sg.select %43, %40, %45 : tensor<4x4x7x10xi1>, tensor<4x4x7x10xf32>
      %47 = sg.module "block4.block0.again3" (%arg3 = %arg2 : tensor<4x4x7x5xf32>) -> tensor<4x4x7x10xf32> attributes {activation_checkpointing} {
        %48 = sg.read @block4.block0.layer0.weight1 : tensor<5xf32>
        %49 = sg.read @block4.block0.layer0.weight1 : tensor<5xf32>
        %50 = sg.batch_norm %arg3, %48, %49 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block4.block0.running9, running_variance = @block4.block0.running10} : (tensor<4x4x7x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<4x4x7x5xf32>
        %51:2 = sg.module "block4.block0.block1.again3" (%arg4 = %50 : tensor<4x4x7x5xf32>, %arg5 = %arg3 : tensor<4x4x7x5xf32>) -> (tensor<4x5xf32>, tensor<4x4x7x5xf32>) {
          %53 = sg.read @block4.block0.block1.layer0.weight4 : tensor<5xf32>
          %54 = sg.read @block4.block0.block1.layer0.weight5 : tensor<5xf32>
          %55 = sg.batch_norm %arg5, %53, %54 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block4.block0.running11, running_variance = @block4.block0.running12} : (tensor<4x4x7x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<4x4x7x5xf32>
          %56 = sg.global_avg_pool %55 : (tensor<4x4x7x5xf32>) -> tensor<4x5xf32>
          sg.yield %56, %55 : tensor<4x5xf32>, tensor<4x4x7x5xf32>
        }
        %52 = sg.concat %51#1, %50 dim 3 : (tensor<4x4x7x5xf32>, tensor<4x4x7x5xf32>) -> tensor<4x4x7x10xf32>
        sg.yield %52 : tensor<4x4x7x10xf32>
      }
      sg.yield %47 : tensor<4x4x7x10xf32>
    }
    %11 = sg.module "block5" (%arg2 = %10 : tensor<4x4x7x10xf32>, %arg3 = %1 : tensor<4x6x5x2xf32>) -> tensor<4x4x7x10xf32> attributes {activation_checkpointing} {
      %40 = sg.module "block5.block0" (%arg4 = %arg2 : tensor<4x4x7x10xf32>) -> tensor<4x4x7x10xf32> {
        %41 = sg.abs %arg4 : tensor<4x4x7x10xf32>
        %42 = sg.minimum %arg4, %41 : tensor<4x4x7x10xf32>
        %43 = sg.add %arg4, %42 : tensor<4x4x7x10xf32>
        sg.yield %43 : tensor<4x4x7x10xf32>
      }
      sg.yield %40 : tensor<4x4x7x10xf32>
    }
    %12 = sg.reduce_sum %arg0 dims [1, 2] : tensor<4x6x5x1xf32> -> tensor<4x1xf32>
    %13 = sg.constant dense<0.0333333351> : tensor<4x1xf32>
    %14 = sg.mul %12, %13 : tensor<4x1xf32>
    %15 = sg.sigmoid %14 : tensor<4x1xf32>
    %16 = sg.broadcast %15 dims [0, 3] : tensor<4x1xf32> -> tensor<4x6x5x1xf32>
    %17 = sg.mul %arg0, %16 : tensor<4x6x5x1xf32>
    %18 = sg.avg_pool2d %11 {padding = array<i64: 1, 0, 0, 0>, strides = array<i64: 3, 3>, window = array<i64: 3, 1>} : (tensor<4x4x7x10xf32>) -> tensor<4x1x3x10xf32>
    %19 = sg.read @layer8.weight13 : tensor<5x1x3x1xf32>
    %20 = sg.conv2d %arg0, %19 {dilation = array<i64: 2, 1>, groups = 1 : i64, padding = array<i64: 2, 2, 2, 1>, strides = array<i64: 2, 1>} : (tensor<4x6x5x1xf32>, tensor<5x1x3x1xf32>) -> tensor<4x5x6x5xf32>
    %21:3 = sg.module "block9" (%arg2 = %18 : tensor<4x1x3x10xf32>) -> (tensor<4x1x3x10xf32>, tensor<4x1x3x20xf32>, tensor<4x1x3x10xf32>) attributes {activation_checkpointing} {
      %40 = sg.module "block9.block0" (%arg3 = %arg2 : tensor<4x1x3x10xf32>) -> tensor<4x1x3x10xf32> {
        %42 = sg.module "block9.block0.block0" (%arg4 = %arg3 : tensor<4x1x3x10xf32>) -> tensor<4x1x3x10xf32> attributes {activation_checkpointing} {
          %44 = sg.read @block9.block0.block0.layer0.weight14 : tensor<10xf32>
          %45 = sg.read @block9.block0.block0.layer0.weight15 : tensor<10xf32>
          %46 = sg.batch_norm %arg4, %44, %45 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block9.block0.block0.layer0.running17, running_variance = @block9.block0.block0.layer0.running16} : (tensor<4x1x3x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x1x3x10xf32>
          %47 = sg.read @block9.block0.block0.layer1.weight18 : tensor<10xf32>
          %48 = sg.read @block9.block0.block0.layer1.weight19 : tensor<10xf32>
          %49 = sg.batch_norm %arg4, %47, %48 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block9.block0.block0.layer1.running21, running_variance = @block9.block0.block0.layer1.running20} : (tensor<4x1x3x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x1x3x10xf32>
          sg.yield %49 : tensor<4x1x3x10xf32>
        }
        %43 = sg.module "block9.block0.block0.again1" (%arg4 = %arg3 : tensor<4x1x3x10xf32>) -> tensor<4x1x3x10xf32> attributes {activation_checkpointing} {
          %44 = sg.read @block9.block0.block0.layer0.weight14 : tensor<10xf32>
          %45 = sg.read @block9.block0.block0.layer0.weight15 : tensor<10xf32>
          %46 = sg.batch_norm %arg4, %44, %45 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block9.block0.block0.running22, running_variance = @block9.block0.block0.running23} : (tensor<4x1x3x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x1x3x10xf32>
          %47 = sg.read @block9.block0.block0.layer1.weight18 : tensor<10xf32>
          %48 = sg.read @block9.block0.block0.layer1.weight19 : tensor<10xf32>
          %49 = sg.batch_norm %arg4, %47, %48 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block9.block0.block0.running24, running_variance = @block9.block0.block0.running25} : (tensor<4x1x3x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x1x3x10xf32>
          sg.yield %49 : tensor<4x1x3x10xf32>
        }
        sg.yield %43 : tensor<4x1x3x10xf32>
      }
      %41:2 = sg.module "block9.block1" (%arg3 = %40 : tensor<4x1x3x10xf32>) -> (tensor<4x1x3x20xf32>, tensor<4x1x3x10xf32>) attributes {activation_checkpointing} {
        %42:2 = sg.module "block9.block1.block0" (%arg4 = %arg3 : tensor<4x1x3x10xf32>) -> (tensor<4x1x3x10xf32>, tensor<4x1x3x20xf32>) attributes {activation_checkpointing} {
          %44 = sg.neg %arg4 : tensor<4x1x3x10xf32>
          %45 = sg.concat %arg4, %44 dim 3 : (tensor<4x1x3x10xf32>, tensor<4x1x3x10xf32>) -> tensor<4x1x3x20xf32>
          %46 = sg.read @rng.seed : tensor<i64>
          %47 = sg.read @rng.step : tensor<i64>
          %48 = sg.dropout %arg4, %46, %47 {probability = 1.250000e-01 : f64, stream = 0 : i64} : (tensor<4x1x3x10xf32>, tensor<i64>, tensor<i64>) -> tensor<4x1x3x10xf32>
          sg.yield %48, %45 : tensor<4x1x3x10xf32>, tensor<4x1x3x20xf32>
        }
        %43 = sg.module "block9.block1.block1" (%arg4 = %42#1 : tensor<4x1x3x20xf32>, %arg5 = %42#0 : tensor<4x1x3x10xf32>) -> tensor<4x1x3x20xf32> {
          %44 = sg.read @block9.block1.block1.layer0.weight26 : tensor<20xf32>
          %45 = sg.read @block9.block1.block1.layer0.weight27 : tensor<20xf32>
          %46 = sg.batch_norm %arg4, %44, %45 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block9.block1.block1.layer0.running29, running_variance = @block9.block1.block1.layer0.running28} : (tensor<4x1x3x20xf32>, tensor<20xf32>, tensor<20xf32>) -> tensor<4x1x3x20xf32>
          sg.yield %46 : tensor<4x1x3x20xf32>
        }
        sg.yield %43, %42#0 : tensor<4x1x3x20xf32>, tensor<4x1x3x10xf32>
      }
      sg.yield %41#1, %41#0, %40 : tensor<4x1x3x10xf32>, tensor<4x1x3x20xf32>, tensor<4x1x3x10xf32>
    }
    %22 = sg.reshape %21#2 : tensor<4x1x3x10xf32> -> tensor<4x30xf32>
    %23 = sg.global_avg_pool %9 : (tensor<4x4x7x5xf32>) -> tensor<4x5xf32>
    %24 = sg.reshape %17 : tensor<4x6x5x1xf32> -> tensor<4x30xf32>
    %25 = sg.global_avg_pool %20 : (tensor<4x5x6x5xf32>) -> tensor<4x5xf32>
    %26 = sg.global_avg_pool %21#0 : (tensor<4x1x3x10xf32>) -> tensor<4x10xf32>
    %27 = sg.global_avg_pool %21#1 : (tensor<4x1x3x20xf32>) -> tensor<4x20xf32>
    %28 = sg.concat %22, %23, %24, %25, %26, %27 dim 1 : (tensor<4x30xf32>, tensor<4x5xf32>, tensor<4x30xf32>, tensor<4x5xf32>, tensor<4x10xf32>, tensor<4x20xf32>) -> tensor<4x100xf32>
    %29 = sg.read @head.weight30 : tensor<100x2xf32>
    %30 = sg.matmul %28, %29 : (tensor<4x100xf32>, tensor<100x2xf32>) -> tensor<4x2xf32>
    %31 = sg.read @head.weight31 : tensor<2xf32>
    %32 = sg.broadcast %31 dims [1] : tensor<2xf32> -> tensor<4x2xf32>
    %33 = sg.add %30, %32 : tensor<4x2xf32>
    %losses, %lse = sg.cross_entropy %33, %arg1 : (tensor<4x2xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>)
    %34 = sg.reduce_sum %losses dims [0] : tensor<4xf32> -> tensor<f32>
    %35 = sg.constant dense<2.500000e-01> : tensor<f32>
    %36 = sg.mul %34, %35 : tensor<f32>
    %37 = sg.read @rng.step : tensor<i64>
    %38 = sg.constant dense<1> : tensor<i64>
    %39 = sg.add %37, %38 : tensor<i64>
    sg.write @rng.step, %39 : tensor<i64>
    return %36, %33 : tensor<f32>, tensor<4x2xf32>
  }
}