//===- Progress.h - Lines about work in progress ----------------*- C++ -*-===//
//
// While a command works, standard error says at what: on a terminal a line that
// is rewritten, elsewhere a plain line after two seconds and then every ten.
// If several run at once, the newest one is shown. -q shows none.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PROGRESS_H
#define REPRISE_TOOLS_PROGRESS_H

#include "reprise/Runtime/Status.h"
#include <chrono>
#include <string>

namespace reprise::tools {

/// The parts of the line; see ProgressLine and Activity.
struct ProgressText {
  std::string what, phase, best;
  double share = -1; // of the phase that is done; below 0: nobody knows
  std::chrono::steady_clock::time_point since;
  enum class Kind { Command, Activity, Line } kind = Kind::Activity;
};

/// Shows what the main thread is at, by a thread of its own, while it lives.
/// Without one nothing is shown but lines of progress.
class ProgressReporter {
public:
  /// "COMMAND is at work" where nothing better is known. Quiet shows nothing.
  explicit ProgressReporter(const std::string &command);
  ~ProgressReporter();
  ProgressReporter(const ProgressReporter &) = delete;
  ProgressReporter &operator=(const ProgressReporter &) = delete;

  /// Fails where REPRISE_PROGRESS_SECONDS, the seconds between two plain lines,
  /// is no number above 0.
  static rt::Status checkEnvironment();

private:
  ProgressText text;
};

/// Takes what is shown from a terminal, so that something else can be written
/// there, and keeps others from writing while it lives.
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

  /// Whether a line should be made now: ten a second on a terminal; elsewhere
  /// the first, the last, and one every ten seconds.
  enum class Place { First, Middle, Last };
  bool wants(Place place) const;
  void show(const std::string &line);
  /// Leaves the line on the terminal and goes on below it.
  void keep();

private:
  ProgressText text;
  bool shown = false;
};

/// Work that takes a while: "WHAT: PHASE, 40%, BEST, 12 s". Of other threads
/// than the main one nothing is shown: nobody waits for them.
class Activity {
public:
  explicit Activity(const std::string &what);
  ~Activity();
  Activity(const Activity &) = delete;
  Activity &operator=(const Activity &) = delete;

  /// The newest of this thread; null without one.
  static Activity *current();

  // By any thread:
  /// Begins a phase, of which nothing is done yet.
  void phase(const std::string &what);
  /// The part of the phase that is done, from 0 to 1.
  void share(double done);
  /// The best that was found so far.
  void best(const std::string &found);

private:
  ProgressText text;
  Activity *before = nullptr;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROGRESS_H
