//===- NcclRanks.cpp - The GPUs of several ranks, by NCCL -----------------===//
#include "NcclRanks.h"
#include "NcclFunctions.h"
#include "reprise/Runtime/Expect.h"

#include <chrono>
#include <cstring>
#include <future>
#include <thread>

namespace reprise::rt::cuda {

static void *at(Address address) {
  return reinterpret_cast<void *>(uintptr_t(address));
}

Expected<Meeting> NcclRanks::makeMeeting() {
  REPRISE_EXPECT(nccl, ncclFunctions());
  ncclUniqueId id = {};
  REPRISE_RETURN_IF_ERROR(
      (*nccl)->check((*nccl)->ncclGetUniqueId(&id), "ncclGetUniqueId"));
  Meeting meeting = {};
  static_assert(sizeof id == sizeof meeting);
  std::memcpy(meeting.data(), &id, sizeof id);
  return meeting;
}

namespace {
/// The result of a thread that connects, whose owner may have given up.
struct Connecting {
  std::promise<Status> done;
  ncclComm_t connected = nullptr;
};
} // namespace

/// NCCL waits without end for a rank that does not come. It therefore connects
/// on a thread of its own, which an error leaves behind.
Expected<std::unique_ptr<NcclRanks>>
NcclRanks::join(const Meeting &meeting, Communicator &ranks,
                std::function<Status()> prepareThread) {
  REPRISE_EXPECT(library, ncclFunctions());
  const NcclFunctions &nccl = **library;
  ncclUniqueId id = {};
  std::memcpy(&id, meeting.data(), sizeof id);
  auto connecting = std::make_shared<Connecting>();
  std::future<Status> done = connecting->done.get_future();
  std::thread([connecting, id, &nccl, prepareThread, rank = int(ranks.rank()),
               size = int(ranks.size())] {
    Status status = prepareThread();
    if (status.ok())
      status = nccl.check(
          nccl.ncclCommInitRank(&connecting->connected, size, id, rank),
          "ncclCommInitRank");
    connecting->done.set_value(status);
  }).detach();
  constexpr std::chrono::milliseconds kBetweenChecks(500);
  while (done.wait_for(kBetweenChecks) != std::future_status::ready)
    REPRISE_RETURN_IF_ERROR(ranks.watch(/*seconds=*/0));
  REPRISE_RETURN_IF_ERROR(done.get());
  return std::unique_ptr<NcclRanks>(
      new NcclRanks(nccl, connecting->connected, ranks));
}

NcclRanks::~NcclRanks() {
  if (connected)
    nccl.ncclCommDestroy(connected);
}

Status NcclRanks::group(const std::function<Status()> &issue) {
  if (!connected)
    return Status::error(RP_UNAVAILABLE, "the ranks are no longer connected");
  REPRISE_RETURN_IF_ERROR(nccl.check(nccl.ncclGroupStart(), "ncclGroupStart"));
  Status status = issue();
  Status ended = nccl.check(nccl.ncclGroupEnd(), "ncclGroupEnd");
  return status.ok() ? ended : status;
}

Status NcclRanks::exchange(CUstream stream, Address data, const Shards &shards,
                           Address received) {
  uint64_t own = shards.size(ranks.rank());
  return group([&]() -> Status {
    for (unsigned r = 0; r < ranks.size(); ++r) {
      if (uint64_t bytes = shards.size(r))
        REPRISE_RETURN_IF_ERROR(
            nccl.check(nccl.ncclSend(at(data + shards.begin(r)), bytes,
                                     ncclUint8, int(r), connected, stream),
                       "ncclSend"));
      if (own)
        REPRISE_RETURN_IF_ERROR(
            nccl.check(nccl.ncclRecv(at(received + r * own), own, ncclUint8,
                                     int(r), connected, stream),
                       "ncclRecv"));
    }
    return {};
  });
}

Status NcclRanks::gather(CUstream stream, Address data, const Shards &shards) {
  return group([&]() -> Status {
    for (unsigned r = 0; r < ranks.size(); ++r) {
      void *part = at(data + shards.begin(r));
      if (uint64_t bytes = shards.size(r))
        REPRISE_RETURN_IF_ERROR(
            nccl.check(nccl.ncclBroadcast(part, part, bytes, ncclUint8, int(r),
                                          connected, stream),
                       "ncclBroadcast"));
    }
    return {};
  });
}

Status NcclRanks::sum(CUstream stream, Address data, uint64_t bytes,
                      rp_element_type type) {
  return group([&] {
    return nccl.check(
        nccl.ncclAllReduce(at(data), at(data), bytes / elementBytes(type),
                           type == RP_F64 ? ncclFloat64 : ncclFloat32, ncclSum,
                           connected, stream),
        "ncclAllReduce");
  });
}

Status NcclRanks::watch(double seconds) {
  if (!connected)
    return Status::error(RP_UNAVAILABLE, "the ranks are no longer connected");
  Status status = ranks.watch(seconds);
  ncclResult_t late = ncclSuccess;
  if (status.ok())
    status = nccl.check(nccl.ncclCommGetAsyncError(connected, &late),
                        "ncclCommGetAsyncError");
  if (status.ok())
    status = nccl.check(late, "a call of all ranks");
  if (!status.ok())
    abort();
  return status;
}

/// Ends the calls that are running. NCCL then waits for the graphs that have
/// such calls, and these are destroyed later or by the end of the process:
/// hence a thread.
void NcclRanks::abort() {
  std::thread([&nccl = nccl, connected = connected] {
    nccl.ncclCommAbort(connected);
  }).detach();
  connected = nullptr;
}

} // namespace reprise::rt::cuda
