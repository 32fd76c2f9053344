//===- LimitRefusal.cpp - Refuse a limit that no budget meets -------------===//
//
// Everything here uses plans without a search, so that a refusal takes seconds.
//
//===----------------------------------------------------------------------===//

#include "reprise/Budget/LimitRefusal.h"
#include "reprise/Budget/BatchSearch.h"
#include "reprise/Text/Size.h"

using namespace reprise;
using namespace reprise::driver;

rt::Expected<StepFloor> driver::floorOf(const ModelRequest &request) {
  rt::Expected<PlannedRequest> planned = planRequest(request, kNoSearch);
  if (!planned.ok())
    return planned.status();
  return StepFloor{planned->plans->provenBytes().bound.bytes,
                   planned->plans->smallest().bytes(),
                   planned->plans->plain().bytes()};
}

/// Returns "--batch 4", which needs no budget; "" if there is none.
static std::string fittingBatch(const ModelRequest &request, uint64_t left) {
  int64_t batch = batchOf(request);
  if (batch < 2)
    return "";
  rt::Expected<BatchSearch::Answer> answer =
      BatchSearch(request, left).largestPlain(batch - 1);
  return answer.ok() && answer->batch > 0
             ? "--batch " + std::to_string(answer->batch)
             : "";
}

rt::Status driver::refuseLimit(const ModelRequest &request,
                               const rt::Status &tooLarge,
                               const StepFloor &floor, uint64_t left) {
  std::string message = tooLarge.message() + "; the limit leaves the program " +
                        text::formatSize(left) +
                        ", in which it cannot be trained: ";
  message += floor.proven > left ? "no schedule of its step takes less than " +
                                       text::formatSize(floor.proven)
                                 : "the least that was found is " +
                                       text::formatSize(floor.possible);
  std::string batch = fittingBatch(request, left);
  message += batch.empty() ? "; a smaller model or data set would help"
                           : "; " + batch + " fits without recomputation";
  // The process needs the bytes outside the program in any case.
  if (floor.possible < floor.plain)
    message += ", and --budget " + budgetText(floor.possible) +
               " where the limit is " +
               text::formatSize(budgetTextBytes(floor.possible) -
                                std::min(left, floor.possible)) +
               " more";
  return rt::Status::error(tooLarge.code(), message);
}
