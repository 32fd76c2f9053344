//===- Classifier.cpp - Classifiers of images as chains of parts ----------===//

#include "Classifier.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

ImageClassifier::ImageClassifier(std::string name, const ModelOptions &options)
    : Graph(std::move(name)), options(options),
      loss(add<nn::CrossEntropyLoss>("loss")) {
  input("image", imageExtents(options));
  input("label", {*options.batch}, ElementType::I32, sg::BindingRole::Label);
}

void ImageClassifier::endBackbone(int64_t features) {
  backboneParts = parts.size();
  views = addViewPool(*this, options, features);
  if (views && !auxiliaries.empty())
    auxiliaryViews = &add<nn::ViewPool>("", nn::ViewPooling::Mean,
                                        *options.views, *options.classes);
}

std::vector<nn::Graph::Output>
ImageClassifier::build(llvm::ArrayRef<Tensor> inputs) {
  Tensor x = viewsOf(inputs[0], views);
  llvm::ArrayRef<Auxiliary> remaining = auxiliaries;
  llvm::SmallVector<Tensor> auxiliaryLogits;
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (index == backboneParts)
      x = poolViews(x, views);
    x = (*part)(x);
    while (!remaining.empty() &&
           remaining.front().branch.partsBefore == index + 1) {
      Tensor logits = (*remaining.front().classifier)(x);
      auxiliaryLogits.push_back(poolViews(logits, auxiliaryViews));
      remaining = remaining.drop_front();
    }
  }
  if (backboneParts == parts.size())
    x = poolViews(x, views);
  Tensor total = loss({x, inputs[1]}).front();
  for (auto [auxiliary, logits] : llvm::zip_equal(auxiliaries, auxiliaryLogits))
    total = nn::auxiliaryLoss(total, loss({logits, inputs[1]}).front(),
                              auxiliary.branch.weight);
  return {{"loss", total, sg::BindingRole::Loss},
          {"logits", x, sg::BindingRole::Logits}};
}

void StagedChain::begin() {
  if (stage)
    stage->config().activation_checkpointing(annotated);
  stage = &add<nn::Sequential>("");
  stage->config().block("stage" + std::to_string(getChildren().size()));
}
