//===- Programs.cpp - A run that changes its program ----------------------===//
#include "reprise/Runtime/Trainer/Programs.h"
#include <cmath>

using namespace reprise::rt;

Programs::~Programs() = default;

std::string Bucket::str() const {
  return std::to_string(height) + "x" + std::to_string(width) + "@" +
         std::to_string(batch);
}

size_t reprise::rt::nearestBucket(const std::vector<Bucket> &buckets,
                                  int64_t height, int64_t width) {
  // Ratios closer than this are equal: 256x192 and 128x96, rounded.
  constexpr double kSameRatio = 1e-9;
  size_t best = 0;
  double bestRatio = INFINITY, bestArea = INFINITY;
  for (size_t i = 0; i < buckets.size(); ++i) {
    double h = std::log(double(height) / double(buckets[i].height)),
           w = std::log(double(width) / double(buckets[i].width));
    double ratio = std::fabs(h - w), area = std::fabs(h + w);
    bool isNearer =
        ratio < bestRatio - kSameRatio ||
        (ratio < bestRatio + kSameRatio && area < bestArea - kSameRatio);
    if (!isNearer)
      continue;
    best = i;
    bestRatio = ratio;
    bestArea = area;
  }
  return best;
}
