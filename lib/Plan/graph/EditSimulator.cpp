//===- EditSimulator.cpp - Inserting and erasing clones in a sequence -----===//
//
// Input:   a settled and indexed sequence, clones to insert or a step to erase.
// Output:  the sequence with that change, settled and indexed.
// Method:  an edit at one place changes the lives of the storages that it
//          touches, each between the last touch before that place and the place
//          itself, where memory changes by the storage's bytes. The steps of an
//          edit are simulated. Where a life newly ends, or no longer ends, the
//          step there may gain or lose a result in place.
// Cost:    plain passes over the arrays, without the graph.
//
//===----------------------------------------------------------------------===//
#include "Simulator.h"

#include <algorithm>

namespace reprise::plan {

/// Returns the bytes of inputs that the step's outputs take over.
int64_t Simulator::bytesInPlace(uint32_t at) const {
  Rank op = steps[at].op;
  int64_t bytes = 0;
  StorageId served = kNone;
  std::vector<StorageId> taken;
  for (auto *pair = graph.inPlace.begin(op); pair != graph.inPlace.end(op);
       ++pair) {
    auto [output, input] = *pair;
    if (output == served || isLiveBefore(input, at + 1) ||
        std::find(taken.begin(), taken.end(), input) != taken.end())
      continue;
    served = output;
    taken.push_back(input);
    bytes += graph.bytes[input];
  }
  return bytes;
}

/// Applies `lives`, which begin or end before step `at`, to the memory of the
/// steps before it, and records which results were in place where they change.
void Simulator::changeLives(uint32_t at) {
  inPlaceAt.clear();
  changedFrom = at;
  for (const LifeChange &life : lives) {
    if (life.wasLive == life.isLive)
      continue;
    int64_t bytes = graph.bytes[life.storage] * (life.isLive ? 1 : -1);
    uint32_t end = at;
    uint32_t from = life.before + 1; // kBeforeAll wraps to 0
    if (from < end) {
      addToSteps(memory.data() + from, end - from, bytes);
      addToSteps(liveBefore.data() + from, end - from, bytes);
    }
    changedFrom =
        std::min(changedFrom, life.before == kBeforeAll ? 0 : life.before);
    if (life.before != kBeforeAll &&
        graph.inPlace.size(steps[life.before].op) &&
        std::none_of(inPlaceAt.begin(), inPlaceAt.end(), [&](const auto &pair) {
          return pair.first == life.before;
        }))
      inPlaceAt.push_back({life.before, bytesInPlace(life.before)});
  }
}

/// Updates everything else after steps and touches have changed at `at`.
void Simulator::finishChange(uint32_t at) {
  for (auto [step, bytes] : inPlaceAt)
    memory[step] += bytes - bytesInPlace(step);
  std::vector<uint32_t> dead;
  for (const LifeChange &life : lives)
    if (life.wasLive && !life.isLive && life.before != kBeforeAll &&
        life.before < at && isDead(life.before))
      dead.push_back(steps[life.before].id);
  sumUp(changedFrom, at);
  for (uint32_t id : dead) {
    uint32_t step = stepOf(id);
    if (step != kNone && isDead(step))
      erase(step);
  }
}

bool Simulator::isDead(uint32_t at) const {
  if (!steps[at].isClone)
    return false;
  for (StorageId output : graph.outputsOf(steps[at].op))
    if (isLiveBefore(output, at + 1))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

void Simulator::shiftTouches(uint32_t from, uint32_t by) {
  // Unused entries are -1 there.
  shiftFrom(touches.data(), touches.size(), 2 * from, 2 * by);
}

void Simulator::addTouch(StorageId storage, uint32_t touch) {
  if (touchStart[storage] + touchCount[storage] == touchStart[storage + 1]) {
    constexpr uint32_t more = 8;
    touches.insert(touches.begin() + touchStart[storage + 1], more, kNone);
    for (StorageId id = storage + 1; id < touchStart.size(); ++id)
      touchStart[id] += more;
  }
  uint32_t *first = touches.data() + touchStart[storage];
  uint32_t *last = first + touchCount[storage]++;
  uint32_t *place = std::lower_bound(first, last, touch);
  std::move_backward(place, last, last + 1);
  *place = touch;
}

void Simulator::removeTouch(StorageId storage, uint32_t touch) {
  uint32_t *first = touches.data() + touchStart[storage];
  uint32_t *last = first + touchCount[storage]--;
  std::move(std::lower_bound(first, last, touch) + 1, last,
            std::lower_bound(first, last, touch));
  *(last - 1) = kNone;
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

std::vector<uint32_t> Simulator::insert(uint32_t at,
                                        const std::vector<Rank> &ops) {
  lives.clear();
  auto touch = [&](StorageId id) {
    if (std::any_of(lives.begin(), lives.end(),
                    [&](const LifeChange &life) { return life.storage == id; }))
      return;
    bool isLive = isLiveBefore(id, at);
    lives.push_back({id, touchBefore(id, at), isLive, isLive});
    isPending[id] = isLive;
  };
  for (Rank op : ops) {
    for (StorageId id : graph.inputsOf(op))
      touch(id);
    for (StorageId id : graph.outputsOf(op))
      touch(id);
  }
  int64_t live = 0;
  if (at < size())
    live = liveBefore[at];
  else
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      live += graph.livesToEnd[id] ? graph.bytes[id] : 0;
  kept.clear();
  std::vector<int64_t> during, before;
  for (size_t index = ops.size(); index-- > 0;) {
    bool needed = false;
    for (StorageId output : graph.outputsOf(ops[index]))
      needed |= isPending[output];
    if (!needed)
      continue;
    kept.push_back({ops[index], true, newId()});
    during.push_back(run(kept.back(), live));
    before.push_back(live);
    cost += graph.cost[ops[index]];
  }
  for (LifeChange &life : lives)
    life.isLive = isPending[life.storage];
  changeLives(at);
  uint32_t count = kept.size();
  steps.insert(steps.begin() + at, kept.rbegin(), kept.rend());
  stepById.resize(nextId, kNone);
  memory.insert(memory.begin() + at, during.rbegin(), during.rend());
  liveBefore.insert(liveBefore.begin() + at, before.rbegin(), before.rend());
  nextRank.insert(nextRank.begin() + at, count, Rank(nextRank[at]));
  shiftTouches(at, count);
  std::vector<uint32_t> ids;
  for (uint32_t step = at; step < at + count; ++step) {
    ids.push_back(steps[step].id);
    for (StorageId id : graph.inputsOf(steps[step].op))
      addTouch(id, 2 * step);
    for (StorageId id : graph.outputsOf(steps[step].op))
      addTouch(id, 2 * step + 1);
  }
  finishChange(at);
  return ids;
}

/// Finds the changes to the lives that the clone at `at` touches if it is
/// removed.
void Simulator::findChanges(uint32_t at, Rank op) {
  lives.clear();
  for (StorageId id : graph.inputsOf(op))
    lives.push_back({id, touchBefore(id, at), true, isLiveBefore(id, at + 1)});
  for (StorageId id : graph.outputsOf(op))
    lives.push_back({id, touchBefore(id, at), false, isLiveBefore(id, at + 1)});
}

void Simulator::erase(uint32_t at) {
  Rank op = steps[at].op;
  findChanges(at, op);
  changeLives(at);
  cost -= graph.cost[op];
  for (StorageId id : graph.inputsOf(op))
    removeTouch(id, 2 * at);
  for (StorageId id : graph.outputsOf(op))
    removeTouch(id, 2 * at + 1);
  stepById[steps[at].id] = kNone;
  steps.erase(steps.begin() + at);
  memory.erase(memory.begin() + at);
  liveBefore.erase(liveBefore.begin() + at);
  nextRank.erase(nextRank.begin() + at);
  shiftTouches(at + 1, -1);
  finishChange(at);
}

bool Simulator::fitsWithout(uint32_t at) {
  findChanges(at, steps[at].op);
  ranges.clear();
  int64_t longer = 0;
  for (const LifeChange &life : lives) {
    if (life.wasLive == life.isLive)
      continue;
    int64_t bytes = graph.bytes[life.storage] * (life.isLive ? 1 : -1);
    ranges.push_back({life.before + 1, bytes});
    longer += std::max<int64_t>(0, bytes);
  }
  // An input that dies at a step may have been taken over in place there.
  for (const LifeChange &life : lives)
    if (!life.wasLive && life.isLive && life.before != kBeforeAll &&
        graph.inPlace.size(steps[life.before].op) &&
        memory[life.before] + longer > budget)
      return false;
  std::sort(ranges.begin(), ranges.end());
  int64_t bytes = 0;
  for (size_t index = 0; index < ranges.size(); ++index) {
    bytes += ranges[index].second;
    uint32_t to = index + 1 < ranges.size() ? ranges[index + 1].first : at;
    uint32_t from = ranges[index].first;
    if (bytes > 0 && from < to &&
        excess.isAbove(memory, from, to, budget - bytes))
      return false;
  }
  return true;
}

} // namespace reprise::plan
