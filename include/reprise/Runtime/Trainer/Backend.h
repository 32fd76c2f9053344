//===- Backend.h - The trainer's interface to a session ---------*- C++ -*-===//
//
// The trainer drives a program through this interface: the runtime's C
// interface in production (openSessionBackend), a model in plain C++ in tests.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_BACKEND_H
#define REPRISE_RUNTIME_TRAINER_BACKEND_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/IndexRange.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace reprise::rt {

class Communicator;

struct TensorInfo {
  std::string name;
  rp_element_type type = RP_F32;
  std::vector<int64_t> shape;
  size_t bytes = 0;
  rp_role role = RP_PARAMETER;               // of variables
  rp_binding_role binding = RP_BINDING_DATA; // of inputs and outputs
  std::string variable;                      // of gradients
  std::vector<int32_t> filePermutation;      // of variables; empty: identity
  /// Bytes of this rank's shard of a variable; 0 if it has the whole. Shape and
  /// bytes are those of the whole.
  size_t shardBytes = 0;
  std::vector<IndexRange> ranges; // of inputs
};

struct EntryInfo {
  std::string name;
  std::vector<TensorInfo> inputs, outputs;
  size_t peakBytes = 0; // predicted
  /// Null if there is none.
  const TensorInfo *input(const std::string &name) const;
  const TensorInfo *output(const std::string &name) const;
  /// The first of a role; null if there is none.
  const TensorInfo *input(rp_binding_role role) const;
  const TensorInfo *output(rp_binding_role role) const;
};

/// The bytes of the arena that the plan of an entry uses.
struct PlanMemory {
  std::string checkpointing; // the mode, for people; may be empty
  uint64_t peakBytes = 0;    // predicted: the highest end of all steps
  uint64_t budgetBytes = 0;  // the plan's budget; 0: it has none
  std::vector<rp_step_memory> steps;
};

/// "learning_rate": the name of a role, as models write it.
const char *bindingRoleName(rp_binding_role role);

class Backend {
public:
  virtual ~Backend();
  virtual std::string model() const = 0;
  /// The settings of the program that decide the bits of a run, by the names of
  /// RunSettings.h.
  virtual std::map<std::string, std::string> settings() const { return {}; }
  virtual const std::vector<TensorInfo> &variables() const = 0;
  /// Null if the program has no such entry.
  virtual const EntryInfo *entry(const std::string &name) const = 0;
  /// Fails with RP_UNAVAILABLE if there is no plan.
  virtual Expected<PlanMemory> planMemory(const std::string &entry);
  virtual Status initialize(uint64_t seed) = 0;
  virtual Status setInput(const std::string &entry, const std::string &name,
                          const void *data, size_t bytes) = 0;
  /// Returns true if setInput does not change the outputs of the last run.
  virtual bool stagesInputs() const { return false; }
  /// May return while the entry is running; calls that read its results wait.
  virtual Status run(const std::string &entry) = 0;
  /// Runs an entry as run does. Returns true if it left out the steps after a
  /// loss that is not finite; see rp_session_run_guarded.
  virtual Expected<bool> runGuarded(const std::string &entry,
                                    const std::string &output);
  /// The origin of values that are not finite; see rp_session_find_nonfinite.
  struct NonFinite {
    rp_origin origin = RP_ORIGIN_NONE;
    std::string text;
  };
  /// Runs the entry on the inputs that were set. Fails with RP_UNAVAILABLE if
  /// the backend cannot read the values of single steps.
  virtual Expected<NonFinite> findNonFinite(const std::string &entry,
                                            const std::string &output);
  virtual Status getOutput(const std::string &entry, const std::string &name,
                           void *data, size_t bytes) = 0;
  /// Variables are read and written whole. Where ranks hold shards of them,
  /// only rank 0 reads, and only between steps, while the others are in
  /// exchangeWords or endReads.
  virtual Status readVariable(const std::string &name, void *data,
                              size_t bytes) = 0;
  virtual Status writeVariable(const std::string &name, const void *data,
                               size_t bytes) = 0;
  /// The digest of the value that was written last to a variable of which this
  /// rank holds a shard; empty if none was.
  virtual std::string writtenDigest(const std::string &) const { return ""; }
  /// Returns the largest word that a rank says between two steps (RankWords.h).
  /// Until all ranks have spoken, rank 0 may evaluate, save, and read variables
  /// of which the others give it their shards.
  virtual Expected<uint32_t> agree(uint32_t own) { return own; }
  virtual Expected<rp_memory_stats> memory() = 0;
  /// Continues with another program of the same variables (rp_session_switch),
  /// which must outlive the backend; entries are that program's from then on.
  virtual Status switchTo(const rp_program *program);
  /// Sets the ranks of collective calls, which outlive the backend. The default
  /// fails: the backend makes none.
  virtual Status setCommunicator(Communicator *ranks);
  /// Sets whether later runs are timed step by step.
  virtual Status setProfile(bool profile);
  /// The times of each step of an entry's last run, which was timed.
  virtual Expected<std::vector<rp_step_times>>
  stepTimes(const std::string &entry);
};

/// Turns a status of the C interface into one of C++ and frees it.
Status takeStatus(rp_status *status);

/// A session of `program`, which must outlive it.
Expected<std::unique_ptr<Backend>>
openSessionBackend(const rp_program *program,
                   const rp_session_options &options);

/// A backend on a session with another owner; both must outlive it.
Expected<std::unique_ptr<Backend>> wrapSession(const rp_program *program,
                                               rp_session *session);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_BACKEND_H
