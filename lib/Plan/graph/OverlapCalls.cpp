//===- OverlapCalls.cpp - Ops beside calls between ranks ------------------===//
//
// Input:   a well-formed graph, a valid order of its ops, and bytes to place
//          it in.
// Output:  an order in which the graph's calls (Op::runsBeside) have other ops
//          to run beside, with buffers that live as long, placed within these
//          bytes.
// Method:  a call that depends on no other begins a group: itself, the
//          conversions of its operands, and what depends on it and on no later
//          one. A call runs as soon as its operands are there, and what depends
//          on it runs after the next call, or some calls later. The other ops
//          keep their order:
//
//     before   g1 g2 g3  c1 u1 c2 u2 c3 u3
//     after    g1 c1  g2 c2  u1  g3 c3  u2  u3
//
//          so that c1 takes place beside g2, and c2 beside u1 and g3. If need
//          be, the steps up to some after the peak stay as they are.
//
//          A call on which another one depends, such as that of joined
//          statistics, keeps its place: waiting for it later would make the
//          other one later too. Calls run one after another; the others
//          therefore begin where such a call comes late, or behind it.
//
//          In eager orders, ops that only a call reads, which compute
//          gradients, run as soon as they can. Several orders are tried, in the
//          sequence of the time for which their ops wait for calls, by links of
//          several speeds.
// Cost:    that of liveness some hundred times, and of one placement.
//
//===----------------------------------------------------------------------===//
#include "Dependences.h"
#include "Storage.h"
#include "reprise/Plan/Schedule.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reprise::plan {

namespace {

class Overlap {
public:
  /// `isEager`: what only a call reads runs as soon as it can.
  Overlap(const Graph &graph, const Schedule &schedule, bool isEager)
      : graph(graph), before(schedule.order), isEager(isEager),
        dependences(findDependences(graph)), storages(analyzeStorages(graph)) {
    findCallsInTheWay();
    findGroups();
    findBestBegins();
  }

  uint32_t groups() const { return uint32_t(begins.size()); }
  /// Returns the order, and the buffers in it, if the first `fixed` steps stay
  /// as they are, and a group waits for the `lag`-th call after its own.
  PlacedSchedule after(uint32_t fixed, uint32_t lag) const;
  /// Returns the least number of first steps that have to stay for no more than
  /// `bytes` live bytes. More take fewer bytes, with rare exceptions.
  uint32_t fixedFor(uint64_t bytes, uint32_t lag) const;
  /// Returns the time for which ops wait for calls, as a share of that of the
  /// ops, by a link on which all calls take `share` of the time of the ops.
  /// Calls among the first `fixed` steps are waited for at once.
  double waitingIn(const Schedule &schedule, uint32_t fixed,
                   double share) const;

private:
  void findGroups();
  void findCallsInTheWay();
  void findBestBegins();
  bool isConversion(const Op &op) const;
  Schedule orderAfter(uint32_t fixed, uint32_t lag) const;

  const Graph &graph;
  const std::vector<OpId> &before;
  const bool isEager;
  Dependences dependences;
  Storages storages;
  /// The calls that are not in the way and depend on no such call, in the order
  /// in which their operands are there: group k is that of the k-th, from 1 on.
  std::vector<OpId> begins;
  /// By OpId, the last group that an op depends on or begins; 0: none.
  std::vector<uint32_t> groupOf;
  /// By OpId: the ops that only one call reads, and that run with it.
  std::vector<bool> isFeeder;
  /// By OpId: the other ops that only one call reads, which run as soon as they
  /// can in eager orders.
  std::vector<bool> runsEarly;
  /// By OpId: the ops that depend on a gather of updates.
  std::vector<bool> isBehindGather;
  /// By OpId: the calls on which other calls depend.
  std::vector<bool> isInTheWay;
  /// By step of `before`: calls may begin behind it.
  std::vector<bool> mayBegin;
};

/// An order in the making.
class Emission {
public:
  /// `waiting`: by group, what waits for the call of the next group.
  Emission(const Graph &graph, const Dependences &dependences,
           std::vector<std::vector<OpId>> waiting)
      : dependences(dependences), isDone(graph.ops.size(), false),
        waiting(std::move(waiting)) {}

  bool isReady(OpId id) const {
    return allBefore(id, [&](OpId other) { return isDone[other]; });
  }
  /// Runs a call with the ops that feed it if that is possible.
  bool begin(OpId id, const std::vector<bool> &isFeeder) {
    if (has(id))
      return true;
    bool isReadyWithThem = allBefore(id, [&](OpId other) {
      return isDone[other] || (isFeeder[other] && isReady(other));
    });
    if (!isReadyWithThem)
      return false;
    for (OpId other : dependences.before[id])
      if (!has(other))
        run(other);
    run(id);
    return true;
  }
  bool has(OpId id) const { return isDone[id]; }
  void run(OpId id) {
    isDone[id] = true;
    order.push_back(id);
  }
  /// Runs what waits in a group. What is not ready waits with the next one.
  void release(uint32_t group) {
    for (OpId id : waiting[group])
      if (!has(id) && isReady(id))
        run(id);
      else if (!has(id))
        waiting[group + 1].push_back(id);
    waiting[group].clear();
  }

  std::vector<OpId> order;

private:
  template <typename IsGood>
  bool allBefore(OpId id, const IsGood &isGood) const {
    const std::vector<OpId> &others = dependences.before[id];
    return std::all_of(others.begin(), others.end(), isGood);
  }

  const Dependences &dependences;
  std::vector<bool> isDone;
  std::vector<std::vector<OpId>> waiting;
};

} // namespace

void Overlap::findCallsInTheWay() {
  isInTheWay.assign(graph.ops.size(), false);
  std::vector<bool> leadsToCall(graph.ops.size(), false);
  for (auto it = before.rbegin(); it != before.rend(); ++it) {
    const Op &op = graph.ops[*it];
    for (OpId later : dependences.behind[*it])
      leadsToCall[*it] = leadsToCall[*it] || leadsToCall[later];
    isInTheWay[*it] = op.runsBeside && leadsToCall[*it];
    if (op.runsBeside && !op.gathersUpdates)
      leadsToCall[*it] = true;
  }
}

/// A call in the way waits for the calls that have begun before it. These
/// therefore begin in front of it only if more time passes until it than from
/// it to the next one.
void Overlap::findBestBegins() {
  uint32_t steps = uint32_t(before.size());
  mayBegin.assign(steps, true);
  double untilNext = 0;  // from the current step to the next such call
  double behindNext = 0; // from that to the one after it
  bool isBeforeOne = false;
  for (uint32_t step = steps; step-- > 0;) {
    OpId id = before[step];
    mayBegin[step] = isInTheWay[id] || !isBeforeOne || untilNext >= behindNext;
    if (isInTheWay[id]) {
      behindNext = std::exchange(untilNext, 0);
      isBeforeOne = true;
    } else if (groupOf[id] == 0) {
      untilNext += graph.ops[id].cost;
    }
  }
}

static uint64_t bytesOf(const Graph &graph,
                        const std::vector<ValueId> &values) {
  uint64_t bytes = 0;
  for (ValueId value : values)
    bytes += graph.values[value].bytes;
  return bytes;
}

/// Returns true for an op that waits for the call that alone reads it: a
/// conversion of one operand. In eager orders, one that would keep more bytes
/// alive meanwhile does not.
bool Overlap::isConversion(const Op &op) const {
  return op.inputs.size() == 1 &&
         (!isEager || bytesOf(graph, op.inputs) <= bytesOf(graph, op.outputs));
}

void Overlap::findGroups() {
  std::vector<bool> isAfterCall(graph.ops.size(), false);
  std::vector<bool> isBegin(graph.ops.size(), false);
  for (OpId id : before) {
    for (OpId other : dependences.before[id])
      if ((graph.ops[other].runsBeside && !isInTheWay[other]) ||
          isAfterCall[other])
        isAfterCall[id] = true;
    isBegin[id] =
        graph.ops[id].runsBeside && !isInTheWay[id] && !isAfterCall[id];
    if (isBegin[id])
      begins.push_back(id);
  }
  isFeeder.assign(graph.ops.size(), false);
  runsEarly.assign(graph.ops.size(), false);
  std::vector<uint32_t> readyAt(graph.ops.size(), 0); // of calls
  for (uint32_t step = 0; step < before.size(); ++step) {
    OpId id = before[step];
    const std::vector<OpId> &readers = dependences.behind[id];
    bool isRead =
        !isBegin[id] && readers.size() == 1 && isBegin[readers.front()];
    isFeeder[id] = isRead && isConversion(graph.ops[id]);
    runsEarly[id] = isRead && isEager && !isFeeder[id];
    bool isEarly = isFeeder[id] || runsEarly[id];
    for (OpId later : readers)
      readyAt[later] =
          std::max(readyAt[later], isEarly ? readyAt[id] : step + 1);
  }
  std::stable_sort(begins.begin(), begins.end(),
                   [&](OpId a, OpId b) { return readyAt[a] < readyAt[b]; });
  groupOf.assign(graph.ops.size(), 0);
  for (uint32_t k = 0; k < begins.size(); ++k)
    groupOf[begins[k]] = k + 1;
  isBehindGather.assign(graph.ops.size(), false);
  for (OpId id : before)
    for (OpId other : dependences.before[id]) {
      groupOf[id] = std::max(groupOf[id], groupOf[other]);
      if (isBehindGather[other] || graph.ops[other].gathersUpdates)
        isBehindGather[id] = true;
    }
}

Schedule Overlap::orderAfter(uint32_t fixed, uint32_t lag) const {
  std::vector<std::vector<OpId>> waiting(groups() + 2);
  // Ops that depend on a gather run with the next group, after its own ops.
  for (bool isBehind : {false, true})
    for (OpId id : before)
      if (groupOf[id] > 0 && begins[groupOf[id] - 1] != id &&
          isBehindGather[id] == isBehind)
        waiting[groupOf[id] + isBehind].push_back(id);
  Emission emission(graph, dependences, std::move(waiting));
  for (uint32_t step = 0; step < fixed; ++step)
    emission.run(before[step]);
  uint32_t next = 0; // of `begins`
  auto beginReady = [&] {
    while (next < groups()) {
      if (!emission.begin(begins[next], isFeeder))
        return;
      if (++next > lag)
        emission.release(next - lag);
    }
  };
  auto runEarly = [&](const std::vector<OpId> &ids) {
    for (OpId id : ids)
      if (runsEarly[id] && !emission.has(id) && emission.isReady(id))
        emission.run(id);
  };
  runEarly(before);
  if (fixed == 0 || mayBegin[fixed - 1])
    beginReady();
  for (uint32_t step = fixed; step < before.size(); ++step) {
    OpId id = before[step];
    if (groupOf[id] > 0 || isFeeder[id] || emission.has(id))
      continue;
    emission.run(id);
    runEarly(dependences.behind[id]);
    if (mayBegin[step])
      beginReady();
  }
  beginReady();
  for (uint32_t group = next > lag ? next - lag + 1 : 1; group <= groups();
       ++group)
    emission.release(group);
  for (OpId id : before)
    if (!emission.has(id))
      emission.run(id);
  return {std::move(emission.order)};
}

/// Calls `visit(step, last step)` for each call from step `from` on: the last
/// step before its results are read.
template <typename Visit>
static void visitCalls(const Graph &graph, const Storages &storages,
                       const std::vector<OpId> &order, uint32_t from,
                       const Visit &visit) {
  std::vector<uint32_t> stepOf(graph.ops.size(), 0);
  for (uint32_t step = 0; step < order.size(); ++step)
    stepOf[order[step]] = step;
  for (uint32_t step = from; step < order.size(); ++step) {
    const Op &op = graph.ops[order[step]];
    if (!op.runsBeside)
      continue;
    uint32_t last = uint32_t(order.size()) - 1;
    for (ValueId output : op.outputs)
      for (OpId user : storages.users[storages.rootOf[output]])
        last = std::min(last, stepOf[user] - 1);
    visit(step, last);
  }
}

/// Extends the buffers of the calls from step `from` on until their results are
/// read, each by `extend(buffer, last step)`.
template <typename Extend>
static void extendBuffers(const Graph &graph, const Storages &storages,
                          const std::vector<OpId> &order, uint32_t from,
                          const Liveness &liveness, const Extend &extend) {
  visitCalls(graph, storages, order, from, [&](uint32_t step, uint32_t last) {
    OpId id = order[step];
    std::vector<uint32_t> buffers = {liveness.workspaceOfOp[id]};
    for (ValueId input : graph.ops[id].inputs)
      buffers.push_back(liveness.bufferOfValue[input]);
    for (uint32_t buffer : buffers)
      if (buffer != kNone && liveness.buffers[buffer].lastStep < last)
        extend(buffer, last);
  });
}

double Overlap::waitingIn(const Schedule &schedule, uint32_t fixed,
                          double share) const {
  const std::vector<OpId> &order = schedule.order;
  // The larger side is the whole tensor.
  auto bytesOfCall = [&](OpId id) {
    return double(std::max(bytesOf(graph, graph.ops[id].inputs),
                           bytesOf(graph, graph.ops[id].outputs)));
  };
  std::vector<uint32_t> readBy(order.size(), kNone); // of calls, by step
  double computation = 0, bytes = 0;
  visitCalls(graph, storages, order, 0, [&](uint32_t step, uint32_t last) {
    readBy[step] = (step < fixed ? step : last) + 1;
    bytes += bytesOfCall(order[step]);
  });
  for (uint32_t step = 0; step < order.size(); ++step)
    if (readBy[step] == kNone)
      computation += graph.ops[order[step]].cost;
  if (computation == 0 || bytes == 0)
    return 0;
  double now = 0, linkFree = 0;
  std::vector<double> begins(order.size() + 1, 0); // the earliest, by step
  for (uint32_t step = 0; step < order.size(); ++step) {
    OpId id = order[step];
    now = std::max(now, begins[step]);
    if (readBy[step] == kNone) {
      now += graph.ops[id].cost;
      continue;
    }
    linkFree =
        std::max(now, linkFree) + bytesOfCall(id) / bytes * computation * share;
    double &begin = begins[readBy[step]];
    begin = std::max(begin, linkFree);
  }
  return std::max(now, linkFree) / computation - 1;
}

PlacedSchedule Overlap::after(uint32_t fixed, uint32_t lag) const {
  PlacedSchedule found;
  found.schedule = orderAfter(fixed, lag);
  Liveness &result = found.liveness = computeLiveness(graph, found.schedule);
  extendBuffers(graph, storages, found.schedule.order, fixed, result,
                [&](uint32_t buffer, uint32_t last) {
                  result.buffers[buffer].lastStep = last;
                });
  sumLiveBytes(result);
  return found;
}

void extendCalls(const Graph &graph, PlacedSchedule &placed) {
  std::vector<Buffer> &buffers = placed.liveness.buffers;
  const std::vector<uint64_t> &offsets = placed.placement.offsets;
  auto extend = [&](uint32_t buffer, uint32_t last) {
    Buffer &own = buffers[buffer];
    for (uint32_t other = 0; other < buffers.size(); ++other)
      if (offsets[other] < offsets[buffer] + own.bytes &&
          offsets[buffer] < offsets[other] + buffers[other].bytes &&
          buffers[other].firstStep > own.lastStep)
        last = std::min(last, buffers[other].firstStep - 1);
    own.lastStep = last;
  };
  extendBuffers(graph, analyzeStorages(graph), placed.schedule.order, 0,
                placed.liveness, extend);
  sumLiveBytes(placed.liveness);
}

uint32_t Overlap::fixedFor(uint64_t bytes, uint32_t lag) const {
  uint32_t fixed = 0, end = uint32_t(before.size());
  while (fixed < end) {
    uint32_t middle = fixed + (end - fixed) / 2;
    if (after(middle, lag).liveness.maxLive > bytes)
      fixed = middle + 1;
    else
      end = middle;
  }
  return fixed;
}

std::optional<PlacedSchedule>
overlapCalls(const Graph &graph, const Schedule &schedule, uint64_t capacity,
             const std::function<bool(const Schedule &)> &isAllowed) {
  if (std::none_of(graph.ops.begin(), graph.ops.end(),
                   [](const Op &op) { return op.runsBeside; }))
    return std::nullopt;
  const Overlap eager(graph, schedule, /*isEager=*/true),
      plain(graph, schedule, /*isEager=*/false);
  uint32_t steps = uint32_t(schedule.order.size());
  // All tries together search for as long as one placement does.
  constexpr uint64_t kTries = 8;
  // Each order leaves other gaps between buffers.
  const uint64_t live = std::max(computeLiveness(graph, schedule).maxLive,
                                 capacity - capacity / 1000);
  auto place = [&](const Overlap &overlap, uint32_t fixed,
                   uint32_t lag) -> std::optional<PlacedSchedule> {
    PlacedSchedule found = overlap.after(fixed, lag);
    if (found.liveness.maxLive > live ||
        (isAllowed && !isAllowed(found.schedule)))
      return std::nullopt;
    const std::vector<Buffer> &buffers = found.liveness.buffers;
    found.placement = placeBuffers(buffers, found.liveness.maxLive,
                                   placementWorkOf(buffers.size()) / kTries);
    if (found.placement.height > capacity)
      return std::nullopt;
    return found;
  };
  // The steps of hundreds of ranks with running statistics take long to place.
  constexpr uint32_t kMany = 20000;
  if (steps > kMany)
    return place(plain, plain.fixedFor(live, 4), 4);
  // The later a call is waited for, the longer it may take, and the more steps
  // have to stay.
  struct Try {
    const Overlap *overlap;
    uint32_t fixed, lag;
    int64_t waiting; // hundredths of the time of the ops
  };
  std::vector<Try> tries;
  for (const Overlap *overlap : {&plain, &eager})
    for (uint32_t lag : {16, 4, 1}) {
      uint32_t fixed = overlap->fixedFor(live, lag);
      Schedule order = overlap->after(fixed, lag).schedule;
      double waiting = 0;
      for (double share : {1.0, 0.5, 0.25, 0.125})
        waiting += overlap->waitingIn(order, fixed, share);
      tries.push_back({overlap, fixed, lag, std::lround(100 * waiting)});
    }
  std::stable_sort(tries.begin(), tries.end(), [](const Try &a, const Try &b) {
    return a.waiting < b.waiting;
  });
  const uint32_t some = steps / 20;
  for (const Try &each : tries)
    for (uint32_t more : {0u, some / 2})
      if (std::optional<PlacedSchedule> found =
              place(*each.overlap, each.fixed + more, each.lag))
        return found;
  uint32_t least = plain.fixedFor(live, 1);
  for (uint32_t more = some + 1; least + more < steps; more *= 2)
    if (std::optional<PlacedSchedule> found = place(plain, least + more, 1))
      return found;
  return std::nullopt;
}

} // namespace reprise::plan
