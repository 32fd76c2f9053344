//===- CostModelTest.cpp - Costs from rooflines and profiles --------------===//

#include "reprise/Bridge/CostModel.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include <gtest/gtest.h>

using namespace reprise;

static const char *const kHead =
    "{\"version\": 1, \"model\": \"m\", \"processor\": \"p\", \"threads\": 2,\n"
    " \"library\": \"l\", \"ops\": [";

static std::string errorOf(const std::string &text) {
  auto profile = Profile::parse(text, "f.json");
  EXPECT_FALSE(profile.ok()) << text << " was read";
  return profile.status().message();
}

static std::string errorOfOp(const std::string &op) {
  return errorOf(kHead + op + "]}");
}

static CostModel modelOf(std::map<std::string, Profile::Entry> ops) {
  CostModel costs({1, 1}); // 1e6 operations or bytes a millisecond
  costs.profile = Profile();
  costs.profile->model = "m";
  costs.profile->ops = std::move(ops);
  return costs;
}

TEST(Profile, is_read_as_it_was_written) {
  Profile profile;
  profile.model = "m \"x\"";
  profile.processor = "p";
  profile.library = "l";
  profile.threads = 7;
  profile.ops["a"] = {0.1, 3};
  profile.ops["b"] = {0, 1};
  auto again = Profile::parse(profile.print(), "f.json");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->model, profile.model);
  EXPECT_EQ(again->threads, 7u);
  ASSERT_EQ(again->ops.size(), 2u);
  EXPECT_EQ(again->ops["a"].milliseconds, 0.1);
  EXPECT_EQ(again->ops["a"].count, 3u);
  EXPECT_EQ(again->print(), profile.print());
}

TEST(Profile, damage_has_a_place) {
  std::string error = errorOf("{\"version\": 1,\n  oops}");
  EXPECT_NE(error.find("'f.json'"), std::string::npos) << error;
  EXPECT_NE(error.find("[2:"), std::string::npos) << error;
  Profile whole;
  whole.ops["a"] = {1, 1};
  std::string text = whole.print();
  // The last two bytes are a brace and a newline, which may be missing.
  for (size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_NE(errorOf(text.substr(0, size)), "") << size;
}

TEST(Profile, refuses_what_is_no_time) {
  auto says = [](const std::string &op, const char *what) {
    std::string error = errorOfOp(op);
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  says("{\"key\": \"a\", \"ms\": -1, \"count\": 1}", "ops[0] ('a') needs 'ms'");
  says("{\"key\": \"a\", \"ms\": 1e999, \"count\": 1}", "needs 'ms'");
  says("{\"key\": \"a\", \"ms\": NaN, \"count\": 1}", "[2:");
  says("{\"key\": \"a\", \"ms\": \"1\", \"count\": 1}", "needs 'ms'");
  says("{\"key\": \"a\", \"ms\": 1, \"count\": 0}", "needs 'count'");
  says("{\"ms\": 1, \"count\": 1}", "no string 'key'");
  says("7", "no string 'key'");
  says("{\"key\": \"a\", \"ms\": 1, \"count\": 1},"
       "{\"key\": \"a\", \"ms\": 1, \"count\": 1}",
       "twice");
}

TEST(Profile, refuses_other_files) {
  EXPECT_NE(errorOf("[]").find("no object"), std::string::npos);
  EXPECT_NE(errorOf("{}").find("'version'"), std::string::npos);
  EXPECT_NE(errorOf("{\"version\": 2}").find("'version'"), std::string::npos);
  EXPECT_FALSE(Profile::read("/nonexistent/profile").ok());
}

TEST(Profile, keys_tell_shapes_types_and_parameters_apart) {
  rt::TensorDesc a{RP_F32, {8, 4}, {}}, b{RP_F32, {4, 8}, {}};
  KeyedOp op{"conv2d", {a}, {b}, 5, {1, 2}};
  std::string key = profileKey(op);
  EXPECT_EQ(key, "conv2d f32[8,4] -> f32[4,8] ints [1,2] flops 5");
  KeyedOp other = op;
  other.inputs = {b};
  EXPECT_NE(key, profileKey(other));
  other = op;
  other.ints = {1};
  EXPECT_NE(key, profileKey(other));
  other = op;
  other.flops = 6;
  EXPECT_NE(key, profileKey(other));
  other = op;
  other.inputs[0].type = RP_I32;
  EXPECT_NE(key, profileKey(other));
  other = op;
  other.floats = {0.1, 1};
  other.epilogues = {rt::Epilogue::Bias, rt::Epilogue::Relu};
  EXPECT_EQ(profileKey(other),
            "conv2d f32[8,4] -> f32[4,8] ints [1,2] floats "
            "0.10000000000000001 1 epilogues bias relu flops 5");
}

TEST(CostModel, without_a_profile_is_the_roofline) {
  Prices prices = CostModel({1, 2}).price({{"", 3000000, 4000000}});
  EXPECT_DOUBLE_EQ(prices.milliseconds[0], 3);
  EXPECT_DOUBLE_EQ(prices.sum(), 3);
}

TEST(CostModel, prices_operands_of_16_bits_by_their_rate) {
  std::vector<CostedOp> ops = {{"", 3000000, 0}, {"", 3000000, 0, true}};
  EXPECT_EQ(CostModel({1, 2, 6}).price(ops).milliseconds,
            (std::vector<double>{3, 0.5}));
  EXPECT_FALSE(CostModel::load({1, 2, -1}, "").ok());
  EXPECT_TRUE(CostModel::load({1, 2, 0}, "").ok());
}

TEST(CostModel, scales_what_was_not_measured) {
  CostModel costs = modelOf({{"a", {2, 1}}, {"b", {6, 1}}, {"c", {30, 1}}});
  // Ratios 2, 3 and 10.
  Prices prices = costs.price({{"a", 1000000, 0},
                               {"b", 2000000, 0},
                               {"c", 3000000, 0},
                               {"d", 4000000, 0}});
  EXPECT_EQ(prices.milliseconds, (std::vector<double>{2, 6, 30, 12}));
  EXPECT_EQ(prices.matched, 3u);
  EXPECT_DOUBLE_EQ(prices.matchedShare, 0.6);
}

TEST(CostModel, scales_kernels_and_calls_apart) {
  CostModel costs = modelOf({{"a", {2, 1}}, {"b", {1, 1}}, {"c", {9, 1}}});
  auto call = [](const char *key, uint64_t flops) {
    CostedOp op{key, flops, 0};
    op.isCall = true;
    return op;
  };
  // Calls twice the roofline, kernels half of it; one small kernel nine times,
  // which half of their time does not reach.
  std::vector<CostedOp> ops = {call("a", 1000000),
                               {"b", 0, 2000000},
                               {"c", 0, 1000000},
                               call("d", 4000000),
                               {"e", 1000000, 4000000}};
  EXPECT_EQ(costs.price(ops).milliseconds,
            (std::vector<double>{2, 1, 9, 8, 2}));
  // Where no kernel was timed, or hardly any, all that was timed says it.
  ops.erase(ops.begin() + 1, ops.begin() + 3);
  EXPECT_EQ(costs.price(ops).milliseconds, (std::vector<double>{2, 8, 8}));
  ops.push_back({"c", 0, 300000});
  EXPECT_EQ(costs.price(ops).milliseconds, (std::vector<double>{2, 8, 8, 9}));
  ops.back().bytes = 500000;
  EXPECT_EQ(costs.price(ops).milliseconds, (std::vector<double>{2, 8, 72, 9}));
}

TEST(CostModel, launches_take_what_the_cheapest_op_does) {
  CostModel costs = modelOf({{"a", {2, 1}}, {"b", {4, 1}}});
  EXPECT_EQ(costs.price({{"a", 1000000, 0}, {"b", 2000000, 0}, {"c", 1, 0}})
                .milliseconds,
            (std::vector<double>{2, 4, 2}));
}

TEST(CostModel, takes_what_the_target_knows_where_there_is_no_profile) {
  // Ratios 2 and 4, the second of more time.
  std::vector<CostedOp> ops = {{"a", 1000000, 0, false, 2},
                               {"b", 2000000, 0, false, 8},
                               {"c", 3000000, 0}};
  EXPECT_EQ(CostModel({1, 2}).price(ops).milliseconds,
            (std::vector<double>{2, 8, 12}));
  // A profile is of the device at hand.
  CostModel costs = modelOf({{"a", {5, 1}}});
  EXPECT_EQ(costs.price(ops).milliseconds, (std::vector<double>{5, 10, 15}));
}

TEST(CostModel, prices_a_sum_by_its_product_and_what_it_waits_for) {
  rt::TensorDesc x{RP_F32, {2, 4}, {}}, w{RP_F32, {4, 4}, {}};
  KeyedOp product{"conv2d_input_grad", {x, w}, {x}, 100, {1}};
  product.function = "conv2d_input_grad";
  KeyedOp sum = product;
  sum.name = "conv2d_input_grad_add";
  sum.inputs.push_back(x);
  sum.epilogues = {rt::Epilogue::Add};
  sum.flops += 8;
  EXPECT_EQ(productKeyOf(sum), profileKey(product));
  EXPECT_EQ(waitedBytes(sum), 3u * 4 * 8);
  EXPECT_EQ(productKeyOf(product), "");
  EXPECT_EQ(waitedBytes(product), 0u);
  KeyedOp narrow = sum, kernel = sum;
  narrow.outputs[0].type = RP_BF16;
  kernel.function = nullptr;
  for (const KeyedOp &other : {narrow, kernel}) {
    EXPECT_EQ(productKeyOf(other), "");
    EXPECT_EQ(waitedBytes(other), 0u);
  }
  // 1 GFLOPS and 2 GB/s: 1 ms for the product, 2 ms of waiting. With a
  // profile, 1 GB/s: 4 ms of waiting.
  CostedOp costed{"sum", 1000000, 0, false, 0, "product", 4000000};
  EXPECT_EQ(CostModel({1, 2}).price({costed}).milliseconds,
            (std::vector<double>{3}));
  EXPECT_EQ(modelOf({{"product", {5, 1}}}).price({costed}).milliseconds,
            (std::vector<double>{9}));
  EXPECT_EQ(modelOf({{"product", {5, 1}}, {"sum", {6, 1}}})
                .price({costed})
                .milliseconds,
            (std::vector<double>{6}));
}

TEST(CostModel, refuses_a_profile_of_less_than_half_the_time) {
  CostModel costs = modelOf({{"a", {2, 1}}});
  std::vector<CostedOp> half = {{"a", 1000000, 0}, {"b", 1000000, 0}};
  EXPECT_TRUE(costs.priceMostly(half).ok());
  half[1].flops += 10000;
  auto prices = costs.priceMostly(half);
  ASSERT_FALSE(prices.ok());
  std::string error = prices.status().message();
  EXPECT_NE(error.find("has 1 of the step's 2 ops, 49.8%"), std::string::npos)
      << error;
}

TEST(CostModel, refuses_steps_that_no_plan_is_for) {
  CostModel costs = modelOf({{"a", {6e8, 1}}});
  EXPECT_TRUE(costs.priceMostly({{"a", 1, 0}}).ok());
  for (const char *second : {"a", "b"}) { // timed, and as one that was
    auto prices = costs.priceMostly({{"a", 1, 0}, {second, 1, 0}});
    ASSERT_FALSE(prices.ok());
    EXPECT_EQ(prices.status().message(),
              "the step's ops take 1.2e+09 ms by the profile (of 'm') and the "
              "rates of the machine; a plan is for at most eleven days (1e9)");
  }
  EXPECT_FALSE(CostModel({1e-300, 1e-300}).priceMostly({{"", 1, 1}}).ok());
}

TEST(CostModel, this_machine_has_a_speed) {
  auto roofline = rt::measureRoofline(1);
  ASSERT_TRUE(roofline.ok()) << roofline.status().message();
  EXPECT_GT(roofline->gflops, 0.01);
  EXPECT_GE(roofline->narrowGflops, 0);
  EXPECT_GT(roofline->gigabytesPerSecond, 0.01);
  EXPECT_NE(rt::processorName(), "");
}
