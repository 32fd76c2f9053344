//===- RankPasses.td - Passes for several processes -------*- tablegen -*-===//
//
// A part of TrainPasses.td.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_RANKPASSES
#define REPRISE_PASSES_RANKPASSES

include "mlir/Pass/PassBase.td"

def SgReduceOverRanks : Pass<"sg-reduce-over-ranks", "::mlir::func::FuncOp"> {
  let summary = "makes a step for one of several processes";
  let description = [{
    Takes the function that `sg-accumulate-gradients` takes, the step of one micro-batch.
    The result is the step of each of `ranks` processes, which run it at the same time on
    rows of their own. Gradients, loss and metrics are the means over the ranks:
    `sg.all_reduce` adds them in the order of the ranks. Those of fewer than `bucket-bytes`
    share an op, in the order in which they are computed, until they have `bucket-bytes`
    together; those of `single-bytes` or more have an op of their own in any case, as
    `sg-shard-optimizer` needs it. Results of rows stay those of the rank.

    The bits are those of `ranks` micro-batches on one process, whose rows micro-batch r
    takes from rank r. A variable that the model writes, such as running statistics, goes
    through the updates of all ranks in their order: `sg.all_gather` collects what an
    update takes from a rank's batch, and each rank applies all updates. Those of a running
    average are one op (`sg.running_average`) if there are more than `repeated-ranks`: a
    kernel applies single ones in the variable's own bytes, but the time of planning them
    grows with the ranks. Up to 32 of the gathered values share an op, while all ranks'
    rows of them have no more than `bucket-bytes`.
    Draws find their streams by the high word of the step (`sg.random_uniform`): the
    trainer sets it to r * 2^20 in the input of role step and in the variables of role
    counter, and begins these with r steps more. A variable whose next value follows from
    values that are equal on all ranks already (`sg-synchronize-norms`) is updated once.

    Fails where `sg-accumulate-gradients` does, if more than draws and the next values of
    written variables depends on their present ones, and if other ops than draws use the
    step.

    ```mlir
    sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<zeros>}
    func.func @f(%x: tensor<2x4xf32>)
        -> (tensor<f32> {sg.binding = #sg.binding<loss>},
            tensor<4xf32> {sg.binding = #sg.binding<gradient of "w">}) {
      %w = sg.read @w : tensor<4xf32>
      %g = sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>
      %p = sg.mul %g, %w : tensor<4xf32>
      %l = sg.reduce_sum %p dims [0] : tensor<4xf32> -> tensor<f32>
      return %l, %g : tensor<f32>, tensor<4xf32>
    }
    // with ranks=2 becomes
    //   (...)
    //   %sg = sg.all_reduce %g ranks 2 sequence 0
    //   %mg = sg.div %sg, %two
    //   %sl = sg.all_reduce %l ranks 2 sequence 1
    //   %ml = sg.div %sl, %two
    //   return %ml, %mg
    ```
  }];
  let options = [Option<"ranks", "ranks", "unsigned", "1",
                        "processes that share a step">,
                 Option<"bucketBytes", "bucket-bytes", "uint64_t", "0",
                        "bytes after which the next all_reduce or all_gather "
                        "begins">,
                 Option<"singleBytes", "single-bytes", "uint64_t", "UINT64_MAX",
                        "bytes of the smallest results that share no "
                        "all_reduce">,
                 Option<"repeatedRanks", "repeated-ranks", "unsigned", "64",
                        "ranks up to which the updates of a running average "
                        "are single ops">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgSynchronizeNorms
    : Pass<"sg-synchronize-norms", "::mlir::func::FuncOp"> {
  let summary = "normalizes by the statistics of all ranks' batches";
  let description = [{
    Takes the flat step of one of `ranks` processes before `sg-reduce-over-ranks`. Each
    `sg.batch_norm_training` then normalizes by the mean and the biased variance of the
    batches of all ranks, which have equally many elements (Chan et al. 1979).
    `sg.all_gather` collects the moments of the ranks, and every rank adds the rows; where
    these have more than `gathered-bytes`, `sg.all_reduce` adds the moments, and a second
    one the squared distances of the means from their mean. For the gradient of the
    operand, `sg.all_reduce` adds the sums over the batch. The gradients of scale and
    offset stay those of the rank's own batch. The number of ops is the same for any
    number of ranks.

    Statistics are equal on all ranks, and so are the running statistics that
    `sg-reduce-over-ranks` updates by them, once a step; `sync-ranks` of
    `sg-differentiate` makes their variance the unbiased one of all ranks' elements.

    Fails without a batch normalization in training, and if a clone computes statistics.

    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %gamma: tensor<8xf32>, %beta: tensor<8xf32>)
        -> tensor<4x8xf32> {
      %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %gamma, %beta
          {epsilon = 1.0e-05 : f64}
        : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
        -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
      return %y : tensor<4x8xf32>
    }
    // with ranks=2 returns, of the joined mean and reciprocal deviation,
    //   %own = sg.concat %mean, %variance
    //   %rows = sg.all_gather %own ranks 2 sequence 0
    //   (...)
    //   %z = sg.normalize %x, %joined, %r, %gamma, %beta
    ```
  }];
  let options = [Option<"ranks", "ranks", "unsigned", "2",
                        "processes that share a step">,
                 Option<"gatheredBytes", "gathered-bytes", "uint64_t", "262144",
                        "bytes up to which the moments of all ranks are "
                        "gathered">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

def SgShardOptimizer : Pass<"sg-shard-optimizer", "::mlir::ModuleOp"> {
  let summary = "divides an optimizer's variables among ranks";
  let description = [{
    Takes the step of one of `ranks` processes with an optimizer's updates, as
    `sg-reduce-over-ranks` and `sg-update-parameters` leave it. Each rank then holds one
    shard of the optimizer's variables (`sg.take_shard`), of which `whole_shape` states the
    shape of all shards together, and computes its shard of the parameters' next values:
    `sg.reduce_scatter` takes the place of `sg.all_reduce`, and `sg.gather_shards` puts the
    parameters together (ZeRO's first stage, Rajbhandari et al. 2020).

    The bits are those of the step before. An op that is not computed element by element,
    as the norm of all gradients is, takes its operands gathered. Variables of fewer than
    `least-bytes`, and scalars, stay whole: their messages take less time than their
    latency.

    Fails if no variable is sharded, and if an update takes a value that may differ between
    ranks.

    ```mlir
    sg.variable @w : tensor<2x5xf32> {role = #sg.role<parameter>,
                                      init = #sg.init<zeros>}
    sg.variable @m : tensor<2x5xf32> {role = #sg.role<optimizer_state>,
                                      init = #sg.init<zeros>}
    func.func @f(%g: tensor<2x5xf32>) {
      %w = sg.read @w : tensor<2x5xf32>
      %m = sg.read @m : tensor<2x5xf32>
      %s = sg.all_reduce %g ranks 3 sequence 0 : tensor<2x5xf32> -> tensor<2x5xf32>
      %n = sg.add %m, %s : tensor<2x5xf32>
      %v = sg.sub %w, %n : tensor<2x5xf32>
      sg.write @m, %n : tensor<2x5xf32>
      sg.write @w, %v : tensor<2x5xf32>
      return
    }
    // with ranks=3 least-bytes=0 becomes, of @m : tensor<4xf32> and its whole shape 2x5,
    //   %w = sg.read @w : tensor<2x5xf32>
    //   %m = sg.read @m : tensor<4xf32>
    //   %s = sg.reduce_scatter %g ranks 3 sequence 0
    //   %n = sg.add %m, %s : tensor<4xf32>
    //   %t = sg.take_shard %w ranks 3 sequence 1
    //   %v = sg.sub %t, %n : tensor<4xf32>
    //   %x = sg.gather_shards %v ranks 3 sequence 2
    //   sg.write @m, %n : tensor<4xf32>
    //   sg.write @w, %x : tensor<2x5xf32>
    ```
  }];
  let options = [Option<"ranks", "ranks", "unsigned", "2",
                        "processes that share a step">,
                 Option<"leastBytes", "least-bytes", "uint64_t", "8192",
                        "bytes of the smallest variables that are sharded">];
  let dependentDialects = ["::reprise::sg::SgDialect"];
}

#endif // REPRISE_PASSES_RANKPASSES
