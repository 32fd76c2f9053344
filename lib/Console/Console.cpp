//===- Console.cpp - The driver's output and exit codes -------------------===//

#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/Verbosity.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Text/Printable.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

using namespace reprise;
using namespace reprise::driver;

/// The site of errors in the command line.
static constexpr char kCommandLine[] = "command line";

Verbosity &driver::verbosity() {
  static Verbosity chosen = Verbosity::Normal;
  return chosen;
}

/// The rank of this process.
static unsigned &speaker() {
  static unsigned rank = 0;
  return rank;
}

void driver::speakAsRank(unsigned rank) {
  speaker() = rank;
  if (rank > 0 && verbosity() == Verbosity::Normal)
    verbosity() = Verbosity::Quiet;
}

bool driver::isMisuse(const rt::Status &status) {
  return status.site() == std::string(kCommandLine) + ":0";
}

int driver::fail(const rt::Status &status) {
  // This pauses progress itself.
  if (speaker() == 0)
    printJsonError(status.message());
  AsideFromProgress aside;
  std::string self = "rank " + std::to_string(speaker());
  bool isNamed = status.message().compare(0, self.size() + 1, self + " ") == 0;
  std::string who = speaker() == 0 || isNamed ? "" : self + ": ";
  if (!status.message().empty())
    std::fprintf(stderr, "error: %s%s\n", who.c_str(),
                 text::printable(status.message()).c_str());
  // A command line has no place in the source.
  if (verbosity() == Verbosity::Verbose && !status.site().empty() &&
      !isMisuse(status))
    std::fprintf(stderr, "note: from %s\n",
                 text::printable(status.site()).c_str());
  return isMisuse(status) ? kUsage : kFailure;
}

void driver::warn(const std::string &message) {
  if (speaker() > 0)
    return;
  AsideFromProgress aside;
  std::fprintf(stderr, "warning: %s\n", text::printable(message).c_str());
}

void driver::note(const std::string &message) {
  if (speaker() > 0)
    return;
  AsideFromProgress aside;
  std::fprintf(stderr, "%s\n", text::printable(message).c_str());
}

rt::Status driver::invalid(const std::string &message) {
  return rt::Status::error(RP_INVALID_ARGUMENT, message);
}

rt::Status driver::misuse(const std::string &message) {
  return rt::Status::error(RP_INVALID_ARGUMENT, message, kCommandLine, 0);
}

rt::Status driver::misfit(const rt::Status &status) {
  return status.code() == RP_INVALID_ARGUMENT ? misuse(status.message())
                                              : status;
}

rt::Status driver::alreadyShown() { return invalid(""); }

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

rt::Status driver::print(const std::string &raw) {
  AsideFromProgress aside;
  std::string text = text::printable(raw);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0)
    return {};
  return rt::systemError("write", "standard output", errno);
}

rt::Status driver::writeText(const std::string &path, const std::string &text) {
  if (path == "-")
    return print(text);
  return rt::writeFile(path, text.data(), text.size());
}

rt::Status driver::checkOutput(const std::string &path) {
  return path == "-" ? rt::Status() : rt::checkWritable(path);
}

rt::Status driver::checkOutputFolder(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> missing; // the outermost last
  for (fs::path at = fs::absolute(path, error).lexically_normal();
       !at.empty() && !fs::exists(at, error) && at != at.parent_path();
       at = at.parent_path())
    missing.push_back(at);
  fs::create_directories(path, error);
  rt::Status status = error ? rt::systemError("make", path, error.value())
                            : rt::checkWritable(path + "/file");
  for (const fs::path &made : missing)
    fs::remove(made, error);
  return status;
}

rt::Status driver::checkOutput(const std::string &path,
                               const std::vector<std::string> &inputs) {
  std::error_code error;
  for (const std::string &input : inputs)
    if (!input.empty() && std::filesystem::equivalent(path, input, error) &&
        std::filesystem::is_regular_file(path, error))
      return misuse(
          "'" + path +
          "' is an input and would be overwritten; name another file");
  return checkOutput(path);
}
