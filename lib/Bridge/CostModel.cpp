//===- CostModel.cpp - Milliseconds of ops --------------------------------===//
#include "reprise/Bridge/CostModel.h"

#include <cstdio>
#include <numeric>

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

Prices CostModel::price(const std::vector<CostedOp> &ops) const {
  Prices prices;
  std::vector<double> ratios;
  std::vector<bool> isMeasured(ops.size());
  double all = 0, matched = 0;
  for (size_t id = 0; id < ops.size(); ++id) {
    double waiting = roofline.milliseconds(0, ops[id].waited);
    double estimate =
        roofline.milliseconds(ops[id].flops, ops[id].bytes, ops[id].isNarrow) +
        waiting;
    all += estimate;
    prices.milliseconds.push_back(estimate);
    double measured = ops[id].milliseconds;
    if (profile) {
      auto found = profile->ops.find(ops[id].key);
      auto product = profile->ops.find(ops[id].productKey);
      isMeasured[id] = found != profile->ops.end();
      measured = isMeasured[id] ? found->second.milliseconds : 0;
      if (!isMeasured[id] && product != profile->ops.end()) {
        isMeasured[id] = true;
        measured = product->second.milliseconds + waiting;
      }
    } else {
      isMeasured[id] = measured > 0;
    }
    if (!isMeasured[id])
      continue;
    prices.milliseconds[id] = measured;
    ++prices.matched;
    matched += estimate;
    if (estimate > 0)
      ratios.push_back(measured / estimate);
  }
  prices.matchedShare = all > 0 ? matched / all : 1;
  if (ratios.empty())
    return prices;
  auto middle = ratios.begin() + ratios.size() / 2;
  std::nth_element(ratios.begin(), middle, ratios.end());
  prices.scale = *middle;
  for (size_t id = 0; id < ops.size(); ++id)
    if (!isMeasured[id])
      prices.milliseconds[id] *= prices.scale;
  return prices;
}

rt::Expected<Prices>
CostModel::priceMostly(const std::vector<CostedOp> &ops) const {
  Prices prices = price(ops);
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
