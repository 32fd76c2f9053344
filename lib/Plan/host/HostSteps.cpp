//===- HostSteps.cpp - Check and time schedules with host copies ----------===//
//
// Input:   a well-formed graph and steps.
// Output:  see checkHostSteps and simulate.
// Method:  one walk over the steps.
// Cost:    linear in the uses of the steps.
//
//===----------------------------------------------------------------------===//
#include "../graph/Storage.h"
#include "reprise/Plan/HostMemory.h"

#include <algorithm>
#include <numeric>

namespace reprise::plan {

std::string checkHostSteps(const Graph &graph, const HostSteps &steps) {
  std::vector<bool> isComputed(graph.values.size(), false);
  std::vector<bool> isOnHost(graph.values.size(), false);
  Executions executions;
  for (size_t at = 0; at < steps.size(); ++at) {
    const HostStep &step = steps[at];
    auto wrong = [&](const std::string &what) {
      return "step " + std::to_string(at) + " " + what + " value '" +
             graph.values[step.id].name + "'";
    };
    if (step.kind == HostStep::Kind::Execute) {
      executions.push_back(step.id);
      if (step.id < graph.ops.size())
        for (ValueId value : graph.ops[step.id].outputs)
          isComputed[value] = true;
      continue;
    }
    if (step.id >= graph.values.size())
      return "step " + std::to_string(at) + " copies value " +
             std::to_string(step.id) + " of " +
             std::to_string(graph.values.size());
    if (step.kind == HostStep::Kind::Fetch) {
      if (!isOnHost[step.id])
        return wrong("fetches, before it was offloaded,");
      continue;
    }
    const Value &value = graph.values[step.id];
    if (value.viewOf != kNone || value.storage != StorageClass::Temporary)
      return wrong("offloads a view, an input, an output or a variable,");
    if (!isComputed[step.id])
      return wrong("offloads, before it is computed,");
    if (isOnHost[step.id])
      return wrong("offloads again");
    isOnHost[step.id] = true;
  }
  return checkExecutions(graph, executions);
}

double HostTimes::waiting() const {
  return std::accumulate(waitingFor.begin(), waitingFor.end(), 0.0);
}

HostTimes simulate(const Graph &graph, const HostSteps &steps,
                   const HostLink &link) {
  Storages storages = analyzeStorages(graph);
  std::vector<bool> isOffloaded(graph.values.size(), false);
  for (const HostStep &step : steps)
    if (step.kind == HostStep::Kind::Offload)
      isOffloaded[step.id] = true;
  // By value: when its offload has ended, and when its newest instance is
  // there.
  std::vector<double> onHost(graph.values.size(), -1),
      ready(graph.values.size(), 0);
  std::vector<size_t> fetchOf(graph.values.size(), 0); // by value: its step
  HostTimes times;
  double now = 0, outFree = 0, inFree = 0;
  auto waitUntil = [&](double moment, size_t copy) {
    if (moment <= now)
      return;
    times.waitingFor[copy] += moment - now;
    now = moment;
  };
  times.waitingFor.assign(steps.size(), 0);
  for (size_t at = 0; at < steps.size(); ++at) {
    const HostStep &step = steps[at];
    if (step.kind == HostStep::Kind::Offload) {
      waitUntil(onHost[step.id], at);
    } else if (step.kind == HostStep::Kind::Fetch) {
      double begin = std::max({now, inFree, onHost[step.id]});
      inFree = begin + link.milliseconds(graph.values[step.id].bytes);
      ready[step.id] = inFree;
      fetchOf[step.id] = at;
    } else {
      const Op &op = graph.ops[step.id];
      for (ValueId input : op.inputs) {
        ValueId root = storages.rootOf[input];
        waitUntil(ready[root], fetchOf[root]);
      }
      now += op.cost;
      for (ValueId output : op.outputs) {
        ready[output] = 0;
        if (!isOffloaded[output] || onHost[output] >= 0)
          continue;
        outFree = std::max(now, outFree) +
                  link.milliseconds(graph.values[output].bytes);
        onHost[output] = outFree;
      }
    }
  }
  times.milliseconds = now;
  return times;
}

} // namespace reprise::plan
