//===- EvaluatorTest.cpp - State, structure and precision -----------------===//

#include "Support.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace reprise::reference;
using namespace reprise::reference::testing;

static const char *const kCounter = R"(
    sg.variable @n : tensor<f64> {role = #sg.role<parameter>,
                                  init = #sg.init<zeros>}
    )";

TEST(State, IsReadAsItWasWhenTheStepBegan) {
  Program p(std::string(kCounter) + R"(
    func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
      %before = sg.read @n : tensor<f64>
      sg.write @n, %x : tensor<f64>
      %after = sg.read @n : tensor<f64>
      return %before, %after : tensor<f64>, tensor<f64>
    })");
  VariableStore variables = {{"n", p.reals({}, {3.0})}};
  SmallVector<Tensor> results = p.run({p.reals({}, {5.0})}, variables);
  EXPECT_EQ(results[0].real(0), 3.0);
  EXPECT_EQ(results[1].real(0), 3.0);
  EXPECT_EQ(variables.at("n").real(0), 5.0);
}

namespace {
/// Collects the messages of a context, notes included.
struct Messages {
  explicit Messages(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          text += diagnostic.str() + "\n";
          for (Diagnostic &note : diagnostic.getNotes())
            text += note.str() + "\n";
        }) {}
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

TEST(State, RefusesASecondWriteAndKeepsTheVariable) {
  Program p(std::string(kCounter) + R"(
    func.func @f(%x: tensor<f64>) {
      sg.write @n, %x : tensor<f64>
      sg.write @n, %x : tensor<f64>
      return
    })");
  Messages messages(p.context.get());
  VariableStore variables = {{"n", p.reals({}, {3.0})}};
  EXPECT_TRUE(failed(evaluate(p.function, p.reals({}, {5.0}), variables)));
  EXPECT_EQ(messages.text, "variable 'n' is written twice\n"
                           "written here before\n");
  EXPECT_EQ(variables.at("n").real(0), 3.0);
}

TEST(State, RefusesAVariableWithoutValueOrOfAnotherType) {
  Program p(std::string(kCounter) + R"(
    func.func @f() -> tensor<f64> {
      %n = sg.read @n : tensor<f64>
      return %n : tensor<f64>
    })");
  Messages messages(p.context.get());
  VariableStore none, other = {{"n", p.reals({1}, {3.0})}};
  EXPECT_TRUE(failed(evaluate(p.function, {}, none)));
  EXPECT_TRUE(failed(evaluate(p.function, {}, other)));
  EXPECT_EQ(messages.text,
            "variable 'n' has no value\n"
            "variable 'n' holds 'tensor<1xf64>', but 'tensor<f64>' is "
            "expected\n");
}

TEST(Arguments, AreCheckedAgainstTheFunction) {
  Program p("func.func @f(%x: tensor<2xf64>) { return }");
  Messages messages(p.context.get());
  VariableStore none;
  EXPECT_TRUE(failed(evaluate(p.function, {}, none)));
  EXPECT_TRUE(failed(evaluate(p.function, p.reals({1}, {0.0}), none)));
  EXPECT_EQ(messages.text,
            "takes 1 arguments, but 0 are given\n"
            "argument 0 is 'tensor<2xf64>', but 'tensor<1xf64>' is given\n");
}

TEST(Structure, BlocksRunTheirBodies) {
  Program p(R"(
    func.func @f(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
      %a, %b = sg.module "outer" (%i = %x : tensor<2xf64>)
          -> (tensor<2xf64>, tensor<2xf64>) {
        %k = sg.kernel "inner" (%j = %i : tensor<2xf64>) -> tensor<2xf64> {
          %n = sg.neg %j : tensor<2xf64>
          sg.yield %n : tensor<2xf64>
        }
        %s = sg.sub %k, %i : tensor<2xf64>
        sg.yield %s, %k : tensor<2xf64>, tensor<2xf64>
      }
      %c = sg.barrier (%a) after (%b)
        : (tensor<2xf64>) after (tensor<2xf64>) -> tensor<2xf64>
      return %c, %b : tensor<2xf64>, tensor<2xf64>
    })");
  SmallVector<Tensor> results = p.run({p.reals({2}, {1.0, 2.0})});
  EXPECT_EQ(results[0].getReals().vec(), (std::vector<double>{-2.0, -4.0}));
  EXPECT_EQ(results[1].getReals().vec(), (std::vector<double>{-1.0, -2.0}));
}

TEST(Structure, TheBackwardRegionSeesWhatItCaptures) {
  Program p(std::string(kCounter) + R"(
    func.func @f(%x: tensor<f64>) -> tensor<f64> {
      %n = sg.read @n : tensor<f64>
      %y = sg.mul %n, %x : tensor<f64>
      %dn = sg.backward of [@n] -> tensor<f64> {
        %g = sg.mul %y, %x : tensor<f64>
        sg.yield %g : tensor<f64>
      }
      return %dn : tensor<f64>
    })");
  VariableStore variables = {{"n", p.reals({}, {3.0})}};
  EXPECT_EQ(p.run({p.reals({}, {2.0})}, variables)[0].real(0), 12.0);
}

static const char *const kThird = R"(
    func.func @f(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
      %q = sg.div %x, %y : tensor<f32>
      %z = sg.mul %q, %y : tensor<f32>
      %d = sg.sub %z, %x : tensor<f32>
      return %d : tensor<f32>
    })";

TEST(Precision, IsKeptOrRoundedAfterEachOp) {
  Program p(kThird);
  auto type = cast<RankedTensorType>(p.function.getArgumentTypes()[0]);
  Tensor x = Tensor::splat(type, 1.0), y = Tensor::splat(type, 41.0);
  EvaluationOptions stored;
  stored.precision = Precision::Stored;
  double rounded = 1.0f / 41.0f * 41.0f - 1.0f;
  ASSERT_NE(rounded, 0.0);
  EXPECT_EQ(p.run({x, y}, stored)[0].real(0), rounded);
  EXPECT_NE(p.run({x, y})[0].real(0), rounded);
}

TEST(Observer, SeesEveryOpInOrder) {
  Program p(kThird);
  auto type = cast<RankedTensorType>(p.function.getArgumentTypes()[0]);
  std::string seen;
  EvaluationOptions options;
  options.observe = [&](Operation *op, ArrayRef<Tensor> results) {
    seen += op->getName().getStringRef().str() + " ";
    EXPECT_EQ(results.size(), 1u);
  };
  p.run({Tensor::splat(type, 1.0), Tensor::splat(type, 2.0)}, options);
  EXPECT_EQ(seen, "sg.div sg.mul sg.sub ");
}

TEST(Models, EveryOpButDeclarationsAndTerminatorsHasOne) {
  std::unique_ptr<MLIRContext> context = makeContext();
  int count = 0;
  for (RegisteredOperationName name :
       context->getRegisteredOperationsByDialect("sg")) {
    // The evaluator is one process.
    bool isRun = name.getStringRef() != "sg.variable" &&
                 !name.hasTrait<OpTrait::IsTerminator>() &&
                 !name.hasInterface<reprise::CollectiveOpInterface>();
    EXPECT_EQ(name.hasInterface<ReferenceOpInterface>(), isRun)
        << name.getStringRef().str();
    ++count;
  }
  EXPECT_GT(count, 50);
}
