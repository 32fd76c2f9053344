//===- Team.cpp - Threads that compute one thing together -----------------===//
//
// Each worker waits for its own number to advance, so that a call of fewer
// members wakes no others.
//
//   caller    work, context set | advance calls | member 0 | wait done
//   worker    wait calls ...............| member m | last one: advance done
//
//===----------------------------------------------------------------------===//
#include "Team.h"

#include <csignal>
#include <cstring>

namespace reprise::rt {

namespace {
/// Blocks all signals in a scope; threads begin with the mask of their creator.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved, nullptr); }

private:
  sigset_t saved;
};

/// Stack sizes that do not depend on the caller's limits: a library kernel must
/// not overflow under `ulimit -s 64`.
class ThreadAttributes {
public:
  ThreadAttributes() {
    constexpr size_t kStackBytes = 8 << 20;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
  }
  ~ThreadAttributes() { pthread_attr_destroy(&attributes); }
  pthread_attr_t *get() { return &attributes; }

private:
  pthread_attr_t attributes;
};
} // namespace

Expected<std::unique_ptr<Team>> Team::create(unsigned threads) {
  std::unique_ptr<Team> team(new Team(threads));
  SignalsBlocked blocked;
  ThreadAttributes attributes;
  for (unsigned member = 1; member < threads; ++member) {
    auto worker = std::make_unique<Worker>();
    worker->team = team.get();
    worker->member = member;
    int error =
        pthread_create(&worker->thread, attributes.get(), serve, worker.get());
    if (error)
      return Status::error(
          RP_UNAVAILABLE,
          "the program runs on " + std::to_string(threads) +
              " threads, and the system gives " + std::to_string(member) +
              " (" + std::strerror(error) +
              "); raise the limit of processes or memory (ulimit -u, -v), or "
              "compile for fewer threads");
    pthread_setname_np(worker->thread, "reprise-team");
    team->workers.push_back(std::move(worker));
  }
  return team;
}

Team::~Team() {
  stopping = true;
  for (const std::unique_ptr<Worker> &worker : workers)
    worker->calls.advance();
  for (const std::unique_ptr<Worker> &worker : workers)
    pthread_join(worker->thread, nullptr);
}

void *Team::serve(void *argument) {
  auto &worker = *static_cast<Worker *>(argument);
  Team &team = *worker.team;
  for (uint32_t call = 0;; ++call) {
    worker.calls.waitWhile(call);
    if (team.stopping)
      return nullptr;
    team.work(team.context, worker.member);
    if (team.running.fetch_sub(1, std::memory_order_acq_rel) == 1)
      team.done.advance();
  }
}

void Team::run(unsigned count, Work function, void *argument) {
  if (count <= 1)
    return function(argument, 0);
  work = function;
  context = argument;
  members = count;
  running.store(count - 1, std::memory_order_relaxed);
  uint32_t before = done.value();
  for (unsigned member = 1; member < count; ++member)
    workers[member - 1]->calls.advance();
  function(argument, 0);
  done.waitWhile(before);
}

void Team::barrier() {
  uint32_t before = passed.value();
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < members)
    return passed.waitWhile(before);
  arrived.store(0, std::memory_order_relaxed);
  passed.advance();
}

} // namespace reprise::rt
