//===- ProgramQueue.cpp - Compile programs while a run trains -------------===//

#include "reprise/Run/ProgramQueue.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Interrupts.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/TypedCommand.h"
#include "reprise/Driver/ProgramCache.h"
#include "reprise/Runtime/Trainer/PathLock.h"
#include "reprise/Target/TemporaryFolder.h"
#include <algorithm>
#include <cstdio>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace reprise;
using namespace reprise::driver;

using Clock = std::chrono::steady_clock;

/// True if a thread may still compile when main() ends.
static std::atomic<bool> isLeftBehind{false};

void driver::endProcess(int code) {
  std::fflush(nullptr);
  // Never released: a running write completes, and no other begins.
  ProgramCache::writing().lock();
  TemporaryFolder::removeAllAtExit();
  rt::PathLock::removeAllAtExit();
  ::_exit(code);
}

void driver::endBesideCompilation(int code) {
  if (isLeftBehind)
    endProcess(code);
}

void driver::endOnSignals() {
  catchInterruptsBeforeSteps([] {
    std::string text = "interrupted before it was done";
    note(text + "; to start again, run:\n  " + typedCommand().str());
    printJsonError(text);
    endProcess(kCheckpointed);
  });
}

void ProgramQueue::work(const std::shared_ptr<State> &state) {
  // Applies to this thread only, as Linux defines it.
  (void)::setpriority(PRIO_PROCESS, id_t(::gettid()), 10);
  std::unique_lock<std::mutex> lock(state->mutex);
  while (true) {
    state->changed.wait(
        lock, [&] { return state->isClosed || !state->waiting.empty(); });
    if (state->isClosed)
      return;
    Ticket job = std::move(state->waiting.front());
    state->waiting.pop_front();
    state->isMaking = true;
    Make make = std::move(job->make);
    lock.unlock();
    Clock::time_point begin = Clock::now();
    rt::Expected<BuiltProgram> made = make();
    make = nullptr; // the compiler is destroyed with it
    ::malloc_trim(0);
    std::chrono::duration<double> took = Clock::now() - begin;
    lock.lock();
    state->isMaking = false;
    state->seconds += took.count();
    job->made = std::move(made);
    state->changed.notify_all();
  }
}

ProgramQueue::~ProgramQueue() {
  if (!thread.joinable())
    return;
  std::unique_lock<std::mutex> lock(state->mutex);
  state->isClosed = true;
  state->waiting.clear();
  state->changed.notify_all();
  bool isMaking = state->isMaking;
  lock.unlock();
  if (!isMaking) {
    thread.join();
    return;
  }
  isLeftBehind = true;
  thread.detach();
}

ProgramQueue::Ticket ProgramQueue::add(Make make) {
  auto job = std::make_shared<Job>();
  job->make = std::move(make);
  std::lock_guard<std::mutex> lock(state->mutex);
  state->waiting.push_back(job);
  state->changed.notify_all();
  if (!thread.joinable())
    thread = std::thread([shared = state] { work(shared); });
  return job;
}

void ProgramQueue::prefer(const Ticket &ticket) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto found = std::find(state->waiting.begin(), state->waiting.end(), ticket);
  if (found != state->waiting.end())
    std::rotate(state->waiting.begin(), found, found + 1);
}

bool ProgramQueue::await(const Ticket &ticket, const std::atomic<bool> *stop) {
  // A signal does not wake waiting threads, hence the polling.
  constexpr std::chrono::milliseconds pause(20);
  std::unique_lock<std::mutex> lock(state->mutex);
  while (!ticket->made) {
    if (stop && stop->load())
      return false;
    state->changed.wait_for(lock, pause);
  }
  return true;
}

rt::Expected<BuiltProgram> ProgramQueue::take(const Ticket &ticket) {
  await(ticket, nullptr);
  return std::move(*ticket->made);
}

void ProgramQueue::drop(const Ticket &ticket) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto found = std::find(state->waiting.begin(), state->waiting.end(), ticket);
  if (found != state->waiting.end())
    state->waiting.erase(found);
}

double ProgramQueue::seconds() const {
  std::lock_guard<std::mutex> lock(state->mutex);
  return state->seconds;
}
