//===- TightInstance.cpp - Cuts a rectangle into buffers ------------------===//
//
// Method:  the piece with the largest area is cut next: once along time or
//          across it, or into a pinwheel of five, which no straight cuts make.
//
//===----------------------------------------------------------------------===//
#include "TightInstance.h"

#include <algorithm>

namespace reprise::plan::test {

namespace {

struct Piece {
  uint64_t time, low, timeEnd, high; // bytes in KiB

  uint64_t steps() const { return timeEnd - time; }
  uint64_t height() const { return high - low; }
  uint64_t area() const { return steps() * height(); }
};

class Cutter {
public:
  explicit Cutter(uint64_t seed) : state(seed) {}

  std::vector<Piece> cut(uint32_t count) {
    pieces = {{0, 0, kTightSteps, kTightBytes / 1024}};
    while (pieces.size() < count) {
      auto largest = std::max_element(
          pieces.begin(), pieces.end(),
          [](const Piece &a, const Piece &b) { return a.area() < b.area(); });
      Piece piece = *largest;
      *largest = pieces.back();
      pieces.pop_back();
      bool isBig = piece.steps() >= 8 && piece.height() >= 8;
      if (isBig && below(8) == 0)
        cutPinwheel(piece);
      else
        cutOnce(piece);
    }
    for (size_t at = pieces.size(); at > 1; --at)
      std::swap(pieces[at - 1], pieces[below(at)]);
    return std::move(pieces);
  }

private:
  /// Knuth's MMIX constants; the upper bits, since the lower ones repeat soon.
  uint64_t below(uint64_t limit) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % limit;
  }

  /// Inside (begin, end), off the ends by an eighth where there is room.
  uint64_t between(uint64_t begin, uint64_t end) {
    uint64_t margin = std::max<uint64_t>(1, (end - begin) / 8);
    return begin + margin + below(end - begin - 2 * margin + 1);
  }

  void cutOnce(const Piece &piece) {
    Piece first = piece, second = piece;
    bool acrossTime =
        piece.height() < 2 || (piece.steps() >= 2 && below(2) == 0);
    if (acrossTime)
      first.timeEnd = second.time = between(piece.time, piece.timeEnd);
    else
      first.high = second.low = between(piece.low, piece.high);
    pieces.insert(pieces.end(), {first, second});
  }

  //   aaaab
  //   cxxxb   a, b, d, c around x
  //   cdddd
  void cutPinwheel(const Piece &p) {
    uint64_t middle = p.time + p.steps() / 2, center = p.low + p.height() / 2;
    uint64_t t1 = between(p.time, middle), t2 = between(middle, p.timeEnd);
    uint64_t b1 = between(p.low, center), b2 = between(center, p.high);
    pieces.push_back({p.time, b2, t2, p.high});
    pieces.push_back({t2, b1, p.timeEnd, p.high});
    pieces.push_back({t1, p.low, p.timeEnd, b1});
    pieces.push_back({p.time, p.low, t1, b2});
    pieces.push_back({t1, b1, t2, b2});
  }

  uint64_t state;
  std::vector<Piece> pieces;
};

} // namespace

std::vector<Buffer> makeTightInstance(uint32_t count, uint64_t seed) {
  std::vector<Buffer> buffers;
  for (const Piece &piece : Cutter(seed).cut(count)) {
    Buffer buffer;
    buffer.bytes = piece.height() * 1024;
    buffer.firstStep = uint32_t(piece.time);
    buffer.lastStep = uint32_t(piece.timeEnd - 1);
    buffers.push_back(buffer);
  }
  return buffers;
}

} // namespace reprise::plan::test
