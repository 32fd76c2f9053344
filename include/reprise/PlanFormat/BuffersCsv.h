//===- BuffersCsv.h - Buffers to place, as CSV ------------------*- C++ -*-===//
//
// The format of minimalloc: a line of titles, `id,lower,upper,size` in any
// order, then a line for each buffer, which lives in [lower, upper). A column
// `offset` is accepted and ignored. There is no quoting.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLANFORMAT_BUFFERSCSV_H
#define REPRISE_PLANFORMAT_BUFFERSCSV_H

#include "reprise/Plan/Schedule.h"
#include "reprise/Runtime/Status.h"

namespace reprise::plan::format {

struct CsvBuffer {
  std::string id;
  uint64_t lower = 0, upper = 0, size = 0;
};

/// Buffers with sizes below 2^62 bytes in all, ids without repetition.
rt::Expected<std::vector<CsvBuffer>> readBuffers(const std::string &name,
                                                 const std::string &text);

/// Returns the same table with a column of offsets.
std::string writeBuffers(const std::vector<CsvBuffer> &buffers,
                         const std::vector<uint64_t> &offsets);

/// Returns the input of placeBuffers. Times keep their distances, by which
/// searches rank buffers, unless they span more than 32 bits; then they are
/// renumbered.
std::vector<Buffer> toBuffers(const std::vector<CsvBuffer> &buffers);

} // namespace reprise::plan::format

#endif // REPRISE_PLANFORMAT_BUFFERSCSV_H
