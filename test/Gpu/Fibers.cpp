//===- Fibers.cpp - Threads that wait, on one thread of the CPU -----------===//

#include "Fibers.h"
#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cassert>
#include <numeric>
#ifdef __SANITIZE_ADDRESS__
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

using namespace reprise::gpu_test;

static constexpr size_t kStackBytes = 128 << 10;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

std::vector<unsigned> ThreadOrder::arrange(unsigned count) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (seed == 1)
    std::reverse(order.begin(), order.end());
  again(order);
  return order;
}

void ThreadOrder::again(std::vector<unsigned> &order) {
  if (seed > 1)
    std::shuffle(order.begin(), order.end(), random);
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

// ucontext.h calls the system at every switch, for masks of signals, which
// takes most of the time of kernels whose threads meet. Boost's fibers unwind
// what is abandoned, which code without exceptions can't; hence what they are
// made of.
namespace context = boost::context::detail;

namespace {
/// Where code stopped, and the stack that it is on.
struct Stack {
  context::fcontext_t stopped = nullptr;
  const void *bottom = nullptr;
  size_t size = 0;
};
} // namespace

// AddressSanitizer must hear of every switch, before and after it.

#ifdef __SANITIZE_ADDRESS__
static void *leaveFor(const Stack &to) {
  void *frames = nullptr;
  __sanitizer_start_switch_fiber(&frames, to.bottom, to.size);
  return frames;
}

static void finishArrival(void *frames) {
  __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
}

static void findBounds(Stack &caller) {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  void *bottom = nullptr;
  pthread_attr_getstack(&attributes, &bottom, &caller.size);
  caller.bottom = bottom;
  pthread_attr_destroy(&attributes);
}
#else
static void *leaveFor(const Stack &) { return nullptr; }

static void finishArrival(void *) {}

static void findBounds(Stack &) {}
#endif

/// `origin`: what a switch says of where it came from.
static void arrive(context::transfer_t origin, void *frames) {
  static_cast<Stack *>(origin.data)->stopped = origin.fctx;
  finishArrival(frames);
}

static void switchTo(Stack &from, Stack &to) {
  void *frames = leaveFor(to);
  arrive(context::jump_fcontext(to.stopped, &from), frames);
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

struct Fibers::Fiber : Stack {
  explicit Fiber(void (*enter)(context::transfer_t))
      : bytes(new char[kStackBytes]) {
    bottom = bytes.get();
    size = kStackBytes;
    stopped = context::make_fcontext(bytes.get() + size, size, enter);
  }
  std::unique_ptr<char[]> bytes;
};

struct Fibers::State {
  enum class Phase { New, Ready, Waiting, Ended };
  struct Thread {
    Phase phase = Phase::New;
    Fiber *fiber = nullptr;
  };

  explicit State(unsigned &running) : running(running) {}

  unsigned &running; // the thread that does
  Stack caller;
  std::vector<std::unique_ptr<Fiber>> fibers;
  /// Those that run no thread.
  std::vector<Fiber *> idle;
  const std::function<void(unsigned)> *body = nullptr;
  std::vector<Thread> threads;
  /// Of this round, in which each thread that can run does so once.
  std::vector<unsigned> order;
  /// Index into `order` of the thread that runs; -1 before the first.
  int place = -1;
  bool moved = false;
  unsigned live = 0;

  unsigned current() const { return order[place]; }
  Fiber &idleFiber();
  Fiber *next(Fiber *free);
  void leave(Stack &from, Fiber *to) { switchTo(from, to ? *to : caller); }
  static void enter(context::transfer_t origin);
};

Fibers::Fiber &Fibers::State::idleFiber() {
  if (idle.empty()) {
    fibers.push_back(std::make_unique<Fiber>(State::enter));
    idle.push_back(fibers.back().get());
  }
  Fiber &fiber = *idle.back();
  idle.pop_back();
  return fiber;
}

/// Goes to the next thread of the round that can run and returns its fiber, or
/// null at the round's end. `free`: a fiber for a thread that has none.
Fibers::Fiber *Fibers::State::next(Fiber *free) {
  while (++place < int(order.size())) {
    Thread &thread = threads[current()];
    if (thread.phase == Phase::Waiting || thread.phase == Phase::Ended)
      continue;
    if (thread.phase == Phase::New)
      thread.fiber = free ? free : &idleFiber();
    thread.phase = Phase::Ready;
    moved = true;
    running = current();
    return thread.fiber;
  }
  return nullptr;
}

/// Whose fibers enter.
static thread_local void *entering = nullptr;

void Fibers::State::enter(context::transfer_t origin) {
  arrive(origin, nullptr);
  State &state = *static_cast<State *>(entering);
  Fiber &self = *state.threads[state.current()].fiber;
  for (;;) {
    (*state.body)(state.current());
    state.threads[state.current()].phase = Phase::Ended;
    --state.live;
    Fiber *next = state.next(&self);
    if (next == &self)
      continue;
    state.idle.push_back(&self);
    state.leave(self, next);
  }
}

Fibers::Fibers() : state(std::make_unique<State>(running)) {}
Fibers::~Fibers() = default;

bool Fibers::run(unsigned count, ThreadOrder &order,
                 const std::function<void(unsigned)> &body) {
  state->body = &body;
  state->threads.assign(count, {});
  state->order = order.arrange(count);
  state->live = count;
  state->moved = true;
  entering = state.get();
  findBounds(state->caller);
  while (state->live && state->moved) {
    state->moved = false;
    state->place = -1;
    if (Fiber *first = state->next(nullptr))
      switchTo(state->caller, *first);
    order.again(state->order);
  }
  if (state->live == 0)
    return true;
  state->idle.clear();
  state->fibers.clear();
  return false;
}

unsigned Fibers::live() const { return state->live; }

void Fibers::wait() {
  State::Thread &thread = state->threads[current()];
  thread.phase = State::Phase::Waiting;
  state->leave(*thread.fiber, state->next(nullptr));
}

void Fibers::wake(unsigned thread) {
  assert(state->threads[thread].phase == State::Phase::Waiting &&
         "only those who wait can be woken");
  state->threads[thread].phase = State::Phase::Ready;
}

bool Fibers::isOnStack(const void *at) const {
  const char *bottom = state->threads[current()].fiber->bytes.get();
  const char *byte = static_cast<const char *>(at);
  return byte >= bottom && byte < bottom + kStackBytes;
}
