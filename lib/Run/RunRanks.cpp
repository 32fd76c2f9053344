//===- RunRanks.cpp - The processes of a training run ---------------------===//
//
// Launchers tell each process in its environment how many there are. Nothing of
// a communication library is opened unless --ranks asks for it.
//
//===----------------------------------------------------------------------===//

#include "reprise/Run/RunRanks.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/TypedCommand.h"
#include "reprise/Driver/SettingValues.h"
#include "reprise/Limits.h"
#include "reprise/Run/ProgramQueue.h"
#include "reprise/Run/TrainSettings.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostProcessors.h"
#include "llvm/ADT/StringRef.h"
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace reprise;
using namespace reprise::driver;

namespace {
/// The processes that a launcher started, by its environment variables.
struct Launch {
  const char *launcher = "";
  unsigned size = 1, rank = 0;
};
const char *const kTorchrun = "torchrun", *const kMpirun = "mpirun",
                  *const kSrun = "srun";

/// Ends the process unless it is destroyed in time: MPI begins with a wait for
/// all processes, which nothing else can end.
class JoinWatch {
public:
  /// `advice` follows the number of seconds.
  JoinWatch(double seconds, unsigned processes, const char *advice)
      : thread([=] { watch(seconds, processes, advice); }) {}
  ~JoinWatch() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isDone = true;
    }
    changed.notify_all();
    thread.join();
  }

private:
  void watch(double seconds, unsigned processes, const char *advice) {
    std::unique_lock<std::mutex> lock(mutex);
    if (changed.wait_for(lock, std::chrono::duration<double>(seconds),
                         [&] { return isDone; }))
      return;
    std::string text = "not all of the " + std::to_string(processes) +
                       " processes joined the run within " +
                       rt::settingNumber(seconds) + " seconds" + advice;
    fail(rt::Status::error(RP_UNAVAILABLE, text));
    printJsonError(text);
    endProcess(kRankLost);
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::thread thread; // after what it uses
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
  } known[] = {{kMpirun, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
               {kMpirun, "PMI_SIZE", "PMI_RANK"},
               {kSrun, "SLURM_NTASKS", "SLURM_PROCID"},
               {kTorchrun, "WORLD_SIZE", "RANK"}};
  for (const auto &[launcher, size, rank] : known)
    if (auto count = numberIn(size), own = numberIn(rank); count && own)
      if (launcher != kTorchrun || std::getenv("MASTER_ADDR"))
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
static rt::Status checkShared(const TrainSettings &options) {
  REPRISE_EXPECT(artifact, isArtifact(options.run.source));
  if (*artifact)
    return refuse("'" + options.run.source +
                  "' is compiled already, for one rank; name the model itself");
  if (!options.plan.isPlain())
    return refuse("several programs in one run are for one rank");
  return {};
}

/// Returns the device that the options name: "cpu", "cuda", "cuda:1".
static std::string deviceOf(const RunOptions &run) {
  if (!run.device.empty())
    return run.device;
  std::string target = run.compile.target.value_or("cpu");
  return target.substr(0, target.find(':'));
}

static bool isGpu(const std::string &device) {
  return llvm::StringRef(device).split(':').first == "cuda";
}

/// Gives each rank of a machine the GPU of its number among them, unless the
/// device names one. Fails before anything is compiled if that is not there.
static rt::Status chooseDevice(const rt::Communicator &ranks, RunOptions &run) {
  std::string device = deviceOf(run);
  if (device == "cpu")
    return {};
  if (!isGpu(device))
    return refuse("ranks run on the devices cpu and cuda, not on '" + device +
                  "'");
  auto [name, which] = llvm::StringRef(device).split(':');
  if (which.empty() || which == "adapt")
    run.device = (name + ":" + llvm::Twine(ranks.localRank()) +
                  (which.empty() ? "" : ",") + which)
                     .str();
  REPRISE_EXPECT(opened, rt::openDevice(run.device));
  return (*opened)->summary().status();
}

const char *RunRanks::summingLibrary(const TrainSettings &options) {
  return isGpu(deviceOf(options.run)) ? "NCCL" : "MPI";
}

/// Gives each rank one micro-batch of a step and an equal part of its batch, if
/// that is given.
static rt::Status shareStep(unsigned ranks, std::optional<int64_t> &batch,
                            CompileSettings &compile) {
  if (compile.accumulate && *compile.accumulate != ranks)
    return refuse("each of the " + std::to_string(ranks) +
                  " ranks runs one micro-batch, but --accumulate is " +
                  std::to_string(*compile.accumulate) + "; leave it out");
  if (batch && *batch % ranks != 0)
    return refuse("a batch of " + std::to_string(*batch) +
                  " images cannot be split into " + std::to_string(ranks) +
                  " equal parts; --batch is that of all ranks");
  compile.ranks = ranks;
  compile.accumulate = ranks;
  if (batch)
    *batch /= ranks;
  return {};
}

rt::Status driver::planOneRank(std::optional<unsigned> ranks,
                               std::optional<int64_t> &batch,
                               CompileSettings &compile) {
  if (compile.shardOptimizer && ranks.value_or(1) == 1)
    return misuse("--shard-optimizer divides the optimizer's variables among "
                  "ranks; give their number by --ranks");
  if (compile.syncBatchNorm && !ranks)
    return misuse("--sync-batch-norm joins the batches of ranks; give their "
                  "number by --ranks");
  if (compile.reduceBucket && !ranks)
    return misuse("--reduce-bucket is for sums over ranks; give their number "
                  "by --ranks");
  if (compile.overlapMemory && !ranks)
    return misuse("--overlap-memory is for sums over ranks; give their number "
                  "by --ranks");
  if (!ranks || *ranks == 1)
    return {};
  if (*ranks < 1 || *ranks > kMaxRanks)
    return misuse("--ranks is " + std::to_string(*ranks) +
                  "; give a number from 1 to " + std::to_string(kMaxRanks));
  return shareStep(*ranks, batch, compile);
}

/// Gives each rank one micro-batch, and the ranks of a machine equal parts of
/// its processors where the launcher did not do so.
rt::Status RunRanks::share(TrainSettings &options) const {
  unsigned size = communicator->size();
  CompileSettings &compile = options.run.compile;
  REPRISE_RETURN_IF_ERROR(checkShared(options));
  REPRISE_RETURN_IF_ERROR(chooseDevice(*communicator, options.run));
  REPRISE_RETURN_IF_ERROR(shareStep(size, options.run.model.batch, compile));
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

/// Refuses processes that a launcher started, but that are no ranks of a run.
static rt::Status checkLaunch(const Launch &launch, bool isAsked) {
  if (launch.size == 1)
    return {};
  if (isAsked || launch.launcher != kSrun)
    speakAsRank(launch.rank);
  std::string count = std::to_string(launch.size);
  if (launch.launcher == kTorchrun) {
    TypedCommand command = typedCommand();
    if (!isAsked)
      command.add("--ranks").add("auto");
    return refuse("RANK and WORLD_SIZE name " + count +
                  " processes of torchrun or a launcher like it, but MPI "
                  "connects ranks; start them by mpirun -n " +
                  count + " " + command.str() +
                  " (or give --ranks 1 to train alone)");
  }
  bool isManaged = std::getenv("PMIX_RANK") || std::getenv("PMI_RANK");
  if (launch.launcher == kSrun && isAsked && !isManaged)
    return refuse("srun started " + count +
                  " processes without PMIx, by which MPI connects them; give "
                  "srun mpi=pmix as well");
  if (launch.launcher == kMpirun && !isAsked)
    return refuse("mpirun started " + count +
                  " processes, and this one has no --ranks; give --ranks auto "
                  "to all of them to train one model together, or --ranks 1 "
                  "to train alone");
  if (!isAsked && launch.rank == 0)
    note(std::string(launch.launcher) + " started " + count +
         " processes; without --ranks auto each of them trains alone");
  return {};
}

/// Rejects options of ranks of a process that trains alone. A state's recipe
/// may divide the optimizer's variables, whatever number of ranks goes on.
rt::Status RunRanks::trainAlone(const TrainSettings &options) const {
  if (fastReduce && asked.empty())
    return misuse("--fast-reduce leaves the order of the ranks' sums to the "
                  "library; give --ranks as well");
  if (fastReduce)
    note("one process adds nothing to its sums; --fast-reduce leaves the order "
         "of the ranks' sums to the library");
  if (options.run.compile.reduceBucket)
    note("one process has no sums over ranks; --reduce-bucket is for --ranks");
  if (options.run.compile.overlapMemory)
    note("one process has no sums over ranks; --overlap-memory is for --ranks");
  if (options.run.compile.shardOptimizer)
    note("one process holds all of the optimizer's variables; "
         "--shard-optimizer divides them among --ranks");
  if (options.run.compile.syncBatchNorm)
    note("one process normalizes by its own batch; --sync-batch-norm joins the "
         "batches of --ranks");
  return {};
}

/// Joins the processes that a launcher started; `advice` ends the error if one
/// does not come.
static rt::Expected<std::unique_ptr<rt::Communicator>>
open(const rt::CommunicatorOptions &options, unsigned processes,
     const char *advice) {
  Activity activity("waiting for the other ranks");
  JoinWatch watch(options.timeoutSeconds, processes, advice);
  REPRISE_EXPECT(opened, rt::openCommunicator("mpi", options));
  speakAsRank((*opened)->rank());
  return opened;
}

rt::Expected<std::unique_ptr<rt::Communicator>>
driver::joinToMeasure(double timeoutSeconds) {
  Launch launch = findLaunch();
  if (launch.size == 1 || launch.launcher == kTorchrun)
    return misuse("--link measures the link between processes of MPI, but this "
                  "one was started alone; start them by mpirun -n 2 reprise "
                  "profile --link");
  REPRISE_RETURN_IF_ERROR(checkLaunch(launch, /*isAsked=*/true));
  return open({timeoutSeconds, false}, launch.size,
              "; each of them must be 'reprise profile --link'");
}

rt::Status RunRanks::join(TrainSettings &options) {
  Launch launch = findLaunch();
  REPRISE_EXPECT(wanted, readRanks(asked.empty() ? "1" : asked));
  if (*wanted != 1 || asked.empty())
    REPRISE_RETURN_IF_ERROR(checkLaunch(launch, !asked.empty()));
  bool isAuto = *wanted == 0;
  if (isAuto && launch.size == 1)
    note("no launcher started other processes, so that this one trains alone "
         "(--ranks auto)");
  if (*wanted == 1 || (isAuto && launch.size == 1))
    return trainAlone(options);
  if (launch.size == 1)
    return refuse(std::to_string(*wanted) +
                  " are asked for, but this process was started alone; start "
                  "them by mpirun -n " +
                  std::to_string(*wanted) + " reprise train ...");
  if (fastReduce && options.run.compile.shardOptimizer)
    return misuse("--fast-reduce is for sums of whole gradients, and "
                  "--shard-optimizer leaves each rank a part of a sum, which "
                  "is added in the order of the ranks; keep one of them");
  REPRISE_EXPECT(opened, open({timeoutSeconds, fastReduce}, launch.size,
                              " (--rank-timeout); each of them must be "
                              "'reprise train' with --ranks"));
  communicator = std::move(*opened);
  unsigned size = communicator->size();
  if (*wanted && *wanted != size)
    return refuse(std::to_string(*wanted) + " are asked for, but " +
                  launch.launcher + " started " + std::to_string(size));
  if (fastReduce)
    note(std::string("ranks add in the order of ") + summingLibrary(options) +
         " (--fast-reduce), so that the bits are not those of one process, nor "
         "those of other ranks");
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
