//===- Knee.cpp - The knee of a budget curve ------------------------------===//
#include "reprise/Bridge/Knee.h"

using namespace reprise;

uint32_t reprise::kneeOf(llvm::ArrayRef<std::pair<uint64_t, double>> curve) {
  uint32_t last = curve.size() - 1, best = last;
  auto [leastBytes, mostMilliseconds] = curve.front();
  auto [mostBytes, leastMilliseconds] = curve.back();
  double bytes = double(mostBytes) - double(leastBytes);
  double cost = mostMilliseconds - leastMilliseconds;
  double farthest = 0;
  for (uint32_t point = 0; point < last && bytes > 0 && cost > 0; ++point) {
    double x = (double(curve[point].first) - double(leastBytes)) / bytes;
    double y = (curve[point].second - leastMilliseconds) / cost;
    if (1 - x - y > farthest) {
      farthest = 1 - x - y;
      best = point;
    }
  }
  return best;
}
