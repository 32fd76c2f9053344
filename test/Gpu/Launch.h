//===- Launch.h - One run of a kernel ---------------------------*- C++ -*-===//
//
// What the code of a kernel calls: before every access, and where threads
// meet. The functions' symbols are in Kernel.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_LAUNCH_H
#define REPRISE_TEST_GPU_LAUNCH_H

#include "Fibers.h"
#include "Kernel.h"
#include "ShadowMemory.h"
#include "Simulator.h"
#include "Traffic.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace reprise::gpu_test {

/// What launches hand on to each other to save time, not meaning.
struct LaunchPool {
  Fibers fibers;
  TrafficLog traffic;
};

class Launch {
public:
  Launch(const Kernel &kernel, llvm::ArrayRef<Buffer> arguments,
         const SimulationOptions &options, LaunchPool &pool);

  SimulationReport run();

  /// Checks an access and returns the address to use: another one, if memory
  /// of the test would be harmed.
  void *access(void *at, unsigned site);
  void barrier(unsigned site);
  /// Adds to a number in global memory, or replaces it; what was there. An
  /// ordered one hands on what the block wrote before its last barrier to
  /// blocks that change the same number later.
  uint32_t change(uint32_t *number, uint32_t value, uint32_t flags);
  void warpBarrier(unsigned site, uint32_t mask);
  /// Hands the bits of `value` to the lanes that ask for them.
  uint64_t shuffle(unsigned site, uint64_t value, int32_t offset,
                   int32_t width);
  /// Takes part in a product of the warp, of bf16 or f16; the sums that this
  /// lane gets are `multiplied` then, until the next product.
  void multiply(unsigned site, bool isBFloat,
                const std::array<uint32_t, kMultiplyWords> &given);
  uint32_t multiplied(unsigned number) const;
  /// Hands the rows of the warp's lanes to those that get numbers of them, as
  /// ldmatrix does; `exchanged` is word number i then, until the next time.
  void exchangeRows(unsigned site, const std::array<uint32_t, kRowWords> &row);
  uint32_t exchanged(unsigned number, bool isTurned) const;
  /// Whether the lane that this thread asks is one.
  bool isShuffleValid(unsigned site, int32_t offset, int32_t width) const;

private:
  /// Threads on their way to one point.
  struct Meeting {
    std::vector<unsigned> waiting;
    unsigned site = 0;
  };
  struct Warp {
    Meeting meeting;
    uint32_t epoch = 0;
    /// By lane: what this shuffle was given so far, and what the last one was.
    std::array<uint64_t, kWarpSize> given = {}, shuffled = {};
    /// By lane: what this product was given so far, and the sums of the last.
    std::array<std::array<uint32_t, kMultiplyWords>, kWarpSize> factors = {};
    std::array<std::array<uint32_t, 4>, kWarpSize> sums = {};
    /// By lane: what it gave of rows so far, and what all gave last.
    std::array<std::array<uint32_t, kRowWords>, kWarpSize> givenRows = {},
                                                           rows = {};
  };

  bool runBlock();
  void report(const char *kind, const std::string &place,
              const std::string &text);
  void reportDeadlock();
  std::string self() const;
  std::string describe(const Stamp &other) const;
  Moment now() const;
  void *accessOutside(void *at, const AccessSite &site);
  void check(Range &range, char *at, const AccessSite &site);
  /// Waits for `count` threads. `arrived` is called by the last.
  void meet(Meeting &meeting, unsigned site, unsigned count,
            llvm::function_ref<void()> arrived);
  unsigned thread() const { return pool.fibers.current(); }
  unsigned lane() const { return thread() % kWarpSize; }
  Warp &warp() { return warps[thread() / kWarpSize]; }
  unsigned lanesOfWarp() const;
  /// Reports that a warp of fewer lanes does what takes 32.
  void needWholeWarp(unsigned site, const std::string &what);
  int32_t sourceLane(unsigned site, int32_t offset) const;

  const Kernel &kernel;
  SimulationOptions options;
  LaunchPool &pool;
  std::vector<void *> pointers;
  ShadowMemory memory;
  /// By site, the range of the last access: mostly that of the next one too.
  std::vector<Range *> lastRange;
  SimulationReport result;
  std::set<std::pair<std::string, std::string>> reported;

  int64_t block = 0;
  uint32_t epoch = 0, blockBegan = 0;
  Meeting blockMeeting;
  /// By number that was changed, the epochs of blocks that did.
  std::map<const uint32_t *, std::vector<std::pair<uint32_t, uint32_t>>>
      released;
  Acquired acquired;
  std::vector<Warp> warps;
  /// For accesses that would leave the buffers.
  alignas(64) std::array<char, 4096> scratch;
};

/// Functions that code calls, by symbol.
struct RuntimeFunction {
  const char *symbol;
  void *address;
};
std::vector<RuntimeFunction> runtimeFunctions();

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_LAUNCH_H
