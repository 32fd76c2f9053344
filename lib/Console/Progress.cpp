//===- Progress.cpp - Lines about work in progress ------------------------===//
//
// The thread that shows them does not allocate: work short of memory must not
// fail because of a line.
//
//===----------------------------------------------------------------------===//

#include "reprise/Console/Progress.h"
#include "reprise/Console/Verbosity.h"
#include "reprise/Text/Printable.h"
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace reprise;
using namespace reprise::driver;

using Clock = std::chrono::steady_clock;
using Kind = ProgressText::Kind;

static constexpr const char *kSecondsName = "REPRISE_PROGRESS_SECONDS";
static constexpr double kSecondsBetween = 10;
/// The part of this time after which a command is first reported as at work.
static constexpr double kFirstPart = 0.2;
static constexpr std::chrono::milliseconds kRedraw(200);

/// Returns nothing if the environment variable is invalid.
static double secondsBetween() {
  const char *text = std::getenv(kSecondsName);
  if (!text)
    return kSecondsBetween;
  char *end = nullptr;
  double seconds = std::strtod(text, &end);
  bool isNumber = end != text && *end == '\0' && seconds > 0 && seconds <= 1e9;
  return isNumber ? seconds : 0;
}

rt::Status ProgressReporter::checkEnvironment() {
  if (secondsBetween() > 0)
    return {};
  return rt::Status::error(RP_INVALID_ARGUMENT,
                           std::string(kSecondsName) + " is '" +
                               std::getenv(kSecondsName) +
                               "'; give the seconds between two lines of "
                               "progress, a number above 0");
}

static size_t terminalColumns() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

namespace {
/// The text on screen, and the thread that writes it.
class Screen {
public:
  bool isTerminal() const { return terminal; }
  Clock::duration pause() const { return between; }
  void start();
  void stop();
  void push(ProgressText *text);
  void pop(ProgressText *text);
  /// Changes a text; called by its owner.
  template <typename Change> void update(Change change) {
    std::lock_guard<std::mutex> lock(mutex);
    change();
  }
  /// Writes a line whose owner decides when.
  void write(const std::string &line);
  void lock() {
    mutex.lock();
    erase();
  }
  void unlock() { mutex.unlock(); }
  void keepLine();

private:
  void work();
  void tick(Clock::time_point now);
  Clock::time_point next(Clock::time_point now) const;
  void print(const char *line);
  void erase();

  const bool terminal = ::isatty(STDERR_FILENO);
  const Clock::duration between = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(secondsBetween()));
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<ProgressText *> texts; // the newest last
  Clock::time_point due;             // time of the next plain line
  bool isDrawn = false;              // on the terminal
  bool isRunning = false;
  std::thread thread;
};
} // namespace

/// Never destroyed: threads may outlive main().
static Screen &screen() {
  static auto *only = new Screen;
  return *only;
}

void Screen::erase() {
  if (isDrawn)
    std::fputs("\r\033[K", stderr);
  isDrawn = false;
}

/// Truncates, since a wrapped line could not be rewritten.
void Screen::print(const char *line) {
  if (terminal)
    std::fprintf(stderr, "\r%.*s\033[K", int(terminalColumns() - 1), line);
  else
    std::fprintf(stderr, "%s\n", line);
  std::fflush(stderr);
  isDrawn = terminal;
  due = Clock::now() + between;
}

/// Appends as much as fits.
template <typename... Arguments>
static void append(char *line, size_t size, size_t &length, const char *format,
                   Arguments... arguments) {
  int added = std::snprintf(line + length, size - length, format, arguments...);
  length = std::min(size - 1, length + size_t(std::max(added, 0)));
}

static void compose(const ProgressText &text, double seconds, char *line,
                    size_t size) {
  size_t length = 0;
  append(line, size, length, "%s", text.what.c_str());
  if (!text.phase.empty())
    append(line, size, length, ": %s", text.phase.c_str());
  if (text.share >= 0)
    append(line, size, length, ", %.0f%%", 100 * std::min(text.share, 1.0));
  if (!text.best.empty())
    append(line, size, length, ", %s", text.best.c_str());
  bool isOwners = text.kind == Kind::Line;
  append(line, size, length, isOwners ? " (%.0f s ago)" : ", %.0f s", seconds);
}

void Screen::tick(Clock::time_point now) {
  if (texts.empty())
    return;
  const ProgressText &newest = *texts.back();
  std::chrono::duration<double> age = now - newest.since;
  bool isEarly =
      newest.kind == Kind::Command &&
      age < std::chrono::duration<double>(kSecondsBetween) * kFirstPart;
  // Its owner rewrites a line of steps, but it must not look dead.
  bool isOwners = newest.kind == Kind::Line && isDrawn;
  if (terminal ? isEarly || isOwners : now < due)
    return;
  char line[1024];
  compose(newest, age.count(), line, sizeof line);
  print(line);
}

Clock::time_point Screen::next(Clock::time_point now) const {
  return terminal ? now + kRedraw : std::max(due, now + kRedraw / 4);
}

void Screen::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (isRunning) {
    changed.wait_until(lock, next(Clock::now()));
    if (isRunning)
      tick(Clock::now());
  }
}

void Screen::start() {
  std::lock_guard<std::mutex> guard(mutex);
  isRunning = true;
  due = Clock::now() +
        std::chrono::duration_cast<Clock::duration>(between * kFirstPart);
  // Other threads handle signals.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread = std::thread([this] { work(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Screen::stop() {
  {
    std::lock_guard<std::mutex> guard(mutex);
    isRunning = false;
    changed.notify_all();
  }
  if (thread.joinable())
    thread.join();
}

void Screen::push(ProgressText *text) {
  std::lock_guard<std::mutex> guard(mutex);
  texts.push_back(text);
}

void Screen::pop(ProgressText *text) {
  std::lock_guard<std::mutex> guard(mutex);
  texts.erase(std::remove(texts.begin(), texts.end(), text), texts.end());
  erase();
}

void Screen::write(const std::string &line) {
  std::lock_guard<std::mutex> guard(mutex);
  print(line.c_str());
}

void Screen::keepLine() {
  std::lock_guard<std::mutex> guard(mutex);
  if (isDrawn)
    std::fputs("\n", stderr);
  isDrawn = false;
}

AsideFromProgress::AsideFromProgress() { screen().lock(); }
AsideFromProgress::~AsideFromProgress() { screen().unlock(); }

//===----------------------------------------------------------------------===//
// Commands and lines
//===----------------------------------------------------------------------===//

ProgressReporter::ProgressReporter(const std::string &command) {
  if (verbosity() == Verbosity::Quiet)
    return;
  text.what = text::printable(command) + " is at work";
  text.since = Clock::now();
  text.kind = Kind::Command;
  screen().push(&text);
  screen().start();
}

ProgressReporter::~ProgressReporter() {
  screen().stop();
  screen().pop(&text);
}

ProgressLine::ProgressLine() { text.kind = Kind::Line; }

ProgressLine::~ProgressLine() {
  if (shown)
    screen().pop(&text);
}

bool ProgressLine::wants(Place place) const {
  if (verbosity() == Verbosity::Quiet)
    return false;
  if (place != Place::Middle || !shown)
    return true;
  Clock::duration pause = std::chrono::milliseconds(100);
  if (!screen().isTerminal())
    pause = screen().pause();
  return Clock::now() - text.since >= pause;
}

void ProgressLine::show(const std::string &line) {
  screen().update([&] {
    text.what = text::printable(line);
    text.since = Clock::now();
  });
  if (!shown)
    screen().push(&text);
  shown = true;
  screen().write(text.what);
}

void ProgressLine::keep() {
  if (!shown)
    return;
  screen().keepLine();
  screen().pop(&text);
  shown = false;
}

//===----------------------------------------------------------------------===//
// Activities
//===----------------------------------------------------------------------===//

static thread_local Activity *newest = nullptr;

static bool isMainThread() { return ::gettid() == ::getpid(); }

Activity::Activity(const std::string &what) : before(newest) {
  text.what = text::printable(what);
  text.since = Clock::now();
  newest = this;
  if (isMainThread())
    screen().push(&text);
}

Activity::~Activity() {
  newest = before;
  if (isMainThread())
    screen().pop(&text);
}

Activity *Activity::current() { return newest; }

void Activity::phase(const std::string &what) {
  screen().update([&] {
    if (text.phase == what)
      return;
    text.phase = text::printable(what);
    text.share = -1;
  });
}

void Activity::share(double done) {
  screen().update([&] { text.share = done; });
}

void Activity::best(const std::string &found) {
  screen().update([&] { text.best = text::printable(found); });
}
