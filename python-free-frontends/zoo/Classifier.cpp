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
}

std::vector<nn::Graph::Output>
ImageClassifier::build(llvm::ArrayRef<Tensor> inputs) {
  Tensor x = viewsOf(inputs[0], views);
  llvm::ArrayRef<nn::Module *> all = parts;
  for (nn::Module *part : all.take_front(backboneParts))
    x = (*part)(x);
  x = poolViews(x, views);
  for (nn::Module *part : all.drop_front(backboneParts))
    x = (*part)(x);
  return {{"loss", loss({x, inputs[1]}).front(), sg::BindingRole::Loss},
          {"logits", x, sg::BindingRole::Logits}};
}

void StagedChain::begin() {
  if (stage)
    stage->config().activation_checkpointing(annotated);
  stage = &add<nn::Sequential>("");
  stage->config().block("stage" + std::to_string(getChildren().size()));
}
