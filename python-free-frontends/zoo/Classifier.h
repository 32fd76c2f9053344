//===- Classifier.h - Classifiers of images as chains of parts --*- C++ -*-===//
#ifndef REPRISE_ZOO_CLASSIFIER_H
#define REPRISE_ZOO_CLASSIFIER_H

#include "Views.h"

namespace reprise::zoo {

/// A graph with the inputs "image" and "label" whose parts run one after the
/// other: those of the backbone, whose last returns the features (N,F) of each
/// image, then those of the head, whose last returns the logits. The loss adds
/// those of the auxiliary classifiers.
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
  /// The number of parts so far.
  size_t countParts() const { return parts.size(); }
  /// The place of an auxiliary classifier, which reads the result of the part
  /// before, and the weight of its loss.
  struct Branch {
    size_t partsBefore;
    double weight;
  };
  /// Adds an auxiliary classifier, in the order of the parts: its logits are
  /// those of each image, whose mean are those of a case of several views.
  template <typename T, typename... Args>
  T &auxiliary(std::string name, const Branch &branch, Args &&...args) {
    T &module = add<T>(std::move(name), std::forward<Args>(args)...);
    auxiliaries.push_back({branch, &module});
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
  struct Auxiliary {
    Branch branch;
    nn::Module *classifier;
  };

  llvm::SmallVector<nn::Module *> parts;
  llvm::SmallVector<Auxiliary> auxiliaries; // in order
  size_t backboneParts = 0;
  nn::ViewPool *views = nullptr, *auxiliaryViews = nullptr;
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
