//===- KernelInterfaces.td - Interfaces of ops in kernels --*- tablegen -*-===//
#ifndef REPRISE_IR_KERNELINTERFACES
#define REPRISE_IR_KERNELINTERFACES

include "mlir/IR/OpBase.td"

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op that runs as code of a kernel: the indices over which it runs, how it reads its
    operands there, and its element. Fusion, analysis and code generation use this
    interface, PointwiseOpInterface, IndexMapOpInterface and ReductionOpInterface, and
    contain no lists of ops. An op with one of the latter three needs this one only where
    it differs from their defaults.

    The op has several operands and one result.
  }];
  let methods = [
    InterfaceMethod<"How kernels take the op.",
      "::reprise::KernelRole", "getKernelRole", (ins), "", [{
        return ::reprise::KernelRole::Generator;
      }]>,
    InterfaceMethod<[{
      Whether computing an element again is cheaper than loading it from
      memory: a few instructions.
    }], "bool", "isCheap", (ins), "", "return false;">,
    InterfaceMethod<[{
      How the op reads operand number `operand` for elements of the result that
      are neighbours along dimension `dim`.
    }], "::reprise::OperandLanes", "getOperandLanes",
      (ins "unsigned":$operand, "unsigned":$dim), "", [{
        return ::reprise::OperandLanes::apart();
      }]>,
    InterfaceMethod<[{
      Whether the element depends on the row-major position of the index alone,
      so that neighbouring dimensions may be one loop.
    }], "bool", "isLinear", (ins), "", "return false;">,
    InterfaceMethod<[{
      Emits the element at `index` of the result, or the vector of its lanes.
    }], "::mlir::Value", "emitAt",
      (ins "::reprise::ElementBuilder &":$elements,
           "const ::reprise::Index &":$index)>];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op of one operand whose result lacks some of its dimensions. The result combines
    (`combine`) all elements along these dimensions, starting with `getIdentity`. The
    kernel decides the order, which depends on the shape only. bf16 and f16 are combined
    in f32.
  }];
  let methods = [
    InterfaceMethod<"The dimensions, increasing.",
      "::llvm::ArrayRef<int64_t>", "getReducedDims", (ins)>,
    InterfaceMethod<[{
      Emits the same reduction of `operand` over `dims`: a large one is made of
      two.
    }], "::mlir::Value", "createOver",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$operand, "::llvm::ArrayRef<int64_t>":$dims)>,
    InterfaceMethod<[{
      Whether bf16 and f16 lose digits in between, so that what is combined in
      two parts must be kept in f32 until the end.
    }], "bool", "losesDigits", (ins)>,
    InterfaceMethod<"What changes nothing it is combined with.",
      "double", "getIdentity", (ins "::mlir::Type":$element)>,
    InterfaceMethod<[{
      Emits the combination of two scalars or vectors of one type.
    }], "::mlir::Value", "combine",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$x, "::mlir::Value":$y)>];
}

def LibraryOpInterface : OpInterface<"LibraryOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    An op that a device's library runs as a call. Its operands are the call's inputs, with
    those of the epilogues last, and its results are the outputs, in order.
    include/reprise/LibraryFunctions.h lists the functions and their operands; LibraryCall
    in runtime/schemas/program.fbs defines what they compute.
  }];
  let methods = [
    InterfaceMethod<"The function, as rt.call names it.",
      "::llvm::StringRef", "getLibraryFunction", (ins)>,
    InterfaceMethod<[{
      Its parameters, as runtime/schemas/program.fbs says at LibraryCall.
    }], "::llvm::SmallVector<int64_t>", "getLibraryParameters", (ins)>,
    InterfaceMethod<"Its parameters that are no integers.",
      "::llvm::SmallVector<double>", "getLibraryFloats", (ins), "",
      "return {};">,
    InterfaceMethod<[{
      What the call does to the function's result before it is rounded.
    }], "::llvm::SmallVector<::reprise::LibraryEpilogue>",
      "getLibraryEpilogues", (ins), "", "return {};">];
}

#endif // REPRISE_IR_KERNELINTERFACES
