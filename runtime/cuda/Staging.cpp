//===- Staging.cpp - Copies between the host and a GPU --------------------===//
#include "Staging.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt::cuda {

Status Staging::prepare(Driver &owner, Stream its) {
  driver = &owner;
  stream = its;
  for (Piece &piece : pieces) {
    REPRISE_EXPECT(memory, driver->allocatePinned(kPieceBytes));
    REPRISE_EXPECT(sent, driver->createEvent());
    piece.memory = *memory;
    piece.sent = *sent;
  }
  return {};
}

Status Staging::write(Address to, const void *data, uint64_t bytes) {
  const auto *from = static_cast<const uint8_t *>(data);
  for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
    Piece &piece = pieces[next];
    next = (next + 1) % kPieces;
    uint64_t part = std::min(kPieceBytes, bytes - at);
    bool waits = piece.isUnderWay;
    if (waits)
      REPRISE_RETURN_IF_ERROR(driver->synchronize(piece.sent));
    std::memcpy(piece.memory, from + at, part);
    REPRISE_RETURN_IF_ERROR(
        driver->upload(stream, to + at, piece.memory, part));
    REPRISE_RETURN_IF_ERROR(driver->record(stream, piece.sent));
    piece.isUnderWay = true;
  }
  return {};
}

Status Staging::read(Address from, void *data, uint64_t bytes) {
  auto *to = static_cast<uint8_t *>(data);
  for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
    // Written in the stream's order, after the piece's running copy.
    Piece &piece = pieces[next];
    uint64_t part = std::min(kPieceBytes, bytes - at);
    REPRISE_RETURN_IF_ERROR(
        driver->download(stream, piece.memory, from + at, part));
    REPRISE_RETURN_IF_ERROR(driver->synchronize(stream));
    for (Piece &each : pieces)
      each.isUnderWay = false;
    std::memcpy(to + at, piece.memory, part);
  }
  return {};
}

} // namespace reprise::rt::cuda
