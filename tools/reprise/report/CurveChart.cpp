//===- CurveChart.cpp - Time over memory as a picture ---------------------===//
//
// Points of other methods are named where the name covers nothing: eight
// places around each are tried, and a name without a free one is left out; a
// title under the mouse has it still.
//
//===----------------------------------------------------------------------===//

#include "CurveChart.h"
#include "text/Size.h"
#include <algorithm>
#include <cmath>

using namespace reprise;
using namespace reprise::tools;
using text::formatFixed;

namespace {

constexpr double kWidth = 960, kHeight = 560;
constexpr double kLeft = 74, kRight = 932, kTop = 96, kBottom = 492;

struct Box {
  double left, top, right, bottom;
  bool meets(const Box &other) const {
    return left < other.right && other.left < right && top < other.bottom &&
           other.top < bottom;
  }
};

class Drawing {
public:
  explicit Drawing(const CurveChart &chart);
  std::string draw();

private:
  double x(double bytes) const {
    return kLeft +
           (bytes - lowBytes) / (highBytes - lowBytes) * (kRight - kLeft);
  }
  /// Time as its share over the step without recomputation.
  double y(double milliseconds) const {
    double share = milliseconds / base - 1;
    return kBottom - (share - low) / (high - low) * (kBottom - kTop);
  }

  void drawAxes();
  void drawImpossible();
  void drawCurves();
  void drawPoints(const std::vector<CurvePoint> &points, const char *kind);
  void drawAsked();
  void drawLegend();
  void addText(double atX, double atY, const std::string &words,
               const char *kind, const char *anchor = "start");
  void nameIt(double atX, double atY, const std::string &label,
              const char *kind);
  std::string pathOf(const std::vector<CurvePoint> &points) const;

  const CurveChart &chart;
  double base = 1, low = 0, high = 1, lowBytes = 0, highBytes = 1;
  std::vector<Box> taken;
  std::string out;
};

} // namespace

static std::string escape(const std::string &words) {
  std::string result;
  for (char c : words)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

static std::string number(double value) { return formatFixed(value, 1); }

/// 1, 2, 2.5 or 5 times a power of ten, about `count` of them in `range`.
static double tickOf(double range, double count) {
  double raw = range / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 2.5, 5.0})
    if (raw <= factor * power)
      return factor * power;
  return 10 * power;
}

Drawing::Drawing(const CurveChart &chart) : chart(chart) {
  base = std::max(chart.curve.back().milliseconds, 1e-9);
  double most = base, least = base;
  uint64_t first = chart.provenBytes, last = chart.curve.back().bytes;
  auto include = [&](const std::vector<CurvePoint> &points) {
    for (const CurvePoint &point : points) {
      most = std::max(most, point.milliseconds);
      first = std::min(first, point.bytes);
      last = std::max(last, point.bytes);
    }
  };
  include(chart.modes);
  include(chart.solvers);
  // Where the curve's tight end rises far above all else it leaves the top.
  double rest = most;
  for (size_t at = 1; at < chart.curve.size(); ++at)
    rest = std::max(rest, chart.curve[at].milliseconds);
  double tight = chart.curve.front().milliseconds;
  most = tight - base > 2.5 * (rest - base) && rest > base
             ? base + 1.2 * (rest - base)
             : std::max(rest, tight);
  for (const CurvePoint &point : chart.bound)
    least = std::min(least, point.milliseconds);
  double range = std::max(double(last - first), 1.0);
  lowBytes = std::max(0.0, double(first) - 0.06 * range);
  highBytes = double(last) + 0.05 * range;
  high = std::max((most / base - 1) * 1.1, 0.01);
  low = std::min(0.0, least / base - 1) - 0.04 * high;
}

void Drawing::addText(double atX, double atY, const std::string &words,
                      const char *kind, const char *anchor) {
  out += "<text x=\"" + number(atX) + "\" y=\"" + number(atY) + "\" class=\"" +
         kind + "\" text-anchor=\"" + anchor + "\">" + escape(words) +
         "</text>\n";
}

void Drawing::drawAxes() {
  double share = tickOf(high - low, 6);
  for (double at = 0; at <= high; at += share) {
    std::string row = number(y(base * (1 + at)));
    out += "<path class=\"grid\" d=\"M" + number(kLeft) + " " + row + "H" +
           number(kRight) + "\"/>\n";
    addText(kLeft - 10, y(base * (1 + at)) + 4,
            (at > 0 ? "+" : "") + formatFixed(at * 100, share < 0.01 ? 1 : 0) +
                "%",
            "tick", "end");
  }
  bool isSmall = highBytes < 4.0 * (1 << 20);
  double unit = highBytes >= 4.0 * (1 << 30) ? double(1 << 30)
                : isSmall                    ? 1024.0
                                             : double(1 << 20);
  const char *name = unit > (1 << 20) ? " GiB" : isSmall ? " KiB" : " MiB";
  double step = tickOf((highBytes - lowBytes) / unit, 8);
  for (double at = std::ceil(lowBytes / unit / step) * step;
       at * unit <= highBytes; at += step) {
    std::string column = number(x(at * unit));
    out += "<path class=\"grid\" d=\"M" + column + " " + number(kTop) + "V" +
           number(kBottom) + "\"/>\n";
    addText(x(at * unit), kBottom + 20,
            formatFixed(at, step < 1 ? 1 : 0) + name, "tick", "middle");
  }
  out += "<path class=\"axis\" d=\"M" + number(kLeft) + " " + number(kBottom) +
         "H" + number(kRight) + "\"/>\n";
  addText((kLeft + kRight) / 2, kBottom + 44,
          "peak memory of the program, variables and constants included",
          "name", "middle");
  addText(kLeft - 56, kTop - 14,
          "time of a step, over the one without recomputation", "name");
}

/// Left of what is proven to be needed.
void Drawing::drawImpossible() {
  double end = x(double(chart.provenBytes));
  if (end <= kLeft)
    return;
  out += "<rect class=\"never\" x=\"" + number(kLeft) + "\" y=\"" +
         number(kTop) + "\" width=\"" + number(end - kLeft) + "\" height=\"" +
         number(kBottom - kTop) + "\"><title>no schedule exists below " +
         text::formatSize(chart.provenBytes) +
         "</title></rect>\n<path "
         "class=\"edge\" d=\"M" +
         number(end) + " " + number(kTop) + "V" + number(kBottom) + "\"/>\n";
}

std::string Drawing::pathOf(const std::vector<CurvePoint> &points) const {
  std::string path;
  for (const CurvePoint &point : points)
    path += (path.empty() ? "M" : "L") + number(x(double(point.bytes))) + " " +
            number(y(point.milliseconds));
  return path;
}

void Drawing::drawCurves() {
  if (chart.bound.size() > 1) {
    std::string path = pathOf(chart.bound);
    out += "<path class=\"below\" d=\"" + path + "V" + number(kBottom) + "H" +
           number(x(double(chart.bound.front().bytes))) +
           "Z\"/>\n<path class=\"bound\" d=\"" + path + "\"/>\n";
  }
  out += "<clipPath id=\"plot\"><rect x=\"" + number(kLeft) + "\" y=\"" +
         number(kTop) + "\" width=\"" + number(kRight - kLeft) +
         "\" height=\"" + number(kBottom - kTop) +
         "\"/></clipPath>\n<path class=\"curve\" "
         "clip-path=\"url(#plot)\" d=\"" +
         pathOf(chart.curve) + "\"/>\n";
  for (const CurvePoint &point : chart.curve) {
    double atX = x(double(point.bytes)), atY = y(point.milliseconds);
    taken.push_back({atX - 5, atY - 5, atX + 5, atY + 5});
    if (atY < kTop) {
      double end = kTop + 14;
      addText(atX + 26, end,
              text::formatSize(point.bytes) + ": +" +
                  formatFixed((point.milliseconds / base - 1) * 100, 0) + "%",
              "askedname");
      taken.push_back({atX, end - 12, atX + 160, end + 4});
      continue;
    }
    out += "<circle class=\"dot\" cx=\"" + number(atX) + "\" cy=\"" +
           number(atY) + "\" r=\"3.4\"><title>" +
           text::formatSize(point.bytes) + ", " +
           formatFixed(point.milliseconds, 2) + " ms, +" +
           formatFixed((point.milliseconds / base - 1) * 100, 2) +
           "%</title></circle>\n";
  }
}

void Drawing::nameIt(double atX, double atY, const std::string &label,
                     const char *kind) {
  double width = 6.3 * double(label.size()), height = 13;
  struct Place {
    double dx, dy;
    const char *anchor;
  };
  static constexpr Place places[] = {
      {9, 4, "start"},   {-9, 4, "end"},    {0, -9, "middle"},
      {0, 19, "middle"}, {8, -7, "start"},  {-8, -7, "end"},
      {8, 16, "start"},  {-8, 16, "end"},   {0, -22, "middle"},
      {0, 32, "middle"}, {9, -20, "start"}, {9, 29, "start"}};
  for (const Place &place : places) {
    double left = atX + place.dx;
    left -= place.anchor[0] == 'e'   ? width
            : place.anchor[0] == 'm' ? width / 2
                                     : 0;
    double bottom = atY + place.dy + 3;
    Box box = {left, bottom - height, left + width, bottom};
    bool isFree = box.left > kLeft && box.right < kRight + 20 &&
                  box.top > kTop && box.bottom < kBottom &&
                  std::none_of(
                      taken.begin(), taken.end(),
                      [&](const Box &b) { return b.meets(box); });
    if (!isFree)
      continue;
    taken.push_back(box);
    addText(atX + place.dx, atY + place.dy, label, kind, place.anchor);
    return;
  }
}

void Drawing::drawPoints(const std::vector<CurvePoint> &points,
                         const char *kind) {
  for (const CurvePoint &point : points) {
    double atX = x(double(point.bytes)), atY = y(point.milliseconds);
    taken.push_back({atX - 5, atY - 5, atX + 5, atY + 5});
    bool isMode = kind[0] == 'm';
    std::string shape =
        isMode ? "M" + number(atX) + " " + number(atY - 5.5) +
                     "l5.5 5.5 -5.5 "
                     "5.5 -5.5 -5.5Z"
               : "M" + number(atX - 4) + " " + number(atY - 4) + "h8v8h-8Z";
    out += "<path class=\"" + std::string(kind) + "\" d=\"" + shape +
           "\"><title>" + escape(point.label) + ": " +
           text::formatSize(point.bytes) + ", " +
           formatFixed(point.milliseconds, 2) + " ms, +" +
           formatFixed((point.milliseconds / base - 1) * 100, 2) +
           "%</title></path>\n";
  }
}

void Drawing::drawAsked() {
  if (!chart.asked)
    return;
  double atX = x(double(chart.asked->bytes)),
         atY = y(chart.asked->milliseconds);
  out += "<path class=\"asked\" d=\"M" + number(atX) + " " + number(kBottom) +
         "V" + number(kTop + 20) + "\"/>\n<circle class=\"ring\" cx=\"" +
         number(atX) + "\" cy=\"" + number(atY) + "\" r=\"7.5\"/>\n";
  addText(atX + 6, kTop + 34, chart.asked->label, "askedname");
  double width = 6.6 * double(chart.asked->label.size());
  taken.push_back({atX + 4, kTop + 20, atX + 8 + width, kTop + 38});
}

void Drawing::drawLegend() {
  struct Entry {
    const char *sample, *words;
    bool shown;
  };
  const Entry entries[] = {
      {"<path class=\"curve\" d=\"M0 -4h22\"/><circle class=\"dot\" cx=\"11\" "
       "cy=\"-4\" r=\"3.4\"/>",
       "reprise", true},
      {"<path class=\"bound\" d=\"M0 -4h22\"/>", "lower bound of any schedule",
       !chart.bound.empty()},
      {"<path class=\"mode\" d=\"M11 -9.5l5.5 5.5 -5.5 5.5 -5.5 -5.5Z\"/>",
       "modes of checkpointing", !chart.modes.empty()},
      {"<path class=\"solver\" d=\"M7 -8h8v8h-8Z\"/>",
       "other solvers on the same step", !chart.solvers.empty()},
      {"<rect class=\"never\" x=\"0\" y=\"-11\" width=\"22\" height=\"13\"/>",
       "no schedule exists", true}};
  double left = kLeft - 56;
  for (const Entry &entry : entries) {
    if (!entry.shown)
      continue;
    out += "<g transform=\"translate(" + number(left) + " 62)\">" +
           std::string(entry.sample) +
           "<text x=\"29\" y=\"0\" class=\"legend\">" + entry.words +
           "</text></g>\n";
    left += 29 + 6.6 * double(std::string(entry.words).size()) + 22;
  }
}

static constexpr const char *kStyle = R"(<style>
.chart { font: 12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial,
  sans-serif; }
.chart text { font: 12px system-ui, "Segoe UI", Roboto, "Helvetica Neue",
  Arial, sans-serif; fill: #5b6576; }
.chart .title { font-size: 19px; font-weight: 650; fill: #1c2330; }
.chart .legend { font-size: 12.5px; fill: #1c2330; }
.chart .grid { stroke: #e9ecf1; fill: none; }
.chart .axis { stroke: #9aa3b2; fill: none; }
.chart .curve { stroke: #2f5d9b; stroke-width: 2.2; fill: none;
  stroke-linejoin: round; }
.chart .dot { fill: #2f5d9b; stroke: #fff; stroke-width: 1; }
.chart .bound { stroke: #c2410c; stroke-width: 1.5; fill: none;
  stroke-dasharray: 5 4; }
.chart .below { fill: #c2410c; fill-opacity: .06; }
.chart .never { fill: #5b6576; fill-opacity: .13; }
.chart .edge { stroke: #5b6576; stroke-dasharray: 2 3; fill: none; }
.chart .mode { fill: #b7791f; stroke: #fff; }
.chart .solver { fill: #2b8a5a; stroke: #fff; }
.chart text.modename { fill: #8a5a12; }
.chart text.solvername { fill: #1f6b45; }
.chart .asked { stroke: #1c2330; stroke-dasharray: 4 3; fill: none; }
.chart .ring { stroke: #1c2330; stroke-width: 1.6; fill: none; }
.chart text.askedname { fill: #1c2330; font-weight: 600; }
</style>
)";

/// Names each method once: of several points, at the one with the least memory.
static std::vector<CurvePoint> named(const std::vector<CurvePoint> &points) {
  std::vector<CurvePoint> result;
  for (const CurvePoint &point : points) {
    auto known = std::find_if(
        result.begin(), result.end(),
        [&](const CurvePoint &other) { return other.label == point.label; });
    if (known == result.end())
      result.push_back(point);
    else if (point.bytes < known->bytes)
      *known = point;
  }
  return result;
}

std::string Drawing::draw() {
  out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 "
        "0 " +
        formatFixed(kWidth, 0) + " " + formatFixed(kHeight, 0) +
        "\" role=\"img\">\n<title>" + escape(chart.title) + "</title>\n" +
        kStyle + "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  addText(kLeft - 56, 30, chart.title, "title");
  addText(kRight, 30, chart.subtitle, "name", "end");
  drawLegend();
  drawImpossible();
  drawAxes();
  drawCurves();
  drawAsked();
  drawPoints(chart.modes, "mode");
  drawPoints(chart.solvers, "solver");
  for (const CurvePoint &point : named(chart.modes))
    nameIt(x(double(point.bytes)), y(point.milliseconds), point.label,
           "modename");
  for (const CurvePoint &point : named(chart.solvers))
    nameIt(x(double(point.bytes)), y(point.milliseconds), point.label,
           "solvername");
  return out + "</svg>\n";
}

std::string tools::drawCurve(const CurveChart &chart) {
  return chart.curve.empty() ? "" : Drawing(chart).draw();
}
