//===- ChangedLossTest.cpp - Smoothed, weighed and mixed ------------------===//
//
// The loss and the gradient of a linear classifier beside PyTorch's, with the
// labels smoothed, the classes weighed and the images mixed.
//
//===----------------------------------------------------------------------===//

#include "CompiledRun.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <regex>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

/// The loss in the function, divided; or in a block, multiplied.
static std::string modelOf(bool inBlock, int rows) {
  std::string n = std::to_string(rows), x = "tensor<" + n + "x4xf32>",
              k = "tensor<" + n + "x3xf32>", y = "tensor<" + n + "xi32>",
              v = "tensor<" + n + "xf32>";
  std::string loss = "%losses, %lse = sg.cross_entropy %a, %b : (" + k + ", " +
                     y + ") -> (" + v + ", " + v +
                     ")\n%s = sg.reduce_sum %losses dims [0] : " + v +
                     " -> tensor<f32>\n";
  loss += inBlock ? "%n = sg.constant dense<" + std::to_string(1.0 / rows) +
                        "> : tensor<f32>\n%m = sg.mul %s, %n : tensor<f32>\n"
                  : "%n = sg.constant dense<" + n +
                        ".0> : tensor<f32>\n%m = sg.div %s, %n : tensor<f32>\n";
  auto block = [](const std::string &name, const std::string &arguments,
                  const std::string &body, const std::string &yielded,
                  const std::string &type) {
    return "sg.module \"" + name + "\" (" + arguments + ") -> " + type +
           " {\n" + body + "sg.yield " + yielded + " : " + type + "\n}\n";
  };
  std::string both = "%a = %logits : " + k + ", %b = %y : " + y;
  std::string product = block("head", "%c = %x : " + x,
                              "%w = sg.read @w : tensor<3x4xf32>\n"
                              "%p = sg.matmul %c, %w {transpose_b} : (" +
                                  x + ", tensor<3x4xf32>) -> " + k + "\n",
                              "%p", k);
  if (!inBlock) {
    for (auto [from, to] : {std::pair("%a", "%logits"), std::pair("%b", "%y")})
      loss.replace(loss.find(from), 2, to);
    loss += "%l = sg.div %s, %n : tensor<f32>\n";
    loss.erase(loss.find("%m = "), loss.find("%l = ") - loss.find("%m = "));
  } else {
    std::string inner = block("loss", "%a = %a2 : " + k + ", %b = %b2 : " + y,
                              loss, "%m", "tensor<f32>");
    loss =
        "%l = " + block("outer", "%a2 = %logits : " + k + ", %b2 = %y : " + y,
                        "%i = " + inner, "%i", "tensor<f32>");
  }
  return R"(sg.variable @w : tensor<3x4xf32> {role = #sg.role<parameter>,
    init = #sg.init<elements, dense<[[0.5, -1.0, 0.25, 2.0],
      [1.5, 0.125, -0.75, -0.5], [-0.25, 1.0, 0.75, -1.25]]>
      : tensor<3x4xf32>>}
  func.func @linear(%x: )" +
         x + " {sg.name = \"x\"}, %y: " + y +
         " {sg.name = \"y\", sg.binding = #sg.binding<label>})\n"
         "-> (tensor<f32> {sg.name = \"loss\", sg.binding = "
         "#sg.binding<loss>}) {\n%logits = " +
         product + loss + "return %l : tensor<f32>\n}";
}

/// The model of modelOf(false, rows) that adds its own loss, computed again, as
/// an auxiliary one.
static std::string withAuxiliary(std::string text, double weight) {
  size_t begin = text.find("%losses"), end = text.find("return");
  std::string loss = text.substr(begin, end - begin);
  loss = std::regex_replace(loss, std::regex("%(losses|lse|s|n|l)\\b"),
                            "%again_$1");
  loss += "%total = sg.auxiliary_loss %l, %again_l weight " +
          std::to_string(weight) + " : tensor<f32>\n";
  text.insert(end, loss);
  return std::regex_replace(text, std::regex("return %l"), "return %total");
}

namespace {

struct Case {
  double smoothing;
  bool weighs;
  double ratio; // negative: not mixed
  double loss;
  std::vector<double> gradient;
  bool ignores = false; // the second row, by its label
};

// torch 1.13.1, float64: CrossEntropyLoss(weight, label_smoothing) of x w^T,
// and r of it with these labels, 1 - r of it with those of the rows before, x
// being mixed in the same way.
const Case kCases[] = {
    {0,
     false,
     -1,
     2.52182277357,
     {-0.558325836766, 0.270921347215, -0.137449455345, 0.590965750082,
      0.753563255506, -0.136155433869, -0.00734373990707, -0.526185656291,
      -0.19523741874, -0.134765913346, 0.144793195252, -0.0647800937915}},
    {0.1,
     false,
     -1,
     2.4840623569,
     {-0.529159170099, 0.235504680548, -0.092657788678, 0.568049083416,
      0.720229922172, -0.121572100535, -0.0219270732404, -0.505352322958,
      -0.191070752073, -0.113932580013, 0.114584861918, -0.0626967604582}},
    {1,
     false,
     -1,
     2.1442186069,
     {-0.266659170099, -0.0832453194517, 0.310467211322, 0.361799083416,
      0.420229922172, 0.00967789946452, -0.15317707324, -0.317852322958,
      -0.153570752073, 0.0735674199872, -0.157290138082, -0.0439467604582}},
    {0,
     true,
     -1,
     2.69104392971,
     {-0.384024636808, 0.219346094499, -0.0421643706234, 0.590895028267,
      0.653620416619, -0.0821662398197, -0.111058509247, -0.549953354263,
      -0.269595779812, -0.137179854679, 0.15322287987, -0.0409416740042}},
    {0.1,
     true,
     -1,
     2.6859652552,
     {-0.362287957844, 0.181735565114, 0.0110776207121, 0.57731129996,
      0.622991306978, -0.066928686489, -0.130473490468, -0.535293586243,
      -0.260703349133, -0.114806878625, 0.119395869756, -0.0420177137165}},
    {1,
     true,
     -1,
     2.64025718459,
     {-0.166657847175, -0.156759199355, 0.490255542732, 0.455057745195,
      0.347329320203, 0.0702092934877, -0.305208321459, -0.403355674068,
      -0.180671473028, 0.0865499058673, -0.185047221272, -0.0517020711272}},
    {0,
     false,
     0.3,
     1.86181133967,
     {-0.237109700483, 0.0251176341639, 0.083838116093, 0.254360752337,
      0.418110105731, -0.02821514468, -0.0636989890135, -0.267635702036,
      -0.181000405248, 0.00309751051607, -0.0201391270795, 0.0132749496986}},
    {0.1,
     false,
     0.3,
     1.8524337355,
     {-0.223693033817, 0.0159509674973, 0.0984422827596, 0.252444085671,
      0.400526772398, -0.0254443113467, -0.0664698223468, -0.261239868703,
      -0.176833738581, 0.00949334384941, -0.0319724604128, 0.00879578303192}},
    {1,
     false,
     0.3,
     1.768035298,
     {-0.102943033817, -0.0665490325027, 0.22987978276, 0.235194085671,
      0.242276772398, -0.000506811346681, -0.0914073223468, -0.203677368703,
      -0.139333738581, 0.0670558438494, -0.138472460413, -0.0315167169681}},
    {0,
     true,
     0.3,
     2.06312371373,
     {-0.0437886401986, -0.0543920269683, 0.231737490753, 0.260909483158,
      0.27601838659, 0.0456485193448, -0.203329967453, -0.286156435416,
      -0.232229746391, 0.00874350762351, -0.0284075233007, 0.025246952258}},
    {0.1,
     true,
     0.3,
     2.07658020094,
     {-0.0368148389807, -0.0626644751542, 0.248108422003, 0.265429603744,
      0.262213815272, 0.0469063954872, -0.206250773337, -0.284444011722,
      -0.225398976291, 0.015758079667, -0.0418576486662, 0.0190144079771}},
    {1,
     true,
     0.3,
     2.19768858588,
     {0.0259493719803, -0.137116508827, 0.395446803247, 0.306110689024,
      0.13797267341, 0.0582272807686, -0.23253802629, -0.269032198474,
      -0.16392204539, 0.0788892280581, -0.162908776956, -0.0370784905507}},
    {0,
     false,
     -1,
     3.34971503283,
     {-0.744434449021, 0.348752595994, -0.158314206542, 0.797311233662,
      1.00475100734, -0.179378657889, -0.0141154944148, -0.703202315507,
      -0.26031655832, -0.169373938105, 0.172429700957, -0.0941089181557},
     true},
    {0,
     false,
     0.3,
     2.40982248542,
     {-0.286688793699, 0.0277474809303, 0.141351427252, 0.36761385382,
      0.534330808206, -0.03753047358, -0.097431022759, -0.37266025211,
      -0.247642014507, 0.00978299264964, -0.0439204044928, 0.00504639828959},
     true},
    {0,
     true,
     -1,
     3.04476365423,
     {-0.435227921715, 0.243601893649, -0.0378055931395, 0.673423792124,
      0.740769805502, -0.0922569702213, -0.127595846962, -0.623929044345,
      -0.305541883787, -0.151344923428, 0.165401440101, -0.0494947477783},
     true},
    {0,
     true,
     0.3,
     2.3091698219,
     {-0.0378441361135, -0.0639413764127, 0.274462731838, 0.30708388786,
      0.303561105027, 0.0517708763215, -0.235440244743, -0.330635686563,
      -0.265716968914, 0.0121705000913, -0.0390224870955, 0.0235517987023},
     true},
    {0.1,
     false,
     -1,
     3.20561781061,
     {-0.705545560132, 0.323752595994, -0.143036428764, 0.75008901144,
      0.960306562896, -0.171045324556, -0.011337716637, -0.667091204396,
      -0.254761002765, -0.152707271439, 0.154374145401, -0.0829978070446},
     true},
    {0.1,
     false,
     0.3,
     2.33237109653,
     {-0.271133238143, 0.024914147597, 0.136795871696, 0.349558298264,
      0.512053030428, -0.03853047358, -0.0891115783145, -0.356382474332,
      -0.240919792285, 0.013616325983, -0.0476842933817, 0.00682417606737},
     true},
    {0.1,
     true,
     -1,
     2.91116156987,
     {-0.41059301889, 0.229116963884, -0.0337453433687, 0.636923647389,
      0.706056814575, -0.0926358056547, -0.114303367263, -0.594078593684,
      -0.295463795685, -0.136481158229, 0.148048710631, -0.0428450537049},
     true},
    {0.1,
     true,
     0.3,
     2.23381494937,
     {-0.0312063796498, -0.0614558240118, 0.263554379158, 0.293764662234,
      0.288393630901, 0.0456907413313, -0.220278211433, -0.317243698673,
      -0.257187251251, 0.0157650826804, -0.0432761677241, 0.0234790364388},
     true},
    {1,
     false,
     -1,
     1.90874281061,
     {-0.355545560132, 0.0987525959945, -0.00553642876427, 0.32508901144,
      0.560306562896, -0.0960453245557, 0.013662283363, -0.342091204396,
      -0.204761002765, -0.00270727143876, -0.0081258545987, 0.0170021929554},
     true},
    {1,
     false,
     0.3,
     1.63530859653,
     {-0.131133238143, -0.000585852403011, 0.0957958716962, 0.187058298264,
      0.311553030428, -0.04753047358, -0.0142365783145, -0.209882474332,
      -0.180419792285, 0.048116325983, -0.0815592933817, 0.0228241760674},
     true},
    {1,
     true,
     -1,
     1.70874281061,
     {-0.188878893465, 0.0987525959945, 0.00279690456906, 0.308422344773,
      0.39363989623, -0.0960453245557, 0.00532895002963, -0.325424537729,
      -0.204761002765, -0.00270727143876, -0.0081258545987, 0.0170021929554},
     true},
    {1,
     true,
     0.3,
     1.55562109653,
     {0.0285334285233, -0.039085852403, 0.16537920503, 0.173891631598,
      0.151886363761, -0.00903047357996, -0.0838199116479, -0.196715807665,
      -0.180419792285, 0.048116325983, -0.0815592933817, 0.0228241760674},
     true},
};

const float kRows[] = {1,    0.5,  -0.5,  0.25, 0, -1,    2,   0.75,
                       -0.5, 0.25, 0.125, 1,    2, -0.75, 0.5, -1.5};
const int32_t kLabels[] = {2, 0, 1, 0};
constexpr int32_t kIgnored = -100;

template <typename T> Bytes bytesOf(const T *values, size_t count) {
  Bytes bytes(count * sizeof(T));
  std::memcpy(bytes.data(), values, bytes.size());
  return bytes;
}

class ChangedLoss : public testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerAllTargets();
    registerPipelineDialects(registry);
    context.appendDialectRegistry(registry);
    hideWarnings(context);
  }

  static CompileOptions optionsOf(const Case &one) {
    CompileOptions options;
    options.evaluation = false;
    options.emitGradients = true;
    options.loss.labelSmoothing = one.smoothing;
    if (one.weighs)
      options.loss.classWeights = {0.5, 2, 1.25};
    options.loss.mixup = one.ratio < 0 ? 0 : 0.4;
    if (one.ignores)
      options.loss.ignoreIndex = kIgnored;
    return options;
  }

  static std::vector<int32_t> labelsOf(const Case &one) {
    std::vector<int32_t> labels(kLabels, kLabels + 4);
    if (one.ignores)
      labels[1] = kIgnored;
    return labels;
  }

  /// One step on the four rows; adds a failure where it does not run.
  CompiledRun run(const std::string &text, const CompileOptions &options,
                  double ratio,
                  const std::vector<int32_t> &labels = {2, 0, 1, 0}) {
    CompiledRun run;
    auto module = parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return run;
    auto file = compileModel(*module, options);
    EXPECT_TRUE(succeeded(file));
    if (failed(file))
      return run;
    float rate = 0.5f, mixed = float(ratio);
    std::vector<float> weights = {0.5f,   -1,    0.25f,  2, 1.5f,  0.125f,
                                  -0.75f, -0.5f, -0.25f, 1, 0.75f, -1.25f};
    ByteStore inputs = {{"x", bytesOf(kRows, 16)},
                        {"y", bytesOf(labels.data(), 4)},
                        {"learning_rate", bytesOf(&rate, 1)},
                        {"mix_ratio", bytesOf(&mixed, 1)}};
    EXPECT_EQ(runArtifact(*file, {{"w", bytesOf(weights.data(), 12)}}, inputs,
                          1, run),
              "");
    return run;
  }

  /// A few roundings of f32.
  static void expectAgrees(const CompiledRun &run, double loss,
                           const std::vector<double> &gradient) {
    ASSERT_EQ(run.losses.size(), 1u);
    EXPECT_NEAR(run.losses.front(), loss, 1e-6);
    const Bytes &bytes = run.outputs.front().at("gradient:w");
    std::vector<float> got(12);
    ASSERT_EQ(bytes.size(), 48u);
    std::memcpy(got.data(), bytes.data(), 48);
    for (size_t i = 0; i < 12; ++i)
      EXPECT_NEAR(got[i], gradient[i], 5e-7) << i;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

TEST_F(ChangedLoss, AgreesWithPyTorch) {
  for (const Case &one : kCases) {
    SCOPED_TRACE(std::to_string(one.smoothing) + " " +
                 std::to_string(one.weighs) + " " + std::to_string(one.ratio) +
                 " " + std::to_string(one.ignores));
    expectAgrees(
        run(modelOf(false, 4), optionsOf(one), one.ratio, labelsOf(one)),
        one.loss, one.gradient);
  }
}

TEST_F(ChangedLoss, TheSameInBlocksThatAreComputedAgain) {
  for (size_t number : {10, 19}) { // all three, and with an ignored label
    const Case &one = kCases[number];
    std::optional<CompiledRun> first;
    for (const char *mode : {"none", "annotated", "per-block", "nested"}) {
      CompileOptions options = optionsOf(one);
      options.checkpointing = *parseCheckpointing(mode);
      CompiledRun got =
          run(modelOf(true, 4), options, one.ratio, labelsOf(one));
      expectAgrees(got, one.loss, one.gradient);
      if (!first)
        first = got;
      EXPECT_EQ(got.outputs, first->outputs) << mode;
      EXPECT_EQ(got.variables, first->variables) << mode;
    }
  }
}

TEST_F(ChangedLoss, OfMicroBatchesIsTheMeanOfTheirs) {
  CompileOptions options = optionsOf(kCases[10]);
  options.microBatches = 2;
  expectAgrees(run(modelOf(false, 2), options, 0.3), 1.53328827529,
               {0.0858321551787, -0.0348890311433, 0.171979718392,
                0.181879344044, 0.0390824513969, 0.00763992065984,
                -0.0257795310059, -0.0371849533669, -0.124914606576,
                0.0272491104834, -0.146200187386, -0.144694390677});
}

TEST_F(ChangedLoss, OfNarrowProductsIsInF32) {
  // The products of these numbers are exact in bf16 but for the logits.
  for (size_t number : {4, 18}) { // smoothed and weighed, ignoring
    const Case &one = kCases[number];
    CompileOptions options = optionsOf(one);
    options.amp = MixedPrecision::BF16;
    CompiledRun got = run(modelOf(false, 4), options, 0, labelsOf(one));
    ASSERT_EQ(got.losses.size(), 1u);
    EXPECT_NEAR(got.losses.front(), one.loss, 4e-3 * one.loss);
    const Bytes &bytes = got.outputs.front().at("gradient:w");
    std::vector<float> gradient(12);
    std::memcpy(gradient.data(), bytes.data(), 48);
    for (size_t i = 0; i < 12; ++i) // cotangents of logits have 8 bits
      EXPECT_NEAR(gradient[i], one.gradient[i], 8e-3) << i;
  }
}

TEST_F(ChangedLoss, AppliesToAuxiliaryLosses) {
  constexpr double weight = 0.25;
  for (const Case &one : kCases) {
    SCOPED_TRACE(&one - kCases);
    std::vector<double> gradient = one.gradient;
    for (double &element : gradient)
      element *= 1 + weight;
    expectAgrees(run(withAuxiliary(modelOf(false, 4), weight), optionsOf(one),
                     one.ratio, labelsOf(one)),
                 (1 + weight) * one.loss, gradient);
  }
}

TEST_F(ChangedLoss, OfIgnoredRowsAloneIsNoNumber) {
  for (bool weighs : {false, true}) {
    Case one = kCases[12];
    one.weighs = weighs;
    CompiledRun got = run(modelOf(false, 4), optionsOf(one), 0,
                          std::vector<int32_t>(4, kIgnored));
    ASSERT_EQ(got.losses.size(), 1u);
    EXPECT_TRUE(std::isnan(got.losses.front()));
    EXPECT_EQ(got.outputs.front().at("gradient:w"), Bytes(48, 0));
  }
}

// torch 1.13.1, float64: ignore_index=0.
TEST_F(ChangedLoss, MayIgnoreAClass) {
  CompileOptions options;
  options.evaluation = false;
  options.emitGradients = true;
  options.loss.ignoreIndex = 0;
  expectAgrees(run(modelOf(false, 4), options, 0), 2.76730864641,
               {-0.127600447387, 0.152234684188, 0.00979149672308,
                0.454178430885, 0.609748245979, 0.0674488625537, -0.24551780788,
                -0.381769774485, -0.482147798592, -0.219683546741,
                0.235726311157, -0.0724086563996});
}

TEST_F(ChangedLoss, OfIgnoredRowsIsNotForMicroBatches) {
  auto module = parseSourceString<mlir::ModuleOp>(modelOf(false, 2), &context);
  ASSERT_TRUE(module);
  CompileOptions options = optionsOf(kCases[12]);
  options.microBatches = 2;
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(compileModel(*module, options)));
  EXPECT_NE(message.find("other numbers of labels that are not ignored"),
            std::string::npos)
      << message;
}

TEST_F(ChangedLoss, EvaluationIsOfTheModelAsItWas) {
  auto module = parseSourceString<mlir::ModuleOp>(modelOf(false, 4), &context);
  ASSERT_TRUE(module);
  auto evaluationOf = [&](const Case &one) {
    CompileOptions options = optionsOf(one);
    options.emitGradients = false;
    options.evaluation = true;
    options.training = false;
    OwningOpRef<mlir::ModuleOp> clone = module->clone();
    EXPECT_TRUE(succeeded(lowerModel(*clone, options, CompileLevel::Program)));
    std::string text;
    llvm::raw_string_ostream(text) << *clone;
    return text;
  };
  EXPECT_EQ(evaluationOf(kCases[10]), evaluationOf(kCases[0]));
}
