//===- LibraryCalls.cpp - Run planned oneDNN calls ------------------------===//
//
// Primitives and memory objects are created when a program is prepared, with
// final addresses, so that a step only executes. oneDNN itself keeps the table
// of arguments of an execution on the heap: some small nodes per call.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt {

static void *address(Place place, const LibraryPlan &plan,
                     const LibraryOperands &operands) {
  char *workspace = static_cast<char *>(operands.workspace);
  char *output = static_cast<char *>(operands.outputs[0]);
  switch (place.kind) {
  case Place::Kind::Input:
    return static_cast<char *>(operands.inputs[place.number]) + place.offset;
  case Place::Kind::Output:
    return output + place.offset;
  case Place::Kind::Packed:
    return workspace + place.offset;
  case Place::Kind::Rows:
    return workspace + plan.rowsOffset;
  case Place::Kind::Product:
    return workspace + plan.productOffset;
  case Place::Kind::Scratchpad:
    return workspace + plan.scratchpadOffset;
  }
  return nullptr;
}

/// Returns the place of the primitives' result.
static float *productOf(const LibraryPlan &plan,
                        const LibraryOperands &operands) {
  return static_cast<float *>(address(
      plan.hasProduct ? Place::product() : Place::output(), plan, operands));
}

static FilterBlocks bindBlocks(const LibraryPlan &plan,
                               const LibraryOperands &operands) {
  FilterBlocks blocks = *plan.blocks;
  blocks.filter = productOf(plan, operands);
  blocks.scratch =
      static_cast<float *>(address(Place::packed(), plan, operands));
  return blocks;
}

/// Returns the loop that ends a call, with the operands' addresses.
static EpilogueLoop bindLoop(const LibraryPlan &plan,
                             const LibraryOperands &operands) {
  const LibraryCallDesc &call = *plan.loop;
  const TensorDesc &result = call.outputs[0];
  EpilogueLoop loop;
  loop.product = productOf(plan, operands);
  loop.result = {address(Place::output(), plan, operands),
                 result.type == RP_BF16};
  loop.elements = 1;
  for (int64_t extent : result.shape)
    loop.elements *= extent;
  loop.channels = result.shape.back();
  unsigned input = functionOf(call).inputs;
  for (Epilogue epilogue : call.epilogues) {
    EpilogueLoop::Term term{epilogue, {}};
    if (kLibraryEpilogues[size_t(epilogue)].inputs) {
      term.operand = {address(Place::input(input), plan, operands),
                      call.inputs[input].type == RP_BF16};
      ++input;
    }
    loop.terms.push_back(term);
  }
  return loop;
}

BoundLibraryCall::BoundLibraryCall(const LibraryPlan &plan,
                                   const LibraryCode &code,
                                   const LibraryOperands &operands) {
  if (plan.attention)
    attention = std::make_unique<BoundAttention>(
        *plan.attention, code.attention, operands.inputs, operands.outputs,
        operands.workspace);
  if (plan.collective)
    collective.emplace(*plan.collective, operands.inputs, operands.outputs,
                       operands.workspace);
  if (plan.winograd)
    winograd = std::make_unique<BoundWinograd>(
        *plan.winograd, code.winograd, operands.inputs,
        productOf(plan, operands), operands.workspace);
  if (plan.depthwise)
    depthwise.emplace(*plan.depthwise, operands.inputs,
                      productOf(plan, operands), operands.workspace);
  for (size_t i = 0; i < code.primitives.size(); ++i) {
    BoundPrimitive bound{code.primitives[i]};
    for (const PlannedPrimitive::Argument &a : plan.primitives[i].arguments)
      bound.add(a.name, a.desc, address(a.place, plan, operands));
    sequence.push_back(std::move(bound));
  }
  if (plan.blocks)
    blocks = bindBlocks(plan, operands);
  if (plan.loop)
    loop = bindLoop(plan, operands);
  if (plan.cleared)
    cleared = {address(*plan.cleared, plan, operands), plan.clearedBytes};
  if (plan.sumBytes) {
    sumBytes = plan.sumBytes;
    sum = static_cast<char *>(address(Place::output(), plan, operands));
    addend = static_cast<const char *>(operands.inputs.back());
  }
}

/// Splits bytes among threads.
template <typename Work>
static void onBytes(uint64_t count, Team &team, const Work &work) {
  // Below this size, waking the other threads costs more than they save.
  constexpr uint64_t kInlineBytes = 64 << 10;
  runShares(team, int64_t(count), count <= kInlineBytes ? 1 : team.size(),
            [&](int64_t begin, int64_t end, unsigned) {
              work(begin, size_t(end - begin));
            });
}

void BoundLibraryCall::prepare(Team &team) const {
  if (cleared.second)
    onBytes(cleared.second, team, [&](int64_t begin, size_t count) {
      std::memset(static_cast<char *>(cleared.first) + begin, 0, count);
    });
  if (addend != sum)
    onBytes(sumBytes, team, [&](int64_t begin, size_t count) {
      std::memcpy(sum + begin, addend + begin, count);
    });
}

Status BoundLibraryCall::run(dnnl::stream &stream, Team &team,
                             Communicator *ranks) {
  if (attention)
    return attention->run(stream);
  if (collective)
    return collective->run(ranks, team);
  prepare(team);
  if (winograd)
    REPRISE_RETURN_IF_ERROR(winograd->run(stream));
  if (depthwise)
    depthwise->run(team);
  for (const BoundPrimitive &bound : sequence)
    REPRISE_RETURN_IF_ERROR(statusOf(bound.execute(stream)));
  if (blocks)
    blocks->run(team);
  if (loop)
    loop->run(team);
  return {};
}

/// Runs a primitive that spreads over all threads.
static void runProbe() {
  using dnnl::memory;
  constexpr int64_t kElements = 16 << 10; // more than a program has threads
  std::vector<float> data(kElements);
  memory::desc desc({kElements}, memory::data_type::f32, memory::format_tag::a);
  dnnl::eltwise_forward probe(dnnl::eltwise_forward::primitive_desc(
      dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference,
                                  dnnl::algorithm::eltwise_relu, desc, 0.0f),
      cpuEngine()));
  dnnl::stream stream(cpuEngine());
  memory values(desc, cpuEngine(), data.data());
  probe.execute(stream, {{DNNL_ARG_SRC, values}, {DNNL_ARG_DST, values}});
  stream.wait();
}

Status checkLibraryThreads(Team &team) {
  ThreadScope scope(team);
  try {
    runProbe();
  } catch (const dnnl::error &error) {
    return Status::error(RP_UNAVAILABLE,
                         std::string("oneDNN does not run here: ") +
                             error.what());
  }
  REPRISE_RETURN_IF_ERROR(scope.status());
  return scope.checkSeen();
}

Expected<const LibraryCache::Entry *>
LibraryCache::get(const LibraryCallDesc &desc) {
  if (entries.empty())
    REPRISE_RETURN_IF_ERROR(checkLibraryThreads(team));
  std::unique_ptr<Entry> &slot = entries[libraryCallKey(desc)];
  if (slot)
    return slot.get();
  REPRISE_EXPECT(plan, planLibraryCall(desc, team.size()));
  auto entry = std::make_unique<Entry>();
  entry->plan = std::move(*plan);
  ThreadScope scope(team);
  try {
    for (const PlannedPrimitive &p : entry->plan.primitives)
      entry->code.primitives.emplace_back(
          const_dnnl_primitive_desc_t(p.desc.get()));
    if (entry->plan.attention)
      entry->code.attention = generateProducts(*entry->plan.attention);
    if (entry->plan.winograd)
      entry->code.winograd = generateProducts(*entry->plan.winograd);
  } catch (const dnnl::error &error) {
    return Status::error(RP_INTERNAL,
                         std::string("oneDNN could not generate code: ") +
                             error.what());
  }
  slot = std::move(entry);
  return slot.get();
}

} // namespace reprise::rt
