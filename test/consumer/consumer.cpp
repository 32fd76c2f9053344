// Builds a graph, differentiates and checkpoints it, and prints the result.
#include "mlir/Pass/PassManager.h"
#include "reprise/NN/Graph.h"
#include "reprise/NN/Layers.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Train.h"

using namespace reprise;

struct Classifier : nn::Graph {
  nn::Sequential &part1 = add<nn::Sequential>("part1");
  nn::Sequential &part2 = add<nn::Sequential>("part2");
  nn::CrossEntropyLoss &loss = add<nn::CrossEntropyLoss>("loss");

  Classifier() : Graph("classifier") {
    input("image", {128, 256});
    input("label", {128}, ElementType::I32, sg::BindingRole::Label);
    part1.append<nn::Linear>(256, 128);
    part1.append<nn::ReLU>();
    part1.append<nn::Linear>(128, 64);
    part1.append<nn::ReLU>();
    part2.append<nn::Linear>(64, 32);
    part2.append<nn::ReLU>();
    part2.append<nn::Linear>(32, 10);
    part1.config().activation_checkpointing(true);
    part2.config().activation_checkpointing(true);
  }

  std::vector<Output> build(llvm::ArrayRef<nn::Tensor> inputs) override {
    nn::Tensor logits = part2(part1(inputs[0]));
    return {{"loss", loss({logits, inputs[1]}).front(), sg::BindingRole::Loss},
            {"logits", logits, sg::BindingRole::Logits}};
  }
};

int main() {
  mlir::MLIRContext context;
  auto module = Classifier().emit(context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  passes.addPass(createSgDifferentiate());
  passes.addNestedPass<mlir::func::FuncOp>(createSgLowerCheckpointing());
  if (failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
}
