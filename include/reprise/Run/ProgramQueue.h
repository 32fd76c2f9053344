//===- ProgramQueue.h - Compile programs while a run trains -----*- C++ -*-===//
//
// One thread compiles programs one after another, at a lower priority than the
// run's threads. A compilation that has begun cannot be stopped. If the run
// ends earlier, the process ends without waiting for it and without the
// destructors of the objects it uses.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUN_PROGRAMQUEUE_H
#define REPRISE_RUN_PROGRAMQUEUE_H

#include "reprise/Run/BuiltProgram.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace reprise::driver {

class ProgramQueue {
  struct Job;

public:
  using Make = std::function<rt::Expected<BuiltProgram>()>;
  using Ticket = std::shared_ptr<Job>;

  ProgramQueue() = default;
  ~ProgramQueue();
  ProgramQueue(const ProgramQueue &) = delete;
  ProgramQueue &operator=(const ProgramQueue &) = delete;

  /// Adds at the end. Another thread calls `make`, which may outlive everything
  /// around it, so it must own what it needs.
  Ticket add(Make make);
  /// Moves a ticket before the other waiting ones.
  void prefer(const Ticket &ticket);
  /// Waits for a program; returns false if `stop`, which may be null, became
  /// true first.
  bool await(const Ticket &ticket, const std::atomic<bool> *stop);
  /// Waits, and returns the program once.
  rt::Expected<BuiltProgram> take(const Ticket &ticket);
  /// Declares that the program is no longer needed.
  void drop(const Ticket &ticket);
  /// Returns the total seconds of finished compilations.
  double seconds() const;

private:
  struct Job {
    Make make;
    std::optional<rt::Expected<BuiltProgram>> made;
  };
  /// The state of the thread, which may outlive the queue.
  struct State {
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::deque<Ticket> waiting;
    bool isMaking = false, isClosed = false;
    double seconds = 0;
  };
  static void work(const std::shared_ptr<State> &state);

  std::shared_ptr<State> state = std::make_shared<State>();
  std::thread thread;
};

/// Called at the end of main(): if a compilation is still running, ends the
/// process with `code` once output is flushed and no file is being written.
void endBesideCompilation(int code);
/// The same in any state, on any thread.
[[noreturn]] void endProcess(int code);
/// Until steps begin a signal ends the process so, and the command line that
/// starts again is shown.
void endOnSignals();

} // namespace reprise::driver

#endif // REPRISE_RUN_PROGRAMQUEUE_H
