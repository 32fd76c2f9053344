//===- Launch.cpp - One run of a kernel -----------------------------------===//

#include "Launch.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <cassert>
#include <cstring>

using namespace reprise::gpu_test;

static std::vector<MemoryBlock> memoryOf(const Kernel &kernel,
                                         llvm::ArrayRef<Buffer> arguments,
                                         llvm::ArrayRef<Buffer> reachable) {
  std::vector<MemoryBlock> blocks;
  for (llvm::ArrayRef<Buffer> buffers : {arguments, reachable})
    for (const Buffer &buffer : buffers)
      blocks.push_back({static_cast<char *>(buffer.data), buffer.bytes,
                        buffer.name, buffer.initialized, /*isShared=*/false,
                        /*alignment=*/0});
  for (const auto &shared : llvm::enumerate(kernel.shared))
    blocks.push_back(
        {static_cast<char *>(shared.value().data), shared.value().bytes,
         "shared memory " + std::to_string(shared.index()),
         /*isInitialized=*/false, /*isShared=*/true, shared.value().alignment});
  return blocks;
}

/// The widest cells that no aligned access shares with another.
static unsigned cellBytesOf(const Kernel &kernel) {
  unsigned bytes = 16;
  for (const AccessSite &site : kernel.accesses)
    bytes = std::min({bytes, site.alignment, site.bytes & -site.bytes});
  return bytes;
}

Launch::Launch(const Kernel &kernel, llvm::ArrayRef<Buffer> arguments,
               const SimulationOptions &options, LaunchPool &pool)
    : kernel(kernel), options(options), pool(pool),
      memory(memoryOf(kernel, arguments, options.reachable),
             cellBytesOf(kernel)),
      lastRange(kernel.accesses.size()),
      warps((kernel.threads + kWarpSize - 1) / kWarpSize) {
  assert(arguments.size() == kernel.parameters && "one buffer a parameter");
  for (const Buffer &buffer : arguments)
    pointers.push_back(buffer.data);
}

SimulationReport Launch::run() {
  ThreadOrder blockOrder(options.seed);
  pool.traffic.begin(kernel.accesses, kernel.threads);
  for (unsigned next : blockOrder.arrange(unsigned(kernel.blocks))) {
    block = next;
    bool ended = runBlock();
    pool.traffic.flush(result);
    if (!ended)
      break;
  }
  return std::move(result);
}

bool Launch::runBlock() {
  blockBegan = ++epoch;
  blockMeeting = Meeting();
  acquired = Acquired();
  std::fill(warps.begin(), warps.end(), Warp());
  memory.forgetShared();
  ThreadOrder order(options.seed < 2 ? options.seed
                                     : options.seed + 1 + uint64_t(block));
  bool ended = pool.fibers.run(kernel.threads, order, [this](unsigned thread) {
    kernel.enter(pointers.data(), this, thread, block);
  });
  if (!ended)
    reportDeadlock();
  return ended;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void Launch::report(const char *kind, const std::string &place,
                    const std::string &text) {
  if (reported.insert({kind, place}).second)
    result.problems.push_back(std::string(kind) + ": " + place + ": " + text);
}

std::string Launch::self() const {
  return "thread " + std::to_string(thread()) + " of block " +
         std::to_string(block);
}

std::string Launch::describe(const Stamp &other) const {
  if (other.epoch < blockBegan || other.spread == Blocks)
    return "a thread of another block";
  if (other.spread != Thread)
    return "several threads of the block";
  return "thread " + std::to_string(other.thread);
}

void Launch::reportDeadlock() {
  std::string ended =
      " while " + std::to_string(kernel.threads - pool.fibers.live()) + " of " +
      std::to_string(kernel.threads) + " threads of block " +
      std::to_string(block) + " have ended";
  auto look = [&](const Meeting &meeting) {
    if (!meeting.waiting.empty())
      report("deadlock", kernel.meetings[meeting.site].text,
             std::to_string(meeting.waiting.size()) + " threads wait" + ended);
  };
  look(blockMeeting);
  for (const Warp &warp : warps)
    look(warp.meeting);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Moment Launch::now() const {
  unsigned running = thread();
  return {{epoch, warps[running / kWarpSize].epoch, running, Thread},
          blockBegan,
          &acquired};
}

static bool holds(const Range &range, const char *at) {
  return at >= range.begin && at < range.end;
}

void *Launch::access(void *address, unsigned number) {
  const AccessSite &site = kernel.accesses[number];
  char *at = static_cast<char *>(address);
  Range *&range = lastRange[number];
  if (!range || !holds(*range, at))
    range = memory.find(at);
  if (!range || size_t(range->end - at) < site.bytes)
    return accessOutside(at, site);
  if (reinterpret_cast<uintptr_t>(at) % site.alignment)
    report("alignment", site.text,
           self() + " is at an address that is not a multiple of " +
               std::to_string(site.alignment) + " in '" + range->name + "'");
  if (range->alignment && range->alignment < site.alignment)
    report("alignment", site.text,
           "'" + range->name + "' begins at a multiple of " +
               std::to_string(range->alignment) + ", not of " +
               std::to_string(site.alignment));
  pool.traffic.add(number, thread(), at, range->isShared);
  check(*range, at, site);
  return at;
}

/// The kernel's own variables, and what lies nowhere.
void *Launch::accessOutside(void *at, const AccessSite &site) {
  if (pool.fibers.isOnStack(at))
    return at;
  const Range *range = memory.find(static_cast<char *>(at));
  std::string text = self() + " leaves all buffers";
  if (range)
    text = self() + " is " +
           std::to_string(static_cast<char *>(at) - range->begin) +
           " bytes into '" + range->name + "' of " +
           std::to_string(range->end - range->begin) + " bytes";
  report("bounds", site.text, text);
  assert(site.bytes <= scratch.size() && "no type is as wide");
  scratch.fill(0);
  return scratch.data();
}

void Launch::check(Range &range, char *at, const AccessSite &site) {
  ShadowMemory::Finding finding =
      memory.record(range, at, site.bytes, site.isStore, now());
  if (!finding.isRace && !finding.isUnwritten)
    return;
  std::string place = self() + " is at byte " +
                      std::to_string(at - range.begin) + " of '" + range.name +
                      "'";
  if (finding.isRace)
    report("race", site.text,
           place + ", where " + describe(finding.other) +
               " was without a barrier between them");
  if (finding.isUnwritten)
    report("unwritten", site.text, place + ", which nobody wrote");
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

void Launch::meet(Meeting &meeting, unsigned site, unsigned count,
                  llvm::function_ref<void()> arrived) {
  if (meeting.waiting.empty())
    meeting.site = site;
  if (meeting.site != site)
    report("divergence", kernel.meetings[site].text,
           self() + " comes while others wait at " +
               kernel.meetings[meeting.site].text);
  if (meeting.waiting.size() + 1 < count) {
    meeting.waiting.push_back(thread());
    return pool.fibers.wait();
  }
  for (unsigned other : meeting.waiting)
    pool.fibers.wake(other);
  meeting.waiting.clear();
  arrived();
}

void Launch::barrier(unsigned site) {
  meet(blockMeeting, site, kernel.threads, [&] { ++epoch; });
}

uint32_t Launch::change(uint32_t *number, uint32_t value, uint32_t flags) {
  uint32_t before = *number;
  *number = flags & kChangeAdds ? before + value : value;
  if (!(flags & kChangeIsOrdered))
    return before;
  auto &others = released[number];
  acquired = {others, thread(), epoch};
  others.push_back({blockBegan, epoch});
  return before;
}

unsigned Launch::lanesOfWarp() const {
  unsigned first = thread() / kWarpSize * kWarpSize;
  return std::min(kWarpSize, kernel.threads - first);
}

void Launch::warpBarrier(unsigned site, uint32_t mask) {
  uint32_t all = uint32_t((uint64_t(1) << lanesOfWarp()) - 1);
  if ((mask & all) != all)
    report("divergence", kernel.meetings[site].text,
           self() + " waits for some lanes of its warp only");
  Warp &mine = warp();
  meet(mine.meeting, site, lanesOfWarp(), [&] { ++mine.epoch; });
}

/// May be no lane's number.
int32_t Launch::sourceLane(unsigned site, int32_t offset) const {
  int32_t self = int32_t(lane());
  switch (kernel.meetings[site].mode) {
  case ShuffleMode::Xor:
    return self ^ offset;
  case ShuffleMode::Up:
    return self - offset;
  case ShuffleMode::Down:
    return self + offset;
  case ShuffleMode::Index:
    return offset;
  }
  return self;
}

bool Launch::isShuffleValid(unsigned site, int32_t offset,
                            int32_t width) const {
  int32_t source = sourceLane(site, offset);
  return source >= 0 && source < width;
}

uint64_t Launch::shuffle(unsigned site, uint64_t value, int32_t offset,
                         int32_t width) {
  Warp &mine = warp();
  unsigned self = lane();
  unsigned lanes = std::min(lanesOfWarp(), unsigned(std::max(width, 1)));
  if (width < 1 || width > int32_t(lanesOfWarp()) || int32_t(self) >= width)
    report("shuffle", kernel.meetings[site].text,
           this->self() + ", lane " + std::to_string(self) + " of " +
               std::to_string(lanesOfWarp()) + ", shuffles with a width of " +
               std::to_string(width));
  mine.given[self] = value;
  meet(mine.meeting, site, lanes, [&] {
    mine.shuffled = mine.given;
    mine.epoch += options.shufflesOrderMemory;
  });
  if (!isShuffleValid(site, offset, width))
    return mine.shuffled[self];
  return mine.shuffled[unsigned(sourceLane(site, offset)) % kWarpSize];
}

void Launch::needWholeWarp(unsigned site, const std::string &what) {
  if (lanesOfWarp() != kWarpSize)
    report("product", kernel.meetings[site].text,
           self() + " " + what + " in a warp of " +
               std::to_string(lanesOfWarp()) + " lanes");
}

/// One of two numbers of 16 bits.
static double numberOf(uint32_t word, unsigned half, bool isBFloat) {
  const llvm::fltSemantics &format =
      isBFloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
  return llvm::APFloat(format, llvm::APInt(16, word >> 16 * half & 0xffff))
      .convertToDouble();
}

namespace {
/// The factors of a product of a warp.
struct Matrices {
  double a[16][16], b[16][8];
};
} // namespace

/// By PTX ISA, "Matrix fragments for mma.m16n8k16": lane 4 g + t has, of a, in
/// word w the numbers 2t and 2t + 1 behind 8 (w / 2) of row g + 8 (w % 2); of
/// b, in word w the same numbers behind 8 w of column g.
template <typename Factors>
static Matrices assemble(const Factors &factors, bool isBFloat) {
  Matrices m;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    unsigned g = lane / 4, t = lane % 4;
    for (unsigned half = 0; half < 2; ++half) {
      for (unsigned w = 0; w < 4; ++w)
        m.a[g + 8 * (w % 2)][2 * t + half + 8 * (w / 2)] =
            numberOf(factors[lane][w], half, isBFloat);
      for (unsigned w = 0; w < 2; ++w)
        m.b[2 * t + half + 8 * w][g] =
            numberOf(factors[lane][4 + w], half, isBFloat);
    }
  }
  return m;
}

/// The order in which a device adds is not documented: here the products, which
/// are exact, are added in double and rounded once with the sum before.
void Launch::multiply(unsigned site, bool isBFloat,
                      const std::array<uint32_t, kMultiplyWords> &given) {
  Warp &mine = warp();
  needWholeWarp(site, "multiplies");
  mine.factors[lane()] = given;
  meet(mine.meeting, site, lanesOfWarp(), [&] {
    mine.epoch += options.shufflesOrderMemory;
    Matrices m = assemble(mine.factors, isBFloat);
    for (unsigned each = 0; each < kWarpSize; ++each)
      for (unsigned k = 0; k < 4; ++k) {
        unsigned row = each / 4 + k / 2 * 8, column = each % 4 * 2 + k % 2;
        float before;
        std::memcpy(&before, &mine.factors[each][6 + k], sizeof before);
        double sum = before;
        for (unsigned i = 0; i < 16; ++i)
          sum += m.a[row][i] * m.b[i][column];
        float after = float(sum);
        std::memcpy(&mine.sums[each][k], &after, sizeof after);
      }
  });
}

void Launch::exchangeRows(unsigned site,
                          const std::array<uint32_t, kRowWords> &row) {
  Warp &mine = warp();
  needWholeWarp(site, "loads matrices");
  mine.givenRows[lane()] = row;
  meet(mine.meeting, site, lanesOfWarp(), [&] {
    mine.rows = mine.givenRows;
    mine.epoch += options.shufflesOrderMemory;
  });
}

/// By PTX ISA, "ldmatrix": of matrix i lane 8 i + r has row r, and lane 4 g + t
/// gets numbers 2t and 2t + 1 of row g, or where it is turned of column g.
uint32_t Launch::exchanged(unsigned number, bool isTurned) const {
  const Warp &mine = warps[thread() / kWarpSize];
  unsigned g = lane() / 4, t = lane() % 4;
  uint32_t word = 0;
  for (unsigned half = 0; half < 2; ++half) {
    unsigned row = isTurned ? 2 * t + half : g,
             column = isTurned ? g : 2 * t + half;
    uint32_t pair = mine.rows[8 * number + row][column / 2];
    word |= (pair >> 16 * (column % 2) & 0xffff) << 16 * half;
  }
  return word;
}

uint32_t Launch::multiplied(unsigned number) const {
  return warps[thread() / kWarpSize].sums[lane()][number];
}

//===----------------------------------------------------------------------===//
// Functions that code calls
//===----------------------------------------------------------------------===//

static void *callAccess(Launch *launch, void *at, uint32_t site) {
  return launch->access(at, site);
}

static void callBarrier(Launch *launch, uint32_t site) {
  launch->barrier(site);
}

static void callWarpBarrier(Launch *launch, uint32_t site, uint32_t mask) {
  launch->warpBarrier(site, mask);
}

static uint64_t callShuffle(Launch *launch, uint32_t site, uint64_t value,
                            int32_t offset, int32_t width) {
  return launch->shuffle(site, value, offset, width);
}

static uint32_t callChange(Launch *launch, uint32_t *number, uint32_t value,
                           uint32_t flags) {
  return launch->change(number, value, flags);
}

static void callMultiply(Launch *launch, uint32_t site, uint32_t isBFloat,
                         uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                         uint32_t b0, uint32_t b1, uint32_t c0, uint32_t c1,
                         uint32_t c2, uint32_t c3) {
  launch->multiply(site, isBFloat, {a0, a1, a2, a3, b0, b1, c0, c1, c2, c3});
}

static uint32_t callMultiplied(Launch *launch, uint32_t number) {
  return launch->multiplied(number);
}

static void callExchange(Launch *launch, uint32_t site, uint32_t x0,
                         uint32_t x1, uint32_t x2, uint32_t x3) {
  launch->exchangeRows(site, {x0, x1, x2, x3});
}

static uint32_t callExchanged(Launch *launch, uint32_t number,
                              uint32_t isTurned) {
  return launch->exchanged(number, isTurned);
}

static int64_t callShuffleValid(Launch *launch, uint32_t site, int32_t offset,
                                int32_t width) {
  return launch->isShuffleValid(site, offset, width);
}

std::vector<RuntimeFunction> reprise::gpu_test::runtimeFunctions() {
  return {{kAccessSymbol, reinterpret_cast<void *>(callAccess)},
          {kBarrierSymbol, reinterpret_cast<void *>(callBarrier)},
          {kWarpBarrierSymbol, reinterpret_cast<void *>(callWarpBarrier)},
          {kChangeSymbol, reinterpret_cast<void *>(callChange)},
          {kMultiplySymbol, reinterpret_cast<void *>(callMultiply)},
          {kMultipliedSymbol, reinterpret_cast<void *>(callMultiplied)},
          {kExchangeSymbol, reinterpret_cast<void *>(callExchange)},
          {kExchangedSymbol, reinterpret_cast<void *>(callExchanged)},
          {kShuffleSymbol, reinterpret_cast<void *>(callShuffle)},
          {kShuffleValidSymbol, reinterpret_cast<void *>(callShuffleValid)}};
}
