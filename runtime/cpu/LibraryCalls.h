//===- LibraryCalls.h - oneDNN for library calls ----------------*- C++ -*-===//
//
// A call other than attention (Attention.h), minimal filtering (Winograd.h),
// depthwise convolutions that oneDNN has no kernels for (Depthwise.h) and
// collectives (Collective.h) becomes some primitives: the operation itself on
// activations in place, and a reorder of the filter, or of a product's second
// operand, between its layout in memory and the layout that the operation
// prefers; for a filter's gradient by a product, copies of windows (see
// FilterProducts.cpp). A filter's gradient that the operation leaves in blocks
// is reordered in place (see FilterBlocks.h); for the gradient of an input as a
// convolution, the filter is reordered by positions of its window. Epilogues
// are oneDNN's post-ops if these round as the call specifies, otherwise a loop
// after the primitives, over the product in f32. The packed operand, the
// product if the result is bf16, and the scratchpads are in the call's
// workspace, each at a multiple of 64:
//
//   | packed operand, windows or groups | rows | product in f32 | scratchpads |
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_LIBRARYCALLS_H
#define REPRISE_RUNTIME_CPU_LIBRARYCALLS_H

#include "Attention.h"
#include "Collective.h"
#include "Depthwise.h"
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

/// The descriptors of one primitive and the place of each of its arguments.
struct PlannedPrimitive {
  struct Argument {
    int name; // DNNL_ARG_*
    Place place;
    dnnl::memory::desc desc;
  };
  dnnl::primitive_desc_base desc;
  std::vector<Argument> arguments;
};

/// Post-ops of an operation.
struct Attached {
  /// An addition's operand, and its description for the library.
  struct Sum {
    Place place;
    dnnl::memory::desc desc;
  };
  /// The operands added to the result; the first addition's, if accumulated, is
  /// in the result's place.
  std::vector<Sum> sums;
  bool onResult = false;

  dnnl::primitive_attr attr() const;
  void addArguments(PlannedPrimitive &operation) const;
};

/// A call as the library would run it. Holds no tensor memory.
struct LibraryPlan {
  std::vector<PlannedPrimitive> primitives; // in order of execution
  unsigned parts = 1;                       // of a product, in order
  /// The form of a filter's gradient that the primitives leave in blocks.
  std::optional<FilterBlocks> blocks;
  /// The call with its epilogues if a loop ends it; and true if the product
  /// before it is in the workspace.
  std::optional<LibraryCallDesc> loop;
  bool hasProduct = false;
  // Offsets in the workspace.
  uint64_t rowsOffset = 0, productOffset = 0, scratchpadOffset = 0;
  /// A range set to zero before each run: patches with padding, or a scratchpad
  /// whose unwritten parts the library multiplies by zero, so that a NaN there
  /// would reach the result.
  std::optional<Place> cleared;
  uint64_t clearedBytes = 0;
  /// Bytes of the last input, if primitives add to the result in place.
  uint64_t sumBytes = 0;
  /// Set for calls that are not a sequence of primitives.
  std::shared_ptr<const AttentionPlan> attention;
  std::shared_ptr<const WinogradPlan> winograd;
  std::shared_ptr<const DepthwisePlan> depthwise;
  std::optional<CollectivePlan> collective;
  LibraryCallInfo info;
};

dnnl::memory::data_type dataType(rp_element_type type);

/// Describes the operand for a product.
dnnl::memory::desc matrix(const TensorDesc &t, bool transposed);

/// Returns attributes with scratchpads of the caller, and without rounding of
/// f32 to bf16.
dnnl::primitive_attr userScratchpad();

/// Returns true if executing `desc` allocates on the heap.
bool allocates(const dnnl::primitive_desc_base &desc);

/// Advances `desc` to the first implementation that does not allocate. Leaves
/// it unchanged if all others are oneDNN's plain reference loops, which are
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

/// Plans a product of matrices by the first kernel that does not allocate.
dnnl::matmul::primitive_desc
planProduct(const dnnl::memory::desc &a, const dnnl::memory::desc &b,
            const dnnl::memory::desc &c,
            const dnnl::primitive_attr &attr = userScratchpad());

/// Adds the primitives of a checked call of matmul: see Products.cpp.
void planMatMul(LibraryPlan &plan, const LibraryCallDesc &call,
                const Attached &attached);

/// Plans the gradient of a filter as one product if that is faster than
/// oneDNN's convolution. Returns false, and plans nothing, if it is not, or
/// would allocate on the heap.
bool planFilterProduct(LibraryPlan &plan, const LibraryCallDesc &call);

/// Plans the primitives of a checked call, its epilogues as post-ops. Throws
/// dnnl::error if oneDNN only has implementations that allocate.
LibraryPlan planPrimitives(const LibraryCallDesc &call);

/// The same with epilogues in whichever way rounds as the call specifies.
/// layOutWorkspace completes it.
LibraryPlan planWithEpilogues(const LibraryCallDesc &call);

/// Returns true if a call's epilogues are one addition, in f32, to a gradient
/// of an input.
bool addsToGradient(const LibraryCallDesc &call);

/// Copies the added operand to the result of such a call before its primitives
/// run, which add in place.
void addInPlace(LibraryPlan &plan, const LibraryCallDesc &call);

/// Ends a call with a loop that runs its epilogues.
void endWithLoop(LibraryPlan &plan, const LibraryCallDesc &call);

/// Adds the scratchpads and lays out the workspace.
void layOutWorkspace(LibraryPlan &plan, unsigned threads);

/// See queryLibraryCall, which returns this plan's `info`.
Expected<LibraryPlan> planLibraryCall(const LibraryCallDesc &desc,
                                      unsigned threads);

/// Returns RP_UNAVAILABLE unless oneDNN's parallel regions run on all of
/// `team`.
Status checkLibraryThreads(Team &team);

/// The places of the operands of one execution.
struct LibraryOperands {
  std::vector<void *> inputs, outputs;
  void *workspace = nullptr; // null if the call needs none
};

/// The code that oneDNN generated for a plan.
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
  /// The team is the one that the stream's primitives run on. `ranks` may be
  /// null.
  Status run(dnnl::stream &stream, Team &team, Communicator *ranks);

private:
  /// Initializes the memory that primitives read.
  void prepare(Team &team) const;

  std::vector<BoundPrimitive> sequence;
  std::optional<FilterBlocks> blocks;
  std::optional<EpilogueLoop> loop;
  std::unique_ptr<BoundAttention> attention;
  std::unique_ptr<BoundWinograd> winograd;
  std::optional<BoundDepthwise> depthwise;
  std::optional<BoundCollective> collective;
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
