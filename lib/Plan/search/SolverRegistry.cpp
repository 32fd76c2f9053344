//===- SolverRegistry.cpp - Solvers by name -------------------------------===//
#include "Solvers.h"

namespace reprise::plan {

Solver::~Solver() = default;

namespace {
struct Entry {
  const char *name;
  std::unique_ptr<Solver> (*create)();
};
} // namespace

static const Entry kSolvers[] = {
    {"none", createNone},         {"sqrt", createSqrt},
    {"chen", createChen},         {"threshold", createThreshold},
    {"revolve", createRevolve},   {"rotor", createRotor},
    {"eviction", createEviction}, {"cut", createCut},
    {"search", createSearch},     {"auto", createAuto},
};

static constexpr char kSegments[] = "segments=";

/// Returns the N of "segments=N"; 0 for anything else.
static unsigned parseSegments(const std::string &name) {
  constexpr size_t prefix = sizeof(kSegments) - 1, digits = 6;
  if (name.compare(0, prefix, kSegments) != 0 || name.size() == prefix ||
      name.size() > prefix + digits)
    return 0;
  unsigned count = 0;
  for (char c : name.substr(prefix)) {
    if (c < '0' || c > '9')
      return 0;
    count = 10 * count + (c - '0');
  }
  return count;
}

std::unique_ptr<Solver> createSolver(const std::string &name) {
  for (const Entry &entry : kSolvers)
    if (name == entry.name)
      return entry.create();
  if (unsigned count = parseSegments(name))
    return createSegments(count);
  return nullptr;
}

std::vector<std::string> solverNames() {
  std::vector<std::string> names;
  for (const Entry &entry : kSolvers)
    names.push_back(entry.name);
  names.insert(names.begin() + 1, "segments=N");
  return names;
}

} // namespace reprise::plan
