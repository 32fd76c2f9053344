//===- InputStaging.h - Inputs on their way beside a step -------*- C++ -*-===//
//
// A program may have a fixed buffer for the inputs of the next run (see
// kStagingName). They are sent there on a stream of their own, while the steps
// of another run are busy with the arena; the run that they are for begins with
// a copy of them to where its steps read them.
//
//   uploads   x y rate, sent              (taken) x y rate, sent
//   steps     ... run 7 ...  (sent) copy, taken, run 8 ...  (sent) copy, ...
//
// In parentheses: what the stream waits for.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_INPUTSTAGING_H
#define REPRISE_RUNTIME_CUDA_INPUTSTAGING_H

#include "Staging.h"
#include "reprise/Runtime/program_generated.h"

namespace reprise::rt::cuda {

/// The way to the device beside the steps, which programs that take turns
/// share.
struct Uploads {
  bool isThere = false;
  Stream stream = {};
  Event sent = {}, taken = {};
  Staging host;

  /// Once for all of them.
  Status prepare(Driver &driver);
};

class InputStaging {
public:
  /// The program's buffer for inputs, or null.
  static const fb::Buffer *bufferOf(const fb::Program &program);

  /// Before the driver is frozen; `steps` is the stream that runs are given.
  /// What is given outlives this. Fails with RP_INCOMPATIBLE where the buffer
  /// does not hold the inputs of an entry.
  Status prepare(Driver &driver, const fb::Program &program, Address arena,
                 Stream steps, Uploads &uploads);
  bool isThere() const { return buffer != nullptr; }
  /// Takes input number `input` of an entry for its next run, and forgets those
  /// for another entry. The host's bytes have been read when this returns.
  Status write(size_t entry, uint32_t input, const void *data, uint64_t bytes);
  /// Puts what was written for `entry` where its steps find it. Returns the
  /// highest byte of the arena that holds some of it.
  Expected<uint64_t> take(size_t entry);
  /// Waits until nothing is on its way.
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
  /// Whether the buffer may still be read by the last take.
  bool isBeingTaken = false;
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_INPUTSTAGING_H
