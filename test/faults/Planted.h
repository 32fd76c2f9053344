//===- Planted.h - Faults as a test build has them --------------*- C++ -*-===//
#ifndef REPRISE_TEST_FAULTS_PLANTED_H
#define REPRISE_TEST_FAULTS_PLANTED_H

bool plantedFirst();
bool plantedSecond();

#endif // REPRISE_TEST_FAULTS_PLANTED_H
