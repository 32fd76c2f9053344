//===- RunRanks.cpp - The processes of a training run ---------------------===//
//
// Launchers tell each process in its environment how many there are. Nothing of
// a communication library is opened unless --ranks asks for it.
//
//===----------------------------------------------------------------------===//

#include "reprise/Run/RunRanks.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/SettingValues.h"
#include "reprise/Limits.h"
#include "reprise/Run/TrainSettings.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostProcessors.h"
#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <thread>

using namespace reprise;
using namespace reprise::driver;

namespace {
/// The processes that a launcher started, by its environment variables.
struct Launch {
  const char *launcher = "";
  unsigned size = 1, rank = 0;
};
} // namespace

static std::optional<unsigned> numberIn(const char *variable) {
  const char *text = std::getenv(variable);
  unsigned number = 0;
  if (!text || llvm::StringRef(text).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

static Launch findLaunch() {
  const struct {
    const char *launcher, *size, *rank;
  } known[] = {{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
               {"mpirun", "PMI_SIZE", "PMI_RANK"},
               {"srun", "SLURM_NTASKS", "SLURM_PROCID"}};
  for (const auto &[launcher, size, rank] : known)
    if (auto count = numberIn(size), own = numberIn(rank); count && own)
      return {launcher, *count, *own};
  return {};
}

/// Returns the asked number of ranks: 0 for "auto".
static rt::Expected<unsigned> readRanks(const std::string &text) {
  unsigned ranks = 0;
  if (text == "auto")
    return ranks;
  if (llvm::StringRef(text).getAsInteger(10, ranks) || ranks < 1 ||
      ranks > kMaxRanks)
    return misuse("--ranks is '" + text +
                  "'; give auto, or a number from 1 to " +
                  std::to_string(kMaxRanks));
  return ranks;
}

static rt::Status refuse(const std::string &what) {
  return misuse("--ranks: " + what);
}

/// Rejects what several ranks cannot do yet.
static rt::Status checkShared(const TrainSettings &options, unsigned ranks) {
  const CompileSettings &compile = options.run.compile;
  REPRISE_EXPECT(artifact, isArtifact(options.run.source));
  if (*artifact)
    return refuse("'" + options.run.source +
                  "' is compiled already, for one rank; name the model itself");
  if (!options.plan.isPlain())
    return refuse("several programs in one run are for one rank");
  if (!options.run.device.empty() && options.run.device != "cpu")
    return refuse("ranks run on the device cpu, not on '" + options.run.device +
                  "'");
  if (compile.accumulate && *compile.accumulate != ranks)
    return refuse("each of the " + std::to_string(ranks) +
                  " ranks runs one micro-batch, but --accumulate is " +
                  std::to_string(*compile.accumulate) + "; leave it out");
  const std::optional<int64_t> &batch = options.run.model.batch;
  if (batch && *batch % ranks != 0)
    return refuse("a batch of " + std::to_string(*batch) +
                  " images cannot be split into " + std::to_string(ranks) +
                  " equal parts; --batch is that of all ranks");
  return {};
}

/// Gives each rank one micro-batch, and the ranks of a machine equal parts of
/// its processors where the launcher did not do so.
rt::Status RunRanks::share(TrainSettings &options) const {
  unsigned size = communicator->size();
  REPRISE_RETURN_IF_ERROR(checkShared(options, size));
  CompileSettings &compile = options.run.compile;
  compile.ranks = size;
  compile.accumulate = size;
  if (std::optional<int64_t> &batch = options.run.model.batch)
    *batch /= size;
  unsigned usable = rt::usableProcessors().processors,
           all = std::max(1u, std::thread::hardware_concurrency());
  bool isBound = usable * communicator->localRanks() <= all;
  if (!compile.threads && options.train.resumePath.empty())
    compile.threads =
        std::max(1u, isBound ? usable : usable / communicator->localRanks());
  options.train.ranks = communicator.get();
  return {};
}

rt::Status RunRanks::check() const {
  if (!asked.empty())
    REPRISE_RETURN_IF_ERROR(readRanks(asked).status());
  return checkRange("--rank-timeout", timeoutSeconds);
}

rt::Status RunRanks::join(TrainSettings &options) {
  Launch launch = findLaunch();
  if (asked.empty()) {
    if (launch.size > 1 && launch.rank == 0)
      note(std::string(launch.launcher) + " started " +
           std::to_string(launch.size) +
           " processes; without --ranks auto each of them trains alone");
    return {};
  }
  REPRISE_EXPECT(wanted, readRanks(asked));
  if (*wanted == 1 || (*wanted == 0 && launch.size == 1))
    return {};
  if (launch.size == 1)
    return refuse(std::to_string(*wanted) +
                  " are asked for, but this process was started alone; start "
                  "them by mpirun -n " +
                  std::to_string(*wanted) + " reprise train ...");
  speakAsRank(launch.rank);
  std::optional<Activity> activity(std::in_place,
                                   "waiting for the other ranks");
  REPRISE_EXPECT(opened, rt::openCommunicator("mpi", {timeoutSeconds}));
  activity.reset();
  communicator = std::move(*opened);
  speakAsRank(communicator->rank());
  unsigned size = communicator->size();
  if (*wanted && *wanted != size)
    return refuse(std::to_string(*wanted) + " are asked for, but " +
                  launch.launcher + " started " + std::to_string(size));
  return share(options);
}

void RunRanks::leaveToFirst(TrainSettings &options) const {
  if (isFirst())
    return;
  rt::TrainOptions &train = options.train;
  train.savePath.clear();
  train.gradientsPath.clear();
  train.saveEvery = 0;
  static_cast<HookSettings &>(options.hooks) = HookSettings();
  options.hooks.stop.patience = 0;
  options.evaluate = false;
  options.noEvaluate = true;
}

rt::Status RunRanks::meet() const {
  if (!communicator)
    return {};
  std::string marks(communicator->size(), '\0');
  return communicator->gather(marks.data(), {marks.size(), 1},
                              rt::Patience::Preparing);
}

rt::Status RunRanks::close() const {
  return communicator ? communicator->close() : rt::Status();
}
