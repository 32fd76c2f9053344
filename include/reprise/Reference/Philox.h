//===- Philox.h - Random words from counters --------------------*- C++ -*-===//
//
// Philox 4x32-10 of Salmon et al. 2011, "Parallel random numbers: as easy as 1,
// 2, 3", implemented independently of the runtime's so that one can test the
// other.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_REFERENCE_PHILOX_H
#define REPRISE_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace reprise::reference {

/// Four random words, a function of the counter and the key alone.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                               std::array<uint32_t, 2> key);

/// Element `index` of `sg.random_uniform`: in [0, 1), a multiple of 2^-24.
double uniformElement(int64_t seed, int64_t step, int64_t stream,
                      int64_t index);

} // namespace reprise::reference

#endif // REPRISE_REFERENCE_PHILOX_H
