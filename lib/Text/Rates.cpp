//===- Rates.cpp - Rates as text ------------------------------------------===//
#include "reprise/Text/Rates.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <locale>
#include <sstream>

using namespace reprise;

namespace {
struct Unit {
  const char *name;
  double factor; // to GFLOP/s or GB/s
  bool isArithmetic;
};
} // namespace

static constexpr Unit kUnits[] = {{"MFLOPS", 1e-3, true}, {"GFLOPS", 1, true},
                                  {"TFLOPS", 1e3, true},  {"MB/s", 1e-3, false},
                                  {"GB/s", 1, false},     {"TB/s", 1e3, false}};

static rt::Status wrong(const std::string &text, const std::string &what) {
  return rt::Status::error(RP_INVALID_ARGUMENT,
                           "roofline '" + text + "': " + what +
                               "; write arithmetic and memory traffic as "
                               "400GFLOPS,35GB/s, and where operands of 16 "
                               "bits have another rate ,16bit=2TFLOPS");
}

namespace {
/// A number with a unit, in GFLOP/s or GB/s.
struct Rate {
  double number = 0;
  bool isArithmetic = false;
};
} // namespace

static rt::Expected<Rate> parseRate(const std::string &text,
                                    const std::string &part) {
  std::istringstream stream(part);
  stream.imbue(std::locale::classic());
  double number = 0;
  std::string name;
  if (!(stream >> number >> name) || !stream.eof())
    return wrong(text, "'" + part + "' is not a number with a unit");
  const Unit *unit = nullptr;
  for (const Unit &known : kUnits)
    if (name == known.name)
      unit = &known;
  if (!unit)
    return wrong(text, "'" + name +
                           "' is none of MFLOPS, GFLOPS, TFLOPS, MB/s, GB/s "
                           "and TB/s");
  number *= unit->factor;
  if (!(number > 0 && number <= 1e9))
    return wrong(text, "'" + part + "' is not above 0 and at most 1e9 " +
                           (unit->isArithmetic ? "GFLOPS" : "GB/s"));
  return Rate{number, unit->isArithmetic};
}

static constexpr const char *kNarrow = "16bit=";

/// Returns the field of a rate; null if it is of the wrong kind.
static double *placeOf(rt::Roofline &roofline, bool isNarrow,
                       bool isArithmetic) {
  if (isNarrow)
    return isArithmetic ? &roofline.narrowGflops : nullptr;
  return isArithmetic ? &roofline.gflops : &roofline.gigabytesPerSecond;
}

rt::Expected<rt::Roofline> text::parseRoofline(const std::string &text) {
  rt::Status notTwo =
      wrong(text, "it is not two rates with a comma between them");
  auto commas = std::count(text.begin(), text.end(), ',');
  if (commas < 1 || commas > 2 || text.back() == ',')
    return notTwo;
  rt::Roofline roofline = {0, 0};
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    size_t at = part.find(kNarrow);
    bool isNarrow =
        at != std::string::npos && part.find_first_not_of(' ') == at;
    REPRISE_EXPECT(
        rate, parseRate(text, isNarrow ? part.substr(at + std::strlen(kNarrow))
                                       : part));
    double *place = placeOf(roofline, isNarrow, rate->isArithmetic);
    if (!place)
      return wrong(text, "16bit= is arithmetic");
    if (*place != 0)
      return wrong(text, rate->isArithmetic ? "arithmetic stands there twice"
                                            : "traffic stands there twice");
    *place = rate->number;
  }
  if (roofline.gflops == 0 || roofline.gigabytesPerSecond == 0)
    return notTwo;
  return roofline;
}

std::string text::formatRoofline(const rt::Roofline &roofline) {
  std::string narrow;
  if (roofline.narrowGflops > 0)
    narrow = "," + std::string(kNarrow) +
             formatFixed(roofline.narrowGflops, 1) + "GFLOPS";
  return formatFixed(roofline.gflops, 1) + "GFLOPS," +
         formatFixed(roofline.gigabytesPerSecond, 1) + "GB/s" + narrow;
}
