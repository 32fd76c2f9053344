//===- CallThread.h - A thread for calls between ranks ----------*- C++ -*-===//
//
// Makes the calls of a communicator beside the steps of a program, one after
// another in the order in which they were started. Owned and used by the thread
// that runs the steps.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_CALLTHREAD_H
#define REPRISE_RUNTIME_CPU_CALLTHREAD_H

#include "Team.h"
#include "reprise/Runtime/Status.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace reprise::rt {

/// A call, and when it was made last. The thread that has waited for the call
/// may read these.
struct TimedCall {
  std::chrono::steady_clock::time_point began, ended;

  template <typename Call> Status run(Call call) {
    began = std::chrono::steady_clock::now();
    Status status = call();
    ended = std::chrono::steady_clock::now();
    return status;
  }
};

class CallThread {
public:
  /// `team` is the calling thread alone.
  using Call = Status (*)(void *context, Team &team);

  /// Fails if the system does not provide a thread.
  static Expected<std::unique_ptr<CallThread>> create();
  CallThread(const CallThread &) = delete;
  CallThread &operator=(const CallThread &) = delete;
  /// Waits for the running call and drops the others.
  ~CallThread();

  /// Starts a call and returns its number, from 1 on.
  uint64_t start(Call call, void *context);
  /// Returns when a call has ended, with the error of the first call that has
  /// failed; later ones are not made.
  Status await(uint64_t number);
  /// Waits for all calls that were started.
  Status awaitAll() { return await(started); }

private:
  CallThread() = default;
  static void *serve(void *self);
  void serve();

  struct Started {
    Call call;
    void *context;
  };
  std::unique_ptr<Team> team;
  pthread_t thread = {};
  bool isRunning = false;
  uint64_t started = 0;
  // Guarded by the mutex.
  std::mutex mutex;
  std::condition_variable changed, ended;
  std::vector<Started> calls; // that wait, and those before them
  size_t next = 0;            // of `calls`
  uint64_t done = 0;
  bool isStopping = false;
  Status failure;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_CALLTHREAD_H
