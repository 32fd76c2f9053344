//===- Collective.h - Calls that all ranks make together --------*- C++ -*-===//
//
// A sum over ranks is reduced by shards: each rank receives its part of the
// tensor from all of them, adds these in the order of the ranks, and gathers
// the others' sums. Every rank has then the same bits, those of adding the
// tensors one after another, and adds 1/R of the elements. The received parts
// are the call's workspace:
//
//   input   | part 0 | part 1 | ...      workspace   | from 0 | from 1 | ...
//               to 0     to 1                           this rank's part
//
// A scattered sum ends with this rank's part, which is then its output.
//
// Small tensors are gathered whole, and every rank adds all of their elements:
// one exchange of messages in place of two.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_COLLECTIVE_H
#define REPRISE_RUNTIME_CPU_COLLECTIVE_H

#include "Team.h"
#include "reprise/Runtime/Communicator.h"
#include "reprise/Runtime/Library.h"

namespace reprise::rt {

/// A verified collective call.
struct CollectivePlan {
  LibraryOp op;
  rp_element_type type = RP_F32;
  unsigned ranks = 0;
  Shards shards; // of the operand, or of the result if that is larger
  /// True if a sum gathers whole tensors.
  bool isSmall = false;

  bool adds() const {
    return op == LibraryOp::AllReduce || op == LibraryOp::ReduceScatter;
  }
  uint64_t workspaceBytes() const;
  LibraryCallInfo info() const;
};

CollectivePlan planCollective(const LibraryCallDesc &call);

class BoundCollective {
public:
  BoundCollective(const CollectivePlan &plan, const void *input, void *output,
                  void *workspace)
      : plan(plan), input(static_cast<const char *>(input)),
        output(static_cast<char *>(output)), workspace(workspace) {}
  /// Fails if `ranks`, which may be null, is not of the plan's size.
  Status run(Communicator *ranks, Team &team) const;

private:
  Status sum(Communicator &ranks, Team &team) const;
  void clearPadding(unsigned rank) const;
  /// Writes the sum of the parts of `bytes` bytes each in the workspace.
  template <typename Number>
  void addParts(char *sum, uint64_t bytes, Team &team) const;

  CollectivePlan plan;
  const char *input;
  char *output;
  void *workspace;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_COLLECTIVE_H
