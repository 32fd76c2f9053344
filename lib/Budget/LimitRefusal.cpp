//===- LimitRefusal.cpp - Refuse a limit that no budget meets -------------===//
//
// Everything here uses plans without a search, so that a refusal takes seconds.
//
//===----------------------------------------------------------------------===//

#include "reprise/Budget/LimitRefusal.h"
#include "reprise/Budget/BatchSearch.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"

using namespace reprise;
using namespace reprise::driver;

rt::Expected<StepFloor> driver::floorOf(const ModelRequest &request) {
  REPRISE_EXPECT(planned, planRequest(request, kNoSearch));
  return StepFloor{planned->plans->provenBytes().bound.bytes,
                   planned->plans->smallest().bytes(),
                   planned->plans->plain().bytes()};
}

/// Bytes of the compiler's heap that differ from run to run.
static constexpr uint64_t kHeapChange = uint64_t{8} << 20;

/// Returns "--batch 4 fits", with how, or "" if not one image fits.
static std::string fittingBatch(const ModelRequest &request, uint64_t left) {
  int64_t batch = batchOf(request);
  if (batch < 2)
    return "";
  left -= std::min(left / 16, kHeapChange);
  BatchSearch search(request, left);
  rt::Expected<BatchSearch::Answer> plain = search.largestPlain(batch - 1);
  if (plain.ok() && plain->batch > 0)
    return "--batch " + std::to_string(plain->batch) +
           " fits without recomputation";
  ModelRequest one = request;
  one.model.batch = 1;
  rt::Expected<StepFloor> floor = floorOf(one);
  if (!floor.ok() || floor->proven > left)
    return "";
  rt::Expected<int64_t> found = search.largestFound(batch - 1, 1);
  return found.ok() && *found > 0
             ? "--batch " + std::to_string(*found) + " fits with recomputation"
             : "";
}

/// Returns the limit that leaves the program `bytes`.
static std::string largerLimit(const LimitedProgram &limited, uint64_t bytes) {
  constexpr uint64_t unit = uint64_t{1} << 20;
  uint64_t beside = limited.limit - std::min(limited.left, limited.limit);
  uint64_t needed = beside + bytes + kHeapChange;
  return "--memory-limit " + budgetText((needed + unit - 1) / unit * unit);
}

rt::Status driver::refuseLimit(const ModelRequest &request,
                               const rt::Status &tooLarge,
                               const StepFloor &floor,
                               const LimitedProgram &limited) {
  uint64_t left = limited.left;
  std::string message = tooLarge.message() + "; the limit leaves the program " +
                        text::formatSize(left) +
                        ", in which it cannot be trained: ";
  message += floor.proven > left ? "no schedule of its step takes less than " +
                                       text::formatSize(floor.proven)
                                 : "the least that was found is " +
                                       text::formatSize(floor.possible);
  std::string batch = fittingBatch(request, left);
  bool recomputes = floor.possible < floor.plain;
  message +=
      "; " + (batch.empty() ? "" : batch + ", and ") +
      largerLimit(limited, recomputes ? floor.possible : floor.plain) +
      (recomputes ? " fits with recomputation" : " fits without recomputation");
  return rt::Status::error(tooLarge.code(), message);
}
