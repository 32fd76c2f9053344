//===- PlanFuzzer.cpp - Small graphs through all commands -----------------===//
//
//   plan_fuzzer REPRISE_PLAN FOLDER SECONDS [SEED]
//
// Makes random graphs of up to 12 ops and asks every command of reprise-plan
// about them, for budgets from 0 to twice the bytes without recomputation. The
// oracle is BruteForce.h. A finding is
//   - a command that ends otherwise than with a result or a refusal,
//   - a plan that `validate` rejects, or that is above its budget,
//   - a plan or a bound that contradicts the optimum,
//   - a budget called impossible that a schedule meets, or the other way round,
//   - a refusal that names a budget which is refused, or whose list does not
//     add up,
//   - a plan of `solve` or of the frontier of `sweep` that is dearer than the
//     optimum, unless bytes between buffers are lost,
//   - a plan of `sweep` that is dearer than that of `solve`.
// The graph and the command of a finding stay in FOLDER; the exit status is
// then 1.
//
// Budgets are of placed bytes and the optimum is of live ones: a plan that is
// dearer, or missing, where no loss-free placement of an optimal schedule is
// known is counted as lost to placement.
//
//===----------------------------------------------------------------------===//
#include "BruteForce.h"
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

using namespace reprise::plan;
using namespace reprise::plan::test;

using Json = nlohmann::json;

namespace {

constexpr uint32_t kOps = 12, kValues = 24;
constexpr double kTolerance = 1e-6; // milliseconds

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

  bool solve(uint64_t budget);
  bool solveOtherwise(uint64_t budget, const std::string &options);
  bool bound(uint64_t budget);
  bool sweep();
  bool place();

  bool checkMet(uint64_t budget, const Json &answer);
  void checkOptimal(uint64_t budget, double cost);
  bool checkAgainstSolve(uint64_t budget, double cost);
  bool checkRefused(uint64_t budget, const Run &answer);
  std::optional<double> optimum(uint64_t budget);
  std::string path(const char *name) const { return folder + "/" + name; }

  const std::string tool, folder;
  std::string command;
  uint64_t seed = 0;
  Graph graph;
  uint64_t least = 0;                             // bytes of any schedule
  std::map<uint64_t, std::optional<double>> best; // by budget
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
  options.ops = seed % 16 == 1 ? 0 : 1 + seed / 3 % kOps;
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

static Json namesOf(const std::vector<ValueId> &values) {
  Json names = Json::array();
  for (ValueId id : values)
    names.push_back(valueName(id));
  return names;
}

static Json jsonOf(const Op &op, OpId id) {
  Json json = {{"name", opName(id)},
               {"cost_ms", op.cost},
               {"workspace_bytes", op.workspaceBytes},
               {"runs_once", op.runsOnce},
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
  Json json = {{"version", 1}};
  json["values"] = Json::array();
  json["ops"] = Json::array();
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Value &value = graph.values[id];
    Json entry = {{"name", valueName(id)},
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

/// Exit statuses of a result and of a refusal.
static bool isAnswer(const Run &answer) {
  return answer.status == 0 || answer.status == 1;
}

static std::string budgetOption(uint64_t budget) {
  return " --budget " + std::to_string(budget);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::optional<double> Fuzzer::optimum(uint64_t budget) {
  auto [found, isNew] = best.try_emplace(budget);
  if (isNew)
    found->second = graph.ops.empty() ? 0
                                      : bruteForceCost(graph, budget,
                                                       {/*freeOrder=*/true, 0});
  return found->second;
}

bool Fuzzer::checkMet(uint64_t budget, const Json &answer) {
  if (answer.at("height_bytes").get<uint64_t>() > budget)
    return fail("the plan is above the budget");
  std::optional<double> cheapest = optimum(budget);
  if (!cheapest)
    return fail("the oracle finds no schedule");
  if (answer.at("cost_ms").get<double>() < *cheapest - kTolerance ||
      answer.at("bound_ms").get<double>() > *cheapest + kTolerance)
    return fail("the optimum is " + std::to_string(*cheapest) + " ms");
  return true;
}

/// Counts plans that are dearer since no placement of a cheaper one is known.
void Fuzzer::checkOptimal(uint64_t budget, double cost) {
  if (cost <= *optimum(budget) + kTolerance)
    return;
  ++placement;
  std::cout << "dearer: seed " << seed << ": budget " << budget << ", optimum "
            << *optimum(budget) << ", plan " << cost << ": " << command << "\n";
}

bool Fuzzer::checkRefused(uint64_t budget, const Run &answer) {
  bool isProven =
      answer.err.find("cannot be met by any schedule") != std::string::npos;
  impossible += isProven;
  if (isProven && budget >= least)
    return fail("called impossible; the least is " + std::to_string(least));
  if (!isProven && budget < least)
    return fail("not called impossible; the least is " + std::to_string(least));
  Json json = Json::parse(answer.out, nullptr, false);
  if (json.is_discarded() || !json.contains("smallest_bytes"))
    return fail("the refusal is not JSON");
  if (json.at("pinned").empty())
    return true;
  uint64_t sum = json.at("workspace_bytes");
  for (const Json &value : json.at("pinned"))
    sum += value.at("bytes").get<uint64_t>();
  return json.at("bound_bytes") == sum ||
         fail("what the refusal lists adds up to " + std::to_string(sum));
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

bool Fuzzer::solve(uint64_t budget) {
  ++budgets;
  std::string arguments =
      "solve " + path("graph.json") + " --threads 1" + budgetOption(budget);
  Run answer = run(arguments + " --json");
  if (!isAnswer(answer))
    return fail("exit status " + std::to_string(answer.status));
  Json json = Json::parse(answer.out, nullptr, false);
  if (json.is_discarded())
    return fail("the answer is not JSON");
  if (answer.status == 1) {
    if (!checkRefused(budget, answer))
      return false;
    if (budget >= least) {
      ++placement;
      std::cout << "refused: seed " << seed << ": least " << least
                << ", budget " << budget << "\n";
    }
    Run again = run("solve " + path("graph.json") + " --threads 1" +
                    budgetOption(json.at("smallest_bytes").get<uint64_t>()));
    return again.status == 0 ||
           fail("the budget that a refusal names is refused");
  }
  ++met;
  if (!checkMet(budget, json))
    return false;
  checkOptimal(budget, json.at("cost_ms"));
  if (run(arguments + " -o " + path("plan.json")).status != 0)
    return fail("the plan is not written");
  return run("validate " + path("graph.json") + " " + path("plan.json") +
             budgetOption(budget))
                 .status == 0 ||
         fail("the plan is not valid");
}

/// With other solvers, efforts and limits, which need not find the optimum.
bool Fuzzer::solveOtherwise(uint64_t budget, const std::string &options) {
  Run answer = run("solve " + path("graph.json") + " --json --threads 1" +
                   budgetOption(budget) + options);
  if (!isAnswer(answer))
    return fail("exit status " + std::to_string(answer.status));
  if (answer.status == 1)
    return checkRefused(budget, answer);
  return checkMet(budget, Json::parse(answer.out));
}

bool Fuzzer::bound(uint64_t budget) {
  Run answer =
      run("bound " + path("graph.json") + " --json" + budgetOption(budget));
  if (answer.status != 0)
    return fail("exit status " + std::to_string(answer.status));
  Json json = Json::parse(answer.out);
  if (json.at("bound_bytes").get<uint64_t>() > least)
    return fail("the least is " + std::to_string(least));
  std::optional<double> cheapest = optimum(budget);
  if (!json.at("feasible").get<bool>())
    return !cheapest || fail("a schedule meets the budget");
  return !cheapest || json.at("bound_ms") <= *cheapest + kTolerance ||
         fail("the optimum is " + std::to_string(*cheapest) + " ms");
}

/// A plan of `sweep` that is dearer than the optimum is as cheap as that of
/// `solve`.
bool Fuzzer::checkAgainstSolve(uint64_t budget, double cost) {
  if (cost <= *optimum(budget) + kTolerance)
    return true;
  checkOptimal(budget, cost);
  Run answer = run("solve " + path("graph.json") + " --threads 1 --json" +
                   budgetOption(budget));
  return answer.status != 0 ||
         Json::parse(answer.out).at("cost_ms") >= cost - kTolerance ||
         fail("`sweep` has a plan of " + std::to_string(cost) + " ms");
}

bool Fuzzer::sweep() {
  Run answer =
      run("sweep " + path("graph.json") + " --json --threads 1 --work 0.02");
  if (answer.status != 0)
    return fail("exit status " + std::to_string(answer.status));
  double before = HUGE_VAL; // cost on the frontier
  for (const Json &row : Json::parse(answer.out)) {
    uint64_t budget = row.at("budget_bytes");
    double cost = row.at("cost_ms");
    std::optional<double> cheapest = optimum(budget);
    if (!cheapest || cost < *cheapest - kTolerance ||
        row.at("bound_ms") > *cheapest + kTolerance)
      return fail("a row of " + std::to_string(budget) +
                  " bytes contradicts the optimum");
    if (!row.at("frontier").get<bool>())
      continue;
    if (cost >= before)
      return fail("a row of " + std::to_string(budget) +
                  " bytes does not belong to the frontier");
    before = cost;
    if (!checkAgainstSolve(budget, cost))
      return false;
  }
  return true;
}

/// The buffers of the graph's own order.
bool Fuzzer::place() {
  Liveness liveness = computeLiveness(graph, programOrder(graph));
  std::ofstream file(path("buffers.csv"));
  file << "id,lower,upper,size\n";
  for (size_t id = 0; id < liveness.buffers.size(); ++id) {
    const Buffer &buffer = liveness.buffers[id];
    file << "b" << id << "," << buffer.firstStep << "," << buffer.lastStep + 1
         << "," << buffer.bytes << "\n";
  }
  file.close();
  Run answer = run("place " + path("buffers.csv") + " --json");
  if (answer.status != 0)
    return fail("exit status " + std::to_string(answer.status));
  Json json = Json::parse(answer.out);
  return (json.at("max_live_bytes") == liveness.maxLive &&
          json.at("height_bytes") >= liveness.maxLive) ||
         fail(std::to_string(liveness.maxLive) + " bytes live at once");
}

bool Fuzzer::visit(uint64_t number) {
  seed = number;
  graph = makeGraph(seed);
  widenPairs(graph);
  if (graph.ops.size() > kOps || graph.values.size() > kValues)
    return true;
  ++graphs;
  best.clear();
  std::ofstream(path("graph.json")) << jsonOf(graph);
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  // The oracle counts steps; without any the inputs are there all the same.
  least =
      graph.ops.empty() ? peak : bruteForcePeak(graph, {/*freeOrder=*/true, 0});
  for (uint64_t budget :
       {uint64_t(0), least - std::min<uint64_t>(least, 1), least,
        (least + peak) / 2 / kAlignment * kAlignment,
        peak - std::min<uint64_t>(peak, kAlignment), peak, 2 * peak})
    if (!solve(budget) || !bound(budget))
      return false;
  uint64_t budget = least + seed % 4 * (peak - least) / 3;
  for (const char *options :
       {" --solver none", " --solver sqrt", " --solver segments=2",
        " --solver chen", " --solver threshold", " --solver revolve",
        " --solver rotor", " --solver eviction", " --solver cut",
        " --solver search --work 0.02", " --effort quick --work 0",
        " --effort normal --work 0.1", " --time-limit 20ms"})
    if (!solveOtherwise(budget, options))
      return false;
  return sweep() && place();
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
