//===- CallThread.cpp - A thread for calls between ranks ------------------===//
#include "CallThread.h"
#include "reprise/Runtime/Expect.h"

#include <csignal>

namespace reprise::rt {

Expected<std::unique_ptr<CallThread>> CallThread::create() {
  std::unique_ptr<CallThread> calls(new CallThread());
  REPRISE_EXPECT(team, Team::create(1));
  calls->team = std::move(*team);
  // Signals are for the threads that can end the run.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&calls->thread, nullptr, serve, calls.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed)
    return Status::error(RP_UNAVAILABLE,
                         "the system provides no thread for calls between "
                         "ranks");
  calls->isRunning = true;
  return calls;
}

CallThread::~CallThread() {
  if (!isRunning)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  changed.notify_one();
  pthread_join(thread, nullptr);
}

uint64_t CallThread::start(Call call, void *context) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (next == calls.size()) {
      calls.clear();
      next = 0;
    }
    calls.push_back({call, context});
  }
  changed.notify_one();
  return ++started;
}

Status CallThread::await(uint64_t number) {
  std::unique_lock<std::mutex> lock(mutex);
  ended.wait(lock, [&] { return done >= number; });
  return failure;
}

void *CallThread::serve(void *self) {
  static_cast<CallThread *>(self)->serve();
  return nullptr;
}

void CallThread::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return isStopping || next < calls.size(); });
    if (isStopping)
      return;
    Started call = calls[next++];
    if (failure.ok()) {
      lock.unlock();
      Status status = call.call(call.context, *team);
      lock.lock();
      failure = status;
    }
    ++done;
    ended.notify_all();
  }
}

} // namespace reprise::rt
