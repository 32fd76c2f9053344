//===- FakeDriver.cpp - CUDA without a GPU --------------------------------===//
#include "FakeDriver.h"
#include "../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace reprise;
using namespace reprise::gpu_test;
using namespace reprise::rt::cuda;
using rt::Expected;
using rt::Status;

static Status failed(rp_code code, const std::string &what) {
  return Status::error(code, what);
}

FakeDriver::~FakeDriver() {
  for (auto [address, bytes] : memory)
    std::free(reinterpret_cast<void *>(address));
  for (auto [at, bytes] : pinned)
    std::free(at);
}

Expected<DeviceFacts> FakeDriver::facts() { return gpu.facts; }

/// Ranks that are threads compile, and run kernels, one at a time.
static std::mutex &oneAtATime() {
  static std::mutex mutex;
  return mutex;
}

//===----------------------------------------------------------------------===//
// Before `freeze`
//===----------------------------------------------------------------------===//

Status FakeDriver::early(const char *what) {
  if (!isFrozen)
    return {};
  gpu.problems.push_back(std::string(what) + " after freeze");
  return failed(RP_INTERNAL, gpu.problems.back());
}

constexpr uint64_t kGranularity = 256;

/// What is taken for so many bytes: some more.
static uint64_t roundedUp(uint64_t bytes) {
  return (bytes + kGranularity) / kGranularity * kGranularity;
}

/// Memory that nobody wrote, which shows.
static void *takeGarbage(uint64_t bytes) {
  void *at = std::aligned_alloc(kGranularity, roundedUp(bytes));
  std::memset(at, 0xA5, roundedUp(bytes));
  return at;
}

Expected<Address> FakeDriver::allocate(uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(early("allocate"));
  uint64_t taken = bytes;
  for (auto [address, its] : memory)
    taken += its;
  if (taken > gpu.facts.freeBytes)
    return failed(RP_OUT_OF_MEMORY,
                  std::to_string(bytes) + " bytes are not free");
  gpu.allocatedBytes = std::max(gpu.allocatedBytes, taken);
  auto at = reinterpret_cast<Address>(takeGarbage(bytes));
  memory[at] = bytes;
  return at;
}

void FakeDriver::release(Address at) {
  memory.erase(at);
  std::free(reinterpret_cast<void *>(at));
}

Expected<void *> FakeDriver::allocatePinned(uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(early("allocatePinned"));
  void *at = takeGarbage(bytes);
  pinned[at] = bytes;
  ++gpu.pinned;
  return at;
}

void FakeDriver::releasePinned(void *at) {
  pinned.erase(at);
  std::free(at);
}

Expected<Stream> FakeDriver::createStream() {
  REPRISE_RETURN_IF_ERROR(early("createStream"));
  streams.emplace_back();
  order.addStream();
  return Stream(streams.size() - 1);
}

Expected<Event> FakeDriver::createEvent() {
  REPRISE_RETURN_IF_ERROR(early("createEvent"));
  events.emplace_back();
  order.addEvent();
  return Event(events.size() - 1);
}

/// The text of a function but for its name.
static std::string bodyOf(gpu::GPUFuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  std::string name = function.getName().str();
  function.setName("kernel");
  function.print(stream, OpPrintingFlags().useLocalScope());
  function.setName(name);
  return text;
}

static Expected<std::shared_ptr<LoadedKernels>>
compile(const std::string &text) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadGpuDialects(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return failed(RP_INCOMPATIBLE, "the simulator cannot read the code");
  auto loaded = std::make_shared<LoadedKernels>();
  auto kernels = *module->getOps<gpu::GPUModuleOp>().begin();
  llvm::StringMap<std::string> first;
  for (auto function :
       llvm::make_early_inc_range(kernels.getOps<gpu::GPUFuncOp>())) {
    std::string name = function.getName().str();
    auto [same, isNew] = first.try_emplace(bodyOf(function), name);
    loaded->names[name] = same->second;
    if (!isNew)
      function.erase();
  }
  std::string error;
  loaded->simulator = Simulator::compile(*module, {}, error);
  if (!loaded->simulator)
    return failed(RP_INCOMPATIBLE, error);
  return loaded;
}

/// Programs of one test share their code one after another, and compiling it
/// takes long.
static Expected<std::shared_ptr<LoadedKernels>>
compileOnce(const std::string &text) {
  std::lock_guard<std::mutex> lock(oneAtATime());
  static std::string lastText;
  static std::shared_ptr<LoadedKernels> last;
  if (last && lastText == text)
    return last;
  auto loaded = compile(text);
  if (loaded.ok()) {
    last = *loaded;
    lastText = text;
  }
  return loaded;
}

Expected<std::vector<Kernel>>
FakeDriver::load(const void *image, size_t bytes,
                 const std::vector<std::string> &names) {
  REPRISE_RETURN_IF_ERROR(early("load"));
  auto compiled =
      compileOnce(std::string(static_cast<const char *>(image), bytes));
  if (!compiled.ok())
    return compiled.status();
  std::shared_ptr<LoadedKernels> code = *compiled;
  std::vector<Kernel> result;
  for (const std::string &name : names) {
    auto found = code->names.find(name);
    if (found == code->names.end())
      return failed(RP_INCOMPATIBLE, "the code has no kernel '" + name + "'");
    result.push_back(Kernel(kernels.size()));
    kernels.push_back({code, found->second});
  }
  return result;
}

Expected<Call> FakeDriver::prepare(const rt::LibraryCallDesc &desc,
                                   const std::string &implementation,
                                   uint64_t workspaceBytes, bool mayAdapt) {
  REPRISE_RETURN_IF_ERROR(early("prepare"));
  Expected<rt::LibraryCallInfo> info = simulatedCall(desc);
  if (!info.ok())
    return info.status();
  bool isSlow = false;
  for (const rt::LibraryCallInfo &way : gpu.slowWays)
    if (way.implementation == implementation) {
      isSlow = true;
      info = way;
    }
  if ((info->implementation != implementation && !mayAdapt) ||
      info->workspaceBytes > workspaceBytes)
    return failed(RP_INCOMPATIBLE, "'" + implementation + "' with " +
                                       std::to_string(workspaceBytes) +
                                       " bytes is not what was planned");
  if (!library) {
    Expected<std::unique_ptr<CpuLibrary>> made = CpuLibrary::create();
    if (!made.ok())
      return made.status();
    library = std::move(*made);
  }
  REPRISE_RETURN_IF_ERROR(library->prepare(desc));
  calls.push_back({desc, info->workspaceBytes, isSlow});
  return Call(calls.size() - 1);
}

Expected<std::vector<rt::LibraryCallInfo>>
FakeDriver::implementations(const rt::LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(early("look for implementations"));
  Expected<rt::LibraryCallInfo> info = simulatedCall(desc);
  if (!info.ok())
    return info.status();
  std::vector<rt::LibraryCallInfo> ways = gpu.slowWays;
  ways.push_back(*info);
  return ways;
}

Expected<Meeting> FakeDriver::makeMeeting() { return Meeting{}; }

Status FakeDriver::join(const Meeting &, rt::Communicator &others) {
  REPRISE_RETURN_IF_ERROR(early("join ranks"));
  ranks = &others;
  return {};
}

Status FakeDriver::checkNoCapture() const {
  return captured ? failed(RP_INTERNAL, "the stream is being captured")
                  : Status();
}

Status FakeDriver::freeze() {
  REPRISE_RETURN_IF_ERROR(checkNoCapture());
  isFrozen = true;
  return {};
}

Status FakeDriver::thaw() {
  for (size_t stream = 0; stream < streams.size(); ++stream)
    REPRISE_RETURN_IF_ERROR(synchronize(Stream(stream)));
  isFrozen = false;
  return {};
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Status FakeDriver::enqueue(Stream stream, Task task) {
  if (captured) {
    if (++gpu.recorded == gpu.refusesAt)
      return failed(RP_INTERNAL, "this is not recorded");
    captured->push_back({Recording::Kind::Work, stream, {}, std::move(task)});
    return {};
  }
  for (std::string &problem :
       order.give(size_t(stream), task.what, task.touches))
    if (!llvm::is_contained(gpu.problems, problem))
      gpu.problems.push_back(std::move(problem));
  Queue &queue = streams[size_t(stream)];
  queue.work.push_back(std::move(task.work));
  ++queue.given;
  return {};
}

Status FakeDriver::runUntil(size_t stream, uint64_t count) {
  REPRISE_RETURN_IF_ERROR(broken);
  while (streams[stream].done < count) {
    Work work = std::move(streams[stream].work.front());
    streams[stream].work.pop_front();
    ++streams[stream].done;
    REPRISE_RETURN_IF_ERROR(work());
  }
  return {};
}

/// Fails where bytes are of no memory that was allocated.
Status FakeDriver::checkMemory(const char *what, Address at,
                               uint64_t bytes) const {
  auto next = memory.upper_bound(at);
  if (next != memory.begin()) {
    auto [begin, size] = *std::prev(next);
    if (at - begin <= size && bytes <= size - (at - begin))
      return {};
  }
  return failed(RP_INTERNAL, std::string(what) + " of " +
                                 std::to_string(bytes) +
                                 " bytes outside of what was allocated");
}

std::vector<Buffer> FakeDriver::allMemory() const {
  std::vector<Buffer> all;
  for (auto [at, bytes] : memory)
    all.push_back({reinterpret_cast<void *>(at), roundedUp(bytes), "memory"});
  return all;
}

Status FakeDriver::runKernel(const LoadedKernel &kernel, LaunchShape shape,
                             const std::vector<Address> &arguments,
                             const std::vector<Touch> &touches) {
  const std::string &name = kernel.name;
  auto note = [&](const std::string &problem) {
    if (!llvm::is_contained(gpu.problems, name + ": " + problem))
      gpu.problems.push_back(name + ": " + problem);
  };
  LaunchSize known = kernel.code->simulator->size(name);
  if (known.blocks != shape.blocks || known.threads != shape.threads)
    note("launch: " + std::to_string(shape.blocks) + " blocks of " +
         std::to_string(shape.threads) + " threads, not " +
         std::to_string(known.blocks) + " of " + std::to_string(known.threads));
  std::vector<Buffer> buffers;
  for (auto [k, touch] : llvm::enumerate(touches)) {
    REPRISE_RETURN_IF_ERROR(checkMemory("a launch", touch.begin, touch.bytes));
    buffers.push_back({reinterpret_cast<void *>(touch.begin), touch.bytes,
                       "argument " + std::to_string(k), !touch.isWritten});
    if (touch.begin != arguments[k])
      note("launch: argument " + std::to_string(k) + " is not what it touches");
  }
  std::lock_guard<std::mutex> lock(oneAtATime());
  SimulationOptions options;
  options.seed = gpu.seed ? gpu.seed + gpu.launches : 0;
  options.shufflesOrderMemory = false;
  if (gpu.reachesAllMemory)
    options.reachable = allMemory();
  SimulationReport report =
      kernel.code->simulator->launch(name, buffers, options);
  for (const std::string &problem : report.problems)
    note(problem);
  gpu.loads += report.loads;
  gpu.stores += report.stores;
  if (++gpu.launches == gpu.failsAt)
    broken = failed(RP_INTERNAL, "an illegal address was touched");
  return broken;
}

Status FakeDriver::launch(Stream stream, Kernel kernel, LaunchShape shape,
                          const std::vector<Address> &arguments,
                          const std::vector<Touch> &touches) {
  LoadedKernel its = kernels[size_t(kernel)];
  return enqueue(stream, {"kernel '" + its.name + "'", touches, [=] {
                            return runKernel(its, shape, arguments, touches);
                          }});
}

Status FakeDriver::runCall(const PreparedCall &call,
                           const std::vector<Address> &operands,
                           Address workspace) {
  if (call.workspaceBytes) {
    REPRISE_RETURN_IF_ERROR(
        checkMemory("a workspace", workspace, call.workspaceBytes));
    // What lay there is lost.
    std::memset(reinterpret_cast<void *>(workspace), 0xA5, call.workspaceBytes);
  }
  ++gpu.calls;
  if (call.isSlow)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return library->run(call.desc, operands);
}

Status FakeDriver::call(Stream stream, Call call,
                        const std::vector<Address> &operands, Address workspace,
                        const std::vector<Touch> &touches) {
  size_t number = size_t(call);
  return enqueue(stream, {"call", touches, [=] {
                            for (const Touch &touch : touches)
                              REPRISE_RETURN_IF_ERROR(checkMemory(
                                  "a call", touch.begin, touch.bytes));
                            return runCall(calls[number], operands, workspace);
                          }});
}

static Address at(const void *pinned) {
  return reinterpret_cast<Address>(pinned);
}

Status FakeDriver::copy(Stream stream, Address to, Address from,
                        uint64_t bytes) {
  return enqueue(
      stream,
      {"copy", {{to, bytes, true}, {from, bytes, false}}, [=]() -> Status {
         REPRISE_RETURN_IF_ERROR(checkMemory("a copy", to, bytes));
         REPRISE_RETURN_IF_ERROR(checkMemory("a copy", from, bytes));
         std::memmove(reinterpret_cast<void *>(to),
                      reinterpret_cast<const void *>(from), bytes);
         return {};
       }});
}

Status FakeDriver::upload(Stream stream, Address to, const void *from,
                          uint64_t bytes) {
  return enqueue(
      stream, {"upload",
               {{to, bytes, true}, {at(from), bytes, false}},
               [=]() -> Status {
                 REPRISE_RETURN_IF_ERROR(checkMemory("an upload", to, bytes));
                 std::memcpy(reinterpret_cast<void *>(to), from, bytes);
                 return {};
               }});
}

Status FakeDriver::download(Stream stream, void *to, Address from,
                            uint64_t bytes) {
  return enqueue(
      stream,
      {"download",
       {{at(to), bytes, true}, {from, bytes, false}},
       [=]() -> Status {
         REPRISE_RETURN_IF_ERROR(checkMemory("a download", from, bytes));
         std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
         return {};
       }});
}

Status FakeDriver::fill(Stream stream, Address at, uint8_t byte,
                        uint64_t bytes) {
  return enqueue(stream,
                 {"fill", {{at, bytes, true}}, [=]() -> Status {
                    REPRISE_RETURN_IF_ERROR(checkMemory("a fill", at, bytes));
                    std::memset(reinterpret_cast<void *>(at), byte, bytes);
                    return {};
                  }});
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

static void *pointerTo(Address address) {
  return reinterpret_cast<void *>(address);
}

Status FakeDriver::enqueueOfRanks(Stream stream, Task task) {
  if (!ranks)
    return failed(RP_INTERNAL, "a call of ranks before they are joined");
  auto run = [this, work = std::move(task.work), touches = task.touches] {
    for (const Touch &touch : touches)
      REPRISE_RETURN_IF_ERROR(
          checkMemory("a call of ranks", touch.begin, touch.bytes));
    ++gpu.ofRanks;
    return work();
  };
  return enqueue(stream, {task.what, task.touches, run});
}

Status FakeDriver::exchange(Stream stream, Address data,
                            const rt::Shards &shards, Address received) {
  uint64_t taken = ranks ? ranks->size() * shards.size(ranks->rank()) : 0;
  return enqueueOfRanks(
      stream,
      {"exchange", {{data, shards.bytes, false}, {received, taken, true}}, [=] {
         return ranks->exchange(pointerTo(data), shards, pointerTo(received));
       }});
}

Status FakeDriver::gather(Stream stream, Address data,
                          const rt::Shards &shards) {
  return enqueueOfRanks(stream, {"gather", {{data, shards.bytes, true}}, [=] {
                                   return ranks->gather(pointerTo(data), shards,
                                                        rt::Patience::Step);
                                 }});
}

Status FakeDriver::sum(Stream stream, Address data, uint64_t bytes,
                       rp_element_type type) {
  return enqueueOfRanks(stream, {"sum", {{data, bytes, true}}, [=] {
                                   return ranks->sum(
                                       pointerTo(data),
                                       bytes / rt::elementBytes(type), type);
                                 }});
}

template <typename Number>
static void addInOrder(Address sum, Address parts, uint64_t bytes,
                       unsigned count) {
  uint64_t each = bytes / sizeof(Number);
  const auto *from = static_cast<const Number *>(pointerTo(parts));
  for (uint64_t i = 0; i < each; ++i) {
    Number total = from[i];
    for (unsigned r = 1; r < count; ++r)
      total += from[r * each + i];
    static_cast<Number *>(pointerTo(sum))[i] = total;
  }
}

Status FakeDriver::addParts(Stream stream, Address sum, Address parts,
                            uint64_t bytes, unsigned count,
                            rp_element_type type) {
  return enqueue(stream,
                 {"sum of parts",
                  {{sum, bytes, true}, {parts, count * bytes, false}},
                  [=]() -> Status {
                    REPRISE_RETURN_IF_ERROR(checkMemory("a sum", sum, bytes));
                    REPRISE_RETURN_IF_ERROR(
                        checkMemory("parts", parts, count * bytes));
                    if (type == RP_F64)
                      addInOrder<double>(sum, parts, bytes, count);
                    else
                      addInOrder<float>(sum, parts, bytes, count);
                    return {};
                  }});
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Status FakeDriver::record(Stream stream, Event event) {
  if (captured) {
    captured->push_back({Recording::Kind::Record, stream, event});
    return {};
  }
  order.record(size_t(stream), size_t(event));
  events[size_t(event)] = {size_t(stream), streams[size_t(stream)].given};
  return {};
}

Status FakeDriver::wait(Stream stream, Event event) {
  if (captured) {
    captured->push_back({Recording::Kind::Wait, stream, event});
    return {};
  }
  order.wait(size_t(stream), size_t(event));
  Recorded until = events[size_t(event)];
  return enqueue(
      stream, {"wait", {}, [=] { return runUntil(until.stream, until.at); }});
}

Status FakeDriver::synchronize(Stream stream) {
  REPRISE_RETURN_IF_ERROR(checkNoCapture());
  order.hostWaitsForStream(size_t(stream));
  return runUntil(size_t(stream), streams[size_t(stream)].given);
}

Status FakeDriver::synchronize(Event event) {
  order.hostWaitsForEvent(size_t(event));
  return runUntil(events[size_t(event)].stream, events[size_t(event)].at);
}

Status FakeDriver::beginCapture(Stream) {
  captured = &graphs.emplace_back();
  return {};
}

Expected<Graph> FakeDriver::endCapture(Stream) {
  captured = nullptr;
  return Graph(graphs.size() - 1);
}

/// Work is ordered as on the streams that it was recorded on, by the events
/// alone: what other streams than `stream` do is not part of its order.
Status FakeDriver::launch(Stream, Graph graph) {
  ++gpu.graphLaunches;
  for (const Recording &each : graphs[size_t(graph)])
    switch (each.kind) {
    case Recording::Kind::Work:
      REPRISE_RETURN_IF_ERROR(enqueue(each.stream, each.task));
      break;
    case Recording::Kind::Record:
      REPRISE_RETURN_IF_ERROR(record(each.stream, each.event));
      break;
    case Recording::Kind::Wait:
      REPRISE_RETURN_IF_ERROR(wait(each.stream, each.event));
      break;
    }
  return {};
}
