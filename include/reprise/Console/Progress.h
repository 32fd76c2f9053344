//===- Progress.h - Lines about work in progress ----------------*- C++ -*-===//
//
// While a command works, standard error shows its current work: on a terminal a
// line that is rewritten, elsewhere a plain line after two seconds and then
// every ten. If several run at once, the newest one is shown. -q shows none.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CONSOLE_PROGRESS_H
#define REPRISE_CONSOLE_PROGRESS_H

#include "reprise/Runtime/Status.h"
#include <chrono>
#include <string>

namespace reprise::driver {

/// The parts of the line; see ProgressLine and Activity.
struct ProgressText {
  std::string what, phase, best;
  double share = -1; // of the phase that is done; below 0: unknown
  std::chrono::steady_clock::time_point since;
  enum class Kind { Command, Activity, Line } kind = Kind::Activity;
};

/// Shows the main thread's current work, on a thread of its own, while it
/// lives. Without one only lines of progress are shown.
class ProgressReporter {
public:
  /// Shows "COMMAND is at work" without better information. Quiet shows
  /// nothing.
  explicit ProgressReporter(const std::string &command);
  ~ProgressReporter();
  ProgressReporter(const ProgressReporter &) = delete;
  ProgressReporter &operator=(const ProgressReporter &) = delete;

  /// Fails if REPRISE_PROGRESS_SECONDS, the seconds between two plain lines, is
  /// not a number above 0.
  static rt::Status checkEnvironment();

private:
  ProgressText text;
};

/// Clears the line from a terminal, so that something else can be written
/// there, and blocks other writers while it lives.
class AsideFromProgress {
public:
  AsideFromProgress();
  ~AsideFromProgress();
  AsideFromProgress(const AsideFromProgress &) = delete;
  AsideFromProgress &operator=(const AsideFromProgress &) = delete;
};

/// A line about steps of one kind; erased at the end of its life on a terminal.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Returns true if a line should be written now: ten a second on a terminal;
  /// elsewhere the first, the last, and one every ten seconds.
  enum class Place { First, Middle, Last };
  bool wants(Place place) const;
  void show(const std::string &line);
  /// Leaves the line on the terminal and continues below it.
  void keep();

private:
  ProgressText text;
  bool shown = false;
};

/// A long piece of work: "WHAT: PHASE, 40%, BEST, 12 s". Work of threads other
/// than the main one is not shown: nobody waits for it.
class Activity {
public:
  explicit Activity(const std::string &what);
  ~Activity();
  Activity(const Activity &) = delete;
  Activity &operator=(const Activity &) = delete;

  /// Returns the newest of this thread; null without one.
  static Activity *current();

  // For any thread:
  /// Begins a phase, whose share is 0.
  void phase(const std::string &what);
  /// Sets the part of the phase that is done, from 0 to 1.
  void share(double done);
  /// Sets the best result so far.
  void best(const std::string &found);

private:
  ProgressText text;
  Activity *before = nullptr;
};

} // namespace reprise::driver

#endif // REPRISE_CONSOLE_PROGRESS_H
