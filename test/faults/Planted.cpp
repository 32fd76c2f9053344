//===- Planted.cpp - Faults as a test build has them ----------------------===//
#define REPRISE_PLANT_FAULTS
#include "Planted.h"
#include "reprise/Fault.h"

bool plantedFirst() {
  REPRISE_FAULT("first", return true);
  return false;
}

bool plantedSecond() {
  REPRISE_FAULT("second", return true);
  return false;
}

std::vector<int> plantedLoop() {
  std::vector<int> seen;
  for (int i = 0; i < 6; ++i) {
    REPRISE_FAULT("loop", if (i == 1) continue);
    REPRISE_FAULT("loop", if (i == 4) break);
    seen.push_back(i);
    REPRISE_FAULT("loop", {
      int &last = seen.back();
      last = -last;
    });
  }
  return seen;
}
