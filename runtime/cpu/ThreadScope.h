//===- ThreadScope.h - The threads oneDNN sees ------------------*- C++ -*-===//
//
// oneDNN gets threads from OpenMP, by six functions. The runtime defines these
// six. Within a scope they act on its team: a program gets the threads that it
// was planned for, regardless of OMP_NUM_THREADS, OMP_THREAD_LIMIT, OMP_DYNAMIC
// or a parallel region of the caller. Outside any scope they forward to the
// OpenMP of the process, which is not aware of ours.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_THREADSCOPE_H
#define REPRISE_RUNTIME_CPU_THREADSCOPE_H

#include "Team.h"

namespace reprise::rt {

class ThreadScope;

/// A thread's scope, and its member and region within it.
struct ThreadContext {
  ThreadScope *scope = nullptr;
  unsigned members = 1, member = 0; // of the innermost region
  bool parallel = false;            // within a region of several members
};

/// Ends on the thread that it began on; scopes may nest.
class ThreadScope {
public:
  /// Begins a scope for execution: `team` runs parallel regions.
  explicit ThreadScope(Team &team);
  /// Begins a scope for planning: oneDNN gets `threads` as the number of
  /// threads, through OpenMP itself if it queries that.
  explicit ThreadScope(unsigned threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope &) = delete;
  ThreadScope &operator=(const ThreadScope &) = delete;

  /// Returns RP_INTERNAL if a region requested more threads than the team has;
  /// it did not run then.
  Status status() const;
  /// Returns RP_UNAVAILABLE unless, in this scope, the number of threads was
  /// queried from us, and a region ran on all members of the team if it has
  /// several.
  Status checkSeen() const;

  /// Calls work(context, m) for every m in [0, members), each on a thread of
  /// its own of the team of the calling thread's scope. Regions of oneDNN
  /// within it run on that thread alone.
  static void runMembers(Team::Work work, void *context, unsigned members);

  // The six functions on a thread of this scope.
  bool runsRegions() const { return team; }
  void runRegion(void (*body)(void *), void *data, unsigned members);
  void waitForRegion() { team->barrier(); }
  unsigned maximum();

private:
  Team *const team;
  const unsigned threads;
  const ThreadContext before;
  bool asked = false;   // the number of threads was queried
  unsigned widest = 0;  // members of a region
  unsigned tooMany = 0; // members of a region that was not run
  int savedMaximum = 0; // of the process's OpenMP, when planning
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_THREADSCOPE_H
