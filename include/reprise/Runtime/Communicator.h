//===- Communicator.h - The processes of a run ------------------*- C++ -*-===//
//
// The boundary between programs with collective calls and the library that
// moves their bytes. All ranks of a run make the same calls in the same order.
// A call fails, naming the rank, if another rank has ended or does not answer.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_COMMUNICATOR_H
#define REPRISE_RUNTIME_COMMUNICATOR_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/reprise.h"
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace reprise::rt {

/// Parts of some bytes, one for each rank, in order: all of `shardBytes`, but
/// for the last ones, which may be shorter or empty.
struct Shards {
  uint64_t bytes = 0, shardBytes = 0;
  /// Only the bytes `from` to `upTo` of each part are meant.
  uint64_t from = 0, upTo = UINT64_MAX;

  uint64_t begin(unsigned rank) const { return place(rank, from); }
  uint64_t size(unsigned rank) const { return place(rank, upTo) - begin(rank); }
  /// Returns a piece of each part.
  Shards piece(uint64_t begin, uint64_t end) const {
    return {bytes, shardBytes, begin, end};
  }

private:
  uint64_t place(unsigned rank, uint64_t within) const {
    return std::min(bytes, rank * shardBytes + std::min(within, shardBytes));
  }
};

/// How long a call waits for the other ranks.
enum class Patience : uint8_t {
  Step,      // for the time-out
  Preparing, // as long as they live
};

class Communicator {
public:
  virtual ~Communicator() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  /// Sends part r of `data` to rank r. Receives this rank's part from each
  /// rank, in order, without gaps.
  virtual Status exchange(const void *data, const Shards &shards,
                          void *received) = 0;
  /// Completes `data`, in which each rank has filled its own part.
  virtual Status gather(void *data, const Shards &shards,
                        Patience patience) = 0;
  /// Joins the parts of all ranks on rank 0, in `all`, which others do not
  /// have: `part` is this rank's.
  virtual Status collect(const void *part, const Shards &shards, void *all,
                         Patience patience) = 0;
  /// Adds `count` elements over the ranks, in the order of the library.
  virtual Status sum(void *data, uint64_t count, rp_element_type type) = 0;
  /// True if sums of whole tensors may be added in any order.
  virtual bool addsInAnyOrder() const = 0;
  /// True if threads may take turns in making the calls, one at a time.
  virtual bool takesOtherThreads() const = 0;
  /// The time-out of the other ranks.
  virtual double timeoutSeconds() const = 0;
  /// Ends the communication once all ranks have come here.
  virtual Status close() = 0;
  /// The number of ranks that share this machine, this one included, and of
  /// those among them that precede this one.
  virtual unsigned localRanks() const = 0;
  virtual unsigned localRank() const = 0;
  /// Fails as a call would that has waited for `seconds` so far. Devices that
  /// wait for the other ranks by other means ask this meanwhile.
  virtual Status watch(double seconds) = 0;
  /// True once a call has failed; no other call is possible then.
  virtual bool isBroken() const = 0;
};

struct CommunicatorOptions {
  double timeoutSeconds = 0; // of all ranks
  bool addsInAnyOrder = false;
};

/// The export of a communication library's plugin. Equal revisions have equal
/// classes.
struct CommunicatorLibrary {
  const char *revision;
  Expected<std::unique_ptr<Communicator>> (*open)(
      const CommunicatorOptions &options);
};
constexpr const char *kCommunicatorRevision = "reprise communicator 5";
constexpr const char *kCommunicatorSymbol = "repriseCommunicatorLibrary";

/// Joins the processes that a launcher started, by the plugin
/// libreprise-comm-NAME.so: from the folders of REPRISE_COMM_PATH, else from
/// the folder lib beside that of this executable, else from the system's.
Expected<std::unique_ptr<Communicator>>
openCommunicator(const std::string &name, const CommunicatorOptions &options);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_COMMUNICATOR_H
