//===- Interrupts.h - Signals that end a run --------------------*- C++ -*-===//
//
// SIGINT, SIGTERM, SIGHUP (a terminal that closed) and SIGUSR1 (a batch system
// before its time limit) end a run after the current step, so that it can be
// saved. A step that does not end in time is abandoned; earlier saved states
// remain. Before the first step there is nothing to save, and planning or
// compiling is not waited for. A SIGINT after any of them ends the process at
// once.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CONSOLE_INTERRUPTS_H
#define REPRISE_CONSOLE_INTERRUPTS_H

#include <atomic>
#include <functional>

namespace reprise::driver {

/// Handles signals as described above from now on. A SIGHUP that the process
/// was started to ignore (nohup) stays ignored.
void catchInterrupts();

/// The same for a run in preparation: until stepsBegin() a signal calls `end`
/// on a thread of its own, which ends the process. A second call replaces the
/// function.
void catchInterruptsBeforeSteps(std::function<void()> end);
/// From now on a signal ends the run after its step.
void stepsBegin();

/// Set by the first signal after catchInterrupts.
const std::atomic<bool> &interrupted();

/// Counts as a signal: another rank of the run had one.
void interruptSeenElsewhere();

/// No step follows: the remaining work ends by itself, without a time limit.
void lastStepDone();

/// Set while files are written; a signal then waits without a limit.
std::atomic<bool> &saving();

/// Records the time of a step. The current step when a signal arrives has ten
/// seconds, or twice the longest time so far if that is more.
void noteStepSeconds(double seconds);

} // namespace reprise::driver

#endif // REPRISE_CONSOLE_INTERRUPTS_H
