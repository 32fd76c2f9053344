//===- Watched.cpp - Evaluations that a hook compares ---------------------===//
#include "Watched.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cmath>
#include <sstream>

using namespace reprise::rt;

Watched Watched::read(const std::string &text) {
  Watched watched;
  std::istringstream in(text);
  std::string best;
  if (!(in >> watched.step >> watched.bestStep >> watched.worse >> best))
    return {};
  watched.best = std::strtod(best.c_str(), nullptr);
  return watched;
}

std::string Watched::write() const {
  return std::to_string(step) + " " + std::to_string(bestStep) + " " +
         std::to_string(worse) + " " + settingNumber(best);
}

bool Watched::add(uint64_t at, double value, double least) {
  if (at <= step)
    return false;
  step = at;
  bool isBetter = std::isfinite(value) && (!bestStep || value > best + least);
  if (!isBetter) {
    ++worse;
    return false;
  }
  best = value;
  bestStep = at;
  worse = 0;
  return true;
}

double reprise::rt::watchedValue(const EvaluateResult &result, bool byLoss) {
  return result.hasAccuracy && !byLoss ? result.accuracy() : -result.loss;
}

bool reprise::rt::isDue(uint64_t epoch, uint64_t every, uint64_t start) {
  return every > 0 && epoch >= start && epoch % every == 0;
}
