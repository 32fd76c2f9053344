//===- Ranks.h - A run's part among the ranks -------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_RANKS_H
#define REPRISE_RUNTIME_TRAINER_RANKS_H

#include "reprise/Runtime/Communicator.h"
#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/RankWords.h"
#include "reprise/Runtime/Trainer/State.h"
#include <string>
#include <utility>
#include <vector>

namespace reprise::rt {

/// Why a run ends between two steps; the larger reason of all ranks counts.
enum class RunEnd : uint32_t {
  None = rank_word::kGoOn,
  Hook = rank_word::kHook,
  Stop = rank_word::kStop
};

/// Something that must be equal on all ranks: its name, as in "another seed",
/// and a text of lines.
using RankFact = std::pair<std::string, std::string>;

/// The communicator of a run, null for one rank.
class Ranks {
public:
  explicit Ranks(Communicator *communicator) : communicator(communicator) {}
  unsigned rank() const { return communicator ? communicator->rank() : 0; }
  unsigned size() const { return communicator ? communicator->size() : 1; }
  bool areSeveral() const { return size() > 1; }
  /// Makes the backend's collective calls go to these ranks.
  Status connect(Backend &backend) const;
  /// Fails on all ranks unless they are about to do the same, naming the first
  /// rank that differs from rank 0, and what differs.
  Status compare(Backend &backend, const RunPosition &position,
                 const std::string &programDigest) const;
  /// Makes the counters among the variables, which are places of draws, those
  /// of the rank's micro-batch. Those of rank 0 stay: they are saved.
  Status placeDraws(Backend &backend) const;
  /// Returns the end that all ranks choose, so that they do the same steps.
  /// Until then rank 0 may read variables of which ranks have shards.
  Expected<RunEnd> agree(RunEnd own, Backend &backend) const;

private:
  Status compare(const std::vector<RankFact> &facts) const;
  Status refuse(unsigned other, const RankFact &fact) const;
  Expected<std::vector<std::string>> gatherTexts(const std::string &own) const;

  Communicator *communicator;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_RANKS_H
