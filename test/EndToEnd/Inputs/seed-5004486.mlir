module {
  sg.variable @head.weight14 : tensor<3xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @head.weight13 : tensor<14x3xf32> {init = #sg.init<kaiming_normal>, role = #sg.role<parameter>}
  sg.variable @block2.block3.block1.layer0.running12 : tensor<5xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block2.block3.block1.layer0.running11 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block2.block3.block1.layer0.weight10 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block2.block3.block1.layer0.weight9 : tensor<5xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block2.layer2.weight8 : tensor<5x1x1x3xf32> {init = #sg.init<kaiming_normal>, role = #sg.role<parameter>}
  sg.variable @rng.step : tensor<i64> {init = #sg.init<zeros>, role = #sg.role<counter>}
  sg.variable @rng.seed : tensor<i64> {init = #sg.init<zeros>, role = #sg.role<seed>}
  sg.variable @layer1.running7 : tensor<3xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @layer1.running6 : tensor<3xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @layer1.weight5 : tensor<3xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @layer1.weight4 : tensor<3xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block0.layer2.running3 : tensor<6xf32> {init = #sg.init<zeros>, role = #sg.role<running_statistics>}
  sg.variable @block0.layer2.running2 : tensor<6xf32> {init = #sg.init<ones>, role = #sg.role<running_statistics>}
  sg.variable @block0.layer2.weight1 : tensor<6xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  sg.variable @block0.layer2.weight0 : tensor<6xf32> {init = #sg.init<ones>, role = #sg.role<parameter>}
  func.func @graph(%arg0: tensor<3x6x8x3xf32> {sg.name = "image"}, %arg1: tensor<3xi32> {sg.binding = #sg.binding<label>, sg.name = "label"}) -> (tensor<f32> {sg.binding = #sg.binding<loss>, sg.name = "loss"}, tensor<3x3xf32> {sg.binding = #sg.binding<logits>, sg.name = "logits"}) {
    %0 = sg.module "block0" (%arg2 = %arg0 : tensor<3x6x8x3xf32>) -> tensor<3x6x8x6xf32> {
      %26 = sg.neg %arg2 : tensor<3x6x8x3xf32>
      %27 = sg.concat %arg2, %26 dim 3 : (tensor<3x6x8x3xf32>, tensor<3x6x8x3xf32>) -> tensor<3x6x8x6xf32>
      %28 = sg.module "block0.block1" (%arg3 = %arg2 : tensor<3x6x8x3xf32>) -> tensor<3x6x8x3xf32> attributes {activation_checkpointing} {
        %37 = sg.constant dense<0.000000e+00> : tensor<3x6x8x3xf32>
        %38 = sg.compare  gt %arg3, %37 : tensor<3x6x8x3xf32> -> tensor<3x6x8x3xi1>
        %39 = sg.constant dense<2.500000e-01> : tensor<3x6x8x3xf32>
        %40 = sg.mul %arg3, %39 : tensor<3x6x8x3xf32>
        %41 = sg.select %38, %arg3, %40 : tensor<3x6x8x3xi1>, tensor<3x6x8x3xf32>
        %42 = sg.add %arg3, %41 : tensor<3x6x8x3xf32>
        sg.yield %42 : tensor<3x6x8x3xf32>
      }
      %29 = sg.read @block0.layer2.weight0 : tensor<6xf32>
      %30 = sg.read @block0.layer2.weight1 : tensor<6xf32>
      %31 = sg.batch_norm %27, %29, %30 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block0.layer2.running3, running_variance = @block0.layer2.running2} : (tensor<3x6x8x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<3x6x8x6xf32>
      %32 = sg.iota 3 : tensor<3x6x8x6xi32>
      %33 = sg.cast %32 : tensor<3x6x8x6xi32> to tensor<3x6x8x6xf32>
      %34 = sg.constant dense<1.250000e-01> : tensor<3x6x8x6xf32>
      %35 = sg.mul %33, %34 : tensor<3x6x8x6xf32>
      %36 = sg.add %27, %35 : tensor<3x6x8x6xf32>
      sg.yield %36 : tensor<3x6x8x6xf32>
    }
    %1 = sg.read @layer1.weight4 : tensor<3xf32>
    %2 = sg.read @layer1.weight5 : tensor<3xf32>
    %3 = sg.batch_norm %arg0, %1, %2 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @layer1.running7, running_variance = @layer1.running6} : (tensor<3x6x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x6x8x3xf32>
    %4:2 = sg.module "block2" (%arg2 = %3 : tensor<3x6x8x3xf32>) -> (tensor<3x6x4x5xf32>, tensor<3x6x8x3xf32>) {
      %26 = sg.constant dense<5.000000e-01> : tensor<3x6x8x3xf32>
      %27 = sg.mul %arg2, %26 : tensor<3x6x8x3xf32>
      %28 = sg.sub %27, %arg2 : tensor<3x6x8x3xf32>
      %29 = sg.read @rng.seed : tensor<i64>
      %30 = sg.read @rng.step : tensor<i64>
      %31 = sg.dropout %arg2, %29, %30 {probability = 1.250000e-01 : f64, stream = 0 : i64} : (tensor<3x6x8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<3x6x8x3xf32>
      %32 = sg.read @block2.layer2.weight8 : tensor<5x1x1x3xf32>
      %33 = sg.conv2d %arg2, %32 {dilation = array<i64: 2, 2>, groups = 1 : i64, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2>} : (tensor<3x6x8x3xf32>, tensor<5x1x1x3xf32>) -> tensor<3x6x4x5xf32>
      %34:2 = sg.module "block2.block3" (%arg3 = %33 : tensor<3x6x4x5xf32>) -> (tensor<3x6x4x5xf32>, tensor<3x6x4x5xf32>) {
        %35 = sg.constant dense<0.000000e+00> : tensor<3x6x4x5xf32>
        %36 = sg.compare  gt %arg3, %35 : tensor<3x6x4x5xf32> -> tensor<3x6x4x5xi1>
        %37 = sg.constant dense<2.500000e-01> : tensor<3x6x4x5xf32>
        %38 = sg.mul %arg3, %37 : tensor<3x6x4x5xf32>
        %39 = sg.select %36, %arg3, %38 : tensor<3x6x4x5xi1>, tensor<3x6x4x5xf32>
        %40 = sg.module "block2.block3.block1" (%arg4 = %arg3 : tensor<3x6x4x5xf32>, %arg5 = %39 : tensor<3x6x4x5xf32>) -> tensor<3x6x4x5xf32> attributes {activation_checkpointing} {
          %41 = sg.read @block2.block3.block1.layer0.weight9 : tensor<5xf32>
          %42 = sg.read @block2.block3.block1.layer0.weight10 : tensor<5xf32>
          %43 = sg.batch_norm %arg4, %41, %42 {epsilon = 1.000000e-02 : f64, momentum = 1.000000e-01 : f64, running_mean = @block2.block3.block1.layer0.running12, running_variance = @block2.block3.block1.layer0.running11} : (tensor<3x6x4x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<3x6x4x5xf32>
          %44 = sg.reduce_sum %arg5 dims [1, 2] : tensor<3x6x4x5xf32> -> tensor<3x5xf32>
          %45 = sg.constant dense<0.0416666679> : tensor<3x5xf32>
          %46 = sg.mul %44, %45 : tensor<3x5xf32>
          %47 = sg.sigmoid %46 : tensor<3x5xf32>
          %48 = sg.broadcast %47 dims [0, 3] : tensor<3x5xf32> -> tensor<3x6x4x5xf32>
          %49 = sg.mul %arg5, %48 : tensor<3x6x4x5xf32>
          sg.yield %49 : tensor<3x6x4x5xf32>
        }
        sg.yield %40, %39 : tensor<3x6x4x5xf32>, tensor<3x6x4x5xf32>
      }
      sg.yield %34#1, %28 : tensor<3x6x4x5xf32>, tensor<3x6x8x3xf32>
    }
    %5 = sg.reshape %4#0 : tensor<3x6x4x5xf32> -> tensor<3x24x5xf32>
    %6 = sg.tanh %5 : tensor<3x24x5xf32>
    %7 = sg.matmul %6, %6 {transpose_b} : (tensor<3x24x5xf32>, tensor<3x24x5xf32>) -> tensor<3x24x24xf32>
    %8 = sg.softmax %7 : tensor<3x24x24xf32>
    %9 = sg.matmul %8, %5 {transpose_a} : (tensor<3x24x24xf32>, tensor<3x24x5xf32>) -> tensor<3x24x5xf32>
    %10 = sg.reshape %9 : tensor<3x24x5xf32> -> tensor<3x6x4x5xf32>
    %11 = sg.global_avg_pool %10 : (tensor<3x6x4x5xf32>) -> tensor<3x5xf32>
    %12 = sg.global_avg_pool %0 : (tensor<3x6x8x6xf32>) -> tensor<3x6xf32>
    %13 = sg.global_avg_pool %4#1 : (tensor<3x6x8x3xf32>) -> tensor<3x3xf32>
    %14 = sg.concat %11, %12, %13 dim 1 : (tensor<3x5xf32>, tensor<3x6xf32>, tensor<3x3xf32>) -> tensor<3x14xf32>
    %15 = sg.read @head.weight13 : tensor<14x3xf32>
    %16 = sg.matmul %14, %15 : (tensor<3x14xf32>, tensor<14x3xf32>) -> tensor<3x3xf32>
    %17 = sg.read @head.weight14 : tensor<3xf32>
    %18 = sg.broadcast %17 dims [1] : tensor<3xf32> -> tensor<3x3xf32>
    %19 = sg.add %16, %18 : tensor<3x3xf32>
    %losses, %lse = sg.cross_entropy %19, %arg1 : (tensor<3x3xf32>, tensor<3xi32>) -> (tensor<3xf32>, tensor<3xf32>)
    %20 = sg.reduce_sum %losses dims [0] : tensor<3xf32> -> tensor<f32>
    %21 = sg.constant dense<0.333333343> : tensor<f32>
    %22 = sg.mul %20, %21 : tensor<f32>
    %23 = sg.read @rng.step : tensor<i64>
    %24 = sg.constant dense<1> : tensor<i64>
    %25 = sg.add %23, %24 : tensor<i64>
    sg.write @rng.step, %25 : tensor<i64>
    return %22, %19 : tensor<f32>, tensor<3x3xf32>
  }
}