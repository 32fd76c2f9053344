//===- PlaceBuffers.h - Offsets for buffers of files ------------*- C++ -*-===//
#ifndef REPRISE_PLANSEARCH_PLACEBUFFERS_H
#define REPRISE_PLANSEARCH_PLACEBUFFERS_H

#include "reprise/Plan/Schedule.h"
#include "reprise/PlanFormat/BuffersCsv.h"
#include <optional>

namespace reprise::plan::search {

struct PlacedBuffers {
  uint64_t maxLive = 0; // the largest sum of bytes live at once
  Placement placement;
};

/// Places buffers as low as `work` finds (1: seconds), or within `capacity`
/// bytes; fails if that has no placement or none is found. The placement is
/// checked pair by pair.
rt::Expected<PlacedBuffers>
placeBuffers(const std::vector<format::CsvBuffer> &buffers,
             std::optional<uint64_t> capacity, double work);

} // namespace reprise::plan::search

#endif // REPRISE_PLANSEARCH_PLACEBUFFERS_H
