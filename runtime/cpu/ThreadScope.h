//===- ThreadScope.h - The threads oneDNN sees ------------------*- C++ -*-===//
//
// oneDNN asks OpenMP for threads, by six functions. The runtime defines these
// six. Within a scope they act on its team: what a program was planned for is
// what it gets, whatever OMP_NUM_THREADS, OMP_THREAD_LIMIT, OMP_DYNAMIC or the
// caller's own parallel region say. Outside of any scope they hand on to the
// OpenMP of the process, which never learns of ours.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_THREADSCOPE_H
#define REPRISE_RUNTIME_CPU_THREADSCOPE_H

#include "Team.h"

namespace reprise::rt {

class ThreadScope;

/// Where a thread is: in which scope, as which member of which region.
struct ThreadContext {
  ThreadScope *scope = nullptr;
  unsigned members = 1, member = 0; // of the innermost region
  bool parallel = false;            // within a region of several members
};

/// Ends on the thread that it began on; may lie within another one.
class ThreadScope {
public:
  /// To run: parallel regions are run by `team`.
  explicit ThreadScope(Team &team);
  /// To plan: oneDNN is told of `threads`, through OpenMP itself where that is
  /// what it asks.
  explicit ThreadScope(unsigned threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope &) = delete;
  ThreadScope &operator=(const ThreadScope &) = delete;

  /// RP_INTERNAL if a region asked for more threads than the team has; it was
  /// not run then.
  Status status() const;
  /// RP_UNAVAILABLE unless, in this scope, the number of threads was asked of
  /// us, and a region ran on all members of the team if it has several.
  Status checkSeen() const;

  /// Calls work(context, m) for every m in [0, members), each on a thread of
  /// its own of the team of the scope that this thread is in. What oneDNN does
  /// in there, it does on that thread.
  static void runMembers(Team::Work work, void *context, unsigned members);

  // What the six functions do on a thread of this scope.
  bool runsRegions() const { return team; }
  void runRegion(void (*body)(void *), void *data, unsigned members);
  void waitForRegion() { team->barrier(); }
  unsigned maximum();

private:
  Team *const team;
  const unsigned threads;
  const ThreadContext before;
  bool asked = false;   // for the number of threads
  unsigned widest = 0;  // members of a region
  unsigned tooMany = 0; // members of a region that was not run
  int savedMaximum = 0; // of the process's OpenMP, when planning
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_THREADSCOPE_H
