//===- ThreadScope.cpp - The threads oneDNN sees --------------------------===//
//
// The functions below have the names and meaning of libgomp's, whose interface
// the compiler's -fopenmp targets. oneDNN is bound to them because a program's
// own definitions come first when a shared library's symbols are looked up;
// checkSeen() reports if this is not the case.
//
//===----------------------------------------------------------------------===//
#include "ThreadScope.h"

#include <algorithm>
#include <dlfcn.h>

namespace reprise::rt {

static thread_local ThreadContext current;

//===----------------------------------------------------------------------===//
// The OpenMP of the process
//===----------------------------------------------------------------------===//

namespace {
struct ProcessOpenMp {
  void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = nullptr;
  void (*barrier)() = nullptr;
  int (*maxThreads)() = nullptr;
  int (*numThreads)() = nullptr;
  int (*threadNum)() = nullptr;
  int (*inParallel)() = nullptr;
  void (*setNumThreads)(int) = nullptr;
};
} // namespace

/// Finds the definition after ours, or libgomp's if that is not visible.
template <typename Function>
static void find(Function *&function, const char *name) {
  void *symbol = ::dlsym(RTLD_NEXT, name);
  if (!symbol)
    if (void *library = ::dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD))
      symbol = ::dlsym(library, name);
  function = reinterpret_cast<Function *>(symbol);
}

static const ProcessOpenMp &processOpenMp() {
  static const ProcessOpenMp found = [] {
    ProcessOpenMp openMp;
    find(openMp.parallel, "GOMP_parallel");
    find(openMp.barrier, "GOMP_barrier");
    find(openMp.maxThreads, "omp_get_max_threads");
    find(openMp.numThreads, "omp_get_num_threads");
    find(openMp.threadNum, "omp_get_thread_num");
    find(openMp.inParallel, "omp_in_parallel");
    find(openMp.setNumThreads, "omp_set_num_threads");
    return openMp;
  }();
  return found;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

ThreadScope::ThreadScope(Team &team)
    : team(&team), threads(team.size()), before(current) {
  current = {this, 1, 0, false};
}

ThreadScope::ThreadScope(unsigned threads)
    : team(nullptr), threads(threads), before(current) {
  current = {this, 1, 0, false};
  const ProcessOpenMp &openMp = processOpenMp();
  if (!openMp.maxThreads || !openMp.setNumThreads)
    return;
  savedMaximum = openMp.maxThreads();
  openMp.setNumThreads(int(threads));
}

ThreadScope::~ThreadScope() {
  if (savedMaximum > 0)
    processOpenMp().setNumThreads(savedMaximum);
  current = before;
}

Status ThreadScope::status() const {
  if (tooMany == 0)
    return {};
  return Status::error(RP_INTERNAL,
                       "oneDNN asked for " + std::to_string(tooMany) +
                           " threads of a team of " + std::to_string(threads));
}

Status ThreadScope::checkSeen() const {
  if (asked && (threads == 1 || widest == threads))
    return {};
  Dl_info info = {};
  void *other = ::dlsym(RTLD_DEFAULT, "GOMP_parallel");
  bool known = other && ::dladdr(other, &info) && info.dli_fname;
  return Status::error(
      RP_UNAVAILABLE,
      "oneDNN does not run on the " + std::to_string(threads) +
          " threads of the program, but on those of '" +
          (known ? info.dli_fname : "an unknown library") +
          "'; the runtime's GOMP_parallel and omp_get_max_threads must be "
          "visible and come before that library's");
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

namespace {
struct Region {
  void (*body)(void *);
  void *data;
  ThreadScope *scope;
  unsigned members;

  static void runMember(void *region, unsigned member) {
    auto &r = *static_cast<Region *>(region);
    ThreadContext outer = current;
    current = {r.scope, r.members, member, true};
    r.body(r.data);
    current = outer;
  }
};
} // namespace

void ThreadScope::runRegion(void (*body)(void *), void *data,
                            unsigned members) {
  if (members == 0)
    members = threads;
  // A nested region runs on its own thread only, like OpenMP's default.
  if (current.parallel || members == 1) {
    ThreadContext outer = current;
    current = {this, 1, 0, outer.parallel};
    body(data);
    current = outer;
    return;
  }
  // With fewer members than requested, a region would compute something else,
  // or wait forever.
  if (members > threads) {
    tooMany = members;
    return;
  }
  widest = std::max(widest, members);
  Region region = {body, data, this, members};
  team->run(members, Region::runMember, &region);
}

void ThreadScope::runMembers(Team::Work work, void *context, unsigned members) {
  struct Call {
    Team::Work work;
    void *context;
  } call{work, context};
  auto body = [](void *data) {
    auto &c = *static_cast<Call *>(data);
    c.work(c.context, current.member);
  };
  current.scope->runRegion(body, &call, members);
}

unsigned ThreadScope::maximum() {
  if (!current.parallel)
    asked = true;
  return threads;
}

} // namespace reprise::rt

//===----------------------------------------------------------------------===//
// Functions that oneDNN calls
//===----------------------------------------------------------------------===//

using reprise::rt::current;
using reprise::rt::processOpenMp;

#define REPRISE_VISIBLE __attribute__((visibility("default")))

extern "C" {

REPRISE_VISIBLE void GOMP_parallel(void (*body)(void *), void *data,
                                   unsigned members, unsigned flags) {
  if (current.scope && current.scope->runsRegions())
    return current.scope->runRegion(body, data, members);
  if (!processOpenMp().parallel)
    return body(data); // a process without OpenMP has one thread
  // A region of the process does not belong to a scope, even on this thread.
  reprise::rt::ThreadContext outer = current;
  current = {};
  processOpenMp().parallel(body, data, members, flags);
  current = outer;
}

REPRISE_VISIBLE void GOMP_barrier() {
  if (current.scope) {
    if (current.members > 1)
      current.scope->waitForRegion();
    return;
  }
  if (processOpenMp().barrier)
    processOpenMp().barrier();
}

REPRISE_VISIBLE int omp_get_max_threads() {
  if (current.scope)
    return int(current.scope->maximum());
  return processOpenMp().maxThreads ? processOpenMp().maxThreads() : 1;
}

REPRISE_VISIBLE int omp_get_num_threads() {
  if (current.scope)
    return int(current.members);
  return processOpenMp().numThreads ? processOpenMp().numThreads() : 1;
}

REPRISE_VISIBLE int omp_get_thread_num() {
  if (current.scope)
    return int(current.member);
  return processOpenMp().threadNum ? processOpenMp().threadNum() : 0;
}

REPRISE_VISIBLE int omp_in_parallel() {
  if (current.scope)
    return current.parallel;
  return processOpenMp().inParallel ? processOpenMp().inParallel() : 0;
}

} // extern "C"
