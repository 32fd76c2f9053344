//===- Support.cpp - Parsing and filling for tests with the evaluator -----===//

#include "Support.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Reference/Philox.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

std::unique_ptr<MLIRContext> reference::testing::makeContext() {
  DialectRegistry registry;
  registry.insert<sg::SgDialect, func::FuncDialect>();
  registerReferenceModels(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  return context;
}

Program::Program(StringRef source) : context(makeContext()) {
  module = parseSourceString<ModuleOp>(source, context.get());
  if (!module) {
    ADD_FAILURE() << "the source does not parse:\n" << source.str();
    return;
  }
  for (func::FuncOp first : module->getOps<func::FuncOp>()) {
    function = first;
    return;
  }
  ADD_FAILURE() << "the source has no function:\n" << source.str();
}

SmallVector<Tensor> Program::run(ArrayRef<Tensor> arguments,
                                 VariableStore &variables,
                                 const EvaluationOptions &options) {
  if (!function)
    return {};
  FailureOr<SmallVector<Tensor>> results =
      evaluate(function, arguments, variables, options);
  if (succeeded(results))
    return *results;
  ADD_FAILURE() << "the evaluation failed";
  return {};
}

SmallVector<Tensor> Program::run(ArrayRef<Tensor> arguments,
                                 const EvaluationOptions &options) {
  VariableStore none;
  return run(arguments, none, options);
}

Tensor Program::reals(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  Tensor tensor(RankedTensorType::get(shape, Float64Type::get(context.get())));
  EXPECT_EQ(tensor.size(), static_cast<int64_t>(values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.real(i) = value;
  return tensor;
}

Tensor Program::integers(ArrayRef<int64_t> shape, ArrayRef<int64_t> values,
                         unsigned width) {
  Tensor tensor(
      RankedTensorType::get(shape, IntegerType::get(context.get(), width)));
  EXPECT_EQ(tensor.size(), static_cast<int64_t>(values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.integer(i) = value;
  return tensor;
}

Tensor reference::testing::fill(RankedTensorType type, int64_t seed, double low,
                                double high) {
  Tensor tensor(type);
  int64_t size = tensor.size();
  if (!tensor.isReal()) {
    for (int64_t i = 0; i < size; ++i)
      tensor.integer(i) =
          wrapTo(type.getElementType(),
                 static_cast<int64_t>(3.0 * uniformElement(seed, 0, 0, i)));
    return tensor;
  }
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(size));
  for (int64_t i = size - 1; i > 0; --i)
    std::swap(
        order[i],
        order[static_cast<int64_t>((i + 1) * uniformElement(seed, 0, 0, i))]);
  // A tenth of a grid step apart from other seeds; the middle is never hit.
  double shift = 0.025 + 0.05 * (seed % 10);
  for (int64_t i = 0; i < size; ++i)
    tensor.real(i) = low + (high - low) * (order[i] + shift) / size;
  return tensor;
}

SmallVector<Tensor> reference::testing::fillArguments(func::FuncOp function,
                                                      double low, double high) {
  SmallVector<Tensor> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(fill(cast<RankedTensorType>(type), i, low, high));
  return arguments;
}

void reference::testing::expectClose(const Tensor &got, const Tensor &expected,
                                     double tolerance) {
  ASSERT_EQ(got.getShape().vec(), expected.getShape().vec());
  double scale = 1.0;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (std::isfinite(expected.number(i)))
      scale = std::max(scale, std::fabs(expected.number(i)));
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = got.number(i), b = expected.number(i);
    if ((std::isnan(a) && std::isnan(b)) || a == b)
      continue;
    ASSERT_LE(std::fabs(a - b), tolerance * scale)
        << "at element " << i << ": got " << a << ", expected " << b;
  }
}

void reference::testing::expectSame(const Tensor &got, const Tensor &expected) {
  ASSERT_EQ(got.getType(), expected.getType());
  EXPECT_EQ(got.getIntegers().vec(), expected.getIntegers().vec());
  for (int64_t i = 0; i < expected.size() && expected.isReal(); ++i) {
    double a = got.real(i), b = expected.real(i);
    ASSERT_EQ(std::memcmp(&a, &b, sizeof a), 0)
        << "at element " << i << ": got " << a << ", expected " << b;
  }
}
