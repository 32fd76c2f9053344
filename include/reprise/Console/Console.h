//===- Console.h - The driver's output and exit codes -----------*- C++ -*-===//
//
// Results go to standard output; errors, warnings and progress to standard
// error, both without control characters, which names may contain.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CONSOLE_CONSOLE_H
#define REPRISE_CONSOLE_CONSOLE_H

#include "reprise/Console/Progress.h"
#include "reprise/Runtime/Status.h"
#include <string>
#include <vector>

namespace reprise::driver {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,
  kUsage = 2,
  kCheckpointed = 75, // EX_TEMPFAIL: the saved state can be resumed
  kRankLost = 76,     // another rank of the run ended or did not answer
  kInterrupted = 130  // 128 + SIGINT, as shells report it
};

/// Prints "error: MESSAGE"; returns kUsage for a misuse, otherwise kFailure.
/// Prints nothing for a status without a message, whose error has been shown
/// already.
int fail(const rt::Status &status);
void warn(const std::string &message);
/// Prints a line that the user asked for, in place of progress.
void note(const std::string &message);

/// Makes this process speak as a rank of several: ranks other than 0 only show
/// errors, each with the rank's number.
void speakAsRank(unsigned rank);

rt::Status invalid(const std::string &message);
/// Returns the status of an invalid command line, whatever the files hold.
rt::Status misuse(const std::string &message);
/// Returns a status of data or states that do not fit the command line
/// (RP_INVALID_ARGUMENT) as misuse; others unchanged.
rt::Status misfit(const rt::Status &status);
bool isMisuse(const rt::Status &status);
/// Returns the status for errors that MLIR's diagnostics have shown.
rt::Status alreadyShown();

/// Writes to standard output, safe for terminals; fails if that is closed or
/// full.
rt::Status print(const std::string &text);

/// Writes `text` to a file as a whole or not at all, or to standard output for
/// "-".
rt::Status writeText(const std::string &path, const std::string &text);

/// Fails before long work if `path` could not be written afterwards.
rt::Status checkOutput(const std::string &path);
/// The same for a folder, which is created for the check and removed again if
/// it did not exist.
rt::Status checkOutputFolder(const std::string &path);
/// Also checks that it is not one of the input files.
rt::Status checkOutput(const std::string &path,
                       const std::vector<std::string> &inputs);

} // namespace reprise::driver

#endif // REPRISE_CONSOLE_CONSOLE_H
