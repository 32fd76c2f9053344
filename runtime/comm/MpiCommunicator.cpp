//===- MpiCommunicator.cpp - Ranks that MPI connects ----------------------===//
//
// All calls are non-blocking and polled, so that a rank that ended or does not
// answer is an error instead of an endless wait. MPI is finalized only when all
// ranks have come to the end: after an error that would wait for ever.
//
//===----------------------------------------------------------------------===//
#include "Peers.h"
#include "reprise/Runtime/Communicator.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mpi.h>
#include <thread>

using namespace reprise::rt;

using Clock = std::chrono::steady_clock;

namespace {

class MpiCommunicator final : public Communicator {
public:
  explicit MpiCommunicator(const CommunicatorOptions &options)
      : options(options) {}
  Status join();

  unsigned rank() const override { return unsigned(self); }
  unsigned size() const override { return unsigned(count); }
  unsigned localRanks() const override { return localRanksBefore(count); }
  unsigned localRank() const override { return localRanksBefore(self); }
  Status watch(double seconds) override;
  bool isBroken() const override { return broken; }
  Status exchange(const void *data, const Shards &shards,
                  void *received) override;
  Status gather(void *data, const Shards &shards, Patience patience) override;
  Status collect(const void *part, const Shards &shards, void *all,
                 Patience patience) override;
  Status sum(void *data, uint64_t count, rp_element_type type) override;
  bool addsInAnyOrder() const override { return options.addsInAnyOrder; }
  bool takesOtherThreads() const override {
    return threads >= MPI_THREAD_SERIALIZED;
  }
  double timeoutSeconds() const override { return options.timeoutSeconds; }
  Status close() override;

private:
  /// Bytes for one rank, or from it.
  struct Part {
    int rank;
    char *data;
    uint64_t bytes;
  };
  unsigned localRanksBefore(int rank) const;
  Status transfer(const std::vector<Part> &sends,
                  const std::vector<Part> &takes, Patience patience);
  Status awaitAll(const std::vector<Part> &sends,
                  const std::vector<Part> &takes, Patience patience) const;
  struct Transfer {
    int other; // rank; -1: all of them
    MPI_Request request;
  };
  Status await(Transfer &transfer, Clock::time_point begin,
               Patience patience) const;
  Status check(int code, const char *what) const;
  Status checkPeers(double seconds, Patience patience, int other) const;

  CommunicatorOptions options;
  int self = 0, count = 1, threads = MPI_THREAD_SINGLE;
  std::vector<Peer> peers;
  bool broken = false;
};

} // namespace

/// MPI counts in int; larger parts go in pieces of this many bytes.
static constexpr uint64_t kPiece = uint64_t(1) << 30;
static constexpr int kTag = 1;

Status MpiCommunicator::check(int code, const char *what) const {
  if (code == MPI_SUCCESS)
    return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return Status::error(RP_UNAVAILABLE, std::string("MPI cannot ") + what +
                                           ": " + std::string(text, length));
}

/// Fails if a rank of this machine has ended, or if the time for rank `other`
/// is up.
Status MpiCommunicator::checkPeers(double seconds, Patience patience,
                                   int other) const {
  std::vector<unsigned> lost = lostOf(peers, unsigned(self));
  std::string who;
  for (unsigned rank : lost)
    who += (who.empty() ? "rank " : " and rank ") + std::to_string(rank) +
           " (process " + std::to_string(peers[rank].process) + ")";
  // One may have ended because of the other.
  if (!lost.empty())
    return Status::error(
        RP_UNAVAILABLE, who + (lost.size() == 1 ? " has" : " have") + " ended");
  if (patience == Patience::Step && seconds > options.timeoutSeconds)
    return Status::error(
        RP_UNAVAILABLE,
        (other < 0 ? "a rank" : "rank " + std::to_string(other)) +
            " did not come to a collective call within " +
            std::to_string(uint64_t(options.timeoutSeconds)) + " seconds");
  return {};
}

/// Polls: at first as fast as possible, since ranks usually arrive together,
/// then with naps that leave the processor to others. A thread that yields
/// instead runs again only after the others' whole time slices.
Status MpiCommunicator::await(Transfer &transfer, Clock::time_point begin,
                              Patience patience) const {
  constexpr std::chrono::microseconds kFast(50), kNap(50);
  constexpr std::chrono::milliseconds kBetweenChecks(500);
  Clock::time_point start = Clock::now(), checked = start;
  for (;;) {
    int done = 0;
    REPRISE_RETURN_IF_ERROR(
        check(MPI_Test(&transfer.request, &done, MPI_STATUS_IGNORE),
              "complete a transfer"));
    if (done)
      return {};
    Clock::time_point now = Clock::now();
    if (now - start < kFast)
      continue;
    std::this_thread::sleep_for(kNap);
    if (now - checked < kBetweenChecks)
      continue;
    checked = now;
    double seconds = std::chrono::duration<double>(now - begin).count();
    REPRISE_RETURN_IF_ERROR(checkPeers(seconds, patience, transfer.other));
  }
}

/// Sends and receives the parts, in pieces, all ranks at once.
Status MpiCommunicator::awaitAll(const std::vector<Part> &sends,
                                 const std::vector<Part> &takes,
                                 Patience patience) const {
  std::vector<Transfer> transfers;
  auto post = [&](const Part &part, bool isSent) -> Status {
    for (uint64_t at = 0; at < part.bytes; at += kPiece) {
      int piece = int(std::min(kPiece, part.bytes - at));
      MPI_Request &request =
          transfers.emplace_back(Transfer{part.rank, MPI_REQUEST_NULL}).request;
      char *bytes = part.data + at;
      int code = isSent ? MPI_Isend(bytes, piece, MPI_BYTE, part.rank, kTag,
                                    MPI_COMM_WORLD, &request)
                        : MPI_Irecv(bytes, piece, MPI_BYTE, part.rank, kTag,
                                    MPI_COMM_WORLD, &request);
      REPRISE_RETURN_IF_ERROR(check(code, isSent ? "send" : "receive"));
    }
    return {};
  };
  for (const Part &part : takes)
    REPRISE_RETURN_IF_ERROR(post(part, /*isSent=*/false));
  for (const Part &part : sends)
    REPRISE_RETURN_IF_ERROR(post(part, /*isSent=*/true));
  // Rank 0 may be waiting for the one that is late.
  std::stable_partition(
      transfers.begin(), transfers.end(),
      [](const Transfer &transfer) { return transfer.other != 0; });
  Clock::time_point begin = Clock::now();
  for (Transfer &transfer : transfers)
    REPRISE_RETURN_IF_ERROR(await(transfer, begin, patience));
  return {};
}

Status MpiCommunicator::transfer(const std::vector<Part> &sends,
                                 const std::vector<Part> &takes,
                                 Patience patience) {
  Status status = awaitAll(sends, takes, patience);
  broken |= !status.ok();
  return status;
}

Status MpiCommunicator::exchange(const void *data, const Shards &shards,
                                 void *received) {
  char *source = static_cast<char *>(const_cast<void *>(data));
  char *target = static_cast<char *>(received);
  uint64_t own = shards.size(rank());
  std::vector<Part> sends, takes;
  for (int r = 0; r < count; ++r)
    if (r != self) {
      sends.push_back(
          {r, source + shards.begin(unsigned(r)), shards.size(unsigned(r))});
      takes.push_back({r, target + uint64_t(r) * own, own});
    }
  std::memcpy(target + rank() * own, source + shards.begin(rank()), own);
  return transfer(sends, takes, Patience::Step);
}

Status MpiCommunicator::gather(void *data, const Shards &shards,
                               Patience patience) {
  char *bytes = static_cast<char *>(data);
  std::vector<Part> sends, takes;
  for (int r = 0; r < count; ++r)
    if (r != self) {
      sends.push_back({r, bytes + shards.begin(rank()), shards.size(rank())});
      takes.push_back(
          {r, bytes + shards.begin(unsigned(r)), shards.size(unsigned(r))});
    }
  return transfer(sends, takes, patience);
}

Status MpiCommunicator::collect(const void *part, const Shards &shards,
                                void *all, Patience patience) {
  char *own = static_cast<char *>(const_cast<void *>(part));
  char *bytes = static_cast<char *>(all);
  if (self != 0)
    return transfer({{0, own, shards.size(rank())}}, {}, patience);
  std::vector<Part> takes;
  for (int r = 1; r < count; ++r)
    takes.push_back(
        {r, bytes + shards.begin(unsigned(r)), shards.size(unsigned(r))});
  std::memcpy(bytes, own, shards.size(0));
  return transfer({}, takes, patience);
}

Status MpiCommunicator::sum(void *data, uint64_t count, rp_element_type type) {
  MPI_Datatype number = type == RP_F64 ? MPI_DOUBLE : MPI_FLOAT;
  uint64_t each = type == RP_F64 ? sizeof(double) : sizeof(float);
  char *bytes = static_cast<char *>(data);
  Clock::time_point begin = Clock::now();
  for (uint64_t at = 0; at < count; at += kPiece / each) {
    int piece = int(std::min(kPiece / each, count - at));
    Transfer transfer = {-1, MPI_REQUEST_NULL};
    Status status =
        check(MPI_Iallreduce(MPI_IN_PLACE, bytes + at * each, piece, number,
                             MPI_SUM, MPI_COMM_WORLD, &transfer.request),
              "add");
    if (status.ok())
      status = await(transfer, begin, Patience::Step);
    broken |= !status.ok();
    REPRISE_RETURN_IF_ERROR(status);
  }
  return {};
}

/// The ranks of this machine before `rank`.
unsigned MpiCommunicator::localRanksBefore(int rank) const {
  return unsigned(
      std::count_if(peers.begin(), peers.begin() + rank, [&](const Peer &peer) {
        return peer.machine == peers[size_t(self)].machine;
      }));
}

Status MpiCommunicator::watch(double seconds) {
  Status status = checkPeers(seconds, Patience::Step, /*other=*/-1);
  broken |= !status.ok();
  return status;
}

Status MpiCommunicator::join() {
  REPRISE_RETURN_IF_ERROR(
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads),
            "begin"));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  // Nobody is known yet, so that only the time-out ends this wait.
  std::vector<Peer> all(size_t(count), thisPeer());
  peers.assign(size_t(count), {0, 0, 0});
  for (int r = 0; r < count; ++r)
    peers[size_t(r)].machine = uint64_t(r) + 1;
  REPRISE_RETURN_IF_ERROR(gather(
      all.data(), {all.size() * sizeof(Peer), sizeof(Peer)}, Patience::Step));
  peers = std::move(all);
  return {};
}

Status MpiCommunicator::close() {
  uint8_t mark = 0;
  std::vector<uint8_t> marks(size_t(count), mark);
  REPRISE_RETURN_IF_ERROR(
      gather(marks.data(), {marks.size(), 1}, Patience::Preparing));
  return check(MPI_Finalize(), "end");
}

static Expected<std::unique_ptr<Communicator>>
open(const CommunicatorOptions &options) {
  auto ranks = std::make_unique<MpiCommunicator>(options);
  REPRISE_RETURN_IF_ERROR(ranks->join());
  return std::unique_ptr<Communicator>(std::move(ranks));
}

extern "C" __attribute__((visibility("default")))
const CommunicatorLibrary repriseCommunicatorLibrary = {kCommunicatorRevision,
                                                        open};
