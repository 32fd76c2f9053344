//===- CollectiveWindows.cpp - How long calls of ranks may take -----------===//
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
  std::vector<uint32_t> find() const;

private:
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

std::vector<uint32_t> Windows::find() const {
  uint32_t count = entry.steps()->size();
  std::vector<uint32_t> ends(count, 0);
  bool any =
      std::any_of(entry.steps()->begin(), entry.steps()->end(),
                  [](const fb::Step *step) { return isCollective(*step); });
  if (!any)
    return ends;
  std::vector<Touched> touched;
  for (const fb::Step *step : *entry.steps())
    touched.push_back(touchedBy(*step));
  for (uint32_t i = 0; i < count; ++i) {
    if (!isCollective(*entry.steps()->Get(i)))
      continue;
    uint32_t end = i + 1;
    auto isFree = [&](const Touched &other) {
      return !overlap(touched[i].writes, other.reads) &&
             !overlap(touched[i].writes, other.writes) &&
             !overlap(touched[i].reads, other.writes);
    };
    while (end < count && isFree(touched[end]))
      ++end;
    ends[i] = end;
  }
  return ends;
}

std::vector<uint32_t> reprise::rt::collectiveWindows(const fb::Program &program,
                                                     const fb::Entry &entry) {
  if (!entry.steps())
    return {};
  return Windows(program, entry).find();
}
