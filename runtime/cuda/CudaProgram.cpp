//===- CudaProgram.cpp - Runs and switches of GPU programs ----------------===//
//
// A whole entry is one launch, which runs until something is read; a late error
// is reported with the entry and the run. Steps requested one by one are issued
// one by one and waited for, so that an error is reported with its step.
//
// Programs that share the memory are prepared while the host holds the
// variables; a program waits for the other's work when it becomes the current
// one.
//
//===----------------------------------------------------------------------===//
#include "CudaProgram.h"
#include "../support/Restate.h"
#include "reprise/Runtime/program_generated.h"

#include <algorithm>

namespace reprise::rt::cuda {

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static Status outside(uint64_t offset, uint64_t bytes, uint64_t all,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_INTERNAL,
                       std::to_string(bytes) + " bytes at " +
                           std::to_string(offset) + " do not lie in the " +
                           std::to_string(all) + " bytes of the arena",
                       file, line);
}

static bool isInside(uint64_t offset, uint64_t bytes, uint64_t all) {
  return offset <= all && bytes <= all - offset;
}

Status CudaProgram::write(uint64_t offset, const void *data, uint64_t bytes) {
  if (!isInside(offset, bytes, site->arenaBytes))
    return outside(offset, bytes, site->arenaBytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  highWater = std::max(highWater, offset + bytes);
  return late(staging.write(arena + offset, data, bytes));
}

Status CudaProgram::writeInput(size_t entry, uint32_t input, uint64_t offset,
                               const void *data, uint64_t bytes) {
  if (!inputs.isThere())
    return write(offset, data, bytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  return late(inputs.write(entry, input, data, bytes));
}

Status CudaProgram::read(uint64_t offset, void *data, uint64_t bytes) {
  if (!isInside(offset, bytes, site->arenaBytes))
    return outside(offset, bytes, site->arenaBytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  REPRISE_RETURN_IF_ERROR(late(staging.read(arena + offset, data, bytes)));
  if (bytes > 0)
    running.reset();
  return {};
}

Status CudaProgram::fill(uint64_t offset, uint8_t byte, uint64_t bytes) {
  if (!isInside(offset, bytes, site->arenaBytes))
    return outside(offset, bytes, site->arenaBytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  if (bytes == 0)
    return {};
  return driver->fill(stream, arena + offset, byte, bytes);
}

Status CudaProgram::writeGuarded(uint64_t offset, const void *data,
                                 uint64_t bytes) {
  if (!isInside(offset, bytes, site->guardedBytes()))
    return outside(offset, bytes, site->guardedBytes());
  REPRISE_RETURN_IF_ERROR(beginTurn());
  return staging.write(site->memory + offset, data, bytes);
}

Status CudaProgram::readGuarded(uint64_t offset, void *data, uint64_t bytes) {
  if (!isInside(offset, bytes, site->guardedBytes()))
    return outside(offset, bytes, site->guardedBytes());
  REPRISE_RETURN_IF_ERROR(beginTurn());
  return staging.read(site->memory + offset, data, bytes);
}

namespace {

/// Issues the parts of a collective call.
class StreamMoves final : public CollectiveMoves {
public:
  StreamMoves(Driver &driver, Stream stream) : driver(driver), stream(stream) {}

  Status copy(uint64_t to, uint64_t from, uint64_t bytes) override {
    return bytes ? driver.copy(stream, to, from, bytes) : Status();
  }
  Status clear(uint64_t at, uint64_t bytes) override {
    return bytes ? driver.fill(stream, at, 0, bytes) : Status();
  }
  Status exchange(uint64_t data, const Shards &shards,
                  uint64_t received) override {
    return driver.exchange(stream, data, shards, received);
  }
  Status gather(uint64_t data, const Shards &shards) override {
    return driver.gather(stream, data, shards);
  }
  Status sum(uint64_t data, uint64_t bytes, rp_element_type type) override {
    return driver.sum(stream, data, bytes, type);
  }
  Status addParts(uint64_t sum, uint64_t parts, uint64_t bytes, unsigned ranks,
                  rp_element_type type) override {
    return bytes ? driver.addParts(stream, sum, parts, bytes, ranks, type)
                 : Status();
  }

private:
  Driver &driver;
  Stream stream;
};

} // namespace

Status CudaProgram::issue(const CudaStep &step, Stream on) {
  if (step.ofRanks) {
    StreamMoves moves(*driver, on);
    return runCollective(step.ofRanks->plan, step.ofRanks->operands,
                         *site->ranks, moves);
  }
  switch (step.action) {
  case StepAction::Kernel:
    return driver->launch(on, step.kernel, step.shape, step.operands,
                          step.touches);
  case StepAction::LibraryCall:
    return driver->call(on, step.call, step.operands, step.workspace,
                        step.touches);
  case StepAction::Offload:
    return driver->download(on, step.onHost, step.operands[0],
                            step.touches[0].bytes);
  case StepAction::Fetch:
    return driver->upload(on, step.operands[0], step.onHost,
                          step.touches[0].bytes);
  case StepAction::Copy:
    break;
  }
  return driver->copy(on, step.operands[0], step.operands[1],
                      step.touches[0].bytes);
}

Status CudaProgram::named(const Status &status, size_t entry,
                          size_t index) const {
  const fb::Entry &its = *program.entries()->Get(uint32_t(entry));
  const fb::Step &step = *its.steps()->Get(uint32_t(index));
  std::string what = "step " + std::to_string(index) + " of '" +
                     its.name()->str() + "', " +
                     (step.name() ? step.name()->str() : "");
  if (step.module_() && step.module_()->size())
    what += " of " + step.module_()->str();
  return restate(status, what + ": " + status.message());
}

Status CudaProgram::runOne(size_t entry, size_t index) {
  Status status = issue(entries[entry].steps[index], stream);
  if (status.ok())
    status = driver->synchronize(stream);
  return status.ok() ? status : named(status, entry, index);
}

Status CudaProgram::late(const Status &status) const {
  if (status.ok() || !running)
    return status;
  const fb::Entry &entry = *program.entries()->Get(uint32_t(*running));
  return restate(status, "entry '" + entry.name()->str() +
                             "', run as one graph (run " +
                             std::to_string(runs) +
                             " since it was prepared): " + status.message());
}

Status CudaProgram::runGraph(size_t entry) {
  uint64_t given = entries[entry].end;
  highWater = std::max(highWater, given);
  // An error of the launch may be from an earlier run.
  Status status = driver->launch(stream, *entries[entry].graph);
  if (!status.ok() && running)
    return late(status);
  ++runs;
  running = entry;
  return late(status);
}

Status CudaProgram::run(size_t entry, size_t first, size_t end) {
  REPRISE_RETURN_IF_ERROR(beginTurn());
  EntrySteps &its = entries[entry];
  if (its.needsRanks && !site->ranks)
    REPRISE_RETURN_IF_ERROR(checkRanks(nullptr));
  if (first == 0 && inputs.isThere()) {
    Expected<uint64_t> taken = inputs.take(entry);
    if (!taken.ok())
      return late(taken.status());
    highWater = std::max(highWater, *taken);
  }
  if (first == 0 && end == its.steps.size() && end > 1)
    return runGraph(entry);
  // Earlier errors do not belong to these steps.
  if (running)
    REPRISE_RETURN_IF_ERROR(late(driver->synchronize(stream)));
  running.reset();
  for (size_t i = first; i < end; ++i) {
    highWater = std::max(highWater, its.steps[i].end);
    REPRISE_RETURN_IF_ERROR(runOne(entry, i));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Waits for running steps and inputs.
Status CudaProgram::settle() {
  REPRISE_RETURN_IF_ERROR(late(driver->synchronize(stream)));
  running.reset();
  return inputs.settle();
}

Status CudaProgram::beginTurn() {
  REPRISE_RETURN_IF_ERROR(site->lost);
  if (site->turn == this)
    return {};
  bool waits = site->turn != nullptr;
  if (waits)
    REPRISE_RETURN_IF_ERROR(site->turn->settle());
  site->turn = this;
  return {};
}

CudaProgram::~CudaProgram() {
  if (site->turn != this)
    return;
  // The next user must not meet running work.
  (void)settle();
  site->turn = nullptr;
}

/// Copies the bytes into the arena and waits: later inputs are sent there on
/// another stream.
Status CudaProgram::restore(const std::vector<uint8_t> &fixed) {
  REPRISE_RETURN_IF_ERROR(driver->freeze());
  REPRISE_RETURN_IF_ERROR(staging.write(arena, fixed.data(), fixed.size()));
  return driver->synchronize(stream);
}

/// Entries are run on an arena of zeros to be captured; the values to keep are
/// saved on the host meanwhile.
Expected<std::unique_ptr<DeviceProgram>>
CudaProgram::prepareBeside(const fb::Program &other) {
  REPRISE_RETURN_IF_ERROR(checkProgram(other, *site));
  if (other.arena_bytes() > site->arenaBytes)
    return std::unique_ptr<DeviceProgram>();
  REPRISE_RETURN_IF_ERROR(beginTurn());
  REPRISE_RETURN_IF_ERROR(settle());
  std::vector<uint8_t> fixed(program.fixed_bytes());
  REPRISE_RETURN_IF_ERROR(staging.read(arena, fixed.data(), fixed.size()));
  REPRISE_RETURN_IF_ERROR(driver->thaw());
  REPRISE_RETURN_IF_ERROR(driver->fill(stream, arena, 0, site->arenaBytes));
  auto prepared = std::make_unique<CudaProgram>(other, site);
  Status status = prepared->prepare();
  // This program continues even if the other one failed.
  Status kept = restore(fixed);
  if (!kept.ok())
    site->lost = Status::error(
        kept.code(), "the variables are lost: while another program was "
                     "prepared the GPU failed: " +
                         (status.ok() ? kept : status).message());
  REPRISE_RETURN_IF_ERROR(site->lost);
  REPRISE_RETURN_IF_ERROR(status);
  return std::unique_ptr<DeviceProgram>(std::move(prepared));
}

} // namespace reprise::rt::cuda
