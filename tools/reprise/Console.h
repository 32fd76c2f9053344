//===- Console.h - What the driver says and how it ends ---------*- C++ -*-===//
//
// Results go to standard output; errors, warnings and progress to standard
// error, both without the control characters that names may hold.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_CONSOLE_H
#define REPRISE_TOOLS_CONSOLE_H

#include "Progress.h"
#include "reprise/Runtime/Status.h"
#include <string>
#include <vector>

namespace reprise::tools {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,
  kUsage = 2,
  kCheckpointed = 75, // EX_TEMPFAIL: what was saved can be gone on from
  kInterrupted = 130  // 128 + SIGINT, as shells report it
};

/// "error: MESSAGE"; returns kUsage for a misuse, else kFailure. Says nothing
/// more for a status without a message, whose error has been shown already.
int fail(const rt::Status &status);
void warn(const std::string &message);
/// A line that the user asked for, in the place of progress.
void note(const std::string &message);

rt::Status invalid(const std::string &message);
/// For a command line that makes no sense, whatever the files hold.
rt::Status misuse(const std::string &message);
/// A status of data or states that do not fit what the command line asks for
/// (RP_INVALID_ARGUMENT) as misuse; others as they are.
rt::Status misfit(const rt::Status &status);
bool isMisuse(const rt::Status &status);
/// For what MLIR's diagnostics have shown.
rt::Status alreadyShown();

/// Writes to standard output what is safe to show on a terminal; fails where
/// that is closed or full.
rt::Status print(const std::string &text);

/// Writes `text` to a file as a whole or not at all, or to standard output for
/// "-".
rt::Status writeText(const std::string &path, const std::string &text);

/// Fails before long work when `path` could not be written after it.
rt::Status checkOutput(const std::string &path);
/// The same of a folder for files, which is made for the look and removed again
/// where it was not there.
rt::Status checkOutputFolder(const std::string &path);
/// And that it is none of the files that are read.
rt::Status checkOutput(const std::string &path,
                       const std::vector<std::string> &inputs);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_CONSOLE_H
