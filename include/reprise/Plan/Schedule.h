//===- Schedule.h - Order, liveness and placement ---------------*- C++ -*-===//
#ifndef REPRISE_PLAN_SCHEDULE_H
#define REPRISE_PLAN_SCHEDULE_H

#include "reprise/Plan/Graph.h"

#include <functional>
#include <optional>

namespace reprise::plan {

/// The order in which ops run; a permutation of the graph's ops.
struct Schedule {
  std::vector<OpId> order;
};

/// One range of bytes over a range of steps: a value (with everything that
/// lives in its storage: views and in-place results) or a workspace.
struct Buffer {
  std::vector<ValueId> values; // empty for a workspace
  OpId workspaceOf = kNone;
  uint64_t bytes = 0;     // multiple of kAlignment
  uint32_t firstStep = 0; // positions in Schedule::order, inclusive
  uint32_t lastStep = 0;
};

/// Liveness of a schedule: the buffers, and the peak of the sum of live ones.
struct Liveness {
  std::vector<Buffer> buffers;
  std::vector<uint32_t> bufferOfValue; // by ValueId; kNone: fixed or no bytes
  std::vector<uint32_t> workspaceOfOp; // by OpId; kNone: none
  std::vector<uint64_t> liveBytes;     // by step
  uint64_t maxLive = 0;
  uint32_t peakStep = 0;
};

/// Offsets of a Liveness's buffers, by index.
struct Placement {
  std::vector<uint64_t> offsets;
  uint64_t height = 0;  // highest end
  std::string strategy; // the greedy order or search that found it
};

/// Derives buffers and live bytes. In-place results share their input's buffer
/// if Op::inPlace permits it and no other live value needs that storage.
Liveness computeLiveness(const Graph &graph, const Schedule &schedule);

/// Computes the live bytes of each step, and their peak, from the buffers.
void sumLiveBytes(Liveness &liveness);

/// Tries several greedy orders (program order; depth-first by larger subtree
/// need; post-order; list scheduling by bytes freed minus bytes defined) and
/// moves at the peak, and returns the order with the lowest max-live; ties
/// prefer program order.
Schedule chooseOrder(const Graph &graph);

/// The unit of search work in placeBuffers: about two seconds.
constexpr uint64_t kPlacementWork = 1600000000;

/// The default work limit for this many buffers: at most half a second.
uint64_t placementWorkOf(size_t buffers);

/// Places buffers by several greedy orders and keeps the lowest; if that is
/// above max-live, searches for lower heights until within a thousandth of it
/// or until `workLimit` is spent. Work is counted in items examined, not timed,
/// so the result is the same on every machine. A limit of 0 uses the greedy
/// orders alone; the default is placementWorkOf.
Placement placeBuffers(const std::vector<Buffer> &buffers, uint64_t maxLive,
                       std::optional<uint64_t> workLimit = std::nullopt);

/// An order with its buffers and their places.
struct PlacedSchedule {
  Schedule schedule;
  Liveness liveness;
  Placement placement;
};

/// Lets the graph's ops that run beside others (Op::runsBeside) do so: each
/// runs as soon as its operands are there, and what depends on it runs after
/// some later ones. Its operands, results and workspace live until its results
/// are read. The placement ends at or below `capacity` bytes. Orders that are
/// not allowed are not used. Returns nothing if no such order was found, or if
/// there is no such op.
std::optional<PlacedSchedule>
overlapCalls(const Graph &graph, const Schedule &schedule, uint64_t capacity,
             const std::function<bool(const Schedule &)> &isAllowed = {});

/// Extends the buffers of ops that run beside others until the results of these
/// ops are read, or until another buffer begins in the same bytes.
void extendCalls(const Graph &graph, PlacedSchedule &placed);

enum class FitOutcome { Found, Impossible, LimitReached };

struct FitResult {
  FitOutcome outcome = FitOutcome::LimitReached;
  Placement placement; // the lowest found, above the capacity unless Found
};

/// Searches for offsets that end at or below `capacity`, but not for lower
/// ones. Impossible is a proof. Work is counted as in placeBuffers.
FitResult placeWithin(const std::vector<Buffer> &buffers, uint64_t capacity,
                      uint64_t workLimit);

/// Independent check of a plan: order respects dependences, each op once,
/// buffers cover their values' uses, overlapping live ranges have disjoint
/// bytes, in-place and views are legal, peak as claimed. Returns the error, or
/// "". Shares no code with the functions above.
std::string validate(const Graph &graph, const Schedule &schedule,
                     const Liveness &liveness, const Placement &placement);

} // namespace reprise::plan

#endif // REPRISE_PLAN_SCHEDULE_H
