//===- FuzzGraph.cpp - Any bytes as a graph and a plan --------------------===//
//
// Input:   the text of a graph; after the first NUL byte, that of a plan.
// Holds:   no crash, no sanitizer report; what is refused has a message; a
//          graph that is read passes checkGraph; a plan made for it passes
//          validatePlan, before and after it went through a file.
//
//===----------------------------------------------------------------------===//
#include "reprise/PlanFormat/GraphJson.h"
#include "reprise/PlanFormat/PlanJson.h"

#include <cstdlib>
#include <numeric>

using namespace reprise::plan;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

static void checkRoundTrip(const Graph &graph) {
  Executions order(graph.ops.size());
  std::iota(order.begin(), order.end(), 0);
  require(checkExecutions(graph, order).empty());
  Plan plan = makePlan(graph, order, 0);
  require(validatePlan(graph, plan).empty());
  auto read = format::readPlan("p", format::writePlan(graph, plan), graph);
  require(read.ok());
  require(validatePlan(graph, *read).empty());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string all(reinterpret_cast<const char *>(data), size);
  size_t end = std::min(all.find('\0'), all.size());
  auto file = format::readGraph("g", all.substr(0, end));
  if (!file.ok()) {
    require(!file.status().message().empty());
    return 0;
  }
  require(checkGraph(file->graph).empty());
  checkRoundTrip(file->graph);
  if (end == all.size())
    return 0;
  auto plan = format::readPlan("p", all.substr(end + 1), file->graph);
  if (!plan.ok())
    require(!plan.status().message().empty());
  else
    (void)validatePlan(file->graph, *plan); // says anything, but says it
  return 0;
}
