//===- ShuffleNetV2.cpp - Halves of channels that are shuffled ------------===//
//
// Ma et al. 2018 (arXiv 1807.11164), as in torchvision. Modules and variables
// have torchvision's names. Blocks are the layers "stem" and the stages
// "stage2" to "stage4" of blocks "stage2.0".
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// Appends a convolution with torch's initialization, and its normalization.
void appendLayer(nn::Sequential &chain, int64_t in, int64_t out,
                 const ConvShape &shape) {
  nn::Conv2dOptions options = convOptions(shape);
  options.init =
      nn::LinearInit::uniform(in / shape.groups * shape.kernel * shape.kernel);
  options.init->bias.reset();
  chain.append<nn::Conv2d>(in, out, options);
  chain.append<nn::BatchNorm2d>(out);
}

/// Interleaves the channels of two halves.
Tensor shuffle(const Tensor &x) {
  if (!x)
    return x;
  llvm::SmallVector<int64_t> shape(x.getType().getShape());
  int64_t channels = shape.pop_back_val();
  shape.append({2, channels / 2});
  Tensor interleaved = nn::transpose(nn::reshape(x, shape), {0, 1, 2, 4, 3});
  return nn::reshape(interleaved, x.getType().getShape());
}

/// A block of stride 1 passes one half of the channels unchanged beside a
/// branch of the other half; in a block of stride 2, two branches read all
/// channels.
class ShuffleBlock : public nn::Module {
public:
  ShuffleBlock(int64_t in, int64_t out, int64_t stride) : halves(stride == 1) {
    int64_t half = out / 2, read = halves ? half : in;
    if (!halves) {
      branch1 = &add<nn::Sequential>("branch1");
      appendLayer(*branch1, in, in, {3, stride, in});
      appendLayer(*branch1, in, half, {1});
      branch1->append<nn::ReLU>();
    }
    branch2 = &add<nn::Sequential>("branch2");
    appendLayer(*branch2, read, half, {1});
    branch2->append<nn::ReLU>();
    appendLayer(*branch2, half, half, {3, stride, half});
    appendLayer(*branch2, half, half, {1});
    branch2->append<nn::ReLU>();
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    int64_t channels = x.dim(3);
    Tensor kept = halves ? nn::slice(x, 3, 0, channels / 2) : (*branch1)(x);
    Tensor read = halves ? nn::slice(x, 3, channels / 2, channels) : x;
    return shuffle(nn::concat({kept, (*branch2)(read)}, 3));
  }

private:
  bool halves;
  nn::Sequential *branch1 = nullptr, *branch2 = nullptr;
};

constexpr int64_t kStem = 24;
constexpr int64_t kBlocks[] = {4, 8, 4};

struct Size {
  std::array<int64_t, 3> widths;
  int64_t last;
};

class ShuffleNetV2 : public ImageClassifier {
public:
  ShuffleNetV2(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    auto &stem = part<nn::Sequential>("");
    stem.config().block("stem").activation_checkpointing(annotatesStages());
    auto &conv1 = stem.add<nn::Sequential>("conv1");
    appendLayer(conv1, *options.channels, kStem, {3, 2});
    conv1.append<nn::ReLU>();
    stem.add<nn::MaxPool2d>("maxpool", nn::PoolGeometry{3, 2, 1});
    int64_t channels = kStem;
    for (size_t index = 0; index < size.widths.size(); ++index) {
      auto &stage = part<nn::Sequential>("stage" + std::to_string(index + 2));
      for (int64_t i = 0; i < kBlocks[index]; ++i) {
        auto &block = stage.append<ShuffleBlock>(channels, size.widths[index],
                                                 i == 0 ? 2 : 1);
        block.config().activation_checkpointing(annotatesBlocks());
        channels = size.widths[index];
      }
      // The last stage's backward pass begins immediately.
      bool isLast = index + 1 == size.widths.size();
      stage.config().block().activation_checkpointing(annotatesStages() &&
                                                      !isLast);
    }
    auto &conv5 = part<nn::Sequential>("conv5");
    appendLayer(conv5, channels, size.last, {1});
    conv5.append<nn::ReLU>();
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(size.last);
    part<nn::Linear>("fc", size.last, *options.classes);
  }
};

} // namespace

void zoo::addShuffleNetV2(ModelList &models) {
  auto add = [&](std::string name, const Size &size) {
    models.push_back({{name, "16 blocks of shuffled channels", imageDefaults()},
                      [=](const ModelOptions &options) {
                        return std::make_unique<ShuffleNetV2>(name, size,
                                                              options);
                      }});
  };
  add("shufflenet_v2_x0_5", {{48, 96, 192}, 1024});
  add("shufflenet_v2_x1_0", {{116, 232, 464}, 1024});
  add("shufflenet_v2_x1_5", {{176, 352, 704}, 1024});
  add("shufflenet_v2_x2_0", {{244, 488, 976}, 2048});
}
