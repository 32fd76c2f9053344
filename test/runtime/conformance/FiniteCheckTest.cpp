//===- FiniteCheckTest.cpp - Origins of values that are not finite --------===//
//
// The programs compute out = a * b[0] + c; tests insert infinity and NaN.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "SessionHandle.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// y = x * scale + zero, z = y * scale + mask, then counts += 1 and the loss
/// z * 0 + zero, of one element each.
class FiniteCheckTest : public testing::TestWithParam<std::string> {
protected:
  void open(float scale, float mask, bool countsFirst = false) {
    Tensor counts = b.variable("counts", {1}, fb::InitKind::Zeros, 0,
                               fb::Role::Parameter, fb::ElementType::I32);
    Tensor s = b.variable("scale", {1}, fb::InitKind::Constant, scale),
           n = b.variable("null", {1});
    Tensor m = b.constant("mask", {1}, {mask});
    Tensor x = b.input("x", {1}), y = b.activation("y", {1}),
           z = b.activation("z", {1}), loss = b.activation("loss", {});
    if (countsFirst)
      b.launch("count", {counts}, {0}, 1);
    b.launch("scale_add", {x, s, n, y}, {3}, 1);
    b.launch("scale_add", {y, s, m, z}, {3}, 1);
    b.launch("scale_add", {z, n, n, loss}, {3}, 1);
    if (!countsFirst)
      b.launch("count", {counts}, {0}, 1);
    b.output("loss", loss, fb::BindingRole::Loss);
    b.finish();
    ASSERT_EQ(session.open(b.seal(), {GetParam().c_str(), 0, 0, 0}).message,
              "");
    ASSERT_EQ(take(rp_session_initialize(session.session, 1)).message, "");
  }

  void find(float x) {
    ASSERT_EQ(session.setInput("x", std::vector<float>{x}).message, "");
    const char *story = nullptr;
    ASSERT_EQ(take(rp_session_find_nonfinite(session.session, "step", "loss",
                                             &origin, &story))
                  .message,
              "");
    text = story;
  }

  bool runGuarded(float x) {
    EXPECT_EQ(session.setInput("x", std::vector<float>{x}).message, "");
    int32_t stopped = -1;
    EXPECT_EQ(
        take(rp_session_run_guarded(session.session, "step", "loss", &stopped))
            .message,
        "");
    return stopped == 1;
  }

  float loss() {
    std::vector<float> value(1);
    EXPECT_EQ(session.getOutput("loss", value).message, "");
    return value[0];
  }

  int32_t counted() {
    std::vector<int32_t> value(1);
    EXPECT_EQ(session.readVariable("counts", value).message, "");
    return value[0];
  }

  ArtifactBuilder b;
  SessionHandle session;
  rp_origin origin = RP_ORIGIN_STEP;
  std::string text;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, FiniteCheckTest, devicesHere(), deviceLabel);

TEST_P(FiniteCheckTest, NamesTheFirstStepAndWhatItRead) {
  open(1e18f, 0);
  find(3e20f);
  EXPECT_EQ(origin, RP_ORIGIN_STEP);
  EXPECT_EQ(text,
            "the first value that is not finite is 'z' (f32), with infinity in "
            "1 of 1 elements, made by step 1 (scale_add) of entry 'step' of "
            "finite operands between 0 and 3e+38; f32 holds numbers up to "
            "3.40282e+38");
}

TEST_P(FiniteCheckTest, NamesInputsAndVariables) {
  open(2, 0);
  find(NAN);
  EXPECT_EQ(origin, RP_ORIGIN_INPUT);
  EXPECT_EQ(text, "input 'x' holds nan in 1 of 1 elements");
  ASSERT_EQ(
      session.writeVariable("scale", std::vector<float>{kInfinity}).message,
      "");
  find(1);
  EXPECT_EQ(origin, RP_ORIGIN_VARIABLE);
  EXPECT_EQ(text, "variable 'scale' holds infinity in 1 of 1 elements when the "
                  "step begins");
}

TEST_P(FiniteCheckTest, NamesAConstantThatHoldsNan) {
  open(2, NAN);
  find(1);
  EXPECT_EQ(origin, RP_ORIGIN_CONSTANT);
  EXPECT_EQ(text, "constant 'mask' holds nan in 1 of 1 elements");
}

TEST_P(FiniteCheckTest, FindsNothingInWhatIsFinite) {
  open(2, 0);
  find(1);
  EXPECT_EQ(origin, RP_ORIGIN_NONE);
  EXPECT_EQ(text, "");
}

/// The mask's infinity is intended; that of y is not.
TEST_P(FiniteCheckTest, DoesNotBlameInfinityOfAMask) {
  open(1e18f, -kInfinity);
  find(1e30f);
  EXPECT_EQ(origin, RP_ORIGIN_STEP);
  EXPECT_NE(text.find("is 'y' (f32), with infinity"), std::string::npos)
      << text;
}

TEST_P(FiniteCheckTest, LeavesVariablesAsTheyWere) {
  open(2, 0);
  find(1);
  EXPECT_EQ(counted(), 0);
  EXPECT_FALSE(runGuarded(1));
  EXPECT_EQ(counted(), 1);
  find(NAN);
  EXPECT_EQ(counted(), 1);
}

TEST_P(FiniteCheckTest, LeavesOutWhatFollowsALossThatIsNotFinite) {
  open(2, 0);
  bool stops = !rp_session_stages_inputs(session.session);
  EXPECT_EQ(runGuarded(NAN), stops);
  EXPECT_TRUE(std::isnan(loss()));
  EXPECT_EQ(counted(), stops ? 0 : 1);
  EXPECT_FALSE(runGuarded(1));
  EXPECT_EQ(loss(), 0);
  EXPECT_EQ(counted(), stops ? 1 : 2);
}

TEST_P(FiniteCheckTest, RunsAllWhereAVariableIsChangedBeforeTheLoss) {
  open(2, 0, /*countsFirst=*/true);
  EXPECT_FALSE(runGuarded(NAN));
  EXPECT_TRUE(std::isnan(loss()));
  EXPECT_EQ(counted(), 1);
}

TEST_P(FiniteCheckTest, RefusesOutputsThatAreNotThere) {
  open(2, 0);
  int32_t stopped = 0;
  ASSERT_EQ(session.setInput("x", std::vector<float>{1}).message, "");
  EXPECT_EQ(
      take(rp_session_run_guarded(session.session, "step", "lost", &stopped))
          .message,
      "entry 'step' has no output 'lost'");
}
