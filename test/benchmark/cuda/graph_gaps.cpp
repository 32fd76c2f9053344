//===- graph_gaps.cpp - How long a GPU waits between kernels --------------===//
//
// A library that the CUDA driver loads where CUDA_INJECTION64_PATH names it. At
// the end of the process it prints one JSON object to stderr, and to the file
// REPRISE_GAPS where that is set, instead: of the launches of graphs of more
// than ten nodes how many there were, and of these the most nodes (kernels,
// copies and fills), in the median milliseconds from the first node's start to
// the last one's end, and the share of them in which no node ran. Where there
// were none, nothing.
//
// Input: records of CUPTI, which have the launch that a kernel belongs to.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupti.h>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace {

using Span = std::pair<uint64_t, uint64_t>; // nanoseconds

std::mutex mutex;
std::map<uint32_t, std::vector<Span>> launches;

void request(uint8_t **buffer, size_t *size, size_t *maxRecords) {
  *size = size_t(8) << 20;
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, *size));
  *maxRecords = 0;
}

template <typename Record> void keep(const CUpti_Activity *record) {
  const auto *each = reinterpret_cast<const Record *>(record);
  if (each->graphId)
    launches[each->correlationId].push_back({each->start, each->end});
}

void complete(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  std::lock_guard<std::mutex> guard(mutex);
  CUpti_Activity *record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      keep<CUpti_ActivityKernel10>(record);
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      keep<CUpti_ActivityMemcpy6>(record);
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      keep<CUpti_ActivityMemset4>(record);
      break;
    default:
      break;
    }
  std::free(buffer);
}

/// From the first start to the last end, and what of it nothing ran in.
std::pair<double, double> measure(std::vector<Span> &spans) {
  std::sort(spans.begin(), spans.end());
  uint64_t end = spans.front().first, idle = 0;
  for (const Span &span : spans) {
    if (span.first > end)
      idle += span.first - end;
    end = std::max(end, span.second);
  }
  return {double(end - spans.front().first), double(idle)};
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void report() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::lock_guard<std::mutex> guard(mutex);
  std::vector<double> times, shares;
  size_t nodes = 0;
  constexpr size_t few = 10;
  for (auto &[launch, spans] : launches) {
    if (spans.size() <= few)
      continue;
    auto [time, idle] = measure(spans);
    times.push_back(time / 1e6);
    shares.push_back(idle / time);
    nodes = std::max(nodes, spans.size());
  }
  if (times.empty())
    return;
  const char *path = std::getenv("REPRISE_GAPS");
  std::FILE *out = path ? std::fopen(path, "w") : stderr;
  if (!out)
    return;
  std::fprintf(out,
               "{\"launches\": %zu, \"nodes\": %zu, \"median_ms\": %.3f, "
               "\"median_idle_share\": %.5f}\n",
               times.size(), nodes, median(times), median(shares));
  if (path)
    std::fclose(out);
}

} // namespace

extern "C" int InitializeInjection() {
  cuptiActivityRegisterCallbacks(request, complete);
  for (CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMSET})
    if (cuptiActivityEnable(kind) != CUPTI_SUCCESS)
      return 0;
  std::atexit(report);
  return 1;
}
