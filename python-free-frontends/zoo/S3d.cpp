//===- S3d.cpp - Inception of clips, space before time --------------------===//
//
// Xie et al. 2018 (arXiv 1712.04851), as in torchvision. Modules and variables
// have torchvision's names. The layers up to each pool are blocks "stage1" to
// "stage5" of blocks "features.5", "features.6"...
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// A convolution, a normalization and a ReLU.
class Unit : public nn::Sequential {
public:
  Unit(int64_t in, int64_t out, nn::Conv3dOptions options) {
    auto [depth, height, width] = options.kernel;
    options.init = {nn::LinearInit::uniform(in * depth * height * width).weight,
                    std::nullopt};
    append<nn::Conv3d>(in, out, options);
    append<nn::BatchNorm3d>(out, /*epsilon=*/0.001, /*momentum=*/0.001);
    append<nn::ReLU>();
  }
};

/// A square filter of frames, then one of time of the same extent.
class FramesThenTime : public nn::Sequential {
public:
  FramesThenTime(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
    append<Unit>(in, out,
                 conv3dOptions({1, kernel, kernel}, {1, stride, stride}));
    append<Unit>(out, out, conv3dOptions({kernel, 1, 1}, {stride, 1, 1}));
  }
};

/// Channels of a block's branches: of single points; of two filters, behind
/// fewer; of a pool.
struct Widths {
  int64_t points;
  std::array<int64_t, 2> before, filtered;
  int64_t pooled;

  int64_t all() const { return points + filtered[0] + filtered[1] + pooled; }
};

/// Four branches side by side, whose results are concatenated.
class SeparableInception : public nn::Module {
public:
  SeparableInception(int64_t in, const Widths &widths) {
    branches.push_back(
        &add<Unit>("branch0", in, widths.points, conv3dOptions({1, 1, 1})));
    for (size_t i = 0; i < widths.before.size(); ++i) {
      auto &branch = add<nn::Sequential>("branch" + std::to_string(i + 1));
      branch.append<Unit>(in, widths.before[i], conv3dOptions({1, 1, 1}));
      branch.append<FramesThenTime>(widths.before[i], widths.filtered[i], 3, 1);
      branches.push_back(&branch);
    }
    auto &pooled = add<nn::Sequential>("branch3");
    pooled.append<nn::MaxPool3d>(
        nn::PoolGeometry3d{{3, 3, 3}, {1, 1, 1}, {1, 1, 1}});
    pooled.append<Unit>(in, widths.pooled, conv3dOptions({1, 1, 1}));
    branches.push_back(&pooled);
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    llvm::SmallVector<Tensor> results;
    for (nn::Module *branch : branches)
      results.push_back((*branch)(x));
    return nn::concat(results, 4);
  }

private:
  llvm::SmallVector<nn::Module *> branches;
};

/// Means of windows of 2x7x7, or of as much as a smaller clip has.
class FinalPool : public nn::Module {
protected:
  Tensor forward(Tensor x) override {
    if (!x)
      return x;
    nn::PoolGeometry3d geometry = {{2, 7, 7}, {1, 1, 1}, {0, 0, 0}};
    for (size_t d = 0; d < geometry.window.size(); ++d)
      geometry.window[d] = std::min(geometry.window[d], x.dim(1 + d));
    return nn::avgPool3d(x, geometry);
  }
};

class S3d : public ImageClassifier {
public:
  S3d(std::string name, const ModelOptions &options)
      : ImageClassifier(std::move(name), options),
        features(part<StagedChain>("features", annotatesStages())) {
    constexpr nn::PoolGeometry3d frames = {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}},
                                 volumes = {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}};
    features.begin();
    features.layer<FramesThenTime>(*options.channels, 64, 7, 2);
    beginAfter(frames);
    features.layer<Unit>(64, 64, conv3dOptions({1, 1, 1}));
    features.layer<FramesThenTime>(64, 192, 3, 1);
    channels = 192;
    beginAfter(frames);
    addBlocks({{64, {96, 16}, {128, 32}, 32}, {128, {128, 32}, {192, 96}, 64}});
    beginAfter(volumes);
    addBlocks({{192, {96, 16}, {208, 48}, 64},
               {160, {112, 24}, {224, 64}, 64},
               {128, {128, 24}, {256, 64}, 64},
               {112, {144, 32}, {288, 64}, 64},
               {256, {160, 32}, {320, 128}, 128}});
    beginAfter(nn::PoolGeometry3d());
    addBlocks(
        {{256, {160, 32}, {320, 128}, 128}, {384, {192, 48}, {384, 128}, 128}});
    part<FinalPool>("avgpool");
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.append<nn::Dropout>(*options.dropout);
    nn::Conv3dOptions last = conv3dOptions({1, 1, 1});
    last.bias = true;
    last.init = nn::LinearInit::uniform(channels);
    classifier.append<nn::Conv3d>(channels, *options.classes, last);
    part<nn::MeanOfTokens>("mean");
    endBackbone(*options.classes);
  }

private:
  void beginAfter(const nn::PoolGeometry3d &pool) {
    features.layer<nn::MaxPool3d>(pool);
    features.begin();
  }
  void addBlocks(llvm::ArrayRef<Widths> blocks) {
    for (const Widths &widths : blocks) {
      features.layer<SeparableInception>(channels, widths)
          .config()
          .activation_checkpointing(annotatesBlocks());
      channels = widths.all();
    }
  }

  StagedChain &features;
  int64_t channels = 0; // of the last layer so far
};

} // namespace

void zoo::addS3d(ModelList &models) {
  ModelOptions defaults = clipDefaults(224);
  defaults.dropout = 0.2;
  std::string name = "s3d";
  models.push_back(
      {{name, "9 blocks of filters of frames and of time", defaults},
       [=](const ModelOptions &options) {
         return std::make_unique<S3d>(name, options);
       }});
}
