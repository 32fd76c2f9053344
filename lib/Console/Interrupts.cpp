//===- Interrupts.cpp - Signals that end a run ----------------------------===//
//
// Handlers touch lock-free atomics and call what POSIX allows them: alarm,
// raise, sem_post, sigaction, write, _exit.
//
//===----------------------------------------------------------------------===//
#include "reprise/Console/Interrupts.h"
#include "reprise/Console/Console.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <mutex>
#include <semaphore.h>
#include <thread>
#include <unistd.h>

using namespace reprise;
using namespace reprise::driver;

static std::atomic<bool> interruptSeen{false}, isSaving{false};
static std::atomic<bool> isPreparing{false};
static sem_t preparationEnds;
static std::atomic<unsigned> patience{10}; // seconds
static_assert(std::atomic<bool>::is_always_lock_free &&
                  std::atomic<unsigned>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

const std::atomic<bool> &driver::interrupted() { return interruptSeen; }

void driver::interruptSeenElsewhere() { interruptSeen = true; }

std::atomic<bool> &driver::saving() { return isSaving; }

void driver::lastStepDone() { ::alarm(0); }

void driver::noteStepSeconds(double seconds) {
  constexpr double kLongest = 1e6;
  auto wanted = unsigned(std::ceil(std::min(2 * seconds, kLongest)));
  patience.store(std::max(patience.load(), wanted));
}

static void noteInterrupt(int signal) {
  if (!interruptSeen.exchange(true)) {
    if (isPreparing.load())
      ::sem_post(&preparationEnds);
    else
      ::alarm(patience.load());
    return;
  }
  if (signal != SIGINT)
    return;
  // Raised when this handler returns.
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGINT, &action, nullptr);
  ::raise(SIGINT);
}

static void giveUp(int) {
  if (isSaving.load()) {
    ::alarm(1);
    return;
  }
  static const char text[] =
      "interrupted during a step; what was saved before is kept\n";
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(kInterrupted);
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

void driver::catchInterrupts() {
  handle(SIGALRM, giveUp);
  for (int signal : {SIGINT, SIGTERM, SIGUSR1})
    handle(signal, noteInterrupt);
  struct sigaction before = {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN)
    handle(SIGHUP, noteInterrupt);
}

namespace {
/// The work before the steps. The mutex is locked to decide whether steps have
/// begun.
struct Preparation {
  std::mutex mutex;
  std::function<void()> end;
};
} // namespace

/// Never destroyed: the thread that waits for a signal may outlive main().
static Preparation &preparation() {
  static auto *only = new Preparation;
  return *only;
}

static void awaitSignal() {
  while (::sem_wait(&preparationEnds) != 0) {
  }
  // Held until the process ends, so that no step begins.
  std::lock_guard<std::mutex> guard(preparation().mutex);
  if (isPreparing)
    preparation().end();
}

void driver::catchInterruptsBeforeSteps(std::function<void()> end) {
  std::lock_guard<std::mutex> guard(preparation().mutex);
  bool isFirst = !preparation().end;
  preparation().end = std::move(end);
  isPreparing = true;
  if (!isFirst)
    return;
  ::sem_init(&preparationEnds, /*pshared=*/0, /*value=*/0);
  std::thread(awaitSignal).detach();
  catchInterrupts();
}

void driver::stepsBegin() {
  std::lock_guard<std::mutex> guard(preparation().mutex);
  isPreparing = false;
  // A signal just before counts as one during the steps.
  if (interruptSeen)
    ::alarm(patience.load());
}
