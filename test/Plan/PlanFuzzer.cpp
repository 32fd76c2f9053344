//===- PlanFuzzer.cpp - Small graphs through all commands -----------------===//
//
//   plan_fuzzer REPRISE_PLAN FOLDER SECONDS [SEED]
//
// Makes random graphs of up to 12 ops and asks every command of reprise-plan
// about them, for budgets from 0 to twice the bytes without recomputation. The
// oracle is BruteForce.h. A finding is a command that ends otherwise than with
// a result or a refusal, a plan that `validate` rejects, one dearer than the
// optimum, a refused budget that a schedule of the optimum fits, or one that no
// schedule fits and that is not called impossible. The graph and the command of
// a finding stay in FOLDER; the exit status is then 1.
//
// Bytes are placed: a budget that the optimum's bytes meet and none of its
// placements does is counted apart. Graphs that are too large for the oracle
// are left out.
//
//===----------------------------------------------------------------------===//
#include "BruteForce.h"
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

constexpr unsigned kExecutions = 3; // of an op, by the oracle

struct Run {
  int status = -1; // of the process; negative: ended by a signal
  std::string out, err;
};

class Fuzzer {
public:
  Fuzzer(std::string tool, std::string folder)
      : tool(std::move(tool)), folder(std::move(folder)) {}

  /// All commands for one graph; false after a finding.
  bool visit(uint64_t seed);

  uint64_t graphs = 0, budgets = 0, met = 0, impossible = 0, placement = 0;

private:
  Run run(const std::string &arguments);
  bool fail(const std::string &problem);
  bool solve(const Graph &graph, uint64_t budget, uint64_t least);
  bool checkMet(uint64_t budget, const std::optional<double> &best,
                const nlohmann::json &answer);
  bool checkRefused(uint64_t budget, uint64_t least, const Run &answer);
  bool askOthers(uint64_t budget);
  std::string path(const char *name) const { return folder + "/" + name; }

  std::string tool, folder, command;
  uint64_t seed = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Every third one shaped like a training step, every third without placed
/// values or with few, the rest of any shape.
static Graph makeGraph(uint64_t seed) {
  if (seed % 3 == 0) {
    TrainingGraphOptions options;
    options.forwardOps = 1 + seed / 3 % 4;
    options.views = seed % 2;
    return makeRandomTrainingGraph(seed, options);
  }
  RandomGraphOptions options;
  options.ops = seed % 16 == 1 ? 0 : 1 + seed / 3 % 8;
  options.views = seed % 2;
  Graph graph = makeRandomGraph(seed, options);
  for (OpId op = 0; op < graph.ops.size(); ++op)
    graph.ops[op].cost = 0.25 * double((seed * 7 + 5 * op) % 9);
  if (seed % 3 == 1)
    for (Value &value : graph.values)
      if ((seed + value.bytes) % 4 && value.storage != StorageClass::Output) {
        value.bytes = seed % 2 ? 0 : value.bytes;
        if (value.producer == kNone)
          value.storage = StorageClass::Fixed;
      }
  return graph;
}

/// A pair in a file names values, and so holds wherever the op reads that
/// value.
static void widenPairs(Graph &graph) {
  for (Op &op : graph.ops) {
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (auto [output, named] : op.inPlace)
      for (uint32_t input = 0; input < op.inputs.size(); ++input)
        if (op.inputs[input] == op.inputs[named] &&
            !std::count(pairs.begin(), pairs.end(),
                        std::make_pair(output, input)))
          pairs.push_back({output, input});
    op.inPlace = std::move(pairs);
  }
}

static const char *nameOf(StorageClass storage) {
  switch (storage) {
  case StorageClass::Temporary:
    return "temporary";
  case StorageClass::Input:
    return "input";
  case StorageClass::Output:
    return "output";
  case StorageClass::Fixed:
    break;
  }
  return "fixed";
}

static std::string valueName(ValueId id) { return "v" + std::to_string(id); }
static std::string opName(OpId id) { return "f" + std::to_string(id); }

static nlohmann::json namesOf(const std::vector<ValueId> &values) {
  nlohmann::json names = nlohmann::json::array();
  for (ValueId id : values)
    names.push_back(valueName(id));
  return names;
}

static nlohmann::json jsonOf(const Op &op, OpId id) {
  nlohmann::json json = {{"name", opName(id)},
                         {"cost_ms", op.cost},
                         {"workspace_bytes", op.workspaceBytes},
                         {"effect", op.effect},
                         {"inputs", namesOf(op.inputs)},
                         {"outputs", namesOf(op.outputs)},
                         {"overwrites", namesOf(op.overwrites)}};
  if (op.backward)
    json["phase"] = "backward";
  for (auto [output, input] : op.inPlace)
    json["in_place"].push_back(
        {valueName(op.outputs[output]), valueName(op.inputs[input])});
  for (OpId other : op.after)
    json["after"].push_back(opName(other));
  return json;
}

static std::string jsonOf(const Graph &graph) {
  nlohmann::json json = {{"version", 1}};
  json["values"] = nlohmann::json::array();
  json["ops"] = nlohmann::json::array();
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    nlohmann::json entry = {{"name", valueName(id)},
                            {"bytes", value.bytes},
                            {"storage", nameOf(value.storage)}};
    if (value.viewOf != kNone)
      entry["view_of"] = valueName(value.viewOf);
    json["values"].push_back(entry);
  }
  for (OpId id = 0; id < graph.ops.size(); ++id)
    json["ops"].push_back(jsonOf(graph.ops[id], id));
  return json.dump(1);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static std::string textOf(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Run Fuzzer::run(const std::string &arguments) {
  command = tool + " " + arguments;
  std::string line = "timeout 60 " + command + " >" + path("out") + " 2>" +
                     path("err") + " </dev/null";
  int status = std::system(line.c_str());
  Run result;
  if (WIFEXITED(status))
    result.status = WEXITSTATUS(status);
  result.out = textOf(path("out"));
  result.err = textOf(path("err"));
  return result;
}

bool Fuzzer::fail(const std::string &problem) {
  std::string name = folder + "/finding-" + std::to_string(seed) + ".json";
  std::rename(path("graph.json").c_str(), name.c_str());
  std::cout << "finding: seed " << seed << ": " << problem << "\n  " << command
            << "\n  the graph is " << name << "\n"
            << textOf(path("err"));
  return false;
}

/// How often a plan runs the op that it runs most.
static unsigned mostRuns(const std::string &plan) {
  std::map<std::string, unsigned> runs;
  unsigned most = 0;
  auto json = nlohmann::json::parse(plan);
  for (const nlohmann::json &step : json.at("steps"))
    most = std::max(most, ++runs[step.at("op").get<std::string>()]);
  return most;
}

/// Exit statuses of a result and of a refusal.
static bool isAnswer(const Run &answer) {
  return answer.status == 0 || answer.status == 1;
}

bool Fuzzer::checkMet(uint64_t budget, const std::optional<double> &best,
                      const nlohmann::json &answer) {
  ++met;
  if (answer.at("height_bytes").get<uint64_t>() > budget)
    return fail("the plan is above the budget");
  double cost = answer.at("cost_ms");
  // The oracle knows no schedule that runs an op more often.
  bool isBeyond = mostRuns(textOf(path("plan.json"))) > kExecutions;
  if (!best || cost < *best - 1e-6)
    return isBeyond ||
           fail(best ? "the oracle's optimum is " + std::to_string(*best)
                     : "the oracle finds no schedule");
  if (cost > *best + 1e-6) {
    // Only bytes lost between buffers may make a plan dearer.
    ++placement;
    std::cout << "dearer: seed " << seed << ": optimum " << *best << ", plan "
              << cost << "\n";
  }
  return true;
}

bool Fuzzer::checkRefused(uint64_t budget, uint64_t least, const Run &answer) {
  bool isProven =
      answer.err.find("cannot be met by any schedule") != std::string::npos;
  if (isProven && budget >= least)
    return fail("called impossible; the least is " + std::to_string(least));
  if (!isProven && budget < least)
    return fail("not called impossible; the least is " + std::to_string(least));
  if (!isProven) {
    ++placement;
    std::cout << "refused: seed " << seed << ": least " << least << ", budget "
              << budget << "\n";
  }
  impossible += isProven;
  auto json = nlohmann::json::parse(answer.out, nullptr, false);
  if (json.is_discarded() || !json.contains("smallest_bytes"))
    return fail("the refusal is not JSON");
  uint64_t smallest = json.at("smallest_bytes");
  Run again = run("solve " + path("graph.json") + " --threads 1 --budget " +
                  std::to_string(smallest));
  return again.status == 0 ||
         fail("the budget that a refusal names is refused");
}

bool Fuzzer::solve(const Graph &graph, uint64_t budget, uint64_t least) {
  ++budgets;
  std::string arguments = "solve " + path("graph.json") +
                          " --threads 1 --budget " + std::to_string(budget);
  Run answer = run(arguments + " --json");
  if (!isAnswer(answer))
    return fail("exit status " + std::to_string(answer.status));
  if (answer.status == 1)
    return checkRefused(budget, least, answer);
  std::optional<double> best = 0;
  if (!graph.ops.empty())
    best = bruteForceCost(graph, budget, {/*freeOrder=*/true, kExecutions});
  auto json = nlohmann::json::parse(answer.out, nullptr, false);
  if (json.is_discarded())
    return fail("the answer is not JSON");
  if (run(arguments + " -o " + path("plan.json")).status != 0)
    return fail("the plan is not written");
  if (run("validate " + path("graph.json") + " " + path("plan.json") +
          " --budget " + std::to_string(budget))
          .status != 0)
    return fail("the plan is not valid");
  return checkMet(budget, best, json);
}

bool Fuzzer::askOthers(uint64_t budget) {
  std::string graph = path("graph.json");
  for (const std::string &arguments :
       {"bound " + graph,
        "bound " + graph + " --budget " + std::to_string(budget),
        "sweep " + graph + " --threads 1 --work 0.02", "place " + graph}) {
    Run answer = run(arguments);
    if (!isAnswer(answer))
      return fail("exit status " + std::to_string(answer.status));
  }
  for (const char *solver : {"none", "sqrt", "segments=2", "chen", "threshold",
                             "revolve", "rotor", "eviction", "cut", "search"}) {
    Run answer = run("solve " + graph + " --threads 1 --work 0.02 --solver " +
                     solver + " --budget " + std::to_string(budget));
    if (!isAnswer(answer))
      return fail("exit status " + std::to_string(answer.status));
  }
  return true;
}

bool Fuzzer::visit(uint64_t number) {
  seed = number;
  Graph graph = makeGraph(seed);
  widenPairs(graph);
  if (graph.ops.size() > 9 || graph.values.size() > 24)
    return true;
  ++graphs;
  std::ofstream(path("graph.json")) << jsonOf(graph);
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  // The oracle counts steps; without any the inputs are there all the same.
  uint64_t least =
      graph.ops.empty()
          ? peak
          : bruteForcePeak(graph, {/*freeOrder=*/true, kExecutions});
  for (uint64_t budget :
       {uint64_t(0), least - std::min<uint64_t>(least, 1), least,
        (least + peak) / 2 / kAlignment * kAlignment,
        peak - std::min<uint64_t>(peak, kAlignment), peak, 2 * peak})
    if (!solve(graph, budget, least))
      return false;
  return askOthers(seed % 3 * peak / 2);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    std::cerr << "usage: plan_fuzzer REPRISE_PLAN FOLDER SECONDS [SEED]\n";
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point end =
      Clock::now() + std::chrono::seconds(std::atoll(argv[3]));
  Fuzzer fuzzer(argv[1], argv[2]);
  uint64_t seed = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0;
  bool isFine = true;
  for (; isFine && Clock::now() < end; ++seed)
    isFine = fuzzer.visit(seed);
  std::cout << fuzzer.graphs << " graphs, " << fuzzer.budgets << " budgets, "
            << fuzzer.met << " met, " << fuzzer.impossible << " impossible, "
            << fuzzer.placement << " lost to placement\n";
  return isFine ? 0 : 1;
}
