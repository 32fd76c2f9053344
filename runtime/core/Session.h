//===- Session.h - One running program --------------------------*- C++ -*-===//
//
// Names, inputs, variables, poisoning and timing on top of a device.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_SESSION_H
#define REPRISE_RUNTIME_CORE_SESSION_H

#include "MemoryCheck.h"
#include "Program.h"
#include "reprise/Runtime/Device.h"
#include <chrono>

namespace reprise::rt {

struct SessionOptions {
  std::string device; // empty: the program's
  bool poison = false;
  bool profile = false;
  bool checkMemory = false;
};

class Session {
public:
  static Expected<std::unique_ptr<Session>>
  create(std::shared_ptr<const Program> program, const SessionOptions &options);

  /// Continues with another program of the same variables, which keep their
  /// values; inputs and outputs are lost. Programs that fit the memory of the
  /// first stay prepared; for a larger one the old memory is freed and new
  /// memory allocated. If that fails, the session is unchanged.
  Status switchTo(std::shared_ptr<const Program> next);

  /// Sets the ranks of collective calls, which outlive the session.
  Status setCommunicator(Communicator *ranks);
  Status initialize(uint64_t seed);
  Status setInput(const char *entry, const char *name, const void *data,
                  size_t bytes);
  Status run(const char *entry);
  /// Runs an entry as run does, but ends after the step that makes `output`, a
  /// scalar, and sets `stopped` if that is not finite. Runs all steps where a
  /// parameter is updated by then or the device takes a whole entry.
  Status runGuarded(const char *entry, const char *output, bool &stopped);
  /// Runs the entry on the inputs that were set and finds the origin of values
  /// that are not finite (FiniteCheck). Variables keep their values; `text`
  /// lives until the next call.
  Status findNonFinite(const char *entry, const char *output, rp_origin &origin,
                       const char *&text);
  /// Returns true if the outputs of a run outlive setInput.
  bool stagesInputs() const { return prepared->stagesInputs(); }
  Status getOutput(const char *entry, const char *name, void *data,
                   size_t bytes);
  Status readVariable(const char *name, void *data, size_t bytes);
  Status writeVariable(const char *name, const void *data, size_t bytes);
  rp_memory_stats memory() const;
  /// Sets SessionOptions::profile for later runs.
  Status setProfile(bool profile);
  size_t stepCount(const char *entry) const;
  Expected<rp_step_times> stepTimes(const char *entry, size_t step) const;

private:
  /// The inputs set for an entry and the outputs it left.
  struct EntryState {
    std::vector<bool> inputSet;
    std::vector<rp_step_times> times; // of the last run with profile
    /// The output that runGuarded checks, and the number of steps to run before
    /// the check; none where all steps run.
    std::string guarded;
    std::optional<size_t> guardedSteps;
    /// Of entry buffers: for each step, those that die with it (poison).
    std::vector<std::vector<uint32_t>> dying;
  };

  /// A prepared program that is not the current one.
  struct Parked {
    std::shared_ptr<const Program> program;
    std::unique_ptr<DeviceProgram> prepared;
    std::vector<EntryState> entries;
  };
  /// The bytes of variables, by their numbers in the current program.
  using Values =
      std::vector<std::pair<const fb::Variable *, std::vector<uint8_t>>>;

  Session(std::shared_ptr<const Program> program, SessionOptions options)
      : program(std::move(program)), options(std::move(options)) {}
  Expected<std::unique_ptr<DeviceProgram>> open(const Program &program);
  void beginTurn(Parked turn);
  Expected<Values> readMoved(const fb::Program &next, bool all);
  Status writeValues(const Values &values);
  Status takeTurn(const std::shared_ptr<const Program> &next);
  Status replaceMemory(std::shared_ptr<const Program> next);
  static std::vector<EntryState> entriesOf(const Program &program);
  Status fillConstants();
  Status checkInputs(size_t entry) const;
  Expected<size_t> beginRun(const char *entry);
  Status beginRun(const char *entry, const char *output, size_t &number,
                  uint32_t &index);
  Expected<uint32_t> outputNumber(size_t entry, const char *name) const;
  void chooseGuard(size_t entry, uint32_t output);
  Status runSteps(size_t entry, size_t first, size_t end);
  Status poisonBefore(size_t entry);
  Status poisonAfter(size_t entry, size_t step);
  const fb::Variable *findVariable(const char *name) const;
  const fb::Variable &begunAs(const fb::Variable &v) const;

  std::shared_ptr<const Program> program;
  SessionOptions options;
  using Clock = std::chrono::steady_clock;
  Clock::time_point start; // of the last run with profile
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceProgram> prepared;
  Communicator *ranks = nullptr; // of collective calls; may be null
  /// `prepared` if memory is checked, otherwise null.
  MemoryCheck *check = nullptr;
  std::vector<EntryState> entries;
  /// Prepared programs in the same memory.
  std::vector<Parked> parked;
  uint64_t memoryBytes = 0; // of the arena, as it was allocated
  /// The entry whose outputs are in the arena, or -1.
  int outputsOf = -1;
  /// The entry whose inputs are being set, or -1.
  int inputsOf = -1;
  std::string explanation; // of findNonFinite
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_SESSION_H
