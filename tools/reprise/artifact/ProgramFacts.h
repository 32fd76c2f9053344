//===- ProgramFacts.h - What a program says of itself -----------*- C++ -*-===//
//
// Plain data: the buffers and steps of a placed program without its code. Read
// from an artifact here, or from rt.program by the driver, so that tables and
// reports need neither MLIR nor FlatBuffers.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_ARTIFACT_PROGRAMFACTS_H
#define REPRISE_TOOLS_ARTIFACT_PROGRAMFACTS_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::tools {

/// In the order, and with the numbers, of runtime/schemas/program.fbs.
enum class BufferKind : uint8_t {
  Parameter,
  OptimizerState,
  State,
  Constant,
  Input,
  Output,
  Activation,
  Gradient,
  Recomputed,
  Workspace,
  Update
};
constexpr size_t kBufferKinds = 11;

enum class Phase : uint8_t { Forward, Backward, Recompute, Update };
constexpr size_t kPhases = 4;

enum class Action : uint8_t { LibraryCall, Kernel, Copy };

/// "parameter", "optimizer state" and so on.
const char *kindName(BufferKind kind);
const char *phaseName(Phase phase);
const char *actionName(Action action);

/// Bytes; steps are indices, both inclusive. Buffers of the program live for
/// ever and have no steps.
struct BufferFacts {
  std::string name;
  BufferKind kind = BufferKind::Activation;
  uint64_t offset = 0, size = 0;
  uint32_t firstStep = 0, lastStep = 0;
};

struct StepFacts {
  std::string name, module, location;
  Phase phase = Phase::Forward;
  Action action = Action::Kernel;
  uint64_t flops = 0, bytes = 0;
};

struct TensorFacts {
  std::string name;
  std::vector<int64_t> shape;
  rp_binding_role role = RP_BINDING_DATA;
};

struct EntryFacts {
  std::string name;
  std::vector<TensorFacts> inputs, outputs;
  std::vector<BufferFacts> buffers;
  std::vector<StepFacts> steps;
  uint64_t peak = 0, maxLive = 0; // fixed bytes included
  uint64_t baseFlops = 0;
};

struct ProgramFacts {
  std::string model, checkpointing, producer, device, target, library;
  std::string command; // that compiled it; may be empty
  unsigned threads = 0;
  uint64_t arena = 0, fixed = 0;
  std::vector<BufferFacts> buffers; // of the program
  std::vector<EntryFacts> entries;
  /// Null when there is none.
  const EntryFacts *entry(const std::string &name) const;
  /// Images of a step: the first extent of 'image'; 0 without one.
  int64_t batch() const;
  /// "16x16x1, 10 classes, batch 128", what is known of it.
  std::string describeData() const;
};

/// The numbers of one row of the plan table.
struct EntrySummary {
  uint64_t fixed = 0, kept = 0, peak = 0, maxLive = 0;
  uint64_t baseFlops = 0, recomputedFlops = 0;
  double recomputedShare() const;
  /// Placed bytes over the largest sum of live bytes; 1 is the best.
  double placementRatio() const;
};

EntrySummary summarize(const ProgramFacts &program, const EntryFacts &entry);

/// The last step of the forward pass, by the rule of Analysis/PlanSummary: its
/// last library call, or its last step where it has none. -1: no forward pass.
int64_t endOfForward(const EntryFacts &entry);

/// What one module costs. A buffer belongs to the module of its first step.
struct ModuleFacts {
  std::string module;
  uint64_t steps = 0, kept = 0, atPeak = 0; // bytes
  uint64_t flops[kPhases] = {};
  uint64_t bytes[kPhases] = {}; // read and written
};

/// By module in the order of first use, paths cut to `depth` names ("layer1.0"
/// at 2); 0 does not cut.
std::vector<ModuleFacts> byModule(const EntryFacts &entry, unsigned depth);

/// Live bytes of each step by kind, without the program's buffers.
std::vector<std::vector<uint64_t>> liveBytes(const EntryFacts &entry);

/// The first step at which the most bytes are live.
size_t peakStep(const EntryFacts &entry);

/// The entry's buffers that are live then, by number, largest first.
std::vector<size_t> atPeak(const EntryFacts &entry);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_ARTIFACT_PROGRAMFACTS_H
