//===- InterfaceTest.cpp - What ops answer to passes ----------------------===//
//
// What a derivative keeps is memory: each op's list is written down here, and
// a derivative that asks for more fails. Values are tested elsewhere, against
// the reference evaluator.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "reprise/IR/Autocast.h"
#include "reprise/IR/Sg.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

const char *const kSignature =
    "func.func @f(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>,"
    "  %m: tensor<2x4xi1>, %t: tensor<2xi32>, %s: tensor<i64>,"
    "  %c: tensor<4xf32>, %image: tensor<2x5x5x4xf32>,"
    "  %filter: tensor<6x3x3x2xf32>, %a: tensor<7x2x3xf32>,"
    "  %b: tensor<7x3x4xf32>, %at: tensor<7x3x2xf32>,"
    "  %bt: tensor<7x4x3xf32>, %dy: tensor<2x3x3x6xf32>,"
    "  %l: tensor<2xf32>, %volume: tensor<2x5x5x5x4xf32>,"
    "  %cube: tensor<6x3x3x3x2xf32>, %dv: tensor<2x3x3x3x6xf32>) {\n";
const char *const kConv =
    "{strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>,"
    " dilation = array<i64: 1, 1>, groups = 2 : i64} : ";
const std::string kConv3D =
    "{strides = array<i64: 2, 2, 2>, padding = array<i64: 1, 1, 1, 1, 1, 1>,"
    " dilation = array<i64: 1, 1, 1>, groups = 2 : i64} : ";
const char *const kPool =
    "{window = array<i64: 3, 3>, strides = array<i64: 2, 2>,"
    " padding = array<i64: 1, 1, 1, 1>} : "
    "(tensor<2x5x5x4xf32>) -> tensor<2x3x3x4xf32>";
const std::string kBatchNorm =
    "sg.batch_norm_training %image, %c, %c {epsilon = 0.1 : f64} :"
    " (tensor<2x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>) ->"
    " (tensor<2x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)";
const std::string kNormalize =
    "sg.normalize %image, %c, %c, %c, %c :"
    " (tensor<2x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,"
    " tensor<4xf32>) -> tensor<2x5x5x4xf32>";
const std::string kInference =
    "sg.batch_norm_inference %image, %c, %c, %c, %c {epsilon = 0.1 : f64} :"
    " (tensor<2x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,"
    " tensor<4xf32>) -> tensor<2x5x5x4xf32>";
const std::string kConv2D =
    std::string("sg.conv2d %image, %filter ") + kConv +
    "(tensor<2x5x5x4xf32>, tensor<6x3x3x2xf32>) -> tensor<2x3x3x6xf32>";
const std::string kConv2DInputGrad =
    std::string("sg.conv2d_input_grad %dy, %filter ") + kConv +
    "(tensor<2x3x3x6xf32>, tensor<6x3x3x2xf32>) -> tensor<2x5x5x4xf32>";
const std::string kCrossEntropy =
    "sg.cross_entropy %x, %t : (tensor<2x4xf32>, tensor<2xi32>) ->"
    " (tensor<2xf32>, tensor<2xf32>)";
const std::string kDropout =
    "sg.dropout %x, %s, %s {probability = 0.5 : f64, stream = 1 : i64} :"
    " (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>";

/// A function around one op.
class Graph {
public:
  explicit Graph(const std::string &text) {
    context.loadDialect<SgDialect, func::FuncDialect>();
    std::string results = text.find("batch_norm_training") < 4 ? ":4"
                          : text.find("batch_norm_grad") < 4   ? ":3"
                          : text.find("cross_entropy %") < 4   ? ":2"
                                                               : "";
    std::string source =
        kSignature + ("%r" + results) + " = " + text + "\nreturn\n}";
    module = parseSourceString<mlir::ModuleOp>(source, &context);
    if (!module)
      return;
    auto function = *module->getOps<func::FuncOp>().begin();
    op = &function.getBody().front().front();
    builder.setInsertionPointAfter(op);
  }

  MLIRContext context;
  OwningOpRef<mlir::ModuleOp> module;
  Operation *op = nullptr;
  OpBuilder builder{&context};
};

/// Records what is kept and given, with a cotangent for result 0.
class RecordingContext : public VjpContext {
public:
  RecordingContext(OpBuilder &builder, Operation *op, std::set<unsigned> wanted)
      : VjpContext(builder), op(op), wanted(std::move(wanted)) {}

  Value forward(Value value) override {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == value)
        kept.insert("o" + std::to_string(operand.getOperandNumber()));
    for (OpResult result : op->getResults())
      if (result == value)
        kept.insert("r" + std::to_string(result.getResultNumber()));
    return value;
  }
  Value cotangent(OpResult result) override {
    if (!hasCotangent.count(result.getResultNumber()))
      return {};
    return createSplat(builder, op->getLoc(),
                       cast<RankedTensorType>(result.getType()), 1.0);
  }
  bool needsGradient(OpOperand &operand) override {
    return wanted.count(operand.getOperandNumber());
  }
  void addGradient(OpOperand &operand, Value gradient) override {
    EXPECT_EQ(operand.get().getType(), gradient.getType());
    given.insert(operand.getOperandNumber());
  }

  Operation *op;
  std::set<unsigned> wanted, given, hasCotangent = {0};
  std::set<std::string> kept;
};

struct VjpCase {
  std::string text;
  std::set<unsigned> wanted;
  std::set<std::string> kept;
};

class VjpTest : public testing::TestWithParam<VjpCase> {};

TEST_P(VjpTest, KeepsWhatItNeeds) {
  Graph graph(GetParam().text);
  ASSERT_TRUE(graph.op) << GetParam().text;
  auto vjp = dyn_cast<VjpOpInterface>(graph.op);
  ASSERT_TRUE(vjp) << GetParam().text;
  RecordingContext context(graph.builder, graph.op, GetParam().wanted);
  ASSERT_TRUE(succeeded(vjp.buildVjp(context)));
  EXPECT_EQ(context.kept, GetParam().kept) << GetParam().text;
  EXPECT_EQ(context.given, GetParam().wanted) << GetParam().text;
  EXPECT_TRUE(succeeded(verify(*graph.module)));
}

TEST_P(VjpTest, DoesNothingWithoutCotangent) {
  Graph graph(GetParam().text);
  ASSERT_TRUE(graph.op);
  RecordingContext context(graph.builder, graph.op, GetParam().wanted);
  context.hasCotangent.clear();
  ASSERT_TRUE(succeeded(cast<VjpOpInterface>(graph.op).buildVjp(context)));
  EXPECT_TRUE(context.kept.empty());
  EXPECT_TRUE(context.given.empty());
}

TEST_P(VjpTest, DoesNothingUnasked) {
  Graph graph(GetParam().text);
  ASSERT_TRUE(graph.op);
  RecordingContext context(graph.builder, graph.op, {});
  ASSERT_TRUE(succeeded(cast<VjpOpInterface>(graph.op).buildVjp(context)));
  EXPECT_TRUE(context.kept.empty());
  EXPECT_TRUE(context.given.empty());
}

const VjpCase kVjpCases[] = {
    {"sg.neg %x : tensor<2x4xf32>", {0}, {}},
    {"sg.abs %x : tensor<2x4xf32>", {0}, {"o0"}},
    {"sg.exp %x : tensor<2x4xf32>", {0}, {"r0"}},
    {"sg.log %x : tensor<2x4xf32>", {0}, {"o0"}},
    {"sg.sqrt %x : tensor<2x4xf32>", {0}, {"r0"}},
    {"sg.rsqrt %x : tensor<2x4xf32>", {0}, {"r0"}},
    {"sg.tanh %x : tensor<2x4xf32>", {0}, {"r0"}},
    {"sg.sigmoid %x : tensor<2x4xf32>", {0}, {"r0"}},
    {"sg.erf %x : tensor<2x4xf32>", {0}, {"o0"}},
    {"sg.relu %x : tensor<2x4xf32>", {0}, {"r0"}},
    {"sg.add %x, %y : tensor<2x4xf32>", {0, 1}, {}},
    {"sg.sub %x, %y : tensor<2x4xf32>", {0, 1}, {}},
    {"sg.mul %x, %y : tensor<2x4xf32>", {0, 1}, {"o0", "o1"}},
    {"sg.mul %x, %y : tensor<2x4xf32>", {0}, {"o1"}},
    {"sg.mul %x, %y : tensor<2x4xf32>", {1}, {"o0"}},
    {"sg.div %x, %y : tensor<2x4xf32>", {0}, {"o1"}},
    {"sg.div %x, %y : tensor<2x4xf32>", {0, 1}, {"o1", "r0"}},
    {"sg.maximum %x, %y : tensor<2x4xf32>", {0, 1}, {"o0", "o1"}},
    {"sg.minimum %x, %y : tensor<2x4xf32>", {1}, {"o0", "o1"}},
    {"sg.select %m, %x, %y : tensor<2x4xi1>, tensor<2x4xf32>", {1, 2}, {"o0"}},
    {"sg.cast %x : tensor<2x4xf32> to tensor<2x4xbf16>", {0}, {}},
    {"sg.broadcast %c dims [1] : tensor<4xf32> -> tensor<3x4xf32>", {0}, {}},
    {"sg.reshape %x : tensor<2x4xf32> -> tensor<8xf32>", {0}, {}},
    {"sg.transpose %image perm [3, 0, 2, 1] :"
     " tensor<2x5x5x4xf32> -> tensor<4x2x5x5xf32>",
     {0},
     {}},
    {"sg.slice %x [1, 0] to [2, 4] by [1, 3] :"
     " tensor<2x4xf32> -> tensor<1x2xf32>",
     {0},
     {}},
    {"sg.pad %x low [1, 0] high [0, 2] interior [1, 2] value 1.0 :"
     " tensor<2x4xf32> -> tensor<4x12xf32>",
     {0},
     {}},
    {"sg.concat %x, %y, %x dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>,"
     " tensor<2x4xf32>) -> tensor<2x12xf32>",
     {0, 1, 2},
     {}},
    {"sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>", {0}, {}},
    {"sg.reduce_max %x dims [1] : tensor<2x4xf32> -> tensor<2xf32>",
     {0},
     {"o0", "r0"}},
    {"sg.matmul %a, %b : (tensor<7x2x3xf32>, tensor<7x3x4xf32>) ->"
     " tensor<7x2x4xf32>",
     {0, 1},
     {"o0", "o1"}},
    {"sg.matmul %at, %b {transpose_a} : (tensor<7x3x2xf32>,"
     " tensor<7x3x4xf32>) -> tensor<7x2x4xf32>",
     {0, 1},
     {"o0", "o1"}},
    {"sg.matmul %a, %bt {transpose_b} : (tensor<7x2x3xf32>,"
     " tensor<7x4x3xf32>) -> tensor<7x2x4xf32>",
     {0, 1},
     {"o0", "o1"}},
    {"sg.matmul %at, %bt {transpose_a, transpose_b} : (tensor<7x3x2xf32>,"
     " tensor<7x4x3xf32>) -> tensor<7x2x4xf32>",
     {1},
     {"o0"}},
    {kConv2D, {0}, {"o1"}},
    {kConv2D, {1}, {"o0"}},
    {kConv2DInputGrad, {0}, {"o1"}},
    {kConv2DInputGrad, {1}, {"o0"}},
    {"sg.conv3d %volume, %cube " + kConv3D +
         "(tensor<2x5x5x5x4xf32>, tensor<6x3x3x3x2xf32>) ->"
         " tensor<2x3x3x3x6xf32>",
     {0},
     {"o1"}},
    {std::string("sg.max_pool2d %image ") + kPool, {0}, {"o0"}},
    {std::string("sg.avg_pool2d %image ") + kPool, {0}, {}},
    {"sg.global_avg_pool %image : (tensor<2x5x5x4xf32>) -> tensor<2x4xf32>",
     {0},
     {}},
    {kBatchNorm, {0}, {"o0", "o1", "o2", "r1", "r3"}},
    {kBatchNorm, {2}, {}},
    {"sg.softmax %x : tensor<2x4xf32>", {0}, {"r0"}},
    {kCrossEntropy, {0}, {"o0", "o1", "r1"}},
    {kDropout, {0}, {"o1", "o2"}},
};

INSTANTIATE_TEST_SUITE_P(Ops, VjpTest, testing::ValuesIn(kVjpCases));

TEST(VjpErrors, NoGradientOfStatistics) {
  Graph graph(kBatchNorm);
  ASSERT_TRUE(graph.op);
  RecordingContext context(graph.builder, graph.op, {0});
  context.hasCotangent = {0, 1};
  std::string message;
  ScopedDiagnosticHandler handler(&graph.context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(cast<VjpOpInterface>(graph.op).buildVjp(context)));
  EXPECT_NE(message.find("no gradient flows through the statistics"),
            std::string::npos);
}

class DecomposeTest : public testing::TestWithParam<std::string> {};

/// Names of the ops that `op`'s decomposition emits, checked to be primitives.
std::vector<std::string> decompose(Graph &graph) {
  auto composite = dyn_cast_or_null<DecomposeOpInterface>(graph.op);
  if (!composite) {
    ADD_FAILURE() << "not composite";
    return {};
  }
  FailureOr<SmallVector<Value>> values = composite.decompose(graph.builder);
  EXPECT_TRUE(succeeded(values));
  EXPECT_EQ(TypeRange(ValueRange(*values)), graph.op->getResultTypes());
  std::vector<std::string> names;
  for (Operation *op = graph.op->getNextNode(); !isa<func::ReturnOp>(op);
       op = op->getNextNode()) {
    EXPECT_FALSE(isa<DecomposeOpInterface>(op))
        << op->getName().getStringRef().str();
    names.push_back(op->getName().getStringRef().str());
  }
  EXPECT_TRUE(succeeded(verify(*graph.module)));
  return names;
}

TEST_P(DecomposeTest, IntoPrimitives) {
  Graph graph(GetParam());
  ASSERT_TRUE(graph.op) << GetParam();
  EXPECT_FALSE(decompose(graph).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Ops, DecomposeTest,
    testing::Values(
        kBatchNorm, kNormalize, kInference,
        "sg.batch_norm_grad %image, %c, %c, %c, %image : (tensor<2x5x5x4xf32>,"
        " tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x5x5x4xf32>) ->"
        " (tensor<2x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>)",
        "sg.relu_grad %x, %y : tensor<2x4xf32>",
        "sg.global_avg_pool %image :"
        " (tensor<2x5x5x4xf32>) -> tensor<2x4xf32>",
        "sg.softmax %x : tensor<2x4xf32>",
        "sg.softmax_grad %x, %y : tensor<2x4xf32>", kCrossEntropy,
        "sg.cross_entropy_grad %x, %t, %l, %l : (tensor<2x4xf32>,"
        " tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>",
        kDropout));

/// Same ops in the same order, so the same bits.
TEST(Statistics, RecomputeIsTheTailOfTheOriginal) {
  Graph original(kBatchNorm), again(kNormalize);
  ASSERT_TRUE(original.op && again.op);
  std::vector<std::string> all = decompose(original), tail = decompose(again);
  ASSERT_GT(all.size(), tail.size());
  EXPECT_EQ(std::vector<std::string>(all.end() - tail.size(), all.end()), tail);
}

TEST(Statistics, Recompute) {
  Graph graph(kBatchNorm);
  ASSERT_TRUE(graph.op);
  auto statistics = cast<StatisticsOpInterface>(graph.op);
  EXPECT_EQ(statistics.getStatistics(), (SmallVector<unsigned>{1, 2, 3}));
  auto training = cast<BatchNormTrainingOp>(graph.op);
  SmallVector<Value> values = statistics.recompute(
      graph.builder, graph.op->getOperands(),
      {training.getMean(), training.getVariance(), training.getRstd()});
  ASSERT_EQ(values.size(), 1u);
  auto normalize = values[0].getDefiningOp<NormalizeOp>();
  ASSERT_TRUE(normalize);
  EXPECT_EQ(normalize.getX(), training.getX());
  EXPECT_EQ(normalize.getMean(), training.getMean());
  EXPECT_EQ(normalize.getRstd(), training.getRstd());
  EXPECT_EQ(normalize.getGamma(), training.getGamma());
  EXPECT_EQ(normalize.getBeta(), training.getBeta());
}

void expectCost(const std::string &text, uint64_t flops, uint64_t bytes,
                KernelClass kernelClass) {
  Graph graph(text);
  ASSERT_TRUE(graph.op) << text;
  auto cost = dyn_cast<CostOpInterface>(graph.op);
  ASSERT_TRUE(cost) << text;
  EXPECT_EQ(cost.getFlops(), flops) << text;
  EXPECT_EQ(cost.getBytes(), bytes) << text;
  EXPECT_EQ(cost.getKernelClass(), kernelClass) << text;
}

TEST(Cost, OfPassesOverRows) {
  // The maximum; difference, exponential and sum; both again, and a difference.
  // A logarithm and its negation a row.
  expectCost(
      "sg.kernel \"k\" (%p = %x : tensor<2x4xf32>) -> tensor<2x4xf32> {\n"
      "%k0 = sg.reduce_max %p dims [1] : tensor<2x4xf32> -> tensor<2xf32>\n"
      "%k1 = sg.broadcast %k0 dims [0] : tensor<2xf32> -> tensor<2x4xf32>\n"
      "%k2 = sg.sub %p, %k1 : tensor<2x4xf32>\n"
      "%k3 = sg.exp %k2 : tensor<2x4xf32>\n"
      "%k4 = sg.reduce_sum %k3 dims [1] : tensor<2x4xf32> -> tensor<2xf32>\n"
      "%k5 = sg.log %k4 : tensor<2xf32>\n"
      "%k6 = sg.neg %k5 : tensor<2xf32>\n"
      "%k7 = sg.broadcast %k6 dims [0] : tensor<2xf32> -> tensor<2x4xf32>\n"
      "%k8 = sg.sub %k3, %k7 : tensor<2x4xf32>\n"
      "sg.yield %k8 : tensor<2x4xf32>\n}",
      8 + 3 * 8 + 3 * 8 + 2 * 2, 4 * (8 + 8), KernelClass::Reduction);
}

TEST(Cost, OfWhatAKernelTakes) {
  auto kernel = [](const std::string &body) {
    return "sg.kernel \"k\" (%p = %x : tensor<2x4xf32>) -> tensor<1x4xf32> {\n"
           "%k0 = sg.slice %p [1, 0] to [2, 4] by [1, 1] : tensor<2x4xf32> -> "
           "tensor<1x4xf32>\n" +
           body + "sg.yield %k9 : tensor<1x4xf32>\n}";
  };
  std::string other = "%k1 = sg.slice %p [0, 0] to [1, 4] by [1, 1] : "
                      "tensor<2x4xf32> -> tensor<1x4xf32>\n",
              whole = "%k1 = sg.reduce_sum %p dims [0] : tensor<2x4xf32> -> "
                      "tensor<4xf32>\n"
                      "%k2 = sg.broadcast %k1 dims [1] : tensor<4xf32> -> "
                      "tensor<1x4xf32>\n";
  expectCost(kernel("%k9 = sg.neg %k0 : tensor<1x4xf32>\n"), 4, 4 * (4 + 4),
             KernelClass::Pointwise);
  expectCost(kernel(other + "%k9 = sg.add %k0, %k1 : tensor<1x4xf32>\n"), 4,
             4 * (8 + 4), KernelClass::Pointwise);
  // No more than there is.
  expectCost(kernel(whole + "%k9 = sg.add %k0, %k2 : tensor<1x4xf32>\n"), 8 + 4,
             4 * (8 + 4), KernelClass::Reduction);
}

TEST(Cost, OfOps) {
  // 2 * (2*3*3*6 elements) * (3*3*4/2 products).
  uint64_t conv = 2 * 108 * 18, convBytes = 4 * (200 + 108 + 108);
  expectCost(kConv2D, conv, convBytes, KernelClass::Library);
  expectCost(std::string("sg.conv2d_input_grad %dy, %filter ") + kConv +
                 "(tensor<2x3x3x6xf32>, tensor<6x3x3x2xf32>) ->"
                 " tensor<2x5x5x4xf32>",
             conv, convBytes, KernelClass::Library);
  // And the 2*5*5*4 sums.
  expectCost(std::string("sg.conv2d_input_grad_add %dy, %filter, %image ") +
                 kConv +
                 "(tensor<2x3x3x6xf32>, tensor<6x3x3x2xf32>,"
                 " tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32>",
             conv + 200, convBytes + 4 * 200, KernelClass::Library);
  expectCost(std::string("sg.conv2d_filter_grad %image, %dy ") + kConv +
                 "(tensor<2x5x5x4xf32>, tensor<2x3x3x6xf32>) ->"
                 " tensor<6x3x3x2xf32>",
             conv, convBytes, KernelClass::Library);
  // 2 * (2*3*3*3*6 elements) * (3*3*3*4/2 products).
  uint64_t volume = 2 * 324 * 54, volumeBytes = 4 * (1000 + 324 + 324);
  expectCost("sg.conv3d %volume, %cube " + kConv3D +
                 "(tensor<2x5x5x5x4xf32>, tensor<6x3x3x3x2xf32>) ->"
                 " tensor<2x3x3x3x6xf32>",
             volume, volumeBytes, KernelClass::Library);
  expectCost("sg.conv3d_input_grad %dv, %cube " + kConv3D +
                 "(tensor<2x3x3x3x6xf32>, tensor<6x3x3x3x2xf32>) ->"
                 " tensor<2x5x5x5x4xf32>",
             volume, volumeBytes, KernelClass::Library);
  expectCost("sg.conv3d_filter_grad %volume, %dv " + kConv3D +
                 "(tensor<2x5x5x5x4xf32>, tensor<2x3x3x3x6xf32>) ->"
                 " tensor<6x3x3x3x2xf32>",
             volume, volumeBytes, KernelClass::Library);
  expectCost("sg.matmul %at, %bt {transpose_a, transpose_b} :"
             " (tensor<7x3x2xf32>, tensor<7x4x3xf32>) -> tensor<7x2x4xf32>",
             2 * 7 * 2 * 4 * 3, 4 * 7 * (6 + 12 + 8), KernelClass::Library);
  // One operand, read once.
  expectCost("sg.mul %x, %x : tensor<2x4xf32>", 8, 64, KernelClass::Pointwise);
  expectCost("sg.compare lt %x, %y : tensor<2x4xf32> -> tensor<2x4xi1>", 8, 72,
             KernelClass::Pointwise);
  expectCost("sg.reduce_sum %x dims [0] : tensor<2x4xf32> -> tensor<4xf32>", 8,
             48, KernelClass::Reduction);
  expectCost("sg.reshape %x : tensor<2x4xf32> -> tensor<8xf32>", 0, 0,
             KernelClass::None);
  expectCost("sg.slice %x [0, 0] to [1, 4] by [1, 1] :"
             " tensor<2x4xf32> -> tensor<1x4xf32>",
             0, 32, KernelClass::Pointwise);
  expectCost("sg.kernel \"k\" (%p = %x : tensor<2x4xf32>) -> tensor<f32> {\n"
             "%e = sg.exp %p : tensor<2x4xf32>\n"
             "%q = sg.reduce_sum %e dims [0, 1] :"
             " tensor<2x4xf32> -> tensor<f32>\n"
             "sg.yield %q : tensor<f32>\n}",
             16, 36, KernelClass::Reduction);
}

std::string indexMap(const std::string &text) {
  Graph graph(text);
  if (!graph.op)
    return "does not parse";
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << cast<IndexMapOpInterface>(graph.op).getIndexMap();
  return result;
}

TEST(IndexMap, OfOps) {
  EXPECT_EQ(
      indexMap("sg.broadcast %c dims [1] : tensor<4xf32> -> tensor<3x4xf32>"),
      "(d0, d1) -> (d1)");
  EXPECT_EQ(indexMap("sg.transpose %a perm [2, 0, 1] :"
                     " tensor<7x2x3xf32> -> tensor<3x7x2xf32>"),
            "(d0, d1, d2) -> (d1, d2, d0)");
  EXPECT_EQ(indexMap("sg.slice %x [1, 0] to [2, 4] by [1, 3] :"
                     " tensor<2x4xf32> -> tensor<1x2xf32>"),
            "(d0, d1) -> (d0 + 1, d1 * 3)");
}

// An op of models that has no rule would keep its f32 operands in silence.
TEST(Autocast, EveryOpOfModelsHasARule) {
  MLIRContext context;
  context.loadDialect<SgDialect>();
  std::set<std::string> without;
  for (RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("sg"))
    if (!name.hasInterface<AutocastOpInterface>())
      without.insert(name.stripDialect().str());
  const std::set<std::string> structure = {
      "backward", "barrier", "cast",   "constant",       "copy",
      "iota",     "kernel",  "module", "random_uniform", "read",
      "variable", "write",   "yield"};
  const std::set<std::string> ofSteps = {"all_gather",
                                         "all_reduce",
                                         "avg_pool2d_grad",
                                         "batch_norm_grad",
                                         "batch_norm_inference",
                                         "batch_norm_training",
                                         "conv2d_filter_grad",
                                         "attention_grad",
                                         "cross_entropy_grad",
                                         "decode_fp8",
                                         "encode_fp8",
                                         "fetch",
                                         "gather_grad",
                                         "gather_shards",
                                         "layer_norm_grad",
                                         "matmul_bias",
                                         "max_pool2d_argmax",
                                         "max_pool2d_grad",
                                         "max_pool2d_scatter",
                                         "normalize",
                                         "offload",
                                         "reduce_scatter",
                                         "relu_grad",
                                         "running_average",
                                         "softmax_grad",
                                         "take_shard",
                                         "conv2d_input_grad_add",
                                         "conv3d_filter_grad"};
  std::set<std::string> expected = structure;
  expected.insert(ofSteps.begin(), ofSteps.end());
  EXPECT_EQ(without, expected);
}

} // namespace
