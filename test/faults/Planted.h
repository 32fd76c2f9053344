//===- Planted.h - Faults as a test build has them --------------*- C++ -*-===//
#ifndef REPRISE_TEST_FAULTS_PLANTED_H
#define REPRISE_TEST_FAULTS_PLANTED_H

#include <vector>

bool plantedFirst();
bool plantedSecond();

/// What a loop over 0..5 has seen: all of it, or what its faults leave.
std::vector<int> plantedLoop();

#endif // REPRISE_TEST_FAULTS_PLANTED_H
