//===- MeasureCalls.cpp - Library calls timed on a GPU --------------------===//
//
// Times each call with all of the libraries' implementations. In a step its
// operands come from memory, hence a fill as large as the cache before each
// run. The shortest of some runs counts; an implementation whose first run
// takes several times the best time is not run again.
//
//===----------------------------------------------------------------------===//
#include "MeasureCalls.h"
#include "../core/Views.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace reprise::rt::cuda {

namespace {
/// One library call with memory for its operands.
class CallMeasurement {
public:
  CallMeasurement(Driver &driver, const MeasuredWork &work)
      : driver(driver), work(work) {}
  ~CallMeasurement() {
    if (memory)
      driver.release(memory);
  }
  /// Allocates for all calls to come.
  Status prepare(uint64_t bytes);
  Expected<LibraryCallInfo> best(const LibraryCallDesc &desc,
                                 const std::vector<LibraryCallInfo> &ways);

private:
  Expected<double> secondsOf(const LibraryCallDesc &desc,
                             const LibraryCallInfo &way, double soFar);
  Expected<double> runOnce(Call call, const std::vector<Address> &operands,
                           Address workspace,
                           const std::vector<Touch> &touches);

  Driver &driver;
  const MeasuredWork &work;
  Stream stream = {};
  Address memory = 0;
};
} // namespace

static uint64_t aligned(uint64_t bytes) {
  constexpr uint64_t kAlignment = 256;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Returns the extent from the first element to the end of the last one.
static uint64_t extentOf(const TensorDesc &tensor) {
  int64_t elements = 1, last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    elements *= tensor.shape[i];
    if (!tensor.strides.empty())
      last += (tensor.shape[i] - 1) * tensor.strides[i];
  }
  if (!tensor.strides.empty())
    elements = last + 1;
  return uint64_t(elements) * elementBytes(tensor.type);
}

static uint64_t operandBytes(const LibraryCallDesc &desc) {
  uint64_t bytes = 0;
  for (const std::vector<TensorDesc> *tensors : {&desc.inputs, &desc.outputs})
    for (const TensorDesc &tensor : *tensors)
      bytes += aligned(extentOf(tensor));
  return bytes;
}

Status CallMeasurement::prepare(uint64_t bytes) {
  REPRISE_EXPECT(made, driver.createStream());
  stream = *made;
  REPRISE_EXPECT(taken, driver.allocate(work.cacheBytes + bytes));
  memory = *taken;
  // Small numbers as f32 and bf16, numbers near 1 as f16.
  constexpr uint8_t kByte = 0x3c;
  return driver.fill(stream, memory, kByte, work.cacheBytes + bytes);
}

Expected<double> CallMeasurement::runOnce(Call call,
                                          const std::vector<Address> &operands,
                                          Address workspace,
                                          const std::vector<Touch> &touches) {
  using Clock = std::chrono::steady_clock;
  REPRISE_RETURN_IF_ERROR(driver.fill(stream, memory, 0, work.cacheBytes));
  REPRISE_RETURN_IF_ERROR(driver.synchronize(stream));
  Clock::time_point start = Clock::now();
  REPRISE_RETURN_IF_ERROR(
      driver.call(stream, call, operands, workspace, touches));
  REPRISE_RETURN_IF_ERROR(driver.synchronize(stream));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Expected<double> CallMeasurement::secondsOf(const LibraryCallDesc &desc,
                                            const LibraryCallInfo &way,
                                            double soFar) {
  REPRISE_EXPECT(call, driver.prepare(desc, way.implementation,
                                      way.workspaceBytes, /*mayAdapt=*/false));
  std::vector<Address> operands;
  std::vector<Touch> touches;
  Address next = memory + work.cacheBytes;
  auto place = [&](const TensorDesc &tensor, bool isWritten) {
    operands.push_back(next);
    touches.push_back({next, extentOf(tensor), isWritten});
    next += aligned(extentOf(tensor));
  };
  for (const TensorDesc &tensor : desc.inputs)
    place(tensor, false);
  for (const TensorDesc &tensor : desc.outputs)
    place(tensor, true);
  Address workspace = way.workspaceBytes ? next : 0;
  if (workspace)
    touches.push_back({workspace, way.workspaceBytes, true});
  constexpr double kHopeless = 4;
  double least = 0;
  // The first run also loads code.
  for (unsigned i = 0; i < 1 + work.callRepeats; ++i) {
    Expected<double> seconds = runOnce(*call, operands, workspace, touches);
    if (!seconds.ok())
      return seconds;
    if (i == 1 || (i > 1 && *seconds < least))
      least = *seconds;
    if (i == 1 && soFar > 0 && least > kHopeless * soFar)
      break;
  }
  return least;
}

Expected<LibraryCallInfo>
CallMeasurement::best(const LibraryCallDesc &desc,
                      const std::vector<LibraryCallInfo> &ways) {
  struct Timed {
    const LibraryCallInfo *way;
    double seconds;
  };
  std::vector<Timed> timed;
  Status why;
  double least = 0;
  for (const LibraryCallInfo &way : ways) {
    Expected<double> seconds = secondsOf(desc, way, least);
    if (!seconds.ok()) {
      why = seconds.status();
      continue;
    }
    timed.push_back({&way, *seconds});
    if (least == 0 || *seconds < least)
      least = *seconds;
  }
  if (timed.empty())
    return why.ok() ? Status::error(RP_UNAVAILABLE,
                                    "no library has " + callText(desc))
                    : why;
  constexpr double kAsGood = 1.02;
  const Timed *best = nullptr;
  for (const Timed &each : timed)
    if (each.seconds <= kAsGood * least &&
        (!best || each.way->workspaceBytes < best->way->workspaceBytes))
      best = &each;
  LibraryCallInfo result = *best->way;
  result.seconds = best->seconds;
  return result;
}

/// Returns those within `cap`, or the one with the smallest workspace.
static std::vector<LibraryCallInfo> within(uint64_t cap,
                                           std::vector<LibraryCallInfo> ways) {
  auto needsLess = [](const LibraryCallInfo &l, const LibraryCallInfo &r) {
    return l.workspaceBytes < r.workspaceBytes;
  };
  auto least = std::min_element(ways.begin(), ways.end(), needsLess);
  if (least == ways.end())
    return ways;
  cap = std::max(cap, least->workspaceBytes);
  ways.erase(std::remove_if(ways.begin(), ways.end(),
                            [&](const LibraryCallInfo &way) {
                              return way.workspaceBytes > cap;
                            }),
             ways.end());
  return ways;
}

Status measureCalls(Driver &driver,
                    const std::vector<const fb::Program *> &programs,
                    const MeasuredWork &work, DeviceDescription &description) {
  struct Distinct {
    LibraryCallDesc desc;
    std::vector<LibraryCallInfo> ways;
  };
  std::vector<Distinct> calls;
  std::set<std::string> known;
  for (const fb::Program *program : programs) {
    std::string device = program->device() ? program->device()->str() : "";
    if (device != "cuda")
      return Status::error(RP_INCOMPATIBLE,
                           "calls of a program for '" + device +
                               "' cannot be measured on 'cuda'; compile it "
                               "with --target cuda:h100, or another GPU");
    forEachCall(*program, [&](const fb::LibraryCall &call) {
      LibraryCallDesc desc = rt::describe(call);
      if (functionOf(desc).isCollective)
        return; // no library of one GPU has it
      if (known.insert(callText(desc)).second)
        calls.push_back({std::move(desc), {}});
    });
  }
  uint64_t bytes = 0;
  for (Distinct &call : calls) {
    REPRISE_EXPECT(ways, driver.implementations(call.desc));
    call.ways = within(work.workspaceCap, std::move(*ways));
    uint64_t most = 0;
    for (const LibraryCallInfo &way : call.ways)
      most = std::max(most, way.workspaceBytes);
    bytes = std::max(bytes, operandBytes(call.desc) + aligned(most));
  }
  CallMeasurement measurement(driver, work);
  REPRISE_RETURN_IF_ERROR(measurement.prepare(bytes));
  for (const Distinct &call : calls) {
    REPRISE_EXPECT(best, measurement.best(call.desc, call.ways));
    description.calls[callText(call.desc)] = std::move(*best);
  }
  REPRISE_EXPECT(facts, driver.facts());
  description.callLibraries = facts->libraries;
  return {};
}

} // namespace reprise::rt::cuda
