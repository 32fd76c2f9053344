//===- Staging.h - Copies between the host and a GPU ------------*- C++ -*-===//
//
// Alternates between two pieces of pinned memory: while one is copied, the host
// fills the other.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_STAGING_H
#define REPRISE_RUNTIME_CUDA_STAGING_H

#include "Driver.h"
#include <array>

namespace reprise::rt::cuda {

class Staging {
public:
  /// The size of each of the two pieces.
  static constexpr uint64_t kPieceBytes = 8 << 20;
  static constexpr size_t kPieces = 2;

  /// Copies run on `stream`. The driver must outlive this.
  Status prepare(Driver &driver, Stream stream);
  /// The host's bytes have been read when this returns; later operations of the
  /// stream find them on the device.
  Status write(Address to, const void *data, uint64_t bytes);
  /// Waits for the stream's earlier operations; `data` is complete when this
  /// returns.
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
