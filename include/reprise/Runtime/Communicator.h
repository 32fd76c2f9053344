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
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace reprise::rt {

/// Parts of some bytes, one for each rank, in order: all of `shardBytes`, but
/// for the last ones, which may be shorter or empty.
struct Shards {
  uint64_t bytes = 0, shardBytes = 0;

  uint64_t begin(unsigned rank) const {
    return std::min(bytes, rank * shardBytes);
  }
  uint64_t size(unsigned rank) const { return begin(rank + 1) - begin(rank); }
};

/// How long a call waits for the other ranks.
enum class Patience : uint8_t {
  Step,      // for the time-out of a step
  Between,   // the same, but for rank 0, which may evaluate or save
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
  /// Ends the communication once all ranks have come here.
  virtual Status close() = 0;
  /// The ranks that share this machine, this one included.
  virtual unsigned localRanks() const = 0;
  /// True once a call has failed; no other call is possible then.
  virtual bool isBroken() const = 0;
};

struct CommunicatorOptions {
  double stepTimeoutSeconds = 0;
};

/// The export of a communication library's plugin. Equal revisions have equal
/// classes.
struct CommunicatorLibrary {
  const char *revision;
  Expected<std::unique_ptr<Communicator>> (*open)(
      const CommunicatorOptions &options);
};
constexpr const char *kCommunicatorRevision = "reprise communicator 1";
constexpr const char *kCommunicatorSymbol = "repriseCommunicatorLibrary";

/// Joins the processes that a launcher started, by the plugin
/// libreprise-comm-NAME.so: from the folders of REPRISE_COMM_PATH, else from
/// the folder lib beside that of this executable, else from the system's.
Expected<std::unique_ptr<Communicator>>
openCommunicator(const std::string &name, const CommunicatorOptions &options);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_COMMUNICATOR_H
