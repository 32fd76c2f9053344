//===- RegNet.cpp - Networks of regular width -----------------------------===//
//
// Radosavovic et al. 2020 (arXiv 2003.13678), as in torchvision; those of kind
// Y have squeeze and excitation. Modules and variables have torchvision's
// names. "stem" is a block, and the stages are blocks "trunk_output.block1" of
// residual blocks "trunk_output.block1.block1-0".
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

struct Size {
  std::array<int64_t, 4> blocks, widths;
  int64_t groupWidth;
  bool excites;
};

const LayerStyle kStyle = {{}, nn::relu};

struct BlockShape {
  int64_t in, out, stride, groupWidth;
  bool excites;
};

/// 1x1, grouped 3x3, squeeze and excitation, 1x1; the sum with the input, which
/// a convolution fits to the result's shape.
class RegNetBlock : public nn::Module {
public:
  explicit RegNetBlock(const BlockShape &shape) {
    int64_t in = shape.in, out = shape.out;
    if (in != out || shape.stride != 1)
      shortcut = &add<ConvNormActivation>(
          "proj", in, out, ConvShape{1, shape.stride}, kStyle.with(nullptr));
    f = &add<nn::Sequential>("f");
    f->add<ConvNormActivation>("a", in, out, ConvShape{1}, kStyle);
    int64_t groups = out / std::min(shape.groupWidth, out);
    f->add<ConvNormActivation>("b", out, out,
                               ConvShape{3, shape.stride, groups}, kStyle);
    SqueezeExcitation::Options excitation;
    excitation.bias = std::nullopt;
    if (shape.excites)
      f->add<SqueezeExcitation>("se", out, in / 4, excitation);
    f->add<ConvNormActivation>("c", out, out, ConvShape{1},
                               kStyle.with(nullptr));
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor kept = shortcut ? (*shortcut)(x) : x;
    return nn::relu(kept + (*f)(x));
  }

private:
  ConvNormActivation *shortcut = nullptr;
  nn::Sequential *f;
};

class RegNet : public ImageClassifier {
public:
  RegNet(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    int64_t channels = 32;
    auto &stem = part<ConvNormActivation>("stem", *options.channels, channels,
                                          ConvShape{3, 2}, kStyle);
    stem.config().block().activation_checkpointing(annotatesStages());
    auto &trunk = part<nn::Sequential>("trunk_output");
    for (size_t index = 0; index < size.blocks.size(); ++index) {
      std::string number = std::to_string(index + 1);
      auto &stage = trunk.add<nn::Sequential>("block" + number);
      for (int64_t i = 0; i < size.blocks[index]; ++i) {
        BlockShape shape = {channels, size.widths[index], i == 0 ? 2 : 1,
                            size.groupWidth, size.excites};
        auto &block = stage.add<RegNetBlock>(
            "block" + number + "-" + std::to_string(i), shape);
        block.config().activation_checkpointing(annotatesBlocks());
        channels = size.widths[index];
      }
      // The last stage's backward pass begins immediately.
      bool isLast = index + 1 == size.blocks.size();
      stage.config().block().activation_checkpointing(annotatesStages() &&
                                                      !isLast);
    }
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(channels);
    part<nn::Linear>("fc", channels, *options.classes, normalInit(0.01));
  }
};

} // namespace

void zoo::addRegNet(ModelList &models) {
  auto add = [&](std::string name, const Size &size) {
    models.push_back(
        {{name,
          std::to_string(sumOf(size.blocks)) + " grouped bottlenecks" +
              (size.excites ? " with squeeze and excitation" : ""),
          imageDefaults()},
         [=](const ModelOptions &options) {
           return std::make_unique<RegNet>(name, size, options);
         }});
  };
  add("regnet_y_400mf", {{1, 3, 6, 6}, {48, 104, 208, 440}, 8, true});
  add("regnet_y_800mf", {{1, 3, 8, 2}, {64, 144, 320, 784}, 16, true});
  add("regnet_y_1_6gf", {{2, 6, 17, 2}, {48, 120, 336, 888}, 24, true});
  add("regnet_y_3_2gf", {{2, 5, 13, 1}, {72, 216, 576, 1512}, 24, true});
  add("regnet_y_8gf", {{2, 4, 10, 1}, {224, 448, 896, 2016}, 56, true});
  add("regnet_y_16gf", {{2, 4, 11, 1}, {224, 448, 1232, 3024}, 112, true});
  add("regnet_y_32gf", {{2, 5, 12, 1}, {232, 696, 1392, 3712}, 232, true});
  add("regnet_x_400mf", {{1, 2, 7, 12}, {32, 64, 160, 400}, 16, false});
  add("regnet_x_800mf", {{1, 3, 7, 5}, {64, 128, 288, 672}, 16, false});
  add("regnet_x_1_6gf", {{2, 4, 10, 2}, {72, 168, 408, 912}, 24, false});
  add("regnet_x_3_2gf", {{2, 6, 15, 2}, {96, 192, 432, 1008}, 48, false});
  add("regnet_x_8gf", {{2, 5, 15, 1}, {80, 240, 720, 1920}, 120, false});
  add("regnet_x_16gf", {{2, 6, 13, 1}, {256, 512, 896, 2048}, 128, false});
  add("regnet_x_32gf", {{2, 7, 13, 1}, {336, 672, 1344, 2520}, 168, false});
}
