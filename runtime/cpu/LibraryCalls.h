//===- LibraryCalls.h - oneDNN behind the library interface -----*- C++ -*-===//
//
// A call that is no attention (Attention.h) and not filtered (Winograd.h)
// becomes some primitives: the operation itself with activations where they
// lie, and a reorder of the filter, or of a product's second operand, between
// its layout in memory and the one the operation prefers; for a filter's
// gradient by a product, copies of windows (see FilterProducts.cpp). One that
// the operation leaves in blocks is turned in its own place (see
// FilterBlocks.h); for the gradient of an input that is a convolution, the
// filter is reordered by positions of its window. Epilogues are oneDNN's
// post-ops where these round as the call says, else a loop of ours behind the
// primitives, over the product in f32. The packed operand, the product where
// the result is bf16, and the scratchpads live in the call's workspace, each at
// a multiple of 64:
//
//   | packed operand, windows or groups | rows | product in f32 | scratchpads |
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_LIBRARYCALLS_H
#define REPRISE_RUNTIME_CPU_LIBRARYCALLS_H

#include "Attention.h"
#include "Epilogues.h"
#include "FilterBlocks.h"
#include "ThreadScope.h"
#include "Winograd.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include <cstring>
#include <dnnl.hpp>
#include <map>
#include <memory>
#include <optional>

namespace reprise::rt {

/// An operand of the call by its number, or a part of the workspace.
struct Place {
  enum class Kind : uint8_t {
    Input,
    Output,
    Packed,
    Rows,
    Product,
    Scratchpad
  };
  Kind kind;
  unsigned number = 0;
  uint64_t offset = 0; // within an operand or part, in bytes

  static Place input(unsigned number, uint64_t offset = 0) {
    return {Kind::Input, number, offset};
  }
  static Place output(uint64_t offset = 0) { return {Kind::Output, 0, offset}; }
  static Place packed(uint64_t offset = 0) { return {Kind::Packed, 0, offset}; }
  static Place rows() { return {Kind::Rows}; }
  static Place product() { return {Kind::Product}; }
  static Place scratchpad() { return {Kind::Scratchpad}; }
};

/// The descriptors of one primitive and where each of its arguments lies.
struct PlannedPrimitive {
  struct Argument {
    int name; // DNNL_ARG_*
    Place place;
    dnnl::memory::desc desc;
  };
  dnnl::primitive_desc_base desc;
  std::vector<Argument> arguments;
};

/// What is attached to an operation.
struct Attached {
  /// An operand, and how the library sees it.
  struct Sum {
    Place place;
    dnnl::memory::desc desc;
  };
  /// What the result adds up on; what it adds to first, what lies in its place.
  std::vector<Sum> sums;
  bool onResult = false;

  dnnl::primitive_attr attr() const;
  void addArguments(PlannedPrimitive &operation) const;
};

/// A call as the library would run it; holds no tensor memory.
struct LibraryPlan {
  std::vector<PlannedPrimitive> primitives; // in order of execution
  unsigned parts = 1; // of a product, one behind the other
  /// The form of a filter's gradient that the primitives leave in blocks.
  std::optional<FilterBlocks> blocks;
  /// The call where a loop of ours ends it, which has the epilogues; and
  /// whether the product before it lies in the workspace.
  std::optional<LibraryCallDesc> loop;
  bool hasProduct = false;
  // In the workspace.
  uint64_t rowsOffset = 0, productOffset = 0, scratchpadOffset = 0;
  /// What is set to zero before each run: patches with padding, or a scratchpad
  /// that the library multiplies by zero before it wrote there, so that a NaN
  /// would come through.
  std::optional<Place> cleared;
  uint64_t clearedBytes = 0;
  /// Of a result that primitives add to what lies there: the last input.
  uint64_t sumBytes = 0;
  /// Of what is no sequence of primitives.
  std::shared_ptr<const AttentionPlan> attention;
  std::shared_ptr<const WinogradPlan> winograd;
  LibraryCallInfo info;
};

dnnl::memory::data_type dataType(rp_element_type type);

/// The operand as a product sees it.
dnnl::memory::desc matrix(const TensorDesc &t, bool transposed);

/// Scratchpads are the caller's, and no f32 is rounded to bf16.
dnnl::primitive_attr userScratchpad();

/// True if executing `desc` takes memory from the heap.
bool allocates(const dnnl::primitive_desc_base &desc);

/// Advances `desc` to the first implementation that does not allocate. Stays
/// where it was if all others are oneDNN's plain reference loops, which are
/// hundreds of times slower.
template <typename Desc> Desc avoidAllocation(Desc desc) {
  Desc first = desc;
  while (allocates(desc)) {
    if (!desc.next_impl() || std::strstr(desc.impl_info_str(), "ref"))
      return first;
  }
  return desc;
}

/// Adds a copy from one layout to another.
void planReorder(LibraryPlan &plan, const dnnl::memory::desc &from,
                 Place fromPlace, const dnnl::memory::desc &to, Place toPlace);

/// A product of matrices by the first kernel that does not allocate.
dnnl::matmul::primitive_desc
planProduct(const dnnl::memory::desc &a, const dnnl::memory::desc &b,
            const dnnl::memory::desc &c,
            const dnnl::primitive_attr &attr = userScratchpad());

/// Adds the primitives of a checked call of matmul: see Products.cpp.
void planMatMul(LibraryPlan &plan, const LibraryCallDesc &call,
                const Attached &attached);

/// Plans the gradient of a filter as one product, where that is faster than
/// oneDNN's convolution. False, and nothing planned, where it is not, or would
/// take memory from the heap.
bool planFilterProduct(LibraryPlan &plan, const LibraryCallDesc &call);

/// Plans the primitives of a checked call, its epilogues as post-ops. Throws
/// dnnl::error where oneDNN has none that does not allocate.
LibraryPlan planPrimitives(const LibraryCallDesc &call);

/// The same with epilogues by whatever rounds as the call says. To be finished
/// by layOutWorkspace.
LibraryPlan planWithEpilogues(const LibraryCallDesc &call);

/// Whether a call's epilogues are one addition, in f32, to a gradient for an
/// input.
bool addsToGradient(const LibraryCallDesc &call);

/// Has the primitives of such a call, which add to what lies where the result
/// goes, find there what it adds to.
void addInPlace(LibraryPlan &plan, const LibraryCallDesc &call);

/// Ends a call with a loop of ours that runs its epilogues.
void endWithLoop(LibraryPlan &plan, const LibraryCallDesc &call);

/// Adds the scratchpads and lays out the workspace.
void layOutWorkspace(LibraryPlan &plan, unsigned threads);

/// See queryLibraryCall, which returns `info` of this.
Expected<LibraryPlan> planLibraryCall(const LibraryCallDesc &desc,
                                      unsigned threads);

/// RP_UNAVAILABLE unless oneDNN's parallel regions run on all of `team`.
Status checkLibraryThreads(Team &team);

/// Where the operands of one execution lie.
struct LibraryOperands {
  std::vector<void *> inputs, outputs;
  void *workspace = nullptr; // null if the call needs none
};

/// What oneDNN generated for a plan.
struct LibraryCode {
  std::vector<dnnl::primitive> primitives;
  std::vector<AttentionProducts> attention; // of its tiles
  std::vector<dnnl::matmul> winograd;
};

/// A call with its code generated and its operands bound: running it builds
/// nothing.
class BoundLibraryCall {
public:
  BoundLibraryCall(const LibraryPlan &plan, const LibraryCode &code,
                   const LibraryOperands &operands);
  /// The team is the one that the stream's primitives run on.
  Status run(dnnl::stream &stream, Team &team);

private:
  /// Brings to its place what primitives find there.
  void prepare(Team &team) const;

  std::vector<BoundPrimitive> sequence;
  std::optional<FilterBlocks> blocks;
  std::optional<EpilogueLoop> loop;
  std::unique_ptr<BoundAttention> attention;
  std::unique_ptr<BoundWinograd> winograd;
  std::pair<void *, uint64_t> cleared = {}; // bytes, before each run
  const char *addend = nullptr;
  char *sum = nullptr;
  uint64_t sumBytes = 0;
};

/// Generates each distinct call of a program once.
class LibraryCache {
public:
  explicit LibraryCache(Team &team) : team(team) {}
  struct Entry {
    LibraryPlan plan;
    LibraryCode code;
  };
  /// The entry lives as long as the cache. The first call also checks that the
  /// library's threads are the team's.
  Expected<const Entry *> get(const LibraryCallDesc &desc);

private:
  Team &team;
  std::map<std::vector<int64_t>, std::unique_ptr<Entry>> entries;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_LIBRARYCALLS_H
