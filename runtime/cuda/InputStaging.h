//===- InputStaging.h - Send inputs while a step runs -----------*- C++ -*-===//
//
// A program may have a fixed buffer for the inputs of the next run (see
// kStagingName). They are sent there on a stream of their own, while the steps
// of another run use the arena; their run begins by copying them to the place
// that its steps read.
//
//   uploads   x y rate, sent              (taken) x y rate, sent
//   steps     ... run 7 ...  (sent) copy, taken, run 8 ...  (sent) copy, ...
//
// In parentheses: the event that the stream waits for.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_INPUTSTAGING_H
#define REPRISE_RUNTIME_CUDA_INPUTSTAGING_H

#include "Staging.h"
#include "reprise/Runtime/program_generated.h"

namespace reprise::rt::cuda {

/// The stream for uploads, which the programs of a session share.
struct Uploads {
  bool isThere = false;
  Stream stream = {};
  Event sent = {}, taken = {};
  Staging host;

  /// Prepares once for all of them.
  Status prepare(Driver &driver);
};

class InputStaging {
public:
  /// Returns the program's buffer for inputs, or null.
  static const fb::Buffer *bufferOf(const fb::Program &program);

  /// Called before the driver is frozen; `steps` is the stream of runs. The
  /// arguments must outlive this. Fails with RP_INCOMPATIBLE if the buffer does
  /// not hold the inputs of an entry.
  Status prepare(Driver &driver, const fb::Program &program, Address arena,
                 Stream steps, Uploads &uploads);
  bool isThere() const { return buffer != nullptr; }
  /// Takes input number `input` of an entry for its next run, and discards
  /// those of another entry. The host's bytes have been read when this returns.
  Status write(size_t entry, uint32_t input, const void *data, uint64_t bytes);
  /// Copies the inputs written for `entry` to the place that its steps read.
  /// Returns the end of the highest such byte in the arena.
  Expected<uint64_t> take(size_t entry);
  /// Waits until no upload is running.
  Status settle();

private:
  struct Input {
    uint64_t staged = 0, offset = 0, bytes = 0; // in the arena
    bool isWaiting = false;
  };
  Status placeInputs(const fb::Program &program);

  Driver *driver = nullptr;
  const fb::Buffer *buffer = nullptr;
  Address arena = 0;
  Stream steps = {};
  Uploads *uploads = nullptr;
  std::vector<std::vector<Input>> entries;
  /// True if the last take may still read the buffer.
  bool isBeingTaken = false;
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_INPUTSTAGING_H
