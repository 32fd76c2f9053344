//===- Validate.cpp - Independent check of a plan -------------------------===//
//
// Input:   a well-formed graph (checkGraph), and any schedule, liveness and
//          placement.
// Output:  "" or one sentence about the first error.
// Method:  plain loops over the definitions. Deliberately shares no code with
//          the planners.
// Cost:    close to linear.
//
//===----------------------------------------------------------------------===//
#include "reprise/Plan/Schedule.h"

#include <algorithm>
#include <map>
#include <set>

namespace reprise::plan {

namespace {

class Validator {
public:
  Validator(const Graph &graph, const Schedule &schedule,
            const Liveness &liveness, const Placement &placement)
      : graph(graph), order(schedule.order), liveness(liveness),
        placement(placement) {}

  std::string check() {
    if (std::string error = checkPermutation(); !error.empty())
      return error;
    findFamilies();
    for (auto rule : {&Validator::checkDependences, &Validator::checkTables,
                      &Validator::checkMembers, &Validator::checkLifetimes,
                      &Validator::checkSharing, &Validator::checkWorkspaces,
                      &Validator::checkLiveBytes, &Validator::checkOffsets})
      if (std::string error = (this->*rule)(); !error.empty())
        return error;
    return "";
  }

private:
  std::string op(OpId id) const {
    return "op " + std::to_string(id) + " '" + graph.ops[id].name + "'";
  }
  std::string value(ValueId id) const {
    return "value " + std::to_string(id) + " '" + graph.values[id].name + "'";
  }
  std::string buffer(uint32_t id) const {
    return "buffer " + std::to_string(id);
  }

  ValueId root(ValueId id) const {
    while (graph.values[id].viewOf != kNone)
      id = graph.values[id].viewOf;
    return id;
  }

  std::string checkPermutation() {
    step.assign(graph.ops.size(), kNone);
    for (uint32_t at = 0; at < order.size(); ++at) {
      OpId id = order[at];
      if (id >= graph.ops.size())
        return "step " + std::to_string(at) + " runs op " + std::to_string(id) +
               " of " + std::to_string(graph.ops.size());
      if (step[id] != kNone)
        return op(id) + " runs at step " + std::to_string(step[id]) +
               " and again at step " + std::to_string(at);
      step[id] = at;
    }
    for (OpId id = 0; id < graph.ops.size(); ++id)
      if (step[id] == kNone)
        return op(id) + " never runs";
    return "";
  }

  std::string checkDependences() const {
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      for (OpId other : graph.ops[id].after)
        if (step[other] >= step[id])
          return op(id) + " runs before " + op(other) +
                 ", which it must come after";
      for (ValueId read : graph.ops[id].inputs)
        for (ValueId at = read; at != kNone; at = graph.values[at].viewOf) {
          OpId producer = graph.values[at].producer;
          if (producer != kNone && step[producer] >= step[id])
            return op(id) + " runs before " + op(producer) +
                   ", which produces its input " + value(at);
        }
      for (ValueId made : graph.ops[id].outputs)
        for (ValueId at = made; at != kNone; at = graph.values[at].viewOf) {
          OpId producer = graph.values[at].producer;
          if (producer != kNone && step[producer] > step[id])
            return op(id) + " runs before " + op(producer) +
                   ", which produces " + value(at) + " that it views";
        }
    }
    return "";
  }

  std::string checkTables() const {
    if (liveness.bufferOfValue.size() != graph.values.size() ||
        liveness.workspaceOfOp.size() != graph.ops.size())
      return "liveness has tables for another graph";
    if (liveness.liveBytes.size() != std::max<size_t>(order.size(), 1))
      return "liveness has " + std::to_string(liveness.liveBytes.size()) +
             " steps for " + std::to_string(order.size()) + " ops";
    if (placement.offsets.size() != liveness.buffers.size())
      return "placement has " + std::to_string(placement.offsets.size()) +
             " offsets for " + std::to_string(liveness.buffers.size()) +
             " buffers";
    for (uint32_t id = 0; id < liveness.buffers.size(); ++id) {
      const Buffer &at = liveness.buffers[id];
      if (at.firstStep > at.lastStep ||
          at.lastStep >= liveness.liveBytes.size())
        return buffer(id) + " lives from step " + std::to_string(at.firstStep) +
               " to " + std::to_string(at.lastStep) + " of " +
               std::to_string(liveness.liveBytes.size());
      if (at.bytes % kAlignment != 0)
        return buffer(id) + " has " + std::to_string(at.bytes) +
               " bytes, no multiple of " + std::to_string(kAlignment);
      for (ValueId member : at.values)
        if (member >= graph.values.size())
          return buffer(id) + " holds value " + std::to_string(member) +
                 " of " + std::to_string(graph.values.size());
    }
    return "";
  }

  /// Checks that each value that needs bytes is in the buffer its table names,
  /// and only there; that a view is where its base is; and that the buffer is
  /// large enough.
  std::string checkMembers() const {
    std::vector<uint32_t> seen(graph.values.size(), 0);
    for (uint32_t id = 0; id < liveness.buffers.size(); ++id)
      for (ValueId member : liveness.buffers[id].values) {
        if (liveness.bufferOfValue[member] != id || seen[member]++)
          return buffer(id) + " holds " + value(member) +
                 ", which is listed elsewhere too";
      }
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const Value &at = graph.values[id];
      uint32_t home = liveness.bufferOfValue[id];
      bool needsBytes =
          at.bytes > 0 && graph.values[root(id)].storage != StorageClass::Fixed;
      if (home == kNone && needsBytes)
        return value(id) + " has no buffer";
      if (home == kNone)
        continue;
      if (!seen[id])
        return value(id) + " is missing in its " + buffer(home);
      if (at.bytes > liveness.buffers[home].bytes)
        return value(id) + " of " + std::to_string(at.bytes) + " bytes is in " +
               buffer(home) + " of " +
               std::to_string(liveness.buffers[home].bytes) + " bytes";
      if (at.viewOf != kNone && liveness.bufferOfValue[at.viewOf] != home)
        return value(id) + " is not in the buffer of " + value(at.viewOf) +
               ", of which it is a view";
    }
    return "";
  }

  std::string checkLifetimes() const {
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (std::string error = checkLifetime(id); !error.empty())
        return error;
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (ValueId read : graph.ops[id].inputs)
        if (!isLive(read, step[id]))
          return op(id) + " reads " + value(read) + " at step " +
                 std::to_string(step[id]) + ", where its buffer is not live";
    return "";
  }

  bool isLive(ValueId id, uint32_t at) const {
    uint32_t home = liveness.bufferOfValue[id];
    return home == kNone || (liveness.buffers[home].firstStep <= at &&
                             at <= liveness.buffers[home].lastStep);
  }

  std::string checkLifetime(ValueId id) const {
    const Value &at = graph.values[id];
    if (at.producer != kNone && !isLive(id, step[at.producer]))
      return value(id) + " is not live at step " +
             std::to_string(step[at.producer]) + ", which produces it";
    if (at.storage == StorageClass::Input && !isLive(id, 0))
      return "input " + value(id) + " is not live at the start";
    if (at.storage == StorageClass::Output &&
        !isLive(id, liveness.liveBytes.size() - 1))
      return "output " + value(id) + " is not live at the end";
    return "";
  }

  /// Checks that the values of a buffer are one value and its views, or several
  /// such families, each computed by an op that may overwrite the previous one.
  std::string checkSharing() const {
    for (uint32_t id = 0; id < liveness.buffers.size(); ++id) {
      std::vector<ValueId> roots;
      for (ValueId member : liveness.buffers[id].values)
        if (graph.values[member].viewOf == kNone)
          roots.push_back(member);
      std::stable_sort(roots.begin(), roots.end(), [&](ValueId a, ValueId b) {
        return birth(a) < birth(b);
      });
      for (size_t i = 1; i < roots.size(); ++i)
        if (!mayOverwrite(id, roots[i], roots[i - 1]))
          return value(roots[i]) + " may not take the storage of " +
                 value(roots[i - 1]) + " in " + buffer(id);
    }
    return "";
  }

  /// By value: its views, itself included, and the last step that reads or
  /// computes it, which may be its own producer's.
  void findFamilies() {
    family.assign(graph.values.size(), {});
    lastUse.assign(graph.values.size(), 0);
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      family[root(id)].push_back(id);
      if (OpId producer = graph.values[id].producer; producer != kNone)
        lastUse[id] = step[producer];
    }
    for (OpId reader = 0; reader < graph.ops.size(); ++reader)
      for (ValueId read : graph.ops[reader].inputs)
        lastUse[read] = std::max(lastUse[read], step[reader]);
  }

  /// Returns the step at which a root's life begins, counted from 1; inputs at
  /// 0.
  uint64_t birth(ValueId id) const {
    OpId producer = graph.values[id].producer;
    return producer == kNone ? 0 : uint64_t(step[producer]) + 1;
  }

  bool mayOverwrite(uint32_t home, ValueId made, ValueId old) const {
    OpId maker = graph.values[made].producer;
    if (maker == kNone || graph.values[made].bytes != graph.values[old].bytes)
      return false;
    for (ValueId id : family[old])
      if (graph.values[id].storage != StorageClass::Temporary ||
          lastUse[id] > step[maker])
        return false;
    const Op &at = graph.ops[maker];
    ValueId overwritten = kNone;
    for (uint32_t index = 0; index < at.inputs.size(); ++index) {
      ValueId read = at.inputs[index];
      if (liveness.bufferOfValue[read] != home)
        continue;
      if (overwritten != kNone && read != overwritten)
        return false; // two views of the overwritten bytes
      if (!isDeclared(at, made, index) || root(read) != old ||
          graph.values[read].bytes != graph.values[made].bytes)
        return false;
      overwritten = read;
    }
    return overwritten != kNone;
  }

  bool isDeclared(const Op &at, ValueId made, uint32_t input) const {
    return std::any_of(at.inPlace.begin(), at.inPlace.end(), [&](auto pair) {
      return at.outputs[pair.first] == made && pair.second == input;
    });
  }

  std::string checkWorkspaces() const {
    for (uint32_t id = 0; id < liveness.buffers.size(); ++id) {
      const Buffer &at = liveness.buffers[id];
      if (at.workspaceOf == kNone)
        continue;
      if (at.workspaceOf >= graph.ops.size() || !at.values.empty() ||
          liveness.workspaceOfOp[at.workspaceOf] != id)
        return buffer(id) + " is not the workspace it says it is";
    }
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      uint64_t bytes = graph.ops[id].workspaceBytes;
      uint32_t home = liveness.workspaceOfOp[id];
      if (bytes == 0)
        continue;
      if (home >= liveness.buffers.size())
        return op(id) + " has no workspace";
      const Buffer &at = liveness.buffers[home];
      if (at.workspaceOf != id || at.bytes < bytes || at.firstStep > step[id] ||
          at.lastStep < step[id])
        return op(id) + " lacks its workspace of " + std::to_string(bytes) +
               " bytes while it runs";
    }
    return "";
  }

  std::string checkLiveBytes() const {
    // Bytes that begin and end at each step; unsigned, so that it may wrap
    // around.
    std::vector<uint64_t> live(liveness.liveBytes.size() + 1, 0);
    for (const Buffer &at : liveness.buffers) {
      live[at.firstStep] += at.bytes;
      live[at.lastStep + 1] -= at.bytes;
    }
    live.pop_back();
    uint64_t peak = 0;
    for (uint32_t s = 0; s < live.size(); ++s) {
      live[s] += s ? live[s - 1] : 0;
      peak = std::max(peak, live[s]);
      if (live[s] != liveness.liveBytes[s])
        return "step " + std::to_string(s) + " has " + std::to_string(live[s]) +
               " bytes live, not " + std::to_string(liveness.liveBytes[s]);
    }
    if (peak != liveness.maxLive)
      return "max-live is " + std::to_string(peak) + " bytes, not " +
             std::to_string(liveness.maxLive);
    if (liveness.peakStep >= live.size() || live[liveness.peakStep] != peak)
      return "step " + std::to_string(liveness.peakStep) +
             " is not where the live bytes peak";
    return "";
  }

  std::string checkOffsets() const {
    uint64_t height = 0;
    const std::vector<Buffer> &all = liveness.buffers;
    for (uint32_t a = 0; a < all.size(); ++a) {
      uint64_t begin = placement.offsets[a], end = begin + all[a].bytes;
      if (begin % kAlignment != 0 || end < begin)
        return buffer(a) + " has offset " + std::to_string(begin) +
               ", no multiple of " + std::to_string(kAlignment);
      height = std::max(height, end);
    }
    if (std::string error = checkDisjoint(); !error.empty())
      return error;
    if (height != placement.height)
      return "placement ends at byte " + std::to_string(height) + ", not " +
             std::to_string(placement.height);
    return "";
  }

  /// Visits buffers in the order in which their lives begin. Live ones are
  /// disjoint, so that one more can only meet its neighbours.
  std::string checkDisjoint() const {
    const std::vector<Buffer> &all = liveness.buffers;
    std::set<std::pair<uint32_t, uint32_t>> births, deaths; // step, buffer
    for (uint32_t id = 0; id < all.size(); ++id)
      if (all[id].bytes)
        births.insert({all[id].firstStep, id});
    std::map<uint64_t, uint32_t> live; // by offset
    for (auto [first, id] : births) {
      while (!deaths.empty() && deaths.begin()->first < first) {
        live.erase(placement.offsets[deaths.begin()->second]);
        deaths.erase(deaths.begin());
      }
      auto above = live.lower_bound(placement.offsets[id]);
      for (auto at : {above, above == live.begin() ? above : std::prev(above)})
        if (at != live.end() && overlap(id, at->second))
          return buffer(std::max(id, at->second)) + " and " +
                 buffer(std::min(id, at->second)) + " overlap at byte " +
                 std::to_string(std::max(placement.offsets[id], at->first));
      live[placement.offsets[id]] = id;
      deaths.insert({all[id].lastStep, id});
    }
    return "";
  }

  bool overlap(uint32_t a, uint32_t b) const {
    uint64_t first = placement.offsets[a], second = placement.offsets[b];
    return first < second + liveness.buffers[b].bytes &&
           second < first + liveness.buffers[a].bytes;
  }

  const Graph &graph;
  const std::vector<OpId> &order;
  const Liveness &liveness;
  const Placement &placement;
  std::vector<uint32_t> step;               // by OpId
  std::vector<std::vector<ValueId>> family; // by root, see findFamilies
  std::vector<uint32_t> lastUse;            // by value
};

} // namespace

std::string validate(const Graph &graph, const Schedule &schedule,
                     const Liveness &liveness, const Placement &placement) {
  return Validator(graph, schedule, liveness, placement).check();
}

} // namespace reprise::plan
