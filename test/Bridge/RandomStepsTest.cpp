//===- RandomStepsTest.cpp - Random steps keep their meaning --------------===//
#include "Meaning.h"

#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;
using namespace reprise::rt_dialect;

namespace {

/// A kernel of two operands and one result; "ew..." may work in place.
std::string kernel(const std::string &result, const std::string &path,
                   const std::string &a, const std::string &b) {
  return "%" + result + " = sg.kernel \"" + path + "\" (%x = %" + a +
         " : tensor<4xf32>, %y = %" + b +
         " : tensor<4xf32>) -> tensor<4xf32> {\n"
         "  %s = sg.add %x, %y : tensor<4xf32>\n"
         "  sg.yield %s : tensor<4xf32>\n}\n";
}

std::string read(const std::string &name) {
  return "%" + name + " = sg.read @" + name + " : tensor<4xf32>\n";
}

std::string write(const std::string &name, const std::string &value) {
  return "sg.write @" + name + ", %" + value + " : tensor<4xf32>\n";
}

/// A random step: kernels, in place or not, on random earlier values; barriers;
/// random updates and results.
std::string randomStep(unsigned seed) {
  std::srand(seed);
  auto below = [](size_t n) { return static_cast<size_t>(std::rand()) % n; };
  std::string text = "func.func @f(%g: tensor<4xf32>) -> (tensor<4xf32>, "
                     "tensor<4xf32>) {\n";
  std::string variables;
  std::vector<std::string> values = {"g"};
  size_t variableCount = 1 + below(4);
  for (size_t i = 0; i < variableCount; ++i) {
    std::string name = "p" + std::to_string(i);
    variables += "sg.variable @" + name +
                 " : tensor<4xf32> {role = #sg.role<parameter>, init = "
                 "#sg.init<zeros>}\n";
    text += read(name);
    values.push_back(name);
  }
  for (size_t i = 0, count = 1 + below(10); i < count; ++i) {
    std::string name = "t" + std::to_string(i);
    auto pick = [&] { return values[below(values.size())]; };
    if (below(6) == 0)
      text += "%" + name + " = sg.barrier (%" + pick() + ") after (%" + pick() +
              ") : (tensor<4xf32>) after (tensor<4xf32>) -> tensor<4xf32>\n";
    else
      text += kernel(name, (below(3) ? "ew" : "mix") + std::to_string(i),
                     pick(), pick());
    values.push_back(name);
  }
  for (size_t i = 0; i < variableCount; ++i)
    if (below(3))
      text += write("p" + std::to_string(i), values[below(values.size())]);
  text += "return %" + values[below(values.size())] + ", %" +
          values[below(values.size())] + " : tensor<4xf32>, tensor<4xf32>\n}\n";
  return variables + text;
}

TEST(Bridge, RandomStepsKeepTheirMeaning) {
  size_t copies = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::string source = randomStep(seed);
    Lowered lowered(source);
    ASSERT_TRUE(lowered.program) << lowered.diagnostics << source;
    EXPECT_EQ(meaningOf(lowered.function("f")), meaningOf(lowered.entry("f")))
        << "seed " << seed << "\n"
        << source;
    copies += lowered.count<CopyOp>("f");
  }
  EXPECT_GT(copies, 0u);
}

} // namespace
