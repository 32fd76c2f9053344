//===- CostModel.cpp - Milliseconds of ops --------------------------------===//
#include "reprise/Bridge/CostModel.h"
#include "reprise/Plan/Graph.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

using namespace reprise;

double Prices::sum() const {
  return std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0);
}

rt::Expected<CostModel> CostModel::load(rt::Roofline roofline,
                                        const std::string &path) {
  double narrow = roofline.narrowGflops == 0 ? 1 : roofline.narrowGflops;
  for (double rate : {roofline.gflops, roofline.gigabytesPerSecond, narrow})
    if (!(rate > 0 && rate <= 1e9)) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%g", rate);
      return rt::Status::error(
          RP_INVALID_ARGUMENT,
          "gflops and gbytes-per-second must be above 0 and at most 1e9, not " +
              std::string(digits));
    }
  CostModel model(roofline);
  if (path.empty())
    return model;
  rt::Expected<Profile> profile = Profile::read(path);
  if (!profile.ok())
    return profile.status();
  model.profile = std::move(*profile);
  return model;
}

namespace {
/// Ratios of measured over roofline time, with weights.
class Ratios {
public:
  void add(double ratio, double weight) {
    ratios.push_back({ratio, weight});
    all += weight;
  }
  double weight() const { return all; }

  /// The weighted median; 1 if there are no ratios.
  double middle() {
    std::sort(ratios.begin(), ratios.end());
    double below = 0;
    for (auto [ratio, weight] : ratios)
      if ((below += weight) >= all / 2)
        return ratio;
    return 1;
  }

private:
  std::vector<std::pair<double, double>> ratios;
  double all = 0;
};
} // namespace

/// Nothing if the op was not measured.
std::optional<double> CostModel::measuredOf(const CostedOp &op) const {
  if (!profile)
    return op.milliseconds > 0 ? std::optional(op.milliseconds) : std::nullopt;
  auto found = profile->ops.find(op.key);
  if (found != profile->ops.end())
    return found->second.milliseconds;
  auto product = profile->ops.find(op.productKey);
  if (product == profile->ops.end())
    return std::nullopt;
  return product->second.milliseconds + roofline.milliseconds(0, op.waited);
}

Prices CostModel::price(const std::vector<CostedOp> &ops) const {
  Prices prices;
  // `timed`: kernels and calls, weighted by their time, since many small ops,
  // which are bound by launches, are not representative of large ones. `every`:
  // all ops with equal weight.
  Ratios timed[2], every;
  double untimed[2] = {0, 0};
  double least = std::numeric_limits<double>::infinity(); // the time of a
                                                          // launch
  std::vector<size_t> unknown;
  double all = 0, matched = 0;
  for (size_t id = 0; id < ops.size(); ++id) {
    const CostedOp &op = ops[id];
    double estimate = roofline.milliseconds(op.flops, op.bytes, op.isNarrow) +
                      roofline.milliseconds(0, op.waited);
    all += estimate;
    std::optional<double> measured = measuredOf(op);
    prices.milliseconds.push_back(measured.value_or(estimate));
    if (!measured) {
      unknown.push_back(id);
      untimed[op.isCall] += estimate;
      continue;
    }
    ++prices.matched;
    matched += estimate;
    least = std::min(least, *measured);
    if (estimate <= 0)
      continue;
    every.add(*measured / estimate, 1);
    timed[op.isCall].add(*measured / estimate, estimate);
  }
  prices.matchedShare = all > 0 ? matched / all : 1;
  double scales[2];
  for (bool isCall : {false, true}) {
    constexpr double share = 0.1;
    Ratios &own = timed[isCall];
    bool isEnough = own.weight() > 0 && own.weight() >= share * untimed[isCall];
    scales[isCall] = (isEnough ? own : every).middle();
  }
  if (prices.matched == 0)
    return prices;
  for (size_t id : unknown)
    prices.milliseconds[id] =
        std::max(least, prices.milliseconds[id] * scales[ops[id].isCall]);
  return prices;
}

rt::Expected<Prices>
CostModel::priceMostly(const std::vector<CostedOp> &ops) const {
  Prices prices = price(ops);
  if (!(prices.sum() <= plan::kMostMilliseconds)) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", prices.sum());
    return rt::Status::error(
        RP_INVALID_ARGUMENT,
        "the step's ops take " + std::string(digits) + " ms by the " +
            (profile ? "profile (of '" + profile->model + "') and the " : "") +
            "rates of the machine; a plan is for at most eleven days (1e9)");
  }
  if (!profile || ops.empty() || prices.matchedShare >= 0.5)
    return prices;
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.1f%%", 100 * prices.matchedShare);
  return rt::Status::error(
      RP_INVALID_ARGUMENT,
      "the profile (of '" + profile->model + "', " +
          std::to_string(profile->ops.size()) + " distinct ops) has " +
          std::to_string(prices.matched) + " of the step's " +
          std::to_string(ops.size()) + " ops, " + percent +
          " of its time and less than the half that is needed; profile this "
          "model with this batch and these options");
}
