//===- ProgramFacts.h - Facts about a program -------------------*- C++ -*-===//
//
// Plain data: the buffers and steps of a placed program without its code. Read
// from an artifact here, or from rt.program by the driver, so that tables and
// reports need neither MLIR nor FlatBuffers.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PROGRAM_PROGRAMFACTS_H
#define REPRISE_PROGRAM_PROGRAMFACTS_H

#include "reprise/EntrySummary.h"
#include "reprise/LibraryFunctions.h"
#include "reprise/ProgramTerms.h"
#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

/// Returns "parameter", "optimizer state" and so on.
std::string kindName(BufferKind kind);

/// Bytes; steps are indices, both inclusive. Buffers of the program live
/// forever and have no steps.
struct BufferFacts {
  std::string name;
  BufferKind kind = BufferKind::Activation;
  uint64_t offset = 0, size = 0;
  uint32_t firstStep = 0, lastStep = 0;
  Reason reason = Reason::Unknown; // of an entry's buffer
};

/// Bytes that a step touches. Buffers of the program have the first numbers.
struct ViewFacts {
  uint32_t buffer = 0;
  uint64_t bytes = 0;
};

struct StepFacts {
  std::string name, module, location;
  Phase phase = Phase::Forward;
  StepAction action = StepAction::Kernel;
  uint64_t flops = 0, bytes = 0;
  uint64_t picoseconds = 0; // modelled
  std::optional<uint32_t> cloneOf =
      std::nullopt;      // the step that computed the same first
  bool isAsked = false;  // marked by the user to run once
  uint64_t unstored = 0; // bytes of scores that tiles do not store
  /// The function, if it is one that ranks call together.
  std::optional<LibraryOp> collective = std::nullopt;
  /// The first step that waits for such a call; see rt::collectiveWindows.
  uint32_t window = 0;
  std::vector<ViewFacts> reads = {}, writes = {};
  std::optional<ViewFacts> workspace = std::nullopt;
  /// Pairs of indices in `writes` and `reads`: the result could be computed in
  /// place of the operand.
  std::vector<std::pair<uint32_t, uint32_t>> inPlace = {};
};

struct TensorFacts {
  std::string name;
  std::vector<int64_t> shape;
  rp_binding_role role = RP_BINDING_DATA;
  uint32_t buffer = 0;
};

/// Bytes of the whole program, variables and constants included, and modelled
/// milliseconds of a step.
struct PointFacts {
  uint64_t bytes = 0;
  double milliseconds = 0;
  std::string kernels; // the mode that formed them; "" without annotations
};

/// A value of the step, or the op that computes it.
struct ValueFacts {
  std::string name, module, location; // location may be ""
  uint64_t bytes = 0;
  double milliseconds = 0; // to compute it once
  uint32_t times = 0;      // of recomputation
};

/// The facts about a step that meets a budget, see Certificate in
/// runtime/schemas/program.fbs. Bytes and milliseconds.
struct CertificateFacts {
  uint64_t budget = 0;
  PointFacts plan, plain, smallest;
  double bound = 0;
  uint64_t picosecondsPerMiB = 0;
  uint64_t provenBytes = 0;
  std::string provenAt;
  std::vector<ValueFacts> pinned;
};

struct EntryFacts {
  std::string name;
  std::vector<TensorFacts> inputs, outputs;
  std::vector<BufferFacts> buffers;
  std::vector<StepFacts> steps;
  uint64_t peak = 0, maxLive = 0; // including fixed bytes
  uint64_t baseFlops = 0;
  uint64_t forwardSteps = 0; // steps until the end of the forward pass
  uint64_t kept = 0;         // bytes that live on then
  std::optional<CertificateFacts> certificate;
};

/// Returns a step's time from modelled picoseconds.
double millisecondsOf(uint64_t picoseconds);

struct ProgramFacts {
  std::string model, checkpointing, producer, device, target, library;
  std::string command; // that compiled it; may be empty
  unsigned threads = 0;
  uint64_t arena = 0, fixed = 0;
  /// Bytes of the variables that ranks share: of a rank's shards, and in all.
  uint64_t shards = 0, sharded = 0;
  std::vector<BufferFacts> buffers; // of the program
  std::vector<EntryFacts> entries;
  /// Returns null if there is none.
  const EntryFacts *entry(const std::string &name) const;
  /// Returns the first one with a certificate, or null.
  const EntryFacts *certified() const;
  /// Returns the images of a step: the first extent of 'image'; 0 without one.
  int64_t batch() const;
  /// Returns "16x16x1, 10 classes, batch 128", as far as known.
  std::string describeData() const;
};

EntrySummary summarize(const ProgramFacts &program, const EntryFacts &entry);

/// The cost of one module. A buffer belongs to the module of its first step.
struct ModuleFacts {
  std::string module;
  uint64_t steps = 0, kept = 0, atPeak = 0; // bytes
  uint64_t flops[kCountOf<Phase>] = {};
  uint64_t bytes[kCountOf<Phase>] = {}; // read and written
};

/// Returns facts by module in the order of first use, with paths cut to `depth`
/// names ("layer1.0" at 2); 0 does not cut.
std::vector<ModuleFacts> byModule(const EntryFacts &entry, unsigned depth);

/// Returns the live bytes of each step by kind, without the program's buffers.
std::vector<std::vector<uint64_t>> liveBytes(const EntryFacts &entry);

/// Returns the first step at which the most bytes are live.
size_t peakStep(const EntryFacts &entry);

/// Returns the entry's buffers that are live then, by number, largest first.
std::vector<size_t> atPeak(const EntryFacts &entry);

} // namespace reprise::driver

#endif // REPRISE_PROGRAM_PROGRAMFACTS_H
