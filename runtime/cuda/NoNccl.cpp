//===- NoNccl.cpp - A build that has no NCCL ------------------------------===//
#include "NcclRanks.h"

namespace reprise::rt::cuda {

static Status unavailable(const char *file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  return Status::error(RP_UNAVAILABLE,
                       "this build cannot connect the GPUs of several ranks; "
                       "install the header of NCCL 2 (libnccl-dev) and "
                       "configure it again, or train on processors (--target "
                       "cpu:native)",
                       file, line);
}

Expected<Meeting> NcclRanks::makeMeeting() { return unavailable(); }

Expected<std::unique_ptr<NcclRanks>>
NcclRanks::join(const Meeting &, Communicator &, std::function<Status()>) {
  return unavailable();
}

NcclRanks::~NcclRanks() = default;

Status NcclRanks::exchange(CUstream, Address, const Shards &, Address) {
  return unavailable();
}

Status NcclRanks::gather(CUstream, Address, const Shards &) {
  return unavailable();
}

Status NcclRanks::sum(CUstream, Address, uint64_t, rp_element_type) {
  return unavailable();
}

Status NcclRanks::watch(double) { return unavailable(); }

} // namespace reprise::rt::cuda
