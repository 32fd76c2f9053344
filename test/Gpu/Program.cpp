//===- Program.cpp - A kernel written for a test --------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise::gpu_test;

static std::unique_ptr<MLIRContext> createContext() {
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                       gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                       math::MathDialect, memref::MemRefDialect,
                       scf::SCFDialect, vector::VectorDialect>();
  return context;
}

Program::Program(unsigned blocks, unsigned threads,
                 const std::string &signature, const std::string &body,
                 const CompileOptions &options)
    : context(createContext()) {
  std::string text =
      "gpu.module @m { gpu.func @k" + signature +
      " kernel attributes {known_block_size = array<i32: " +
      std::to_string(threads) +
      ", 1, 1>, known_grid_size = array<i32: " + std::to_string(blocks) +
      ", 1, 1>} { %tid = gpu.thread_id x %bid = gpu.block_id x "
      "%c0 = arith.constant 0 : index %c1 = arith.constant 1 : index\n" +
      body + "\ngpu.return\n}\n}\n";
  module = parseSourceString<ModuleOp>(text, context.get());
  EXPECT_TRUE(module) << text;
  if (module)
    simulator = Simulator::compile(*module, options, error);
}

SimulationReport Program::run(const std::vector<Buffer> &buffers,
                              const SimulationOptions &options) {
  EXPECT_TRUE(simulator) << error;
  if (!simulator)
    return {{"not compiled"}, {}, {}};
  return simulator->launch("k", buffers, options);
}

std::string Program::problemsOf(const std::vector<Buffer> &buffers,
                                const SimulationOptions &options) {
  std::string lines;
  for (const std::string &problem : run(buffers, options).problems)
    lines += problem + "\n";
  return lines;
}

Array<float> reprise::gpu_test::counting(size_t size) {
  Array<float> numbers(size);
  for (size_t i = 0; i < size; ++i)
    numbers[i] = float(i);
  return numbers;
}

std::string reprise::gpu_test::element(const std::string &name,
                                       const std::string &base,
                                       const std::string &index,
                                       const std::string &type) {
  std::string wide = name + "_index";
  return wide + " = arith.index_cast " + index + " : index to i64\n" + name +
         " = llvm.getelementptr " + base + "[" + wide +
         "] : (!llvm.ptr, i64) -> !llvm.ptr, " + type + "\n";
}

std::string reprise::gpu_test::load(const std::string &name,
                                    const std::string &base,
                                    const std::string &index,
                                    const std::string &type) {
  return element(name + "_from", base, index, type) + name + " = llvm.load " +
         name + "_from : !llvm.ptr -> " + type + "\n";
}

std::string reprise::gpu_test::store(const std::string &name,
                                     const std::string &base,
                                     const std::string &index,
                                     const std::string &type) {
  return element(name + "_to", base, index, type) + "llvm.store " + name +
         ", " + name + "_to : " + type + ", !llvm.ptr\n";
}

std::string reprise::gpu_test::sharedType(const std::string &shape) {
  return "memref<" + shape + ", #gpu.address_space<workgroup>>";
}
