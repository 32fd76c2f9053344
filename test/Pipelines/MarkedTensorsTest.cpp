//===- MarkedTensorsTest.cpp - Tensors held or computed again -------------===//
//
// Three residual perceptrons whose middle is eight times as wide as what goes
// in: 16 KiB and 128 KiB a tensor. What a mark does to the peak is known by
// counting these.
//
//===----------------------------------------------------------------------===//

#include "reprise/NN/Graph.h"
#include "reprise/NN/Layers.h"
#include "reprise/Passes/MemorySavings.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace reprise;
using nn::Tensor;

namespace {

constexpr int64_t kBatch = 64, kNarrow = 64, kWide = 512;
constexpr uint64_t kNarrowBytes = kBatch * kNarrow * 4;
constexpr uint64_t kWideBytes = kBatch * kWide * 4;
constexpr unsigned kBlocks = 3;

enum class Mark { None, Again, Held };

class Perceptron : public nn::Module {
public:
  explicit Perceptron(Mark mark)
      : mark(mark), fc1(add<nn::Linear>("fc1", kNarrow, kWide)),
        fc2(add<nn::Linear>("fc2", kWide, kNarrow)) {
    config().block();
  }

  Tensor forward(Tensor x) override {
    Tensor wide = marked(fc1(x));
    // Held or not is a matter of the product's result alone.
    Tensor active = nn::gelu(wide);
    if (mark == Mark::Again)
      active = nn::recompute(active);
    return x + fc2(active);
  }

private:
  Tensor marked(Tensor x) {
    return mark == Mark::Again  ? nn::recompute(x)
           : mark == Mark::Held ? nn::keep(x)
                                : x;
  }

  Mark mark;
  nn::Linear &fc1, &fc2;
};

class Network : public nn::Graph {
public:
  explicit Network(Mark mark)
      : Graph("network"), stack(add<nn::Sequential>("stack")),
        head(add<nn::Linear>("head", kNarrow, 10)),
        loss(add<nn::CrossEntropyLoss>("loss")) {
    input("image", {kBatch, kNarrow});
    input("label", {kBatch}, ElementType::I32, sg::BindingRole::Label);
    for (unsigned k = 0; k < kBlocks; ++k)
      stack.append<Perceptron>(mark);
  }

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor logits = head(stack(inputs[0]));
    return {{"loss", loss({logits, inputs[1]}).front(), sg::BindingRole::Loss},
            {"logits", logits, sg::BindingRole::Logits}};
  }

private:
  nn::Sequential &stack;
  nn::Linear &head;
  nn::CrossEntropyLoss &loss;
};

class MarkedTensors : public testing::Test {
protected:
  MarkedTensors() {
    DialectRegistry registry;
    registerAllTargets();
    registerPipelineDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<mlir::ModuleOp> emit(Mark mark) {
    return Network(mark).emit(context);
  }

  uint64_t peakOf(Mark mark, const std::string &mode) {
    auto module = emit(mark);
    CompileOptions options;
    options.checkpointing = *parseCheckpointing(mode);
    options.evaluation = false;
    EXPECT_TRUE(module &&
                succeeded(lowerModel(*module, options, CompileLevel::Program)));
    return estimateStep(*module->getOps<rt_dialect::ProgramOp>().begin())
        .peakBytes;
  }

  MLIRContext context;
};

} // namespace

// Of the last perceptron the wide tensor is there in any case when its backward
// pass begins.
TEST_F(MarkedTensors, NothingWideIsHeldOfMarkedLayers) {
  uint64_t plain = peakOf(Mark::None, "none");
  uint64_t marked = peakOf(Mark::Again, "none");
  EXPECT_LE(marked + (kBlocks - 1) * (kWideBytes - kNarrowBytes), plain);
}

TEST_F(MarkedTensors, AreHeldInCheckpointedBlocks) {
  uint64_t plain = peakOf(Mark::None, "per-block");
  uint64_t held = peakOf(Mark::Held, "per-block");
  EXPECT_GE(held, plain + (kBlocks - 1) * kWideBytes);
  EXPECT_LE(held, peakOf(Mark::None, "none") + kBlocks * kNarrowBytes);
}

TEST_F(MarkedTensors, AreSavingsByThemselves) {
  auto module = emit(Mark::Again);
  CompileOptions options;
  options.checkpointing = {};
  auto savings = estimateMemorySavings(*module, options);
  ASSERT_TRUE(succeeded(savings));
  EXPECT_EQ(savings->without.peakBytes, peakOf(Mark::None, "none"));
  EXPECT_EQ(savings->with.peakBytes, peakOf(Mark::Again, "none"));
}

TEST_F(MarkedTensors, BelongToNoModelThatAStateKnows) {
  std::string plain = digestModel(*emit(Mark::None));
  EXPECT_EQ(digestModel(*emit(Mark::Held)), plain);
  EXPECT_EQ(digestModel(*emit(Mark::Again)), plain);
}

// A budget below what is held is refused, however much could be computed again.
TEST_F(MarkedTensors, AreHeldWhateverTheBudget) {
  auto fits = [&](Mark mark, uint64_t bytes) {
    ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
    auto module = emit(mark);
    CompileOptions options;
    options.checkpointing = {};
    options.evaluation = false;
    options.budget = plan::Budget{};
    options.budget->kind = plan::Budget::Kind::Bytes;
    options.budget->bytes = bytes;
    return succeeded(lowerModel(*module, options, CompileLevel::Program));
  };
  uint64_t budget = peakOf(Mark::None, "none") - kWideBytes;
  EXPECT_TRUE(fits(Mark::None, budget));
  EXPECT_FALSE(fits(Mark::Held, budget));
}
