//===- PlanPicture.cpp - Memory of a plan as a picture --------------------===//
#include "PlanPicture.h"
#include "Canvas.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

using namespace reprise::rt;

namespace {

struct Named {
  const char *name;
  Color color;
  uint64_t most = 0; // bytes, of all steps
};

/// Indexed by rp_buffer_kind; the colours are those of the report.
constexpr std::array<Named, RP_BUFFER_KINDS> kKinds = {{
    {"parameters", 0x4E79A7},
    {"optimizer state", 0x8FB8DE},
    {"state", 0x6AADA8},
    {"constants", 0xB3ACA7},
    {"inputs", 0x9C755F},
    {"outputs", 0xD4A6C8},
    {"activations", 0xF2A03D},
    {"gradients", 0x62A857},
    {"recomputed", 0xDF5B5D},
    {"workspace", 0xC2AD4A},
    {"updates", 0xA57BAB},
}};

/// The stacking order: fixed bytes at the bottom, short-lived ones on top.
constexpr rp_buffer_kind kStack[] = {
    RP_BUFFER_PARAMETER,  RP_BUFFER_OPTIMIZER_STATE, RP_BUFFER_STATE,
    RP_BUFFER_CONSTANT,   RP_BUFFER_INPUT,           RP_BUFFER_ACTIVATION,
    RP_BUFFER_RECOMPUTED, RP_BUFFER_GRADIENT,        RP_BUFFER_UPDATE,
    RP_BUFFER_OUTPUT,     RP_BUFFER_WORKSPACE};

/// Indexed by rp_phase.
constexpr Named kPhases[] = {{"forward", 0xA9C0DE},
                             {"backward", 0xA8D3A1},
                             {"recompute", 0xEBA0A1},
                             {"update", 0xC4AECB}};
constexpr rp_phase kPhaseOrder[] = {RP_PHASE_FORWARD, RP_PHASE_RECOMPUTE,
                                    RP_PHASE_BACKWARD, RP_PHASE_UPDATE};

constexpr Color kPaper = 0xFFFFFF, kGrid = 0xE9ECF1, kAxis = 0x9AA3B2,
                kInk = 0x1C2330, kSoft = 0x5B6576, kBudget = 0xB3261E;

constexpr int kWidth = 1040, kLeft = 76, kRight = 16, kTop = 12;
constexpr int kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = 400;
constexpr int kBase = kTop + kPlotHeight; // the first row below 0 bytes
constexpr int kStripTop = kBase + 4, kStripHeight = 12;
constexpr int kLegendTop = kStripTop + kStripHeight + 16, kLegendRow = 26;
constexpr int kSwatch = 14, kGap = 26;

struct Unit {
  double bytes;
  const char *name;
};

/// The content of a picture, before it is drawn.
struct Facts {
  std::vector<Named> kinds, phases;    // present ones
  uint64_t highest = 0;                // of steps and levels
  uint64_t mostInUse = 0;              // at a step
  double perPixel = 1;                 // bytes
  int heightOf(uint64_t bytes) const { // pixels
    return int(std::lround(double(bytes) / perPixel));
  }
};

} // namespace

static Unit unitFor(double bytes) {
  for (Unit unit : {Unit{0x1p40, "TiB"}, Unit{0x1p30, "GiB"},
                    Unit{0x1p20, "MiB"}, Unit{0x1p10, "KiB"}})
    if (bytes >= 2 * unit.bytes)
      return unit;
  return {1, "B"};
}

static std::string format(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

static std::string sizeText(uint64_t bytes) {
  Unit unit = unitFor(double(bytes));
  return format(unit.bytes > 1 ? "%.1f " : "%.0f ",
                double(bytes) / unit.bytes) +
         unit.name;
}

static std::string colorText(Color color) {
  char text[16];
  std::snprintf(text, sizeof text, "#%06x", unsigned(color));
  return text;
}

static uint64_t usedBytes(const rp_step_memory &step) {
  uint64_t sum = 0;
  for (size_t bytes : step.live_bytes)
    sum += bytes;
  return sum;
}

static Facts lookAt(const PlanMemory &plan) {
  Facts facts;
  facts.highest = std::max<uint64_t>({plan.peakBytes, plan.budgetBytes, 1});
  // Leaves some room for the labels of the levels.
  facts.perPixel = double(facts.highest) * 1.07 / kPlotHeight;
  for (rp_buffer_kind kind : kStack) {
    Named named = kKinds[kind];
    for (const rp_step_memory &step : plan.steps)
      named.most = std::max<uint64_t>(named.most, step.live_bytes[kind]);
    if (named.most > 0)
      facts.kinds.push_back(named);
  }
  for (const rp_step_memory &step : plan.steps)
    facts.mostInUse = std::max(facts.mostInUse, usedBytes(step));
  for (rp_phase phase : kPhaseOrder)
    if (std::any_of(
            plan.steps.begin(), plan.steps.end(),
            [&](const rp_step_memory &step) { return step.phase == phase; }))
      facts.phases.push_back(kPhases[phase]);
  return facts;
}

//===----------------------------------------------------------------------===//
// The plot
//===----------------------------------------------------------------------===//

/// Draws lines at about six round numbers.
static void drawGrid(const Facts &facts, Canvas &canvas) {
  Unit unit = unitFor(double(facts.highest));
  double least = facts.perPixel * kPlotHeight / unit.bytes / 7;
  double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (double factor : {5.0, 2.0, 1.0})
    if (factor * power >= least)
      step = factor * power;
  for (int i = 0; i * step * unit.bytes < facts.perPixel * kPlotHeight; ++i) {
    int y = kBase - facts.heightOf(uint64_t(i * step * unit.bytes));
    canvas.fill(kLeft, y, kPlotWidth, 1, i ? kGrid : kAxis);
    std::string label = format(step < 1 ? "%.1f" : "%.0f", i * step);
    canvas.text(kLeft - 8 - Canvas::widthOf(label), y - Canvas::kTextHeight / 2,
                label, kSoft);
  }
  canvas.text(kLeft - 8 - Canvas::widthOf(unit.name),
              kStripTop + kStripHeight + 1, unit.name, kSoft);
}

static void drawColumn(const Facts &facts, const rp_step_memory &step, int x,
                       Canvas &canvas) {
  uint64_t sum = 0;
  auto stack = [&](uint64_t bytes, Color color) {
    int low = facts.heightOf(sum), high = facts.heightOf(sum + bytes);
    canvas.fill(x, kBase - high, 1, high - low, color);
    sum += bytes;
  };
  for (rp_buffer_kind kind : kStack)
    stack(step.live_bytes[kind], kKinds[kind].color);
  canvas.fill(x, kStripTop, 1, kStripHeight, kPhases[step.phase].color);
}

static void drawColumns(const PlanMemory &plan, const Facts &facts,
                        Canvas &canvas) {
  size_t steps = plan.steps.size();
  for (int column = 0; column < kPlotWidth; ++column) {
    size_t first = size_t(column) * steps / kPlotWidth;
    size_t end = std::max(first + 1, size_t(column + 1) * steps / kPlotWidth);
    auto highest =
        std::max_element(plan.steps.begin() + ptrdiff_t(first),
                         plan.steps.begin() + ptrdiff_t(end),
                         [](const rp_step_memory &a, const rp_step_memory &b) {
                           return usedBytes(a) < usedBytes(b);
                         });
    drawColumn(facts, *highest, kLeft + column, canvas);
  }
}

/// Draws a line right above so many bytes, labelled at its end.
static void drawLevel(const Facts &facts, uint64_t bytes, const char *name,
                      Color color, Canvas &canvas) {
  int y = kBase - facts.heightOf(bytes) - 2;
  canvas.dashes(kLeft, y, kPlotWidth, color);
  std::string words = name + (" " + sizeText(bytes));
  canvas.text(kLeft + kPlotWidth - Canvas::widthOf(words),
              y - Canvas::kTextHeight - 5, words, color);
}

static void drawLevels(const PlanMemory &plan, const Facts &facts,
                       Canvas &canvas) {
  uint64_t peak = plan.peakBytes, budget = plan.budgetBytes;
  drawLevel(facts, peak, "peak", kInk, canvas);
  // Both labels need room; the picture's description has both in any case.
  bool isApart =
      budget > 0 && facts.heightOf(budget) > facts.heightOf(peak) + kLegendRow;
  if (isApart)
    drawLevel(facts, budget, "budget", kBudget, canvas);
}

//===----------------------------------------------------------------------===//
// Legend
//===----------------------------------------------------------------------===//

/// Draws rows of swatches with names from `top` on; returns the first row below
/// them. Draws nothing without a canvas.
static int drawLegend(const std::vector<Named> &items, int top,
                      Canvas *canvas) {
  int x = kLeft;
  for (const Named &item : items) {
    int wide = kSwatch + 8 + Canvas::widthOf(item.name);
    if (x + wide > kWidth - kRight) {
      x = kLeft;
      top += kLegendRow;
    }
    if (canvas) {
      canvas->fill(x, top, kSwatch, kSwatch, item.color);
      canvas->text(x + kSwatch + 8, top, item.name, kInk);
    }
    x += wide + kGap;
  }
  return top + kLegendRow;
}

static int drawLegends(const Facts &facts, Canvas *canvas) {
  int top = drawLegend(facts.kinds, kLegendTop, canvas);
  return drawLegend(facts.phases, top, canvas);
}

static std::string describe(const PlanMemory &plan, const Facts &facts) {
  std::string text =
      "Memory that the plan of the training step has in use over its " +
      std::to_string(plan.steps.size()) + " steps, from left to right" +
      (plan.checkpointing.empty() ? ""
                                  : "; checkpointing " + plan.checkpointing) +
      ".\n\n| colour | bytes of | at most |\n|---|---|---|\n";
  for (const Named &kind : facts.kinds)
    text += "| " + colorText(kind.color) + " | " + kind.name + " | " +
            sizeText(kind.most) + " |\n";
  text += "\nThe dashed line is the predicted peak, " +
          std::to_string(plan.peakBytes) + " bytes (" +
          sizeText(plan.peakBytes) + "); ";
  if (plan.budgetBytes)
    text += "the budget is " + std::to_string(plan.budgetBytes) + " bytes (" +
            sizeText(plan.budgetBytes) + "); ";
  text += "the most in use at a step are " + std::to_string(facts.mostInUse) +
          " bytes; the rest lies unused between buffers then. The strip below:";
  for (const Named &phase : facts.phases)
    text += std::string(&phase == &facts.phases.front() ? " " : ", ") +
            phase.name + " " + colorText(phase.color);
  return text + ".\n\nThe plot is the " + std::to_string(kPlotWidth) + "x" +
         std::to_string(kPlotHeight) + " pixels from (" +
         std::to_string(kLeft) + ", " + std::to_string(kTop) +
         "); a pixel is " + format("%.17g", facts.perPixel) + " bytes high.\n";
}

Expected<EncodedPicture> reprise::rt::drawPlan(const PlanMemory &plan) {
  Facts facts = lookAt(plan);
  Canvas canvas(kWidth, drawLegends(facts, nullptr), kPaper);
  drawGrid(facts, canvas);
  drawColumns(plan, facts, canvas);
  drawLevels(plan, facts, canvas);
  drawLegends(facts, &canvas);
  REPRISE_EXPECT(png, canvas.encode());
  EncodedPicture picture;
  picture.width = uint32_t(canvas.width());
  picture.height = uint32_t(canvas.height());
  picture.png = std::move(*png);
  picture.description = describe(plan, facts);
  return picture;
}
