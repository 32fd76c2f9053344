//===- RunRanks.h - The processes of a training run -------------*- C++ -*-===//
#ifndef REPRISE_RUN_RUNRANKS_H
#define REPRISE_RUN_RUNRANKS_H

#include "reprise/Runtime/Communicator.h"
#include <memory>
#include <optional>
#include <string>

namespace reprise::driver {

struct CompileSettings;
struct TrainSettings;

/// Makes the step that of one of `ranks` processes: one micro-batch, and an
/// equal part of the batch, if that is given. Rejects numbers of ranks that
/// cannot be, and batches that cannot be divided.
rt::Status planOneRank(std::optional<unsigned> ranks,
                       std::optional<int64_t> &batch, CompileSettings &compile);

/// Joins the processes that a launcher started, two or more, each of which
/// measures the link between them.
rt::Expected<std::unique_ptr<rt::Communicator>>
joinToMeasure(double timeoutSeconds);

/// The options of ranks, and the ranks of a run that joined them.
class RunRanks {
public:
  std::string asked;            // --ranks: "", "auto" or a number
  double timeoutSeconds = 1800; // to join, and of a collective call
  bool fastReduce = false;      // sums in the order of the library

  rt::Status check() const;
  /// Joins the processes that a launcher started, if that is asked for, and
  /// gives each rank its part of the batch and of the processors.
  rt::Status join(TrainSettings &options);
  /// Leaves files, hooks and evaluations to rank 0.
  void leaveToFirst(TrainSettings &options) const;
  unsigned size() const { return communicator ? communicator->size() : 1; }
  /// Returns the words that start a command on as many ranks: "mpirun -n 4 ",
  /// or "" for one rank.
  std::string launcher() const {
    return communicator
               ? "mpirun -n " + std::to_string(communicator->size()) + " "
               : "";
  }
  /// Returns the name of the library that adds with --fast-reduce.
  static const char *summingLibrary(const TrainSettings &options);
  bool isFirst() const { return !communicator || communicator->rank() == 0; }
  /// Returns once all ranks have come here.
  rt::Status meet() const;
  /// Ends the ranks' connection, after the last of them has come here.
  rt::Status close() const;
  /// Returns true if another rank ended or did not answer.
  bool hasLost() const { return communicator && communicator->isBroken(); }
  rt::Communicator *get() const { return communicator.get(); }

private:
  rt::Status share(TrainSettings &options) const;
  rt::Status trainAlone(const TrainSettings &options) const;

  std::shared_ptr<rt::Communicator> communicator; // null: one rank
};

} // namespace reprise::driver

#endif // REPRISE_RUN_RUNRANKS_H
