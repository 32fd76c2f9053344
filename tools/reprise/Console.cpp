//===- Console.cpp - What the driver says and how it ends -----------------===//

#include "Console.h"
#include "Verbosity.h"
#include "reprise/Runtime/OutputFile.h"
#include "text/Printable.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace reprise;
using namespace reprise::tools;

/// Where a mistake was made that is one of the command line.
static constexpr char kCommandLine[] = "command line";

Verbosity &tools::verbosity() {
  static Verbosity chosen = Verbosity::Normal;
  return chosen;
}

bool tools::isMisuse(const rt::Status &status) {
  return status.site() == std::string(kCommandLine) + ":0";
}

int tools::fail(const rt::Status &status) {
  if (!status.message().empty())
    std::fprintf(stderr, "error: %s\n",
                 text::printable(status.message()).c_str());
  if (verbosity() == Verbosity::Verbose && !status.site().empty())
    std::fprintf(stderr, "note: from %s\n",
                 text::printable(status.site()).c_str());
  return isMisuse(status) ? kUsage : kFailure;
}

void tools::warn(const std::string &message) {
  std::fprintf(stderr, "warning: %s\n", text::printable(message).c_str());
}

void tools::note(const std::string &message) {
  std::fprintf(stderr, "%s%s\n", ::isatty(STDERR_FILENO) ? "\r\033[K" : "",
               text::printable(message).c_str());
}

rt::Status tools::invalid(const std::string &message) {
  return rt::Status::error(RP_INVALID_ARGUMENT, message);
}

rt::Status tools::misuse(const std::string &message) {
  return rt::Status::error(RP_INVALID_ARGUMENT, message, kCommandLine, 0);
}

rt::Status tools::alreadyShown() { return invalid(""); }

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static size_t terminalColumns() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

ProgressLine::ProgressLine() : terminal(::isatty(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() {
  if (terminal && shown)
    std::fputs("\r\033[K", stderr);
}

bool ProgressLine::wants(Place place) const {
  if (verbosity() == Verbosity::Quiet)
    return false;
  if (place != Place::Middle || !shown)
    return true;
  auto pause = terminal ? std::chrono::milliseconds(100)
                        : std::chrono::milliseconds(10000);
  return Clock::now() - last >= pause;
}

void ProgressLine::show(const std::string &text) {
  std::string line = text::printable(text);
  // A line that wraps could not be rewritten.
  if (terminal)
    std::fprintf(stderr, "\r%s\033[K",
                 line.substr(0, terminalColumns() - 1).c_str());
  else
    std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
  shown = true;
  last = Clock::now();
}

void ProgressLine::keep() {
  if (terminal && shown)
    std::fputs("\n", stderr);
  shown = false;
}

Activity::Activity(const std::string &what) {
  if (::isatty(STDERR_FILENO) && verbosity() != Verbosity::Quiet)
    line.show(what + " ...");
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

rt::Status tools::print(const std::string &raw) {
  std::string text = text::printable(raw);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0)
    return {};
  return rt::systemError("write", "standard output", errno);
}

rt::Status tools::writeText(const std::string &path, const std::string &text) {
  if (path == "-")
    return print(text);
  return rt::writeFile(path, text.data(), text.size());
}

rt::Status tools::checkOutput(const std::string &path) {
  return path == "-" ? rt::Status() : rt::checkWritable(path);
}

rt::Status tools::checkOutput(const std::string &path,
                              const std::vector<std::string> &inputs) {
  std::error_code error;
  for (const std::string &input : inputs)
    if (!input.empty() && std::filesystem::equivalent(path, input, error) &&
        std::filesystem::is_regular_file(path, error))
      return misuse("'" + path +
                    "' is read, and would be replaced; name another file");
  return checkOutput(path);
}
