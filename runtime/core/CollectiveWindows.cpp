//===- CollectiveWindows.cpp - Steps that run beside others
//----------------===//
#include "reprise/Runtime/CollectiveWindows.h"
#include "Views.h"
#include "reprise/LibraryFunctions.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::rt;

namespace {
struct Range {
  uint64_t begin, end;
};
using Ranges = std::vector<Range>;

/// The bytes of the arena that a step touches.
struct Touched {
  Ranges reads, writes;
};

class Windows {
public:
  Windows(const fb::Program &program, const fb::Entry &entry)
      : program(program), entry(entry) {}
  std::vector<uint32_t> ofCollectives() const;
  std::vector<CopyWindow> ofHostCopies() const;

private:
  std::vector<Touched> touchedByAll() const;
  uint32_t endOf(const std::vector<Touched> &touched, uint32_t step) const;
  const fb::Step &stepAt(uint32_t number) const {
    return *entry.steps()->Get(number);
  }
  uint32_t stepCount() const {
    return entry.steps() ? entry.steps()->size() : 0;
  }
  Touched touchedBy(const fb::Step &step) const;
  void add(const fb::View *view, Ranges &ranges) const {
    if (!view)
      return;
    uint64_t begin = arenaOffset(program, &entry, *view);
    ranges.push_back({begin, begin + *viewBytes(*view)});
  }

  const fb::Program &program;
  const fb::Entry &entry;
};
} // namespace

Touched Windows::touchedBy(const fb::Step &step) const {
  Touched touched;
  if (const fb::LibraryCall *call = step.action_as_LibraryCall()) {
    for (const fb::View *view : *call->inputs())
      add(view, touched.reads);
    for (const fb::View *view : *call->outputs())
      add(view, touched.writes);
    add(call->workspace(), touched.writes);
  } else if (const fb::KernelLaunch *launch = step.action_as_KernelLaunch()) {
    for (uint32_t k = 0; launch->args() && k < launch->args()->size(); ++k)
      add(launch->args()->Get(k), touched.reads);
    for (uint32_t k = 0; launch->writes() && k < launch->writes()->size(); ++k)
      add(launch->args()->Get(launch->writes()->Get(k)), touched.writes);
  } else if (const fb::Copy *copy = step.action_as_Copy()) {
    add(copy->source(), touched.reads);
    add(copy->target(), touched.writes);
  } else if (const fb::Offload *offload = step.action_as_Offload()) {
    add(offload->source(), touched.reads);
  } else if (const fb::Fetch *fetch = step.action_as_Fetch()) {
    add(fetch->target(), touched.writes);
  }
  return touched;
}

static bool overlap(const Ranges &some, const Ranges &others) {
  return std::any_of(some.begin(), some.end(), [&](const Range &a) {
    return std::any_of(others.begin(), others.end(), [&](const Range &b) {
      return a.begin < b.end && b.begin < a.end;
    });
  });
}

static bool isCollective(const fb::Step &step) {
  const fb::LibraryCall *call = step.action_as_LibraryCall();
  return call && kLibraryFunctions[size_t(call->op())].isCollective;
}

static bool isHostCopy(const fb::Step &step) {
  return step.action_as_Offload() || step.action_as_Fetch();
}

template <typename Is>
static bool hasStep(const fb::Entry &entry, const Is &is) {
  return entry.steps() &&
         std::any_of(entry.steps()->begin(), entry.steps()->end(),
                     [&](const fb::Step *step) { return is(*step); });
}

std::vector<Touched> Windows::touchedByAll() const {
  std::vector<Touched> touched;
  for (uint32_t i = 0; i < stepCount(); ++i)
    touched.push_back(touchedBy(stepAt(i)));
  return touched;
}

/// The first step after `step` that must wait for its end.
uint32_t Windows::endOf(const std::vector<Touched> &touched,
                        uint32_t step) const {
  uint32_t end = step + 1;
  auto isFree = [&](const Touched &other) {
    return !overlap(touched[step].writes, other.reads) &&
           !overlap(touched[step].writes, other.writes) &&
           !overlap(touched[step].reads, other.writes);
  };
  while (end < touched.size() && isFree(touched[end]))
    ++end;
  return end;
}

std::vector<uint32_t> Windows::ofCollectives() const {
  std::vector<uint32_t> ends(stepCount(), 0);
  if (!hasStep(entry, isCollective))
    return ends;
  std::vector<Touched> touched = touchedByAll();
  for (uint32_t i = 0; i < ends.size(); ++i)
    if (isCollective(stepAt(i)))
      ends[i] = endOf(touched, i);
  return ends;
}

std::vector<CopyWindow> Windows::ofHostCopies() const {
  std::vector<CopyWindow> windows(stepCount());
  if (!hasStep(entry, isHostCopy))
    return windows;
  std::vector<Touched> touched = touchedByAll();
  for (uint32_t i = 0; i < windows.size(); ++i) {
    if (stepAt(i).action_as_Fetch())
      windows[i] = {i, endOf(touched, i)};
    if (!stepAt(i).action_as_Offload())
      continue;
    uint32_t begin = 0;
    for (uint32_t other = 0; other < i; ++other) {
      if (!overlap(touched[i].reads, touched[other].writes))
        continue;
      bool isBeside =
          isCollective(stepAt(other)) || stepAt(other).action_as_Fetch();
      begin = isBeside ? endOf(touched, other) : other + 1;
    }
    windows[i] = {begin, i};
  }
  return windows;
}

std::vector<uint32_t> reprise::rt::collectiveWindows(const fb::Program &program,
                                                     const fb::Entry &entry) {
  return Windows(program, entry).ofCollectives();
}

std::vector<CopyWindow> reprise::rt::hostCopyWindows(const fb::Program &program,
                                                     const fb::Entry &entry) {
  return Windows(program, entry).ofHostCopies();
}
