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

/// Reads "12.5GB/s"; returns false if that is not a number with a unit.
static bool readQuantity(const std::string &part, double &number,
                         std::string &unit) {
  std::istringstream stream(part);
  stream.imbue(std::locale::classic());
  return (stream >> number >> unit) && stream.eof();
}

static rt::Expected<Rate> parseRate(const std::string &text,
                                    const std::string &part) {
  double number = 0;
  std::string name;
  if (!readQuantity(part, number, name))
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

rt::Expected<rt::Link> text::parseLink(const std::string &text) {
  auto refuse = [&](const std::string &what) {
    return rt::Status::error(RP_INVALID_ARGUMENT,
                             "link '" + text + "': " + what +
                                 "; write its rate and its latency as "
                                 "12.5GB/s,20us");
  };
  size_t comma = text.find(',');
  if (comma == std::string::npos)
    return refuse("it is not a rate and a latency with a comma between them");
  double rate = 0, latency = 0;
  std::string unit, time;
  if (!readQuantity(text.substr(0, comma), rate, unit) ||
      !readQuantity(text.substr(comma + 1), latency, time))
    return refuse("each is a number with a unit");
  const Unit *known = std::find_if(
      std::begin(kUnits), std::end(kUnits), [&](const Unit &candidate) {
        return !candidate.isArithmetic && unit == candidate.name;
      });
  if (known == std::end(kUnits))
    return refuse("'" + unit + "' is none of MB/s, GB/s and TB/s");
  double factor = time == "ns"   ? 1e-3
                  : time == "us" ? 1
                  : time == "ms" ? 1e3
                                 : 0;
  if (factor == 0)
    return refuse("'" + time + "' is none of ns, us and ms");
  rt::Link link = {rate * known->factor, latency * factor};
  if (!(link.gigabytesPerSecond >= 1e-6 && link.gigabytesPerSecond <= 1e9))
    return refuse("the rate is not from 1e-6 to 1e9 GB/s");
  if (!(link.microseconds >= 0 && link.microseconds <= 1e9))
    return refuse("the latency is not from 0 to 1e9 us");
  return link;
}

std::string text::formatLink(const rt::Link &link) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << link.gigabytesPerSecond << " GB/s and " << link.microseconds << " us";
  return out.str();
}
