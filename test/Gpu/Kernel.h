//===- Kernel.h - A kernel as the simulator runs it -------------*- C++ -*-===//
//
// What the compiler side (HostKernels) and the running side (Launch) agree on:
// the places in a kernel's code that call the simulator, by number.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_KERNEL_H
#define REPRISE_TEST_GPU_KERNEL_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::gpu_test {

class Launch;

constexpr unsigned kWarpSize = 32;
constexpr unsigned kMostThreads = 1024;
/// Bytes of shared memory that a kernel states.
constexpr uint64_t kMostShared = 48 << 10;

/// A load or a store of the code.
struct AccessSite {
  unsigned bytes = 0;
  /// As the access states it; a power of two.
  unsigned alignment = 1;
  bool isStore = false;
  /// For messages: "store at k.mlir:3:7".
  std::string text;
};

enum class ShuffleMode { Xor, Up, Down, Index };

/// Where threads meet: a barrier, a warp's barrier, or where lanes exchange
/// what they have.
struct MeetingSite {
  std::string text;
  /// Of shuffles.
  ShuffleMode mode = ShuffleMode::Xor;
};

struct SharedBuffer {
  /// Of the code's global variable.
  std::string symbol;
  size_t bytes = 0;
  /// As it is stated, or that of its elements: more is luck.
  size_t alignment = 1;
  void *data = nullptr;
};

/// Runs one thread. `arguments` has a pointer a parameter.
using EnterFunction = void (*)(void *const *arguments, Launch *launch,
                               int64_t thread, int64_t block);

struct Kernel {
  std::string name;
  int64_t blocks = 0;
  unsigned threads = 0;
  unsigned parameters = 0;
  /// In the source, dropped ones included.
  unsigned barriers = 0;
  std::vector<SharedBuffer> shared;
  std::vector<AccessSite> accesses;
  std::vector<MeetingSite> meetings;
  EnterFunction enter = nullptr;
};

/// Symbol of a kernel's EnterFunction.
inline std::string enterSymbol(const std::string &kernel) {
  return "enter." + kernel;
}

/// What a lane gives to a product of a warp, mma.m16n8k16: four words of a, two
/// of b, each of two numbers of 16 bits, and four sums, as the bits of f32.
constexpr unsigned kMultiplyWords = 10;
/// What a lane gives to ldmatrix: a row of 8 numbers of 16 bits.
constexpr unsigned kRowWords = 4;

/// Functions that the code calls, see Launch.h.
constexpr char kAccessSymbol[] = "simulate_access";
constexpr char kBarrierSymbol[] = "simulate_barrier";
constexpr char kWarpBarrierSymbol[] = "simulate_warp_barrier";
constexpr char kChangeSymbol[] = "simulate_change";
constexpr char kShuffleSymbol[] = "simulate_shuffle";
constexpr char kMultiplySymbol[] = "simulate_multiply";
constexpr char kMultipliedSymbol[] = "simulate_multiplied";
constexpr char kExchangeSymbol[] = "simulate_exchange_rows";
constexpr char kExchangedSymbol[] = "simulate_exchanged";
constexpr char kShuffleValidSymbol[] = "simulate_shuffle_valid";

/// Flags of a change: whether it adds, or replaces; whether it is acquire and
/// release for all blocks.
constexpr uint32_t kChangeAdds = 1, kChangeIsOrdered = 2;

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_KERNEL_H
