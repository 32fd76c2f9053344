//===- Team.h - Threads that compute one thing together ---------*- C++ -*-===//
//
// A fixed number of threads, all of them running at once: a program was planned
// for that number, and library kernels that wait for each other would never end
// with fewer. The calling thread, whichever it is, is member 0; the team owns
// the other threads, which live as long as it does and take no signals.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_TEAM_H
#define REPRISE_RUNTIME_CPU_TEAM_H

#include "WaitWord.h"
#include "reprise/Runtime/Status.h"

#include <memory>
#include <pthread.h>
#include <vector>

namespace reprise::rt {

/// Used by one thread at a time.
class Team {
public:
  using Work = void (*)(void *context, unsigned member);

  /// Fails with RP_UNAVAILABLE if the system does not provide as many threads.
  static Expected<std::unique_ptr<Team>> create(unsigned threads);
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;
  ~Team();

  unsigned size() const { return threads; }
  /// Calls work(context, m) for every m in [0, members), each on a thread of
  /// its own, and returns when all have. `members` is at most size(). Allocates
  /// nothing.
  void run(unsigned members, Work work, void *context);
  /// Returns once every member of the running call has reached it.
  void barrier();

private:
  struct Worker {
    Team *team = nullptr;
    unsigned member = 0;
    pthread_t thread = {};
    WaitWord calls;
  };
  explicit Team(unsigned threads) : threads(threads) {}
  static void *serve(void *worker);

  const unsigned threads;
  std::vector<std::unique_ptr<Worker>> workers; // members 1, 2, ...
  bool stopping = false;
  // The running call. Workers read it after their `calls` has advanced.
  Work work = nullptr;
  void *context = nullptr;
  unsigned members = 0;
  alignas(64) std::atomic<unsigned> running{0};
  WaitWord done;
  alignas(64) std::atomic<unsigned> arrived{0};
  WaitWord passed;
};

/// Calls run(begin, end, member) with equal shares of [0, count), one for each
/// of `members`; a single one on the caller's thread. Allocates nothing.
template <typename Run>
void runShares(Team &team, int64_t count, unsigned members, const Run &run) {
  if (members <= 1)
    return run(int64_t(0), count, 0u);
  struct Shares {
    const Run &run;
    int64_t count, members;
  } shares{run, count, int64_t(members)};
  team.run(
      members,
      [](void *context, unsigned member) {
        const Shares &all = *static_cast<Shares *>(context);
        all.run(all.count * member / all.members,
                all.count * (member + 1) / all.members, member);
      },
      &shares);
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_TEAM_H
