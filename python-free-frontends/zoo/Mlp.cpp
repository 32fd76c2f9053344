//===- Mlp.cpp - A perceptron in two parts --------------------------------===//
//
// The network of OneFlow's guide to activation checkpointing: two consecutive
// modules, each of which keeps only its input. With the default image of
// 16x16x1 its layers are 256-128-64 and 64-32-10.
//
//===----------------------------------------------------------------------===//

#include "Family.h"
#include "reprise/NN/Layers.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {
class Mlp : public nn::Graph {
public:
  explicit Mlp(const ModelOptions &options)
      : Graph("mlp"), part1(add<nn::Sequential>("part1")),
        part2(add<nn::Sequential>("part2")),
        loss(add<nn::CrossEntropyLoss>("loss")) {
    int64_t batch = *options.batch;
    int64_t height = *options.height, width = *options.width;
    int64_t channels = *options.channels;
    input("image", {batch, height, width, channels});
    input("label", {batch}, ElementType::I32, sg::BindingRole::Label);

    part1.append<nn::Linear>(height * width * channels, 128);
    part1.append<nn::ReLU>();
    part1.append<nn::Linear>(128, 64);
    part1.append<nn::ReLU>();
    part2.append<nn::Linear>(64, 32);
    part2.append<nn::ReLU>();
    part2.append<nn::Linear>(32, *options.classes);

    bool annotated = *options.annotate != Annotate::None;
    part1.config().block().activation_checkpointing(annotated);
    part2.config().block().activation_checkpointing(annotated);
  }

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor logits = part2(part1(nn::flatten(inputs[0])));
    return {{"loss", loss({logits, inputs[1]}).front(), sg::BindingRole::Loss},
            {"logits", logits, sg::BindingRole::Logits}};
  }

private:
  nn::Sequential &part1;
  nn::Sequential &part2;
  nn::CrossEntropyLoss &loss;
};
} // namespace

void zoo::addMlp(ModelList &models) {
  ModelOptions defaults;
  defaults.batch = 128;
  defaults.classes = 10;
  defaults.height = defaults.width = 16;
  defaults.channels = 1;
  defaults.annotate = Annotate::Stages;
  models.push_back({{"mlp",
                     "the two-part perceptron of OneFlow's guide to activation "
                     "checkpointing",
                     defaults},
                    [](const ModelOptions &options) {
                      return std::make_unique<Mlp>(options);
                    }});
}
