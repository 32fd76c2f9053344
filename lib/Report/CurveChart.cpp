//===- CurveChart.cpp - Chart of time over memory -------------------------===//
//
// Points of other methods are labelled where the label covers nothing: twelve
// places around each are tried, and a label without a free one is left out; the
// tooltip and the report's table still have it. All points are inside the axes.
//
//===----------------------------------------------------------------------===//

#include "reprise/Report/CurveChart.h"
#include "reprise/Text/Size.h"
#include <algorithm>
#include <cmath>

using namespace reprise;
using namespace reprise::driver;
using text::formatFixed;

namespace {

/// The layout; the plot is from `left` to `right`, `top` to `bottom`.
struct Frame {
  double width, height, left, right, top, bottom;
  double margin; // left of texts
  bool stacks;   // legend and titles below one another
  int columns;   // about as many ticks
};

constexpr Frame kWide = {960, 560, 74, 932, 96, 492, 18, false, 8};
constexpr Frame kNarrow = {380, 520, 52, 368, 190, 464, 8, true, 3};

struct Box {
  double left, top, right, bottom;
  bool meets(const Box &other) const {
    return left < other.right && other.left < right && top < other.bottom &&
           other.top < bottom;
  }
};

class Drawing {
public:
  Drawing(const CurveChart &chart, const Frame &frame);
  std::string draw();

private:
  double x(double bytes) const {
    return frame.left + (bytes - lowBytes) / (highBytes - lowBytes) *
                            (frame.right - frame.left);
  }
  /// Returns the y of a time, as its share above the step without
  /// recomputation.
  double y(double milliseconds) const {
    double share = milliseconds / base - 1;
    return frame.bottom -
           (share - low) / (high - low) * (frame.bottom - frame.top);
  }

  void drawAxes();
  void drawImpossible();
  void drawCurves();
  void drawPoints(const std::vector<CurvePoint> &points, const char *kind);
  void drawMark(const CurvePoint &point, const char *kind, double textY);
  void drawTitles();
  void drawLegend();
  void addText(double atX, double atY, const std::string &words,
               const char *kind, const char *anchor = "start");
  void nameIt(double atX, double atY, const std::string &label,
              const char *kind);
  std::string pathOf(const std::vector<CurvePoint> &points) const;

  const CurveChart &chart;
  const Frame &frame;
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

/// Returns "+3.10%", "-0.12%".
static std::string signedShare(double share) {
  return (share < 0 ? "" : "+") + formatFixed(share * 100, 2) + "%";
}

static std::string number(double value) { return formatFixed(value, 1); }

/// Returns 1, 2, 2.5 or 5 times a power of ten, about `count` of them in
/// `range`.
static double tickOf(double range, double count) {
  double raw = range / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 2.5, 5.0})
    if (raw <= factor * power)
      return factor * power;
  return 10 * power;
}

Drawing::Drawing(const CurveChart &chart, const Frame &frame)
    : chart(chart), frame(frame) {
  base = std::max(chart.plain.milliseconds, 1e-9);
  double most = base, least = base;
  uint64_t first = chart.provenBytes, last = chart.curve.back().bytes;
  auto include = [&](const CurvePoint &point) {
    if (point.milliseconds > 0) {
      most = std::max(most, point.milliseconds);
      least = std::min(least, point.milliseconds);
    }
    first = std::min(first, point.bytes);
    last = std::max(last, point.bytes);
  };
  for (const auto *points :
       {&chart.curve, &chart.bound, &chart.modes, &chart.solvers})
    std::for_each(points->begin(), points->end(), include);
  for (const auto &point : {chart.asked, chart.program})
    if (point)
      include(*point);
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
    out += "<path class=\"grid\" d=\"M" + number(frame.left) + " " + row + "H" +
           number(frame.right) + "\"/>\n";
    addText(frame.left - 10, y(base * (1 + at)) + 4,
            (at > 0 ? "+" : "") + formatFixed(at * 100, share < 0.01 ? 1 : 0) +
                "%",
            "tick", "end");
  }
  bool isSmall = highBytes < 4.0 * (1 << 20);
  double unit = highBytes >= 4.0 * (1 << 30) ? double(1 << 30)
                : isSmall                    ? 1024.0
                                             : double(1 << 20);
  const char *name = unit > (1 << 20) ? " GiB" : isSmall ? " KiB" : " MiB";
  double step = tickOf((highBytes - lowBytes) / unit, frame.columns);
  for (double at = std::ceil(lowBytes / unit / step) * step;
       at * unit <= highBytes; at += step) {
    std::string column = number(x(at * unit));
    out += "<path class=\"grid\" d=\"M" + column + " " + number(frame.top) +
           "V" + number(frame.bottom) + "\"/>\n";
    addText(x(at * unit), frame.bottom + 20,
            formatFixed(at, step < 1 ? 1 : 0) + name, "tick", "middle");
  }
  out += "<path class=\"axis\" d=\"M" + number(frame.left) + " " +
         number(frame.bottom) + "H" + number(frame.right) + "\"/>\n";
  addText((frame.left + frame.right) / 2, frame.bottom + 44,
          "peak memory, variables and constants included", "name", "middle");
  addText(frame.margin, frame.top - 14,
          "time of a step, over the one without recomputation", "name");
}

/// Shades the area left of the proven bytes.
void Drawing::drawImpossible() {
  double end = x(double(chart.provenBytes));
  if (end <= frame.left)
    return;
  out += "<rect class=\"never\" x=\"" + number(frame.left) + "\" y=\"" +
         number(frame.top) + "\" width=\"" + number(end - frame.left) +
         "\" height=\"" + number(frame.bottom - frame.top) +
         "\"><title>no schedule exists below " +
         text::formatSize(chart.provenBytes) +
         "</title></rect>\n<path "
         "class=\"edge\" d=\"M" +
         number(end) + " " + number(frame.top) + "V" + number(frame.bottom) +
         "\"/>\n";
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
    out += "<path class=\"below\" d=\"" + path + "V" + number(frame.bottom) +
           "H" + number(x(double(chart.bound.front().bytes))) +
           "Z\"/>\n<path class=\"bound\" d=\"" + path + "\"/>\n";
  }
  out += "<path class=\"curve\" d=\"" + pathOf(chart.curve) + "\"/>\n";
  for (const CurvePoint &point : chart.curve) {
    double atX = x(double(point.bytes)), atY = y(point.milliseconds);
    taken.push_back({atX - 5, atY - 5, atX + 5, atY + 5});
    out += "<circle class=\"dot\" cx=\"" + number(atX) + "\" cy=\"" +
           number(atY) + "\" r=\"3.4\"><title>" +
           text::formatSize(point.bytes) + ", " +
           formatFixed(point.milliseconds, 2) + " ms, " +
           signedShare(point.milliseconds / base - 1) + "</title></circle>\n";
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
    bool isFree = box.left > frame.left && box.right < frame.right + 20 &&
                  box.top > frame.top && box.bottom < frame.bottom &&
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
           "\"><title>" + escape(point.name()) + ": " +
           text::formatSize(point.bytes) + ", " +
           formatFixed(point.milliseconds, 2) + " ms, " +
           signedShare(point.milliseconds / base - 1) + "</title></path>\n";
  }
}

/// Draws a line at the point's bytes, a ring if its time is known, and its
/// label.
void Drawing::drawMark(const CurvePoint &point, const char *kind,
                       double textY) {
  double atX = x(double(point.bytes));
  std::string name = kind;
  out += "<path class=\"" + name + "\" d=\"M" + number(atX) + " " +
         number(frame.bottom) + "V" + number(textY - 14) + "\"/>\n";
  if (point.milliseconds > 0)
    out += "<circle class=\"" + name + "ring\" cx=\"" + number(atX) +
           "\" cy=\"" + number(y(point.milliseconds)) + "\" r=\"7.5\"/>\n";
  double width = 6.9 * double(point.label.size());
  bool fits = atX + 6 + width < frame.width;
  addText(fits ? atX + 6 : atX - 6, textY, point.label, (name + "name").c_str(),
          fits ? "start" : "end");
  double left = fits ? atX + 4 : atX - 8 - width;
  taken.push_back({left, textY - 14, left + width + 4, textY + 4});
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
       "checkpointing modes", !chart.modes.empty()},
      {"<path class=\"solver\" d=\"M7 -8h8v8h-8Z\"/>",
       "other solvers on the same step", !chart.solvers.empty()},
      {"<rect class=\"never\" x=\"0\" y=\"-11\" width=\"22\" height=\"13\"/>",
       "no schedule exists", true}};
  double left = frame.margin, top = frame.stacks ? 72 : 62;
  for (const Entry &entry : entries) {
    if (!entry.shown)
      continue;
    out += "<g transform=\"translate(" + number(left) + " " + number(top) +
           ")\">" + std::string(entry.sample) +
           "<text x=\"29\" y=\"0\" class=\"legend\">" + entry.words +
           "</text></g>\n";
    if (frame.stacks)
      top += 18;
    else
      left += 29 + 6.6 * double(std::string(entry.words).size()) + 22;
  }
}

void Drawing::drawTitles() {
  addText(frame.margin, frame.stacks ? 24 : 30, chart.title, "title");
  if (frame.stacks)
    addText(frame.margin, 44, chart.subtitle, "name");
  else
    addText(frame.right, 30, chart.subtitle, "name", "end");
}

static constexpr const char *kStyle = R"(<style>
.chart { --ink: #1c2330; --soft: #5b6576; --paper: #fff; --faint: #e9ecf1;
  --line: #9aa3b2; --ours: #2f5d9b; --least: #c2410c; --mode: #b7791f;
  --modename: #8a5a12; --solver: #2b8a5a; --solvername: #1f6b45;
  --mark: #a21caf; }
@media (prefers-color-scheme: dark) {
  .chart { --ink: #e6e9ef; --soft: #a7b0bf; --paper: #181d26; --faint: #2a313d;
    --line: #6b7586; --ours: #7fb0f0; --least: #f08a5c; --mode: #e0ac55;
    --modename: #e8c07a; --solver: #5fc08f; --solvername: #86d3ab;
    --mark: #e59af0; }
}
.chart text { font: 12px system-ui, "Segoe UI", Roboto, "Helvetica Neue",
  Arial, sans-serif; fill: var(--soft); }
.chart .ground { fill: var(--paper); }
.chart .title { font-size: 19px; font-weight: 650; fill: var(--ink); }
.chart .legend { font-size: 12.5px; fill: var(--ink); }
.chart .grid { stroke: var(--faint); fill: none; }
.chart .axis { stroke: var(--line); fill: none; }
.chart .curve { stroke: var(--ours); stroke-width: 2.2; fill: none;
  stroke-linejoin: round; }
.chart .dot { fill: var(--ours); stroke: var(--paper); stroke-width: 1; }
.chart .bound { stroke: var(--least); stroke-width: 1.5; fill: none;
  stroke-dasharray: 5 4; }
.chart .below { fill: var(--least); fill-opacity: .08; }
.chart .never { fill: var(--soft); fill-opacity: .16; }
.chart .edge { stroke: var(--soft); stroke-dasharray: 2 3; fill: none; }
.chart .mode { fill: var(--mode); stroke: var(--paper); }
.chart .solver { fill: var(--solver); stroke: var(--paper); }
.chart text.modename { fill: var(--modename); }
.chart text.solvername { fill: var(--solvername); }
.chart .asked { stroke: var(--ink); stroke-dasharray: 4 3; fill: none; }
.chart .askedring { stroke: var(--ink); stroke-width: 1.6; fill: none; }
.chart text.askedname { fill: var(--ink); font-weight: 600; }
.chart .program { stroke: var(--mark); stroke-width: 1.6; fill: none; }
.chart .programring { stroke: var(--mark); stroke-width: 2.4; fill: none; }
.chart text.programname { fill: var(--mark); font-weight: 650; }
</style>
)";

/// Labels each method once: of several points, the one with the least memory.
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
        formatFixed(frame.width, 0) + " " + formatFixed(frame.height, 0) +
        "\" role=\"img\">\n<title>" + escape(chart.title) +
        ": time of a step over peak memory</title>\n" + kStyle +
        "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n";
  drawTitles();
  drawLegend();
  drawImpossible();
  drawAxes();
  drawCurves();
  if (chart.asked)
    drawMark(*chart.asked, "asked", frame.top + 34);
  if (chart.program)
    drawMark(*chart.program, "program", frame.top + 14);
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

std::string driver::drawCurve(const CurveChart &chart, CurveFrame frame) {
  if (chart.curve.empty())
    return "";
  return Drawing(chart, frame == CurveFrame::Wide ? kWide : kNarrow).draw();
}
