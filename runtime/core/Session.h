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

  Status initialize(uint64_t seed);
  Status setInput(const char *entry, const char *name, const void *data,
                  size_t bytes);
  Status run(const char *entry);
  /// Whether the outputs of a run outlive setInput.
  bool stagesInputs() const { return prepared->stagesInputs(); }
  Status getOutput(const char *entry, const char *name, void *data,
                   size_t bytes);
  Status readVariable(const char *name, void *data, size_t bytes);
  Status writeVariable(const char *name, const void *data, size_t bytes);
  rp_memory_stats memory() const;
  /// As SessionOptions::profile, for the runs from now on.
  Status setProfile(bool profile);
  size_t stepCount(const char *entry) const;
  Expected<double> stepSeconds(const char *entry, size_t step) const;

private:
  /// What an entry has been given and what it left.
  struct EntryState {
    std::vector<bool> inputSet;
    std::vector<double> seconds;
    /// Of entry buffers: for each step, those that die with it (poison).
    std::vector<std::vector<uint32_t>> dying;
  };

  Session(std::shared_ptr<const Program> program, SessionOptions options)
      : program(std::move(program)), options(std::move(options)) {}
  Status openProgram();
  void prepareEntries();
  Status fillConstants();
  Status checkInputs(size_t entry) const;
  Status runSteps(size_t entry);
  Status poisonBefore(size_t entry);
  Status poisonAfter(size_t entry, size_t step);
  const fb::Variable *findVariable(const char *name) const;

  std::shared_ptr<const Program> program;
  SessionOptions options;
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceProgram> prepared;
  /// `prepared`, where memory is checked; else null.
  const MemoryCheck *check = nullptr;
  std::vector<EntryState> entries;
  /// The entry whose outputs are in the arena, or -1.
  int outputsOf = -1;
  /// The entry whose inputs are being set, or -1.
  int inputsOf = -1;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_SESSION_H
