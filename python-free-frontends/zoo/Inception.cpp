//===- Inception.cpp - Convolutions of several sizes side by side ---------===//
//
// GoogLeNet (Szegedy et al. 2015, arXiv 1409.4842) and Inception v3 (Szegedy et
// al. 2016, arXiv 1512.00567), as in torchvision with auxiliary classifiers:
// GoogLeNet's 5x5 convolutions are 3x3 ones, and all are normalized. Modules
// and variables have torchvision's names. The layers up to each pool or
// auxiliary classifier are blocks "stem", "stage1", "stage2"... of blocks
// "inception3a" or "Mixed_5b".
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// The kernel of a convolution, and its stride and padding.
struct Shape {
  std::array<int64_t, 2> kernel = {1, 1};
  int64_t stride = 1;
  std::array<int64_t, 2> padding = {0, 0};
};

/// The shape of a convolution that keeps the image's size.
Shape same(int64_t height, int64_t width) {
  return {{height, width}, 1, {height / 2, width / 2}};
}
Shape same(int64_t kernel) { return same(kernel, kernel); }

/// The shape of a convolution that halves the image.
Shape halving(int64_t kernel, int64_t padding = 0) {
  return {{kernel, kernel}, 2, {padding, padding}};
}

/// A convolution without bias, a batch normalization and a ReLU.
class BasicConv : public nn::Module {
public:
  BasicConv(int64_t in, int64_t out, const Shape &shape, double deviation)
      : conv(add<nn::Conv2d>("conv", in, out, optionsOf(shape, deviation))),
        bn(add<nn::BatchNorm2d>("bn", out, /*epsilon=*/0.001)) {}

protected:
  Tensor forward(Tensor x) override { return nn::relu(bn(conv(x))); }

private:
  static nn::Conv2dOptions optionsOf(const Shape &shape, double deviation) {
    nn::Conv2dOptions options;
    options.kernel = shape.kernel;
    options.geometry.stride = {shape.stride, shape.stride};
    options.geometry.padding = shape.padding;
    options.init = {nn::Initializer::normal(deviation), std::nullopt};
    return options;
  }

  nn::Conv2d &conv;
  nn::BatchNorm2d &bn;
};

/// A layer of parts of one branch.
struct Part {
  std::string name;
  int64_t channels;
  Shape shape = {};
};

/// A block of branches that read the same image and whose results are
/// concatenated. A branch may end in several convolutions side by side.
class Branches : public nn::Module {
public:
  Branches(int64_t in, double deviation) : in(in), deviation(deviation) {
    config().block();
  }

  /// Adds a branch of `parts`, after `pool` if there is one.
  void branch(llvm::ArrayRef<Part> parts, nn::Module *pool = nullptr) {
    Branch &added = branches.emplace_back();
    added.width = in;
    if (pool)
      added.chain.push_back(pool);
    for (const Part &part : parts) {
      added.chain.push_back(&addPart(added.width, part));
      added.width = part.channels;
    }
    out += added.width;
  }
  /// Adds convolutions side by side that read what the last branch makes.
  void ends(llvm::ArrayRef<Part> parts) {
    Branch &last = branches.back();
    out -= last.width;
    for (const Part &part : parts) {
      last.ends.push_back(&addPart(last.width, part));
      out += part.channels;
    }
  }

  nn::Module &maxPool(int64_t stride) {
    return add<nn::MaxPool2d>("", nn::PoolGeometry{3, stride, stride == 1});
  }
  nn::Module &avgPool() {
    return add<nn::AvgPool2d>("", nn::PoolGeometry{3, 1, 1});
  }

  int64_t channels() const { return out; }

protected:
  Tensor forward(Tensor x) override {
    llvm::SmallVector<Tensor> results;
    for (const Branch &branch : branches) {
      Tensor y = x;
      for (nn::Module *part : branch.chain)
        y = (*part)(y);
      if (branch.ends.empty())
        results.push_back(y);
      for (nn::Module *end : branch.ends)
        results.push_back((*end)(y));
    }
    return nn::concat(results, 3);
  }

private:
  struct Branch {
    llvm::SmallVector<nn::Module *> chain, ends;
    int64_t width; // channels of the chain's result
  };

  BasicConv &addPart(int64_t from, const Part &part) {
    return add<BasicConv>(part.name, from, part.channels, part.shape,
                          deviation);
  }

  int64_t in, out = 0;
  double deviation;
  std::vector<Branch> branches;
};

/// A classifier of stages, each a block, and auxiliary classifiers after them.
class InceptionNet : public ImageClassifier {
protected:
  InceptionNet(std::string name, const ModelOptions &options, double deviation)
      : ImageClassifier(std::move(name), options), channels(*options.channels),
        deviation(deviation) {}

  /// Begins a stage. The last one's backward pass begins immediately.
  void begin(const std::string &name, bool isLast = false) {
    stage = &part<nn::Sequential>("");
    stage->config().block(name).activation_checkpointing(annotatesStages() &&
                                                         !isLast);
  }
  void convolution(std::string name, int64_t out, const Shape &shape) {
    stage->add<BasicConv>(std::move(name), channels, out, shape, deviation);
    channels = out;
  }
  void maxPool(std::string name, const nn::PoolGeometry &geometry) {
    stage->add<nn::MaxPool2d>(std::move(name), geometry);
  }
  /// Adds a block whose branches `fill` adds.
  void inception(std::string name, llvm::function_ref<void(Branches &)> fill) {
    auto &block = stage->add<Branches>(std::move(name), channels, deviation);
    block.config().activation_checkpointing(annotatesBlocks());
    fill(block);
    channels = block.channels();
  }
  void end(const nn::LinearInit &init) {
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(channels);
    part<nn::Dropout>("dropout", *options.dropout);
    part<nn::Linear>("fc", channels, *options.classes, init);
  }

  int64_t channels; // of the last layer so far

private:
  double deviation; // of filters
  nn::Sequential *stage = nullptr;
};

/// torchvision leaves the biases of linear layers as torch initializes them.
nn::LinearInit linearInit(double deviation, int64_t in) {
  return {nn::Initializer::normal(deviation), nn::LinearInit::uniform(in).bias};
}

//===----------------------------------------------------------------------===//
// GoogLeNet
//===----------------------------------------------------------------------===//

constexpr double kGoogLeNetDeviation = 0.01;

class GoogLeNetAuxiliary : public nn::Sequential {
public:
  GoogLeNetAuxiliary(int64_t in, const ModelOptions &options) {
    constexpr int64_t extent = 4, channels = 128, hidden = 1024;
    constexpr int64_t flat = extent * extent * channels;
    add<nn::AdaptiveAvgPool2d>("", extent);
    add<BasicConv>("conv", in, channels, Shape(), kGoogLeNetDeviation);
    add<FlattenedChannels>("");
    add<nn::Linear>("fc1", flat, hidden, linearInit(kGoogLeNetDeviation, flat));
    add<nn::ReLU>("");
    add<nn::Dropout>("", *options.dropout == 0 ? 0.0 : 0.7);
    add<nn::Linear>("fc2", hidden, *options.classes,
                    linearInit(kGoogLeNetDeviation, hidden));
  }
};

class GoogLeNet : public InceptionNet {
public:
  GoogLeNet(std::string name, const ModelOptions &options)
      : InceptionNet(std::move(name), options, kGoogLeNetDeviation) {
    constexpr double weight = 0.3; // section 5 of the paper
    begin("stem");
    convolution("conv1", 64, halving(7, 3));
    pool("maxpool1", 3);
    convolution("conv2", 64, {});
    convolution("conv3", 192, same(3));
    pool("maxpool2", 3);
    begin("stage1");
    block("3a", {64, 96, 128, 16, 32, 32});
    block("3b", {128, 128, 192, 32, 96, 64});
    pool("maxpool3", 3);
    begin("stage2");
    block("4a", {192, 96, 208, 16, 48, 64});
    int64_t firstWidth = channels;
    size_t first = countParts();
    begin("stage3");
    block("4b", {160, 112, 224, 24, 64, 64});
    block("4c", {128, 128, 256, 24, 64, 64});
    block("4d", {112, 144, 288, 32, 64, 64});
    int64_t secondWidth = channels;
    size_t second = countParts();
    begin("stage4");
    block("4e", {256, 160, 320, 32, 128, 128});
    pool("maxpool4", 2);
    begin("stage5", /*isLast=*/true);
    block("5a", {256, 160, 320, 32, 128, 128});
    block("5b", {384, 192, 384, 48, 128, 128});
    auxiliary<GoogLeNetAuxiliary>("aux1", {first, weight}, firstWidth, options);
    auxiliary<GoogLeNetAuxiliary>("aux2", {second, weight}, secondWidth,
                                  options);
    end(linearInit(kGoogLeNetDeviation, channels));
  }

private:
  void pool(std::string name, int64_t window) {
    maxPool(std::move(name), {window, 2, 0, nn::PoolRounding::Up});
  }
  /// Adds an inception block of widths in the order of table 1 of the paper.
  void block(const std::string &number, const std::array<int64_t, 6> &widths) {
    auto [one, threeReduced, three, fiveReduced, five, projected] = widths;
    inception("inception" + number, [&, one = one, threeReduced = threeReduced,
                                     three = three, fiveReduced = fiveReduced,
                                     five = five,
                                     projected = projected](Branches &b) {
      b.branch({{"branch1", one}});
      b.branch({{"branch2.0", threeReduced}, {"branch2.1", three, same(3)}});
      b.branch({{"branch3.0", fiveReduced}, {"branch3.1", five, same(3)}});
      b.branch({{"branch4.1", projected}}, &b.maxPool(1));
    });
  }
};

//===----------------------------------------------------------------------===//
// Inception v3
//===----------------------------------------------------------------------===//

constexpr double kInceptionDeviation = 0.1;

class InceptionAuxiliary : public nn::Sequential {
public:
  InceptionAuxiliary(int64_t in, int64_t classes) {
    constexpr int64_t reduced = 128, channels = 768;
    add<nn::AvgPool2d>("", nn::PoolGeometry{5, 3, 0});
    add<BasicConv>("conv0", in, reduced, Shape(), kInceptionDeviation);
    add<BasicConv>("conv1", reduced, channels, Shape{{5, 5}, 1, {0, 0}}, 0.01);
    add<nn::GlobalAvgPool>("");
    add<nn::Linear>("fc", channels, classes, linearInit(0.001, channels));
  }
};

class InceptionV3 : public InceptionNet {
public:
  InceptionV3(std::string name, const ModelOptions &options)
      : InceptionNet(std::move(name), options, kInceptionDeviation) {
    begin("stem");
    convolution("Conv2d_1a_3x3", 32, halving(3));
    convolution("Conv2d_2a_3x3", 32, {{3, 3}});
    convolution("Conv2d_2b_3x3", 64, same(3));
    maxPool("maxpool1", {3, 2, 0});
    convolution("Conv2d_3b_1x1", 80, {});
    convolution("Conv2d_4a_3x3", 192, {{3, 3}});
    maxPool("maxpool2", {3, 2, 0});
    begin("stage1");
    blockA("Mixed_5b", 32);
    blockA("Mixed_5c", 64);
    blockA("Mixed_5d", 64);
    begin("stage2");
    blockB("Mixed_6a");
    blockC("Mixed_6b", 128);
    blockC("Mixed_6c", 160);
    blockC("Mixed_6d", 160);
    blockC("Mixed_6e", 192);
    // The weight of torchvision's training script.
    auxiliary<InceptionAuxiliary>("AuxLogits", {countParts(), 0.4}, channels,
                                  *options.classes);
    begin("stage3", /*isLast=*/true);
    blockD("Mixed_7a");
    blockE("Mixed_7b");
    blockE("Mixed_7c");
    end(linearInit(kInceptionDeviation, channels));
  }

private:
  void blockA(std::string name, int64_t projected) {
    inception(std::move(name), [&](Branches &b) {
      b.branch({{"branch1x1", 64}});
      b.branch({{"branch5x5_1", 48}, {"branch5x5_2", 64, same(5)}});
      b.branch({{"branch3x3dbl_1", 64},
                {"branch3x3dbl_2", 96, same(3)},
                {"branch3x3dbl_3", 96, same(3)}});
      b.branch({{"branch_pool", projected}}, &b.avgPool());
    });
  }
  void blockB(std::string name) {
    inception(std::move(name), [&](Branches &b) {
      b.branch({{"branch3x3", 384, halving(3)}});
      b.branch({{"branch3x3dbl_1", 64},
                {"branch3x3dbl_2", 96, same(3)},
                {"branch3x3dbl_3", 96, halving(3)}});
      b.branch({}, &b.maxPool(2));
    });
  }
  void blockC(std::string name, int64_t reduced) {
    inception(std::move(name), [&](Branches &b) {
      b.branch({{"branch1x1", 192}});
      b.branch({{"branch7x7_1", reduced},
                {"branch7x7_2", reduced, same(1, 7)},
                {"branch7x7_3", 192, same(7, 1)}});
      b.branch({{"branch7x7dbl_1", reduced},
                {"branch7x7dbl_2", reduced, same(7, 1)},
                {"branch7x7dbl_3", reduced, same(1, 7)},
                {"branch7x7dbl_4", reduced, same(7, 1)},
                {"branch7x7dbl_5", 192, same(1, 7)}});
      b.branch({{"branch_pool", 192}}, &b.avgPool());
    });
  }
  void blockD(std::string name) {
    inception(std::move(name), [&](Branches &b) {
      b.branch({{"branch3x3_1", 192}, {"branch3x3_2", 320, halving(3)}});
      b.branch({{"branch7x7x3_1", 192},
                {"branch7x7x3_2", 192, same(1, 7)},
                {"branch7x7x3_3", 192, same(7, 1)},
                {"branch7x7x3_4", 192, halving(3)}});
      b.branch({}, &b.maxPool(2));
    });
  }
  void blockE(std::string name) {
    inception(std::move(name), [&](Branches &b) {
      b.branch({{"branch1x1", 320}});
      b.branch({{"branch3x3_1", 384}});
      b.ends({{"branch3x3_2a", 384, same(1, 3)},
              {"branch3x3_2b", 384, same(3, 1)}});
      b.branch({{"branch3x3dbl_1", 448}, {"branch3x3dbl_2", 384, same(3)}});
      b.ends({{"branch3x3dbl_3a", 384, same(1, 3)},
              {"branch3x3dbl_3b", 384, same(3, 1)}});
      b.branch({{"branch_pool", 192}}, &b.avgPool());
    });
  }
};

template <typename Net>
void addNet(ModelList &models, std::string name, std::string description,
            int64_t side, double dropout) {
  ModelOptions defaults = imageDefaults(side);
  defaults.dropout = dropout;
  models.push_back({{name, std::move(description), defaults},
                    [=](const ModelOptions &options) {
                      return std::make_unique<Net>(name, options);
                    }});
}

} // namespace

void zoo::addInception(ModelList &models) {
  addNet<GoogLeNet>(models, "googlenet",
                    "9 blocks of 4 branches, 2 auxiliary classifiers", 224,
                    0.2);
  addNet<InceptionV3>(models, "inception_v3",
                      "11 blocks of 3 or 4 branches, an auxiliary classifier",
                      299, 0.5);
}
