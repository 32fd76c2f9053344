//===- CpuSteps.h - The steps of a program on the CPU -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CPU_CPUSTEPS_H
#define REPRISE_RUNTIME_CPU_CPUSTEPS_H

#include "Arena.h"
#include "CallThread.h"
#include "Grains.h"
#include "HostCopies.h"
#include "LibraryCalls.h"
#include "Team.h"
#include <cstring>
#include <memory>
#include <vector>

namespace reprise::rt {

class HostCopyStep;

/// A step with its addresses. `end` is the end of its highest operand, counted
/// from the start of the arena.
class CpuStep {
public:
  virtual ~CpuStep() = default;
  virtual Status run() = 0;
  /// The last time that the step ran beside others; null: it does not.
  virtual const TimedCall *beside() const { return nullptr; }
  uint64_t end = 0;
  /// The last call between ranks that has to end before this step; may be null.
  const CpuStep *awaited = nullptr;
  /// The number of the step's call when it was started last; 0: it was not.
  uint64_t call = 0;
  /// The copies to host memory that may begin before this step, and the last
  /// copy from there that has to end before it; may be null.
  std::vector<HostCopyStep *> beginning;
  const CpuStep *awaitedCopy = nullptr;
};

class CopyStep : public CpuStep {
public:
  Status run() override {
    std::memmove(target, source, bytes);
    return {};
  }
  void *target = nullptr;
  const void *source = nullptr;
  uint64_t bytes = 0;
};

class KernelStep : public CpuStep {
public:
  KernelStep(KernelFunction kernel, Team &team, Grains &parts)
      : kernel(kernel), team(team), parts(parts) {}
  Status run() override {
    if (threads == 1) {
      kernel(args.data(), 0, grains);
      return {};
    }
    parts.share(grains, threads);
    team.run(threads, runMember, this);
    return {};
  }
  std::vector<void *> args;
  int64_t grains = 0;
  unsigned threads = 1;

private:
  static void runMember(void *self, unsigned member) {
    auto &step = *static_cast<KernelStep *>(self);
    int64_t begin = 0, end = 0;
    while (step.parts.take(member, begin, end))
      step.kernel(step.args.data(), begin, end);
  }
  KernelFunction kernel;
  Team &team;
  Grains &parts;
};

/// The resources that the programs of a session share.
struct CpuSite {
  CpuSite(Arena arena, std::unique_ptr<Team> threads)
      : arena(std::move(arena)), team(std::move(threads)), parts(team->size()),
        stream(cpuEngine()), cache(*team) {}
  Arena arena;
  std::unique_ptr<Team> team;
  Grains parts; // of the running kernel
  dnnl::stream stream;
  LibraryCache cache;
  Communicator *ranks = nullptr;
  std::unique_ptr<CallThread> calls; // between ranks; null: one runs them all
  HostCopies copies;
};

/// A copy to or from host memory.
class HostCopyStep final : public CpuStep {
public:
  HostCopyStep(CpuSite &site, bool isFetch) : site(site), isFetch(isFetch) {}
  void begin() { call = site.copies.start(HostCopy::make, &copy); }
  /// Begins a fetch, or ends an offload. One that has not begun because a run
  /// started after its beginning is made as a whole.
  Status run() override {
    if (isFetch || call == 0)
      begin();
    return isFetch ? Status() : site.copies.await(std::exchange(call, 0));
  }
  const TimedCall *beside() const override { return &copy.timed; }
  HostCopy copy;

private:
  CpuSite &site;
  bool isFetch;
};

class LibraryStep : public CpuStep {
public:
  LibraryStep(BoundLibraryCall call, CpuSite &site)
      : bound(std::move(call)), site(site) {}
  Status run() override {
    return bound.run(site.stream, *site.team, site.ranks);
  }

protected:
  BoundLibraryCall bound;
  CpuSite &site;
};

/// A call between ranks.
class RankStep final : public LibraryStep {
public:
  using LibraryStep::LibraryStep;
  Status run() override {
    if (!site.calls)
      return LibraryStep::run();
    if (isBeside) {
      call = site.calls->start(runBeside, this);
      return {};
    }
    // Ranks make their calls in the same order.
    REPRISE_RETURN_IF_ERROR(site.calls->awaitAll());
    return LibraryStep::run();
  }
  const TimedCall *beside() const override {
    return isBeside && site.calls ? &timed : nullptr;
  }
  bool isBeside = false; // other steps run meanwhile

private:
  static Status runBeside(void *self, Team &team) {
    auto &step = *static_cast<RankStep *>(self);
    return step.timed.run([&] {
      return step.bound.run(step.site.stream, team, step.site.ranks);
    });
  }
  TimedCall timed;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_CPUSTEPS_H
