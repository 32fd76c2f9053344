//===- Classifier.h - Classifiers of images as chains of parts --*- C++ -*-===//
#ifndef REPRISE_ZOO_CLASSIFIER_H
#define REPRISE_ZOO_CLASSIFIER_H

#include "Views.h"

namespace reprise::zoo {

/// A graph with the inputs "image" and "label" whose parts run one after the
/// other: those of the backbone, whose last returns the features (N,F) of each
/// image, then those of the head, whose last returns the logits.
class ImageClassifier : public nn::Graph {
public:
  ImageClassifier(std::string name, const ModelOptions &options);

protected:
  /// Adds the next part.
  template <typename T, typename... Args>
  T &part(std::string name, Args &&...args) {
    T &module = add<T>(std::move(name), std::forward<Args>(args)...);
    parts.push_back(&module);
    return module;
  }
  /// Ends the backbone, which returns `features` numbers for each image.
  void endBackbone(int64_t features);

  std::vector<Output> build(llvm::ArrayRef<nn::Tensor> inputs) override;

  /// True if stages, if residual blocks, or if either are to be annotated.
  bool annotatesStages() const { return *options.annotate == Annotate::Stages; }
  bool annotatesBlocks() const { return *options.annotate == Annotate::Blocks; }
  bool annotates() const { return *options.annotate != Annotate::None; }

  const ModelOptions options;

private:
  llvm::SmallVector<nn::Module *> parts;
  size_t backboneParts = 0;
  nn::ViewPool *views = nullptr;
  nn::CrossEntropyLoss &loss;
};

/// A chain of layers "0", "1"... in stages, which are blocks "stage1",
/// "stage2"... and add nothing to the names of layers. Stages but the last,
/// whose backward pass begins immediately, are annotated if `annotated`.
class StagedChain : public nn::Sequential {
public:
  explicit StagedChain(bool annotated) : annotated(annotated) {}

  /// Begins a stage.
  void begin();
  /// Adds the next layer to the stage that began last.
  template <typename T, typename... Args> T &layer(Args &&...args) {
    return stage->add<T>(std::to_string(layers++), std::forward<Args>(args)...);
  }

private:
  bool annotated;
  nn::Sequential *stage = nullptr;
  int64_t layers = 0;
};

} // namespace reprise::zoo

#endif // REPRISE_ZOO_CLASSIFIER_H
