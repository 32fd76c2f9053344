//===- ProcessMemory.cpp - Memory of a training process -------------------===//
//
// Input:   a program, the name of its data, the present process.
// Output:  physical memory by purpose, at the highest moment of a run.
// Method:  the sum of sizes that the other files of this folder allocate; the
//          memory that the process already has is read from the kernel. Staging
//          of initial values and of saved states never overlap: the larger
//          counts.
// Fails:   where the data cannot be found.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/ProcessMemory.h"
#include "EntryBindings.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <algorithm>
#include <set>

using namespace reprise::rt;

uint64_t ProcessMemory::sum() const {
  uint64_t total = 0;
  for (const HostItem &item : items)
    total += item.bytes;
  return total;
}

uint64_t ProcessMemory::peak() const { return std::max(sum(), reached); }

uint64_t ProcessMemory::growth() const {
  return items.empty() ? 0 : sum() - items.front().bytes;
}

/// Returns an entry's inputs from the data.
static Expected<std::vector<rp_tensor_info>>
dataInputs(const rp_program *program, StepKind kind) {
  std::vector<rp_tensor_info> inputs;
  rp_tensor_info info = {};
  const char *entry = entryName(kind);
  for (size_t i = 0, n = rp_program_input_count(program, entry); i < n; ++i) {
    REPRISE_RETURN_IF_ERROR(
        takeStatus(rp_program_input(program, entry, i, &info)));
    if (info.binding == RP_BINDING_DATA || info.binding == RP_BINDING_LABEL)
      inputs.push_back(info);
  }
  return inputs;
}

/// Returns the largest entry's bytes of inputs from the data.
static Expected<uint64_t> batchBytes(const rp_program *program) {
  uint64_t most = 0;
  for (StepKind kind : {StepKind::Train, StepKind::Evaluate}) {
    REPRISE_EXPECT(inputs, dataInputs(program, kind));
    uint64_t bytes = 0;
    for (const rp_tensor_info &info : *inputs)
      bytes += info.bytes;
    most = std::max(most, bytes);
  }
  return most;
}

/// Returns the columns of the first entry's inputs from the data.
static Expected<std::vector<Column>> dataColumns(const rp_program *program) {
  std::vector<Column> columns;
  for (StepKind kind : {StepKind::Train, StepKind::Evaluate}) {
    REPRISE_EXPECT(inputs, dataInputs(program, kind));
    for (const rp_tensor_info &info : *inputs)
      columns.push_back(
          {info.name,
           info.binding,
           info.type,
           {info.shape + (info.rank > 0), info.shape + info.rank}});
    if (!columns.empty())
      break;
  }
  return columns;
}

/// Returns the rows of a batch of the largest entry, and their shapes.
static Expected<uint64_t> batchRows(const rp_program *program,
                                    std::string &shapes) {
  uint64_t rows = 0;
  for (StepKind kind : {StepKind::Train, StepKind::Evaluate}) {
    REPRISE_EXPECT(inputs, dataInputs(program, kind));
    for (const rp_tensor_info &info : *inputs) {
      if (info.binding != RP_BINDING_DATA || info.rank == 0)
        continue;
      rows = std::max(rows, uint64_t(info.shape[0]));
      shapes += formatShape({info.shape, info.shape + info.rank}) + " ";
    }
  }
  return rows;
}

unsigned ProcessMemory::Decoding::threads(uint64_t batch) const {
  return std::max(loaderThreads(isCostly, asked, batch),
                  loaderThreads(isCostly, asked, looked));
}

static Expected<uint64_t> largestVariable(const rp_program *program) {
  uint64_t largest = 0;
  rp_tensor_info info = {};
  for (size_t i = 0, n = rp_program_variable_count(program); i < n; ++i) {
    REPRISE_RETURN_IF_ERROR(takeStatus(rp_program_variable(program, i, &info)));
    largest = std::max<uint64_t>(largest, info.bytes);
  }
  return largest;
}

/// Adds the memory of reading the data; `of` prefixes the names of its items.
static Status addData(const rp_program *program, const DataSpec &data,
                      Split split, const std::string &of,
                      ProcessMemory &memory) {
  REPRISE_EXPECT(batch, batchBytes(program));
  REPRISE_EXPECT(columns, dataColumns(program));
  REPRISE_EXPECT(extent, measureDataset(data, split, *columns));
  memory.items.push_back({of + "data set", extent->hostBytes});
  memory.items.push_back(
      {of + "batches ahead, order of the images",
       LoaderOptions().depth * *batch + extent->images * sizeof(uint64_t)});
  std::string shapes;
  REPRISE_EXPECT(rows, batchRows(program, shapes));
  ProcessMemory::Decoding decoding = {
      extent->bytesPerThread, data.loaderThreads,
      data.images.skipBadFiles ? extent->images : 0, extent->isCostly};
  unsigned threads = decoding.threads(*rows);
  if (extent->bytesPerThread > 0)
    memory.items.push_back(
        {of + "decoding of images, threads: " + std::to_string(threads),
         threads * extent->bytesPerThread, HostItem::Kind::Estimated});
  if (of.empty())
    memory.decoding = decoding;
  return Status();
}

Status reprise::rt::addEvaluationMemory(const rp_program *program,
                                        const DataSpec &data,
                                        ProcessMemory &memory) {
  return addData(program, data, Split::Test, "of tests: ", memory);
}

Expected<ProcessMemory> reprise::rt::predictProcessMemory(
    const rp_program *program, const DataSpec &data, Split split, bool saves) {
  size_t arena = 0, kept = 0, duringCalls = 0;
  REPRISE_RETURN_IF_ERROR(
      takeStatus(rp_program_host_bytes(program, &arena, &kept, &duringCalls)));
  REPRISE_EXPECT(staging, largestVariable(program));
  using Kind = HostItem::Kind;
  ProcessMemory memory;
  memory.reached = residentHighWaterBytes();
  memory.items = {{"the process now: code, libraries, the artifact",
                   residentBytes(), Kind::Measured},
                  {"arena: all tensors of the program", arena},
                  {"compiled kernels", rp_program_code_bytes(program)},
                  {"library kernels and their buffers, threads",
                   kept + duringCalls, Kind::Estimated}};
  REPRISE_RETURN_IF_ERROR(addData(program, data, split, "", memory));
  memory.items.push_back(
      {"staging of the largest variable", (saves ? 2 : 1) * *staging});
  return memory;
}

/// Returns the memory of threads that decode for batches other than the
/// first's: data is opened once for each size of images, with separate buffers.
static Expected<uint64_t>
decodingOfOthers(const rp_program *first,
                 const std::vector<const rp_program *> &others,
                 const ProcessMemory::Decoding &decoding) {
  uint64_t bytes = 0;
  std::set<std::string> known;
  std::string shapes;
  REPRISE_RETURN_IF_ERROR(batchRows(first, shapes).status());
  known.insert(shapes);
  for (const rp_program *program : others) {
    shapes.clear();
    Expected<uint64_t> rows = batchRows(program, shapes);
    if (!rows.ok())
      return rows;
    if (known.insert(shapes).second)
      bytes += decoding.threads(*rows) * decoding.bytesPerThread;
  }
  return bytes;
}

namespace {
/// The memory of a program itself.
struct OwnBytes {
  size_t arena = 0, kept = 0, duringCalls = 0;
  uint64_t code = 0, batch = 0;
};
} // namespace

static Expected<OwnBytes> ownBytes(const rp_program *program) {
  OwnBytes own;
  REPRISE_RETURN_IF_ERROR(takeStatus(
      rp_program_host_bytes(program, &own.arena, &own.kept, &own.duringCalls)));
  REPRISE_EXPECT(batch, batchBytes(program));
  own.batch = *batch;
  own.code = rp_program_code_bytes(program);
  return own;
}

Status reprise::rt::addPrograms(const rp_program *first,
                                const std::vector<const rp_program *> &others,
                                ProcessMemory &memory) {
  if (others.empty())
    return {};
  REPRISE_EXPECT(base, ownBytes(first));
  OwnBytes most = *base;
  uint64_t code = 0, kept = 0;
  for (const rp_program *program : others) {
    REPRISE_EXPECT(own, ownBytes(program));
    code += own->code;
    kept += own->kept;
    most.arena = std::max(most.arena, own->arena);
    most.duringCalls = std::max(most.duringCalls, own->duringCalls);
    most.batch = std::max(most.batch, own->batch);
  }
  REPRISE_EXPECT(decoding, decodingOfOthers(first, others, memory.decoding));
  using Kind = HostItem::Kind;
  if (*decoding > 0)
    memory.items.push_back({"decoding of images for the other programs",
                            *decoding, Kind::Estimated});
  for (HostItem item :
       {HostItem{"arena, what the largest program takes more",
                 most.arena - base->arena},
        HostItem{"compiled kernels of the other programs", code},
        HostItem{"library kernels and their buffers of the others",
                 kept + most.duringCalls - base->duringCalls, Kind::Estimated},
        HostItem{"batches ahead, what the largest program takes more",
                 LoaderOptions().depth * (most.batch - base->batch)}})
    memory.items.push_back(std::move(item));
  return {};
}

/// Returns "arena 774.7 MiB; data set 44.9 MiB; ... ; others 1.2 MiB", which
/// add up to `total`: the largest four items.
static std::string listItems(std::vector<HostItem> items, uint64_t total,
                             const SizeText &size) {
  std::stable_sort(
      items.begin(), items.end(),
      [](const HostItem &a, const HostItem &b) { return a.bytes > b.bytes; });
  std::string text;
  uint64_t listed = 0;
  for (size_t i = 0; i < items.size() && i < 4; ++i) {
    text += (i ? "; " : "") + items[i].what + " " + size(items[i].bytes);
    listed += items[i].bytes;
  }
  if (total > listed)
    text += "; others " + size(total - listed);
  return text;
}

/// Returns the items of the predicted high water.
static std::string listPeak(const ProcessMemory &memory, const SizeText &size) {
  if (memory.reached > memory.sum())
    return "reached before the run, by compiling";
  return listItems(memory.items, memory.sum(), size);
}

Status reprise::rt::checkProcessMemory(const ProcessMemory &memory,
                                       uint64_t limit, const SizeText &size) {
  ProcessMemory highest = memory;
  highest.items.push_back(
      {"variation from run to run", kRunVariation, HostItem::Kind::Estimated});
  if (limit && highest.peak() > limit)
    return Status::error(RP_OUT_OF_MEMORY,
                         "the process would take " + size(highest.peak()) +
                             ", " + size(highest.peak() - limit) +
                             " more than the limit of " + size(limit) + " (" +
                             listPeak(highest, size) + ")");
  MemoryLimit tightest = tightestMemoryLimit();
  if (memory.growth() > tightest.left)
    return Status::error(
        RP_OUT_OF_MEMORY,
        "the run would take " + size(memory.growth()) +
            " in addition to what the process holds, " +
            size(memory.growth() - tightest.left) + " more than the " +
            size(tightest.left) + " that are left of " + tightest.name + " (" +
            size(tightest.bytes) + "; " +
            listItems({memory.items.begin() + 1, memory.items.end()},
                      memory.growth(), size) +
            ")");
  return Status();
}
