//===- NcclRanks.h - The GPUs of several ranks, by NCCL ---------*- C++ -*-===//
//
// NCCL moves the bytes between GPUs. Sums in the order of the ranks are this
// project's own, since NCCL adds in an order of its choice. NCCL takes device
// memory of its own, which no plan counts.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_NCCLRANKS_H
#define REPRISE_RUNTIME_CUDA_NCCLRANKS_H

#include "Driver.h"
#include <cuda.h>
#include <functional>

struct ncclComm;

namespace reprise::rt::cuda {

struct NcclFunctions;

class NcclRanks {
public:
  /// Fails with RP_UNAVAILABLE if there is no NCCL.
  static Expected<Meeting> makeMeeting();
  /// Connects the ranks, on a thread for which `prepareThread` makes the GPU
  /// current. Fails if one of the others has ended meanwhile.
  static Expected<std::unique_ptr<NcclRanks>>
  join(const Meeting &meeting, Communicator &ranks,
       std::function<Status()> prepareThread);
  ~NcclRanks();
  NcclRanks(const NcclRanks &) = delete;
  NcclRanks &operator=(const NcclRanks &) = delete;

  Status exchange(CUstream stream, Address data, const Shards &shards,
                  Address received);
  Status gather(CUstream stream, Address data, const Shards &shards);
  Status sum(CUstream stream, Address data, uint64_t bytes,
             rp_element_type type);
  /// Fails, and ends the running calls of this rank, if another one has ended
  /// or does not answer. The caller has waited for `seconds` so far.
  Status watch(double seconds);

private:
  NcclRanks(const NcclFunctions &nccl, ncclComm *connected, Communicator &ranks)
      : nccl(nccl), connected(connected), ranks(ranks) {}
  void abort();
  /// Runs `issue` between the calls that begin and end a group.
  Status group(const std::function<Status()> &issue);

  const NcclFunctions &nccl;
  ncclComm *connected; // null once it is aborted
  Communicator &ranks;
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_NCCLRANKS_H
