//===- MicroBatchStreams.h - Random streams of micro-batches ----*- C++ -*-===//
//
// A micro-batch draws from streams of its own. Compiled as one of several in a
// step, its number is part of the streams; run by a rank of its own, it is part
// of the step's high word, which moves the streams in the same way. Depends on
// the C++ standard library only, so that every layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_MICROBATCHSTREAMS_H
#define REPRISE_MICROBATCHSTREAMS_H

#include <cstdint>

namespace reprise {

/// Bits of a model's streams; those above them number the micro-batches.
constexpr unsigned kBitsOfStream = 20;

/// The input `step` of a rank that runs micro-batch `number`. A counter of
/// steps among the variables has advanced by the micro-batches before it, too.
constexpr uint64_t stepOfMicroBatch(uint64_t step, uint64_t number) {
  return (step & UINT32_MAX) | (number << (32 + kBitsOfStream));
}

} // namespace reprise

#endif // REPRISE_MICROBATCHSTREAMS_H
