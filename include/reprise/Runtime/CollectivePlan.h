//===- CollectivePlan.h - Calls that all ranks make together ----*- C++ -*-===//
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
// A large tensor's parts are received in pieces, one exchange after another
// (exchangesOfSum), so that the workspace is small beside the tensor.
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
#ifndef REPRISE_RUNTIME_COLLECTIVEPLAN_H
#define REPRISE_RUNTIME_COLLECTIVEPLAN_H

#include "reprise/Runtime/Communicator.h"
#include "reprise/Runtime/Library.h"

namespace reprise::rt {

/// A verified collective call.
struct CollectivePlan {
  LibraryOp op;
  rp_element_type type = RP_F32;
  unsigned ranks = 0;
  Shards shards; // of the operands, or of the result if that is larger
  /// The bytes of a part that a sum receives in one exchange.
  uint64_t pieceBytes = 0;
  std::vector<uint64_t> bytes; // of each operand
  /// True if a sum gathers whole tensors.
  bool isSmall = false;

  bool adds() const {
    return op == LibraryOp::AllReduce || op == LibraryOp::ReduceScatter;
  }
  bool isPacked() const { return bytes.size() > 1; }
  /// The bytes of the workspace into which parts are received.
  uint64_t receivedBytes() const;
  uint64_t workspaceBytes() const;
  LibraryCallInfo info() const;
};

/// `call` has been verified.
CollectivePlan planCollective(const LibraryCallDesc &call);

/// Fails if `ranks`, which may be null, is not of the plan's size.
Status checkRanks(const CollectivePlan &plan, const Communicator *ranks);

/// The addresses of a call, as its device has them.
struct CollectiveOperands {
  std::vector<uint64_t> inputs, outputs;
  uint64_t workspace = 0;
};

/// The operations that collective calls consist of, on one device, which may
/// run them later, in the order in which they are requested.
class CollectiveMoves {
public:
  virtual ~CollectiveMoves();
  virtual Status copy(uint64_t to, uint64_t from, uint64_t bytes) = 0;
  virtual Status clear(uint64_t at, uint64_t bytes) = 0;
  // See Communicator.
  virtual Status exchange(uint64_t data, const Shards &shards,
                          uint64_t received) = 0;
  virtual Status gather(uint64_t data, const Shards &shards) = 0;
  virtual Status sum(uint64_t data, uint64_t bytes, rp_element_type type) = 0;
  /// Adds `ranks` parts of `bytes` bytes each, one behind the other, in their
  /// order: ((part 0 + part 1) + part 2) + ...
  virtual Status addParts(uint64_t sum, uint64_t parts, uint64_t bytes,
                          unsigned ranks, rp_element_type type) = 0;
};

/// Runs a call on this rank, which is one of the plan's number of ranks.
Status runCollective(const CollectivePlan &plan,
                     const CollectiveOperands &operands,
                     const Communicator &ranks, CollectiveMoves &moves);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_COLLECTIVEPLAN_H
