//===- HostPlan.cpp - Keep, recompute or offload --------------------------===//
//
// Input:   a graph, its frontier of schedules with recomputation, the budgets
//          of device and host, the link.
// Output:  see planWithHost.
// Method:  a schedule that offloads keeps, on device and host together, what a
//          schedule for a larger budget keeps on the device: each point of the
//          frontier above the budget is tried. Values that wait between two
//          readers while too much is live are offloaded, in several orders,
//          until the rest fits. An offload then ends as late as its copy needs,
//          and a fetch begins as early, where bytes are left for that. The
//          schedule of the least simulated time is taken. Clones of it are
//          then left out, the most expensive ones first, where that makes it
//          faster.
//          Bound: if the host holds C bytes at the first execution of an op,
//          the values that are neither recomputed afterwards nor on the host
//          fit into the budget B, so that the relaxation of lowerBound at that
//          op holds for B + C bytes. In a step of T ms, and with others of A ms
//          that depend on the op, the link has moved at most R (T - A) bytes
//          until then, at R bytes a ms. A time T is refuted if the relaxation
//          for B + min(host, R (T - A)) bytes needs more than it.
// Cost:    some dozens of walks over the steps for each point, and some ten
//          bounds.
//
//===----------------------------------------------------------------------===//
#include "../graph/Storage.h"
#include "reprise/Plan/HostMemory.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace reprise::plan {

namespace {

/// A wait of a value between two of its uses in a schedule.
struct Waiting {
  ValueId value = kNone;
  uint64_t bytes = 0;
  /// Executions: the one that computes the value, the last use before the wait
  /// and the first one after it.
  uint32_t made = 0, last = 0, next = 0;
  /// True if the last use may write its result in the value's place: an offload
  /// that ends before it leaves it the bytes.
  bool isOverwritten = false;
  bool isLongest = false; // of the value's waits
};

/// A copy before execution `at`, or at the end of the step.
struct PlacedCopy {
  ValueId value = kNone;
  uint32_t at = 0;
};

/// Offloads values of one schedule with recomputation.
class Offloader {
public:
  Offloader(const Graph &graph, const Storages &storages,
            const HostOptions &options, const Executions &executions)
      : graph(graph), storages(storages), options(options),
        executions(executions) {
    begin.assign(1, 0);
    for (OpId id : executions)
      begin.push_back(begin.back() + graph.ops[id].cost);
    findLive({});
    plain = live;
    findWaiting();
  }

  HostPlan plan();

private:
  using Chosen = std::vector<Waiting>;
  void findWaiting();
  bool isOverwritten(const Waiting &wait) const;
  bool isWorthwhile(const Waiting &wait) const;
  void findLive(const HostSteps &steps);
  bool fits() const;
  bool offload(const Chosen &chosen);
  Chosen fewest(const Chosen &candidates);
  void drop(Chosen &chosen);
  void endOffloads(const Chosen &chosen);
  void beginFetches(const Chosen &chosen);
  HostSteps steps() const;
  bool isFree(uint32_t at, uint64_t bytes) const {
    return live[at] + bytes <= options.solver.budgetBytes;
  }
  double lengthOf(const Waiting &wait) const {
    return begin[wait.next] - begin[wait.last + 1];
  }
  double copyTime(const Waiting &wait) const {
    return options.host.link.milliseconds(graph.values[wait.value].bytes);
  }

  const Graph &graph;
  const Storages &storages;
  const HostOptions &options;
  const Executions &executions;
  std::vector<double> begin;   // by execution, and of the step's end
  Chosen waiting;              // in the order in which they are computed
  std::vector<uint64_t> plain; // live bytes by execution, without copies
  // The copies of the current choice.
  std::vector<uint64_t> live; // by execution
  std::vector<PlacedCopy> offloads, fetches;
  /// By wait of the choice: the execution from which the bytes are free.
  std::vector<uint32_t> freeFrom;
};

} // namespace

/// Values of less than this share of the budget are not offloaded: there are
/// many, and all of them together free little.
static constexpr uint64_t kSmall = 4096;
/// The number of values that are tried to do without.
static constexpr size_t kDropped = 48;

/// Finds the waits of each value's first instance.
void Offloader::findWaiting() {
  constexpr uint32_t never = UINT32_MAX;
  std::vector<uint32_t> made(graph.values.size(), never);
  std::vector<std::vector<uint32_t>> uses(graph.values.size());
  std::vector<bool> isOver(graph.values.size(), false), ran(graph.ops.size());
  std::vector<ValueId> order;
  for (uint32_t at = 0; at < executions.size(); ++at) {
    const Op &op = graph.ops[executions[at]];
    for (ValueId input : op.inputs) {
      ValueId root = storages.rootOf[input];
      if (!isOver[root] && (uses[root].empty() || uses[root].back() != at))
        uses[root].push_back(at);
    }
    for (ValueId output : op.outputs) {
      if (graph.values[output].viewOf != kNone)
        continue;
      isOver[output] = isOver[output] || ran[executions[at]];
      if (made[output] == never) {
        made[output] = at;
        order.push_back(output);
      }
    }
    ran[executions[at]] = true;
  }
  for (ValueId id : order) {
    const Value &value = graph.values[id];
    if (value.storage != StorageClass::Temporary || storages.toEnd[id] ||
        value.bytes <= options.solver.budgetBytes / kSmall)
      continue;
    uint32_t last = made[id];
    size_t first = waiting.size();
    for (uint32_t use : uses[id]) {
      Waiting wait = {id, storages.bytes[id], made[id], last, use};
      if (isWorthwhile(wait)) {
        wait.isOverwritten = isOverwritten(wait);
        waiting.push_back(wait);
      }
      last = use;
    }
    auto isShorter = [&](const Waiting &a, const Waiting &b) {
      return lengthOf(a) < lengthOf(b);
    };
    if (first < waiting.size())
      std::max_element(waiting.begin() + first, waiting.end(), isShorter)
          ->isLongest = true;
  }
}

bool Offloader::isOverwritten(const Waiting &wait) const {
  const Op &op = graph.ops[executions[wait.last]];
  return wait.last > wait.made &&
         std::any_of(op.inPlace.begin(), op.inPlace.end(), [&](auto pair) {
           return storages.rootOf[op.inputs[pair.second]] == wait.value;
         });
}

/// Returns true if too much is live during the wait.
bool Offloader::isWorthwhile(const Waiting &wait) const {
  return std::any_of(
      live.begin() + wait.last + 1, live.begin() + wait.next,
      [&](uint64_t bytes) { return bytes > options.solver.budgetBytes; });
}

/// The live bytes of each execution.
void Offloader::findLive(const HostSteps &steps) {
  UnrolledGraph unrolled =
      steps.empty() ? unroll(graph, executions) : unroll(graph, steps);
  Schedule schedule;
  schedule.order.resize(unrolled.graph.ops.size());
  std::iota(schedule.order.begin(), schedule.order.end(), 0);
  Liveness liveness = computeLiveness(unrolled.graph, schedule);
  live.clear();
  for (uint32_t step = 0; step < unrolled.opOf.size(); ++step)
    if (unrolled.opOf[step] != kNone)
      live.push_back(liveness.liveBytes[step]);
}

bool Offloader::fits() const {
  return std::all_of(live.begin(), live.end(), [&](uint64_t bytes) {
    return bytes <= options.solver.budgetBytes;
  });
}

HostSteps Offloader::steps() const {
  std::vector<HostSteps> before(executions.size() + 1);
  for (const PlacedCopy &copy : offloads)
    before[copy.at].push_back({HostStep::Kind::Offload, copy.value});
  for (const PlacedCopy &copy : fetches)
    before[copy.at].push_back({HostStep::Kind::Fetch, copy.value});
  HostSteps result;
  for (uint32_t at = 0; at <= executions.size(); ++at) {
    result.insert(result.end(), before[at].begin(), before[at].end());
    if (at < executions.size())
      result.push_back({HostStep::Kind::Execute, executions[at]});
  }
  return result;
}

/// Returns true if the wait is its value's first one of `chosen`, which the
/// offload serves; later ones find the value on the host.
static bool isFirst(const std::vector<Waiting> &chosen, size_t number) {
  return number == 0 || chosen[number - 1].value != chosen[number].value;
}

/// Lets each offload end when its copy has, but not later than bytes are left.
/// `chosen` is in the order in which the values are computed.
void Offloader::endOffloads(const Chosen &chosen) {
  double free = 0;
  for (size_t k = 0; k < chosen.size(); ++k) {
    const Waiting &wait = chosen[k];
    if (!isFirst(chosen, k))
      continue;
    free = std::max(free, begin[wait.made + 1]) + copyTime(wait);
    uint32_t &at = freeFrom[k];
    for (; at < wait.next && begin[at] < free && isFree(at, wait.bytes); ++at)
      live[at] += wait.bytes;
    offloads.push_back({wait.value, at});
  }
}

/// Lets each fetch begin so early that its copy has ended where the value is
/// read, as far as bytes are left.
void Offloader::beginFetches(const Chosen &chosen) {
  std::vector<uint32_t> byReader(chosen.size());
  std::iota(byReader.begin(), byReader.end(), 0);
  std::stable_sort(
      byReader.begin(), byReader.end(),
      [&](uint32_t a, uint32_t b) { return chosen[a].next > chosen[b].next; });
  double free = begin.back();
  std::vector<PlacedCopy> placed;
  for (uint32_t k : byReader) {
    const Waiting &wait = chosen[k];
    double end = std::min(free, begin[wait.next]);
    double wanted = end - copyTime(wait);
    uint32_t at = wait.next;
    for (; at > freeFrom[k] && begin[at] > wanted && isFree(at - 1, wait.bytes);
         --at)
      live[at - 1] += wait.bytes;
    placed.push_back({wait.value, at});
    free = std::min(end, std::max(wanted, begin[at]));
  }
  // Fetches at one place stay in the order in which they are read.
  std::reverse(placed.begin(), placed.end());
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto &a, const auto &b) { return a.at < b.at; });
  fetches = std::move(placed);
}

/// Places the copies of `chosen`. Returns false if too much is still live.
bool Offloader::offload(const Chosen &chosen) {
  Chosen inOrder = chosen;
  std::sort(inOrder.begin(), inOrder.end(),
            [](const Waiting &a, const Waiting &b) {
              return std::tie(a.made, a.value, a.last) <
                     std::tie(b.made, b.value, b.last);
            });
  offloads.clear();
  fetches.clear();
  freeFrom.clear();
  live = plain;
  for (const Waiting &wait : inOrder) {
    freeFrom.push_back(wait.last + 1);
    for (uint32_t at = wait.last + 1; at < wait.next; ++at)
      live[at] -= wait.bytes;
  }
  for (size_t k = 0; k < inOrder.size(); ++k) {
    const Waiting &wait = inOrder[k];
    if (!wait.isOverwritten || isFree(wait.last, 0))
      continue;
    // An offload ends before that use; a fetched instance ends with it.
    if (isFirst(inOrder, k))
      freeFrom[k] = wait.last;
    live[wait.last] -= wait.bytes;
  }
  if (!fits())
    return false;
  endOffloads(inOrder);
  beginFetches(inOrder);
  return true;
}

/// The shortest beginning of `candidates` that suffices; empty if all do not.
Offloader::Chosen Offloader::fewest(const Chosen &candidates) {
  size_t least = 1, most = candidates.size();
  if (candidates.empty() || !offload(candidates))
    return {};
  while (least < most) {
    size_t middle = (least + most) / 2;
    if (offload(Chosen(candidates.begin(), candidates.begin() + middle)))
      most = middle;
    else
      least = middle + 1;
  }
  return Chosen(candidates.begin(), candidates.begin() + most);
}

/// Removes values without which the rest suffices, the last ones first.
void Offloader::drop(Chosen &chosen) {
  size_t first = chosen.size() - std::min(chosen.size(), kDropped);
  for (size_t k = chosen.size(); k-- > first;) {
    Chosen less = chosen;
    less.erase(less.begin() + k);
    if (offload(less))
      chosen = std::move(less);
  }
}

HostPlan Offloader::plan() {
  HostPlan best;
  auto consider = [&](const Chosen &chosen) {
    if (!chosen.empty() && !offload(chosen))
      return;
    HostPlan found;
    for (const PlacedCopy &copy : offloads)
      found.hostBytes += storages.bytes[copy.value];
    if (found.hostBytes > options.host.bytes)
      return;
    found.steps = steps();
    findLive(found.steps);
    found.maxLive =
        live.empty() ? 0 : *std::max_element(live.begin(), live.end());
    // An offload after the last use keeps that use from writing in place.
    if (found.maxLive > options.solver.budgetBytes)
      return;
    found.times = simulate(graph, found.steps, options.host.link);
    // Whole picoseconds of longer steps do not fit their integers.
    if (!(found.times.milliseconds <= kMostMilliseconds))
      return;
    if (best.steps.empty() ||
        found.times.milliseconds < best.times.milliseconds)
      best = std::move(found);
  };
  live = plain;
  if (fits()) {
    offloads.clear();
    fetches.clear();
    consider({});
    return best;
  }
  auto tryOrder = [&](auto isEarlier) {
    Chosen sorted = waiting;
    std::stable_sort(sorted.begin(), sorted.end(), isEarlier);
    Chosen chosen = fewest(sorted);
    if (chosen.empty())
      return;
    drop(chosen);
    consider(chosen);
  };
  // Other waits than the longest one of a value need another fetch of it.
  tryOrder([](const Waiting &a, const Waiting &b) {
    return std::make_pair(!a.isLongest, a.made) <
           std::make_pair(!b.isLongest, b.made);
  });
  tryOrder([](const Waiting &a, const Waiting &b) {
    return std::make_pair(a.isLongest, a.bytes) >
           std::make_pair(b.isLongest, b.bytes);
  });
  tryOrder([&](const Waiting &a, const Waiting &b) {
    return lengthOf(a) > lengthOf(b);
  });
  return best;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {

class HostBound {
public:
  HostBound(const Graph &graph, const HostOptions &options)
      : graph(graph), options(options),
        work(paceOf(options.solver.effort).check) {}

  /// Milliseconds that no schedule beats, if `most` are known to suffice.
  double find(double most);

private:
  bool isRefuted(double milliseconds);
  uint64_t hostBytesAt(double milliseconds, OpId cut) const;
  double costAfter(OpId op) const;

  const Graph &graph;
  const HostOptions &options;
  double work;
  OpId cut = kNone; // of the last bound
};

} // namespace

/// The milliseconds of the other ops that depend on `op`.
double HostBound::costAfter(OpId op) const {
  std::vector<bool> depends(graph.ops.size(), false);
  depends[op] = true;
  double sum = 0;
  // Ops are in a valid order.
  for (OpId id = op + 1; id < graph.ops.size(); ++id) {
    const Op &other = graph.ops[id];
    bool does = std::any_of(other.after.begin(), other.after.end(),
                            [&](OpId before) { return depends[before]; });
    for (ValueId input : other.inputs)
      for (ValueId at = input; at != kNone && !does;
           at = graph.values[at].viewOf) {
        OpId producer = graph.values[at].producer;
        does = producer != kNone && depends[producer];
      }
    depends[id] = does;
    if (does)
      sum += double(picosecondsOf(other.cost)) / 1e9;
  }
  return sum;
}

/// The bytes that may be on the host at the first execution of `cut`.
uint64_t HostBound::hostBytesAt(double milliseconds, OpId cut) const {
  double after = cut == kNone ? 0 : costAfter(cut);
  double moved = std::max(0.0, milliseconds - after) *
                 options.host.link.bytesPerMillisecond;
  uint64_t most = std::min(options.host.bytes, kMostBytes);
  return moved < double(most) ? uint64_t(moved) + 1 : most;
}

bool HostBound::isRefuted(double milliseconds) {
  uint64_t bytes = hostBytesAt(milliseconds, cut);
  // The bound is one of the cut that it returns, which may leave more time.
  for (int tries = 0; tries < 4; ++tries) {
    LowerBound bound =
        lowerBound(graph, options.solver.budgetBytes + bytes, work);
    cut = bound.cut;
    uint64_t possible = hostBytesAt(milliseconds, cut);
    if (possible <= bytes &&
        (!bound.feasible || bound.milliseconds > milliseconds))
      return true;
    if (possible <= bytes && tries > 0)
      return false;
    bytes = possible;
  }
  return false;
}

double HostBound::find(double most) {
  double least = 0;
  for (const Op &op : graph.ops)
    least += double(picosecondsOf(op.cost)) / 1e9;
  // To a thousandth of the step.
  for (double step = least; most - least > step / 1000;) {
    double middle = (least + most) / 2;
    (isRefuted(middle) ? least : most) = middle;
  }
  return least;
}

/// The clones of a schedule, by position, those that cost the most first.
static std::vector<uint32_t> findClones(const Graph &graph,
                                        const Executions &executions) {
  std::vector<bool> ran(graph.ops.size(), false);
  std::vector<uint32_t> clones;
  for (uint32_t at = 0; at < executions.size(); ++at) {
    OpId id = executions[at];
    if (ran[id] && graph.ops[id].cost > 0)
      clones.push_back(at);
    ran[id] = true;
  }
  std::stable_sort(clones.begin(), clones.end(), [&](uint32_t a, uint32_t b) {
    return graph.ops[executions[a]].cost > graph.ops[executions[b]].cost;
  });
  return clones;
}

namespace {

/// The best plan so far, and the schedule of recomputation that it is of.
class BestPlan {
public:
  BestPlan(const Graph &graph, const HostOptions &options)
      : graph(graph), options(options), storages(analyzeStorages(graph)) {}

  /// Returns true if the schedule with copies takes less time.
  bool consider(const Executions &executions) {
    HostPlan found = Offloader(graph, storages, options, executions).plan();
    bool isBetter = !found.steps.empty() &&
                    (plan.steps.empty() ||
                     found.times.milliseconds < plan.times.milliseconds);
    if (!isBetter)
      return false;
    plan = std::move(found);
    from = executions;
    return true;
  }

  /// Leaves out clones, whose results then wait on device or host.
  void copyInPlaceOfRecomputing() {
    uint32_t left = kOmitted;
    for (bool isBetter = true; isBetter && left > 0;) {
      isBetter = false;
      for (uint32_t clone : findClones(graph, from)) {
        if (left == 0)
          break;
        --left;
        Executions fewer = from;
        fewer.erase(fewer.begin() + clone);
        isBetter = consider(withoutUnread(graph, std::move(fewer)));
        if (isBetter)
          break;
      }
    }
  }

  HostPlan plan;

private:
  /// The number of clones that are tried to do without.
  static constexpr uint32_t kOmitted = 64;
  const Graph &graph;
  const HostOptions &options;
  Storages storages;
  Executions from;
};

} // namespace

HostPlan planWithHost(const Graph &graph,
                      const std::vector<FrontierPoint> &frontier,
                      const HostOptions &options) {
  BestPlan best(graph, options);
  for (const FrontierPoint &point : frontier) {
    // A point that costs more than the best plan cannot beat it.
    bool mayBeBetter =
        best.plan.steps.empty() ||
        point.solution.milliseconds < best.plan.times.milliseconds;
    if (mayBeBetter)
      best.consider(point.solution.executions);
  }
  if (!best.plan.steps.empty())
    best.copyInPlaceOfRecomputing();
  return std::move(best.plan);
}

double boundWithHost(const Graph &graph, const HostOptions &options,
                     double known) {
  return HostBound(graph, options).find(known);
}

ByteBound lowestBytesWithHost(const Graph &graph) {
  Storages storages = analyzeStorages(graph);
  ByteBound best;
  for (OpId id = 0; id < graph.ops.size(); ++id) {
    const Op &op = graph.ops[id];
    ByteBound bound;
    bound.cut = id;
    bound.workspaceBytes = bound.bytes = alignUp(op.workspaceBytes);
    auto pin = [&](ValueId root) {
      bool isPinned = std::find(bound.pinned.begin(), bound.pinned.end(),
                                root) != bound.pinned.end();
      if (isPinned || storages.bytes[root] == 0)
        return;
      bound.pinned.push_back(root);
      bound.bytes += storages.bytes[root];
    };
    for (ValueId input : op.inputs)
      pin(storages.rootOf[input]);
    for (uint32_t k = 0; k < op.outputs.size(); ++k) {
      bool isInPlace = std::any_of(op.inPlace.begin(), op.inPlace.end(),
                                   [&](auto pair) { return pair.first == k; });
      if (!isInPlace)
        pin(storages.rootOf[op.outputs[k]]);
    }
    if (best.cut != kNone && bound.bytes <= best.bytes)
      continue;
    std::stable_sort(bound.pinned.begin(), bound.pinned.end(),
                     [&](ValueId a, ValueId b) {
                       return storages.bytes[a] > storages.bytes[b];
                     });
    best = std::move(bound);
  }
  return best;
}

} // namespace reprise::plan
