//===- LibraryCalls.h - oneDNN behind the library interface -----*- C++ -*-===//
//
// A call becomes up to two primitives: the operation itself with activations
// where they lie, and a reorder of the filter between its layout in memory
// and the one the operation prefers. Both the packed filter and the
// scratchpads live in the call's workspace:
//
//   0                  align64(packed)              workspaceBytes
//   | packed filter ... | scratchpad of either primitive ... |
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_LIBRARYCALLS_H
#define REPRISE_RUNTIME_CPU_LIBRARYCALLS_H

#include "ThreadScope.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include <dnnl.hpp>
#include <map>
#include <memory>

namespace reprise::rt {

enum class Place : uint8_t { Input0, Input1, Output, Packed, Scratchpad };

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

/// A call as the library would run it; holds no tensor memory.
struct LibraryPlan {
  std::vector<PlannedPrimitive> primitives; // in order of execution
  uint64_t scratchpadOffset = 0;            // in the workspace
  LibraryCallInfo info;
};

dnnl::engine &cpuEngine();

/// See queryLibraryCall, which returns `info` of this.
Expected<LibraryPlan> planLibraryCall(const LibraryCallDesc &desc,
                                      unsigned threads);

/// RP_UNAVAILABLE unless oneDNN's parallel regions run on all of `team`.
Status checkLibraryThreads(Team &team);

/// Where the operands of one execution lie.
struct LibraryOperands {
  void *inputs[2];
  void *output;
  void *workspace; // null if the call needs none
};

/// A call with its code generated and its operands bound: running it builds
/// nothing.
class BoundLibraryCall {
public:
  BoundLibraryCall(const LibraryPlan &plan,
                   const std::vector<dnnl::primitive> &primitives,
                   const LibraryOperands &operands);
  Status run(dnnl::stream &stream);

private:
  struct Bound {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  std::vector<Bound> sequence;
};

/// Generates each distinct call of a program once.
class LibraryCache {
public:
  explicit LibraryCache(Team &team) : team(team) {}
  struct Entry {
    LibraryPlan plan;
    std::vector<dnnl::primitive> primitives;
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
