//===- SgInterfaces.td - The passes' interfaces to ops -----*- tablegen -*-===//
#ifndef REPRISE_IR_SGINTERFACES
#define REPRISE_IR_SGINTERFACES

include "mlir/IR/OpBase.td"

def VjpOpInterface : OpInterface<"VjpOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    The vector-Jacobian product of an op. A composite op without one is decomposed before
    differentiation. An op that has neither is an error at the op, unless no gradient
    flows through it.
  }];
  let methods = [InterfaceMethod<[{
      Emits the gradient of each operand that `context` asks for, from the
      cotangents of the results. Reads forward values only through
      `context.forward`, which is what keeps them.
    }], "::llvm::LogicalResult", "buildVjp",
    (ins "::reprise::VjpContext &":$context)>];
}

def DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    A composite op's meaning, in primitives. Libraries and fused kernels may
    implement the op otherwise, within its stated rounding.
  }];
  let methods = [InterfaceMethod<[{
      Emits the decomposition at the builder's insertion point and returns a
      value for each result.
    }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
    (ins "::mlir::OpBuilder &":$builder)>];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    The cost of running an op. The default counts one operation for each output element,
    and reads and writes every operand and result once.
  }];
  let methods = [
    InterfaceMethod<"Arithmetic operations; a multiply-add counts two.",
      "uint64_t", "getFlops", (ins)>,
    InterfaceMethod<"Bytes read and written.", "uint64_t", "getBytes", (ins)>,
    InterfaceMethod<"What runs it.", "::reprise::KernelClass", "getKernelClass",
      (ins)>,
    InterfaceMethod<[{
      Of the operations, those of convolutions and products of matrices: twice
      what papers call multiply-adds.
    }], "uint64_t", "getProductFlops", (ins), "", [{
      auto cost = ::llvm::cast<::reprise::CostOpInterface>(
          $_op.getOperation());
      return cost.getKernelClass() == ::reprise::KernelClass::Library
                 ? cost.getFlops()
                 : 0;
    }]>];
}

def StatisticsOpInterface : OpInterface<"StatisticsOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op with results that are small summaries (batch-norm's mean and reciprocal
    deviation) and make recomputing the others cheaper. Checkpointing keeps the summaries.
    An op without other results, such as `sg.keep`, is not recomputed at all.
  }];
  let methods = [
    InterfaceMethod<"Indices of the results that are summaries.",
      "::llvm::SmallVector<unsigned>", "getStatistics", (ins)>,
    InterfaceMethod<[{
      Emits ops that compute the other results from `operands` (one for each
      operand of the op) and `statistics` (one for each index of
      getStatistics), to the same bits. Returns a value for each result that
      is no summary, in order.
    }], "::llvm::SmallVector<::mlir::Value>", "recompute",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands,
         "::mlir::ValueRange":$statistics)>];
}

def PointwiseOpInterface : OpInterface<"PointwiseOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op whose result element depends on the elements of its operands at the
    same index. One definition serves every device, scalars and vectors.
  }];
  let methods = [InterfaceMethod<[{
      Emits arith and math ops on `operands`, scalars or vectors of the
      operands' element types, and returns the result element or vector.
    }], "::mlir::Value", "emitElement",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>];
}

def IndexMapOpInterface : OpInterface<"IndexMapOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op of one operand that only moves elements:
    result[i] = operand[map(i)] (broadcast, transpose, slice).
  }];
  let methods = [InterfaceMethod<
    "From the result's index to the operand's.",
    "::mlir::AffineMap", "getIndexMap", (ins)>];
}

def RandomOpInterface : OpInterface<"RandomOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op that may draw random numbers: a function of (seed, step, stream, index). No two
    ops of the forward pass have the same stream; a clone or a derivative that draws the
    same numbers again has the stream of its original.
  }];
  let methods = [InterfaceMethod<"The stream the op draws from; none, if it "
    "draws nothing.",
    "std::optional<int64_t>", "getRandomStream", (ins), "", [{
      return std::optional<int64_t>($_op.getStream());
    }]>];
}

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op that all ranks of a run execute together, once a step and in the same order. It
    is an effect: a rank that repeated it alone would wait for ever.
  }];
  let methods = [InterfaceMethod<"The op's number among the collectives of a "
    "step, from 0 on.",
    "int64_t", "getSequenceNumber", (ins), "", [{
      return int64_t($_op.getSequence());
    }]>];
}

#endif // REPRISE_IR_SGINTERFACES
