//===- Staging.h - Copies between the host and a GPU ------------*- C++ -*-===//
//
// Two pieces of pinned memory in turn: while one is on its way, the host fills
// the other.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_STAGING_H
#define REPRISE_RUNTIME_CUDA_STAGING_H

#include "Driver.h"
#include <array>

namespace reprise::rt::cuda {

class Staging {
public:
  /// Of each of the two pieces.
  static constexpr uint64_t kPieceBytes = 8 << 20;
  static constexpr size_t kPieces = 2;

  /// Copies are work of `stream`. The driver outlives this.
  Status prepare(Driver &driver, Stream stream);
  /// The host's bytes have been read when this returns; what the stream is
  /// given later finds them on the device.
  Status write(Address to, const void *data, uint64_t bytes);
  /// What the stream was given before, in `data` when this returns.
  Status read(Address from, void *data, uint64_t bytes);

private:
  struct Piece {
    void *memory = nullptr;
    Event sent = {};
    bool isUnderWay = false;
  };
  Driver *driver = nullptr;
  Stream stream = {};
  std::array<Piece, kPieces> pieces;
  size_t next = 0;
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_STAGING_H
