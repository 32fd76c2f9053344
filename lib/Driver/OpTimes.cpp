//===- OpTimes.cpp - A step's time by op ----------------------------------===//
#include "reprise/Driver/OpTimes.h"

#include "reprise/Bridge/Profile.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

using namespace reprise;
using namespace reprise::driver;

double OpTime::gflops() const {
  return milliseconds > 0 ? double(flops) * count / milliseconds * 1e-6 : 0;
}

double OpTime::gigabytesPerSecond() const {
  return milliseconds > 0 ? double(bytes) * count / milliseconds * 1e-6 : 0;
}

double OpTime::efficiency(const rt::Roofline &roofline) const {
  double least = roofline.milliseconds(flops, bytes, isNarrow) * count;
  return milliseconds > 0 ? least / milliseconds : 0;
}

static int64_t elementsOf(const rt::TensorDesc &tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t(1),
                         std::multiplies<>());
}

static std::string largestOf(const KeyedOp &op) {
  const rt::TensorDesc *largest = nullptr;
  for (const auto *tensors : {&op.outputs, &op.inputs})
    for (const rt::TensorDesc &tensor : *tensors)
      if (!largest || elementsOf(tensor) > elementsOf(*largest))
        largest = &tensor;
  return largest ? formatTensor(*largest) : "";
}

std::vector<OpTime> driver::timesByOp(const rt::fb::Entry &entry,
                                      const std::vector<double> &milliseconds) {
  std::map<std::string, OpTime> byKey;
  for (size_t k = 0; k < milliseconds.size(); ++k) {
    const rt::fb::Step &step = *entry.steps()->Get(uint32_t(k));
    KeyedOp keyed = keyedOpOf(step);
    OpTime &op = byKey[profileKey(keyed)];
    op.milliseconds += milliseconds[k];
    if (op.count++ > 0)
      continue;
    op.key = profileKey(keyed);
    op.name = keyed.name;
    op.tensor = largestOf(keyed);
    op.kind = step.action_as_KernelLaunch() ? StepAction::Kernel
              : step.action_as_Copy()       ? StepAction::Copy
              : step.action_as_Offload()    ? StepAction::Offload
              : step.action_as_Fetch()      ? StepAction::Fetch
                                            : StepAction::LibraryCall;
    op.flops = step.flops();
    op.bytes = step.bytes();
    op.isNarrow = isNarrow(step);
  }
  std::vector<OpTime> ops;
  for (auto &[key, op] : byKey)
    ops.push_back(std::move(op));
  std::stable_sort(ops.begin(), ops.end(), [](const auto &a, const auto &b) {
    return a.milliseconds > b.milliseconds;
  });
  return ops;
}

OpTime driver::kernelsTogether(const std::vector<OpTime> &ops) {
  OpTime all;
  for (const OpTime &op : ops) {
    if (op.kind != StepAction::Kernel)
      continue;
    all.flops += op.flops * op.count;
    all.bytes += op.bytes * op.count;
    all.milliseconds += op.milliseconds;
  }
  all.count = 1;
  return all;
}

/// Above this an op is faster than the roofline, beyond measurement error.
static constexpr double kAbove = 1.01;

std::string driver::whyAbove(const OpTime &op, const rt::Roofline &roofline,
                             uint64_t cacheBytes) {
  if (op.efficiency(roofline) < kAbove)
    return "";
  bool isTraffic = roofline.milliseconds(0, op.bytes, op.isNarrow) >=
                   roofline.milliseconds(op.flops, 0, op.isNarrow);
  if (isTraffic)
    return cacheBytes == 0 || op.bytes <= cacheBytes ? "cached"
                                                     : "partly cached";
  return op.isNarrow && roofline.narrowGflops == 0 ? "16 bits" : "arithmetic";
}

double OpScale::between(const std::vector<OpTime> &ops) const {
  double sum = 0;
  for (const OpTime &op : ops)
    sum += op.milliseconds;
  return stepMilliseconds - sum;
}

/// Returns a line for each word used in a table.
static std::string legendOf(const std::set<std::string> &words) {
  const std::pair<const char *, const char *> meanings[] = {
      {"cached", "what it reads and writes fits the last cache; the roofline "
                 "has the rate of memory"},
      {"partly cached", "some of what it reads is still in the cache; the "
                        "roofline has the rate of memory"},
      {"16 bits", "products of 16 bits; the roofline has the rate of f32 "
                  "(--roofline ...,16bit=RATE says theirs)"},
      {"arithmetic", "an algorithm of less arithmetic than is counted, or a "
                     "faster clock than when the roofline was measured"}};
  std::string text;
  for (const auto &[word, meaning] : meanings)
    if (words.count(word))
      text +=
          std::string("above the roofline, ") + word + ": " + meaning + "\n";
  return text;
}

namespace {
/// Milliseconds and their share of the step.
class StepTable {
public:
  StepTable(const OpScale &scale)
      : scale(scale), table({{"op", text::Align::Left},
                             {"largest tensor", text::Align::Left},
                             {"by", text::Align::Left},
                             {"steps"},
                             {"ms"},
                             {"share"},
                             {"GB/s"},
                             {"GFLOPS"},
                             {"of roofline"},
                             {"", text::Align::Left}}) {}
  void add(const OpTime &op);
  void addRow(const std::string &name, uint64_t steps, double milliseconds);
  std::string str() const { return table.str() + legendOf(words); }

private:
  std::string share(double milliseconds) const {
    double step = scale.stepMilliseconds;
    return text::formatPercent(step > 0 ? milliseconds / step : 0);
  }
  const OpScale &scale;
  text::Table table;
  std::set<std::string> words;
};
} // namespace

void StepTable::add(const OpTime &op) {
  std::string why = whyAbove(op, scale.roofline, scale.cacheBytes);
  if (!why.empty())
    words.insert(why);
  table.add({op.name, op.tensor, termName(op.kind), std::to_string(op.count),
             text::formatFixed(op.milliseconds, 3), share(op.milliseconds),
             text::formatFixed(op.gigabytesPerSecond(), 1),
             text::formatFixed(op.gflops(), 1),
             text::formatPercent(op.efficiency(scale.roofline)), why});
}

void StepTable::addRow(const std::string &name, uint64_t steps,
                       double milliseconds) {
  table.add({name, "", "", steps ? std::to_string(steps) : "",
             text::formatFixed(milliseconds, 3), share(milliseconds), "", "",
             "", ""});
}

std::string driver::tableOf(const std::vector<OpTime> &ops, size_t most,
                            const OpScale &scale) {
  if (ops.empty() || most == 0)
    return "";
  StepTable table(scale);
  OpTime others;
  uint64_t steps = 0;
  for (size_t k = 0; k < ops.size(); ++k) {
    steps += ops[k].count;
    if (k < most) {
      table.add(ops[k]);
      continue;
    }
    others.count += ops[k].count;
    others.milliseconds += ops[k].milliseconds;
  }
  if (others.count)
    table.addRow(std::to_string(ops.size() - most) + " other ops", others.count,
                 others.milliseconds);
  double between = scale.between(ops);
  table.addRow(between < 0 ? "less: timing each op" : "between ops", 0,
               between);
  table.addRow("the step", steps, scale.stepMilliseconds);
  return table.str();
}

nlohmann::ordered_json driver::toJson(const std::vector<OpTime> &ops,
                                      const OpScale &scale) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpTime &op : ops) {
    list.push_back({{"key", op.key},
                    {"name", op.name},
                    {"by", termName(op.kind)},
                    {"steps", op.count},
                    {"ms", op.milliseconds},
                    {"flops", op.flops},
                    {"bytes", op.bytes},
                    {"gigabytes_per_second", op.gigabytesPerSecond()},
                    {"gflops", op.gflops()},
                    {"of_roofline", op.efficiency(scale.roofline)}});
    std::string why = whyAbove(op, scale.roofline, scale.cacheBytes);
    if (!why.empty())
      list.back()["above_roofline"] = why;
  }
  return list;
}
