//===- VideoResNet.cpp - Residual networks of clips -----------------------===//
//
// Tran et al. 2018 (arXiv 1711.11248), as in torchvision: residual networks of
// 18 layers whose filters see time in every stage (r3d), in the first one only
// (mc3), or after space (r2plus1d). Modules and variables have torchvision's
// names. The first layers are the block "stem", the stages "layer1" to "layer4"
// blocks of residual blocks "layer1.0"; the head is inline. Segments are the
// stem, the two blocks of the first stage, and the other stages.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// Filters of 3x3x3, of 1x3x3, or of 1x3x3 followed by 3x1x1.
enum class Filters { OfVolumes, OfFrames, OfFramesThenTime };

/// Appends a convolution, a normalization and a ReLU.
void appendLayer(nn::Sequential &to, int64_t in, int64_t out,
                 const nn::Conv3dOptions &options) {
  to.append<nn::Conv3d>(in, out, options);
  to.append<nn::BatchNorm3d>(out);
  to.append<nn::ReLU>();
}

/// Between the two filters there are so many channels that both together have
/// the parameters of one of 3x3x3.
class FramesThenTime : public nn::Sequential {
public:
  FramesThenTime(int64_t in, int64_t between, int64_t out, int64_t stride) {
    appendLayer(*this, in, between,
                conv3dOptions({1, 3, 3}, {1, stride, stride}));
    append<nn::Conv3d>(between, out, conv3dOptions({3, 1, 1}, {stride, 1, 1}));
  }
};

/// Two convolutions, and the sum with the input.
class VideoBlock : public nn::Module {
public:
  VideoBlock(Filters filters, int64_t in, int64_t out, int64_t stride)
      : conv1(add<nn::Sequential>("conv1")),
        conv2(add<nn::Sequential>("conv2")), relu(add<nn::ReLU>("relu")) {
    // Both convolutions have as many channels between their filters.
    int64_t between = in * out * 27 / (in * 9 + 3 * out);
    convolution(conv1, filters, in, between, out, stride);
    conv1.append<nn::BatchNorm3d>(out);
    conv1.append<nn::ReLU>();
    convolution(conv2, filters, out, between, out, 1);
    conv2.append<nn::BatchNorm3d>(out);
    if (stride != 1 || in != out) {
      shortcut = &add<nn::Sequential>("downsample");
      shortcut->append<nn::Conv3d>(
          in, out,
          conv3dOptions({1, 1, 1}, {filters == Filters::OfFrames ? 1 : stride,
                                    stride, stride}));
      shortcut->append<nn::BatchNorm3d>(out);
    }
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    return relu(conv2(conv1(x)) + (shortcut ? (*shortcut)(x) : x));
  }

private:
  static void convolution(nn::Sequential &to, Filters filters, int64_t in,
                          int64_t between, int64_t out, int64_t stride) {
    if (filters == Filters::OfFramesThenTime)
      to.append<FramesThenTime>(in, between, out, stride);
    else if (filters == Filters::OfFrames)
      to.append<nn::Conv3d>(in, out,
                            conv3dOptions({1, 3, 3}, {1, stride, stride}));
    else
      to.append<nn::Conv3d>(in, out,
                            conv3dOptions({3, 3, 3}, {stride, stride, stride}));
  }

  nn::Sequential &conv1, &conv2;
  nn::ReLU &relu;
  nn::Sequential *shortcut = nullptr;
};

using StageFilters = std::array<Filters, 4>;

class VideoResNet : public ImageClassifier {
public:
  VideoResNet(std::string name, const StageFilters &filters,
              const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    int64_t channels = *options.baseWidth;
    auto &stem = part<nn::Sequential>("stem");
    if (filters[0] == Filters::OfFramesThenTime) {
      int64_t between = std::max<int64_t>(channels * 45 / 64, 1);
      appendLayer(stem, *options.channels, between,
                  conv3dOptions({1, 7, 7}, {1, 2, 2}));
      appendLayer(stem, between, channels, conv3dOptions({3, 1, 1}));
    } else {
      appendLayer(stem, *options.channels, channels,
                  conv3dOptions({3, 7, 7}, {1, 2, 2}));
    }
    stem.config().block().activation_checkpointing(annotatesStages());
    for (size_t stage = 0; stage < filters.size(); ++stage)
      channels = addStage(stage, filters[stage], channels);
    part<nn::MeanOfTokens>("avgpool");
    endBackbone(channels);
    part<nn::Linear>("fc", channels, *options.classes, normalInit(0.01));
  }

private:
  /// Adds a stage for an input of `in` channels; returns its result's.
  int64_t addStage(size_t index, Filters filters, int64_t in) {
    constexpr int64_t blocks = 2;
    auto &stage = part<nn::Sequential>("layer" + std::to_string(index + 1));
    int64_t out = *options.baseWidth << index;
    // The first stage holds most of the network's bytes: recomputed as a whole,
    // it would take nearly as many as without recomputation.
    bool isFirst = index == 0;
    for (int64_t block = 0; block < blocks; ++block) {
      int64_t stride = index > 0 && block == 0 ? 2 : 1;
      stage.append<VideoBlock>(filters, block == 0 ? in : out, out, stride)
          .config()
          .activation_checkpointing(annotatesBlocks() ||
                                    (annotatesStages() && isFirst));
    }
    // The last stage's backward pass begins immediately.
    stage.config().block().activation_checkpointing(annotatesStages() &&
                                                    !isFirst && index < 3);
    return out;
  }
};

} // namespace

void zoo::addVideoResNet(ModelList &models) {
  ModelOptions defaults = clipDefaults(112);
  defaults.baseWidth = 64;
  auto add = [&](std::string name, std::string what,
                 const StageFilters &filters) {
    models.push_back({{name, "8 basic blocks of clips, " + what, defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<VideoResNet>(name, filters,
                                                             options);
                      }});
  };
  constexpr Filters volumes = Filters::OfVolumes, frames = Filters::OfFrames,
                    both = Filters::OfFramesThenTime;
  add("r3d_18", "filters of volumes", {volumes, volumes, volumes, volumes});
  add("mc3_18", "filters of volumes, then of frames",
      {volumes, frames, frames, frames});
  add("r2plus1d_18", "filters of frames and of time", {both, both, both, both});
}
