//===- Rates.cpp - Speeds as people write them ----------------------------===//
#include "Rates.h"
#include "Size.h"

#include <cmath>
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
                               "400GFLOPS,35GB/s");
}

rt::Expected<rt::Roofline> text::parseRoofline(const std::string &text) {
  size_t comma = text.find(',');
  if (comma == std::string::npos || text.find(',', comma + 1) != text.npos)
    return wrong(text, "it is not two rates with a comma between them");
  rt::Roofline roofline;
  bool seen[2] = {};
  for (const std::string &part :
       {text.substr(0, comma), text.substr(comma + 1)}) {
    std::istringstream stream(part);
    stream.imbue(std::locale::classic());
    double number = 0;
    std::string name;
    if (!(stream >> number >> name) || !stream.eof())
      return wrong(text, "'" + part + "' is no number with a unit");
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
    if (seen[unit->isArithmetic])
      return wrong(text, unit->isArithmetic ? "arithmetic stands there twice"
                                            : "traffic stands there twice");
    seen[unit->isArithmetic] = true;
    (unit->isArithmetic ? roofline.gflops : roofline.gigabytesPerSecond) =
        number;
  }
  return roofline;
}

std::string text::formatRoofline(const rt::Roofline &roofline) {
  return formatFixed(roofline.gflops, 1) + "GFLOPS," +
         formatFixed(roofline.gigabytesPerSecond, 1) + "GB/s";
}
