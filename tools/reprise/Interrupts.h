//===- Interrupts.h - Signals that end a run --------------------*- C++ -*-===//
//
// SIGINT, SIGTERM, SIGHUP (a terminal that closed) and SIGUSR1 (a batch system
// before its time limit) end a run after the step that is under way, so that it
// can be saved. A step that does not end in time is given up, and what was
// saved before it stays. Before the first step there is nothing to save, and
// what is planned or compiled is not waited for. A SIGINT after any of them
// ends the process at once.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_INTERRUPTS_H
#define REPRISE_TOOLS_INTERRUPTS_H

#include <atomic>
#include <functional>

namespace reprise::tools {

/// From here on signals are taken as said above. A SIGHUP that the process was
/// started to ignore (nohup) stays ignored.
void catchInterrupts();

/// The same of a run that is being prepared: until stepsBegin() a signal has
/// `end` called, by a thread of its own, which ends the process.
void catchInterruptsBeforeSteps(std::function<void()> end);
/// From here on a signal ends the run after its step.
void stepsBegin();

/// Set by the first signal after catchInterrupts.
const std::atomic<bool> &interrupted();

/// No step follows: what is left to do ends by itself, and may take its time.
void lastStepDone();

/// Set while files are written, for which a signal waits without a limit.
std::atomic<bool> &saving();

/// A step took so long. The one under way when a signal comes is given ten
/// seconds, or twice the time of the longest so far where that is more.
void noteStepSeconds(double seconds);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_INTERRUPTS_H
