//===- Solvers.h - Constructors of the registered solvers -------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_SOLVERS_H
#define REPRISE_LIB_PLAN_SOLVERS_H

#include "reprise/Plan/Recompute.h"

namespace reprise::plan {

// Baselines: fixed rules for keeping values (see Baselines.cpp).
std::unique_ptr<Solver> createNone();
std::unique_ptr<Solver> createSegments(unsigned count);
std::unique_ptr<Solver> createSqrt();
std::unique_ptr<Solver> createChen();
std::unique_ptr<Solver> createThreshold();

// Chains of stages (see Revolve.cpp and Rotor.cpp).
std::unique_ptr<Solver> createRevolve();
std::unique_ptr<Solver> createRotor();

// Searches (see Search.cpp).
std::unique_ptr<Solver> createEviction();
std::unique_ptr<Solver> createCut();
std::unique_ptr<Solver> createSearch();
std::unique_ptr<Solver> createAuto();

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SOLVERS_H
