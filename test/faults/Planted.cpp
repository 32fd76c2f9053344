//===- Planted.cpp - Faults as a test build has them ----------------------===//
#define REPRISE_PLANT_FAULTS
#include "Planted.h"
#include "reprise/Fault.h"

bool plantedFirst() { return REPRISE_FAULT("first"); }
bool plantedSecond() { return REPRISE_FAULT("second"); }
