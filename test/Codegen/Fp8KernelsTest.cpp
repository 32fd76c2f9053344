//===- Fp8KernelsTest.cpp - Kernels of 8-bit numbers and averages ---------===//
//
// Bytes of E4M3, and running averages over rows, against the reference.
//
//===----------------------------------------------------------------------===//

#include "ReductionText.h"
#include <gtest/gtest.h>

using namespace reprise::test;

static std::string type(const Shape &shape, const std::string &element) {
  return ReductionText::type(shape, element);
}
static std::string tensor(const Shape &shape, const std::string &element) {
  return "tensor<" + type(shape, element) + ">";
}

// Numbers of every size: normal and subnormal ones of the 8-bit format, zeros,
// those beyond it, and halves between two neighbours.
TEST(Kernels, fp8_numbers_are_rounded_and_read_back) {
  std::vector<Case> cases;
  for (const Shape &s : {Shape{9, 64}, Shape{3, 37}, Shape{}}) {
    Case c{"fp8_" + std::to_string(s.empty() ? 0 : s[0]),
           {type(s, "f32")},
           "",
           {}};
    unsigned count = 0;
    for (const char *factor :
         {"1.0", "64.0", "9.765625e-4", "1.953125e-3", "0.03125",
          "9.5367431640625e-7", "1024.0", "1.329227995784916e+36", "0x7FC00000",
          "0xFF800000", "0.0"}) {
      std::string k = std::to_string(count++);
      c.body += "%f" + k + " = sg.constant dense<" + factor +
                "> : " + tensor(s, "f32") + "\n" + "%x" + k +
                " = sg.mul %a0, %f" + k + " : " + tensor(s, "f32") + "\n%q" +
                k + " = sg.encode_fp8 %x" + k + " : " + tensor(s, "f32") +
                " to " + tensor(s, "i8") + "\n%y" + k + " = sg.decode_fp8 %q" +
                k + " : " + tensor(s, "i8") + " to " + tensor(s, "f32") + "\n";
      c.results.push_back({"%q" + k, type(s, "i8")});
      c.results.push_back({"%y" + k, type(s, "f32")});
    }
    cases.push_back(c);
  }
  checkCases(cases, 15);
}

TEST(Kernels, running_averages_take_rows_in_order) {
  std::vector<Case> cases;
  for (const char *element : {"f32", "f64"})
    for (auto [channels, rows, width, start] :
         {std::array{64, 8, 64, 0}, std::array{37, 3, 100, 63},
          std::array{1, 5, 2, 1}}) {
      Shape c = {channels}, r = {rows, width};
      Case one{std::string("running_average_") + element + "_" +
                   std::to_string(channels),
               {type(c, element), type(r, element)},
               "",
               {{"%y", type(c, element)}}};
      one.body = "%y = sg.running_average %a0, %a1 {keep = 9.0e-01 : f64, "
                 "start = " +
                 std::to_string(start) + " : i64} : " + tensor(c, element) +
                 ", " + tensor(r, element) + "\n";
      one.tolerance = 1e-6;
      cases.push_back(one);
    }
  checkCases(cases, 16);
}
