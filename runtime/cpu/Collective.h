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
// A sum of several tensors copies them one behind the other to the end of the
// workspace, is that of one tensor, and copies the sums to the results.
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
  Shards shards; // of the operands, or of the result if that is larger
  std::vector<uint64_t> bytes; // of each operand
  /// True if a sum gathers whole tensors.
  bool isSmall = false;

  bool adds() const {
    return op == LibraryOp::AllReduce || op == LibraryOp::ReduceScatter;
  }
  bool isPacked() const { return bytes.size() > 1; }
  /// The bytes of the workspace that receive.
  uint64_t receivedBytes() const;
  uint64_t workspaceBytes() const;
  LibraryCallInfo info() const;
};

CollectivePlan planCollective(const LibraryCallDesc &call);

class BoundCollective {
public:
  BoundCollective(const CollectivePlan &plan, std::vector<void *> inputs,
                  std::vector<void *> outputs, void *workspace);
  /// Fails if `ranks`, which may be null, is not of the plan's size.
  Status run(Communicator *ranks, Team &team) const;

private:
  Status sumPacked(Communicator &ranks, Team &team) const;
  Status sum(Communicator &ranks, Team &team) const;
  void clearPadding(unsigned rank) const;
  /// Writes the sum of the parts of `bytes` bytes each in the workspace.
  template <typename Number>
  void addParts(char *sum, uint64_t bytes, Team &team) const;

  CollectivePlan plan;
  std::vector<void *> inputs, outputs;
  /// The first of these, or where all are packed.
  const char *input;
  char *output;
  void *workspace;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_COLLECTIVE_H
