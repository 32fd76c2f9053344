//===- Inputs.cpp - Values for a graph's variables and arguments ----------===//

#include "Generator.h"
#include "Random.h"
#include "reprise/IR/Sg.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;
using reference::Tensor;

// Streams of Random; the generator has streams 0 and 3.
static constexpr uint32_t kVariables = 1, kArguments = 2;

/// Rounded to f32, so that a compiled program starts from the same numbers.
static double single(double value) { return static_cast<float>(value); }

static void fillParameter(Tensor &tensor, Random &random) {
  // Uniform of variance 1 / fan-in; the fan-in of a matrix is either side.
  double fanIn = 1.0;
  for (int64_t extent : tensor.getShape().drop_front())
    fanIn *= extent;
  if (tensor.getRank() == 2)
    fanIn = std::max(fanIn, static_cast<double>(tensor.getDim(0)));
  double bound = tensor.getRank() > 1 ? std::sqrt(3.0 / fanIn) : 0.5;
  double center = tensor.getRank() > 1 ? 0.0 : 0.5;
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.real(i) = single(center + bound * random.symmetric());
}

reference::VariableStore random_graphs::generateVariables(ModuleOp module,
                                                          uint64_t seed) {
  Random random(seed, kVariables);
  reference::VariableStore variables;
  for (auto variable : module.getOps<sg::VariableOp>()) {
    Tensor tensor(variable.getTensorType());
    switch (variable.getRole()) {
    case sg::Role::Parameter:
      fillParameter(tensor, random);
      break;
    case sg::Role::RunningStatistics:
      for (int64_t i = 0; i < tensor.size(); ++i)
        tensor.real(i) = single(1.0 + 0.5 * random.symmetric());
      break;
    case sg::Role::Seed:
      tensor.integer(0) = random.word();
      break;
    case sg::Role::OptimizerState:
    case sg::Role::Counter:
      break;
    }
    variables.emplace(variable.getSymName().str(), tensor);
  }
  return variables;
}

/// The second dimension of the logits.
static int64_t classesOf(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (sg::roleOf(function.getResultAttrDict(i)) == sg::BindingRole::Logits)
      return cast<RankedTensorType>(function.getResultTypes()[i]).getDimSize(1);
  return 1;
}

SmallVector<Tensor> random_graphs::generateArguments(func::FuncOp function,
                                                     uint64_t seed) {
  Random random(seed, kArguments);
  SmallVector<Tensor> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    Tensor tensor(cast<RankedTensorType>(type));
    bool isRate =
        sg::roleOf(function.getArgAttrDict(i)) == sg::BindingRole::LearningRate;
    for (int64_t k = 0; k < tensor.size(); ++k)
      if (!tensor.isReal())
        tensor.integer(k) = random.below(classesOf(function));
      else
        tensor.real(k) = isRate ? 0.125 : single(random.symmetric());
    arguments.push_back(tensor);
  }
  return arguments;
}
