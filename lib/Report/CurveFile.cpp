//===- CurveFile.cpp - Pictures that carry their numbers ------------------===//
//
// The numbers are JSON in the picture's <metadata>, which every reader of SVG
// ignores. Input is untrusted: a field of another type or a curve without
// points means that the file is not one of our pictures.
//
//===----------------------------------------------------------------------===//

#include "reprise/Report/CurveChart.h"
#include <nlohmann/json.hpp>

using namespace reprise::driver;
using Json = nlohmann::ordered_json;

static constexpr const char *kOpen = "<metadata>", *kClose = "</metadata>";
static constexpr int kVersion = 2;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Json toJson(const std::vector<CurvePoint> &points) {
  Json json = Json::array();
  for (const CurvePoint &point : points)
    json.push_back(
        {point.label, point.bytes, point.milliseconds, point.within});
  return json;
}

static Json toJson(const CurveChart &chart) {
  Json json = {{"version", kVersion},
               {"title", chart.title},
               {"subtitle", chart.subtitle},
               {"fixed_bytes", chart.fixedBytes},
               {"batch", chart.batch},
               {"proven_bytes", chart.provenBytes},
               {"plain", toJson({chart.plain})},
               {"curve", toJson(chart.curve)},
               {"bound", toJson(chart.bound)},
               {"modes", toJson(chart.modes)},
               {"solvers", toJson(chart.solvers)}};
  if (chart.asked)
    json["asked"] = toJson({*chart.asked});
  return json;
}

std::string reprise::driver::writeCurve(const CurveChart &chart) {
  std::string picture = drawCurve(chart);
  size_t end = picture.rfind("</svg>");
  if (end == std::string::npos)
    return picture;
  std::string numbers =
      toJson(chart).dump(-1, ' ', true, Json::error_handler_t::replace);
  // Escaped in JSON, so that nothing here is mark-up.
  for (auto [mark, spelled] :
       {std::pair<char, const char *>{'<', "\\u003c"}, {'&', "\\u0026"}})
    for (size_t at = 0; (at = numbers.find(mark, at)) != std::string::npos;)
      numbers.replace(at, 1, spelled);
  return picture.insert(end, kOpen + numbers + kClose + "\n");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads a point with values that a step can have; others would not fit the
/// axes.
static CurvePoint pointOf(const Json &json) {
  constexpr double mostMilliseconds = 1e15;
  constexpr uint64_t mostBytes = uint64_t(1) << 62;
  CurvePoint point = {json.at(0).get<std::string>(), json.at(1).get<uint64_t>(),
                      json.at(2).get<double>(), json.at(3).get<std::string>()};
  if (point.bytes >= mostBytes || !(point.milliseconds >= 0) ||
      point.milliseconds > mostMilliseconds)
    throw Json::other_error::create(501, "no point of a curve", nullptr);
  return point;
}

static std::vector<CurvePoint> pointsOf(const Json &json) {
  std::vector<CurvePoint> points;
  for (const Json &point : json)
    points.push_back(pointOf(point));
  return points;
}

static CurveChart chartOf(const Json &json) {
  CurveChart chart;
  chart.title = json.at("title").get<std::string>();
  chart.subtitle = json.at("subtitle").get<std::string>();
  chart.fixedBytes = json.at("fixed_bytes").get<uint64_t>();
  chart.batch = json.at("batch").get<int64_t>();
  chart.provenBytes =
      pointOf(Json::array({"", json.at("proven_bytes"), 0, ""})).bytes;
  chart.plain = pointOf(json.at("plain").at(0));
  chart.curve = pointsOf(json.at("curve"));
  chart.bound = pointsOf(json.at("bound"));
  chart.modes = pointsOf(json.at("modes"));
  chart.solvers = pointsOf(json.at("solvers"));
  if (json.contains("asked"))
    chart.asked = pointOf(json["asked"].at(0));
  return chart;
}

std::optional<CurveChart> reprise::driver::readCurve(const std::string &svg) {
  size_t begin = svg.find(kOpen), end = svg.find(kClose);
  if (svg.rfind("<svg ", 0) != 0 || begin == std::string::npos ||
      end == std::string::npos || begin > end)
    return std::nullopt;
  begin += std::string(kOpen).size();
  try {
    Json json = Json::parse(svg.substr(begin, end - begin));
    if (json.at("version") != kVersion)
      return std::nullopt;
    CurveChart chart = chartOf(json);
    if (chart.curve.empty())
      return std::nullopt;
    return chart;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}
