//===- OpTimes.cpp - Where a step's time goes -----------------------------===//
#include "OpTimes.h"

#include "reprise/Bridge/Profile.h"
#include "text/Size.h"
#include "text/Table.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace reprise;
using namespace reprise::tools;

static const char *nameOf(OpTime::Kind kind) {
  switch (kind) {
  case OpTime::Kind::Kernel:
    return "kernel";
  case OpTime::Kind::Library:
    return "library";
  case OpTime::Kind::Copy:
    break;
  }
  return "copy";
}

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

std::vector<OpTime> tools::timesByOp(const rt::fb::Entry &entry,
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
    op.kind = step.action_as_KernelLaunch() ? OpTime::Kind::Kernel
              : step.action_as_Copy()       ? OpTime::Kind::Copy
                                            : OpTime::Kind::Library;
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

OpTime tools::kernelsTogether(const std::vector<OpTime> &ops) {
  OpTime all;
  for (const OpTime &op : ops) {
    if (op.kind != OpTime::Kind::Kernel)
      continue;
    all.flops += op.flops * op.count;
    all.bytes += op.bytes * op.count;
    all.milliseconds += op.milliseconds;
  }
  all.count = 1;
  return all;
}

std::string tools::tableOf(const std::vector<OpTime> &ops, size_t most,
                           const rt::Roofline &roofline) {
  using text::Align;
  text::Table table({{"op", Align::Left},
                     {"largest tensor", Align::Left},
                     {"by", Align::Left},
                     {"steps"},
                     {"ms"},
                     {"share"},
                     {"GB/s"},
                     {"GFLOPS"},
                     {"of roofline"}});
  double sum = 0, shown = 0;
  for (const OpTime &op : ops)
    sum += op.milliseconds;
  for (size_t k = 0; k < std::min(most, ops.size()); ++k) {
    const OpTime &op = ops[k];
    shown += op.milliseconds;
    table.add({op.name, op.tensor, nameOf(op.kind), std::to_string(op.count),
               text::formatFixed(op.milliseconds, 3),
               text::formatPercent(sum > 0 ? op.milliseconds / sum : 0),
               text::formatFixed(op.gigabytesPerSecond(), 1),
               text::formatFixed(op.gflops(), 1),
               text::formatPercent(op.efficiency(roofline))});
  }
  std::string result = table.empty() ? "" : table.str();
  if (!table.empty() && most < ops.size())
    result += "and " + std::to_string(ops.size() - most) + " other ops, " +
              text::formatFixed(sum - shown, 3) + " ms\n";
  return result;
}

nlohmann::ordered_json tools::toJson(const std::vector<OpTime> &ops,
                                     const rt::Roofline &roofline) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpTime &op : ops)
    list.push_back({{"key", op.key},
                    {"name", op.name},
                    {"by", nameOf(op.kind)},
                    {"steps", op.count},
                    {"ms", op.milliseconds},
                    {"flops", op.flops},
                    {"bytes", op.bytes},
                    {"gigabytes_per_second", op.gigabytesPerSecond()},
                    {"gflops", op.gflops()},
                    {"of_roofline", op.efficiency(roofline)}});
  return list;
}
