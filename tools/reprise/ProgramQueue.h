//===- ProgramQueue.h - Programs made beside a run --------------*- C++ -*-===//
//
// One thread makes programs in turn, and yields to the run's threads. Nothing
// can end a compilation that has begun. A run that ends before leaves it
// behind, and the process ends without the destructors of what it uses.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PROGRAMQUEUE_H
#define REPRISE_TOOLS_PROGRAMQUEUE_H

#include "RunSource.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace reprise::tools {

class ProgramQueue {
  struct Job;

public:
  using Make = std::function<rt::Expected<BuiltProgram>()>;
  using Ticket = std::shared_ptr<Job>;

  ProgramQueue() = default;
  ~ProgramQueue();
  ProgramQueue(const ProgramQueue &) = delete;
  ProgramQueue &operator=(const ProgramQueue &) = delete;

  /// Behind the others. `make` is called by another thread, and may outlive all
  /// that it refers to: it owns what it needs.
  Ticket add(Make make);
  /// Before the others that wait.
  void prefer(const Ticket &ticket);
  /// False where `stop`, which may be null, became true before it is made.
  bool await(const Ticket &ticket, const std::atomic<bool> *stop);
  /// Waits, and hands it out once.
  rt::Expected<BuiltProgram> take(const Ticket &ticket);
  /// Nobody wants it any more.
  void drop(const Ticket &ticket);
  /// What making took, of all that was made so far.
  double seconds() const;

private:
  struct Job {
    Make make;
    std::optional<rt::Expected<BuiltProgram>> made;
  };
  /// Of the thread, which may outlive the queue.
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

/// The last words of main(): where a compilation was left behind, ends the
/// process with `code` once output is out and no file is being written.
void endBesideCompilation(int code);
/// The same whatever is under way, by any thread.
[[noreturn]] void endProcess(int code);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROGRAMQUEUE_H
