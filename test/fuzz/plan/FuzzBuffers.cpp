//===- FuzzBuffers.cpp - Any bytes as a table of buffers ------------------===//
//
// Input:   the text of a CSV.
// Holds:   no crash, no sanitizer report; what is refused has a message; what
//          is read is placed within what all sizes add up to, and reads the
//          same after it was written.
//
//===----------------------------------------------------------------------===//
#include "reprise/PlanFormat/BuffersCsv.h"

#include <cstdlib>

using namespace reprise::plan;
using format::CsvBuffer;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  auto read = format::readBuffers("b", text);
  if (!read.ok()) {
    require(!read.status().message().empty());
    return 0;
  }
  uint64_t total = 0;
  for (const CsvBuffer &buffer : *read)
    total += buffer.size;
  std::vector<Buffer> buffers = format::toBuffers(*read);
  Placement placement = placeBuffers(buffers, 0, 10000);
  require(placement.height <= total);
  FitResult fit = placeWithin(buffers, placement.height, 10000);
  require(fit.outcome == FitOutcome::Found);
  auto again =
      format::readBuffers("b", format::writeBuffers(*read, placement.offsets));
  require(again.ok() && again->size() == read->size());
  return 0;
}
