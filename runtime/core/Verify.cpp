//===- Verify.cpp - Check the payload of an artifact ----------------------===//
//
// Input:   arbitrary bytes.
// Output:  success, or RP_DATA_LOSS with the first error.
// Method:  the FlatBuffers verifier bounds every reference; then the meaning is
//          checked from the outside in: buffers, variables, constants, entries,
//          steps. Execution relies on all of it.
// Cost:    n log n in buffers and names, linear in everything else.
//
//===----------------------------------------------------------------------===//
#include "VerifyProgram.h"
#include "reprise/Runtime/Artifact.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace reprise::rt {

Status invalidProgram(const std::string &what, const char *file, int line) {
  return Status::error(RP_DATA_LOSS, "invalid program: " + what, file, line);
}

std::string quoted(const flatbuffers::String *name) {
  return name ? "'" + name->str() + "'" : "without a name";
}

Status ProgramVerifier::uniqueName(const flatbuffers::String *name,
                                   const char *what,
                                   std::set<std::string_view> &seen) {
  // The limit keeps comparisons cheap when a hostile file shares one huge
  // string between many tables.
  if (!name || name->size() == 0 || name->size() > kMaxNameBytes)
    return invalidProgram(std::string("a ") + what +
                          " has no name, or one of more than " +
                          std::to_string(kMaxNameBytes) + " bytes");
  if (!seen.insert(name->string_view()).second)
    return invalidProgram(quoted(name) + " is the name of more than one " +
                          what);
  return {};
}

Status ProgramVerifier::buffer(const fb::Buffer &b, uint64_t from,
                               uint64_t to) {
  uint64_t end;
  if (b.name() && b.name()->size() > kMaxNameBytes)
    return invalidProgram("the name of a buffer has more than 4096 bytes");
  if (b.kind() > fb::BufferKind::MAX)
    return invalidProgram("buffer " + quoted(b.name()) + " has unknown kind " +
                          std::to_string(unsigned(b.kind())));
  bool isAligned = b.offset() % program.alignment() == 0;
  if (!isAligned)
    return invalidProgram("buffer " + quoted(b.name()) + " lies at " +
                          std::to_string(b.offset()) +
                          ", which is not a multiple of " +
                          std::to_string(program.alignment()) + " bytes");
  if (b.size() == 0 || __builtin_add_overflow(b.offset(), b.size(), &end) ||
      b.offset() < from || end > to)
    return invalidProgram(
        "buffer " + quoted(b.name()) + " of " + std::to_string(b.size()) +
        " bytes at " + std::to_string(b.offset()) +
        " does not lie between bytes " + std::to_string(from) + " and " +
        std::to_string(to) + " of the arena");
  return {};
}

Status ProgramVerifier::view(const fb::View *view, const fb::Entry *entry,
                             const std::string &where, Range *range) {
  if (!view)
    return invalidProgram(where + " lacks a view");
  const fb::Buffer *b = bufferOf(program, entry, *view);
  if (!b)
    return invalidProgram(where + " refers to buffer " +
                          std::to_string(view->buffer()) +
                          ", which does not exist");
  std::optional<uint64_t> bytes = viewBytes(*view);
  if (!bytes)
    return invalidProgram("the view of " + where + " on buffer " +
                          quoted(b->name()) +
                          " has an impossible type, shape or stride");
  uint64_t end;
  if (__builtin_add_overflow(view->offset(), *bytes, &end) || end > b->size())
    return invalidProgram("the view of " + where + " takes " +
                          std::to_string(*bytes) + " bytes at " +
                          std::to_string(view->offset()) + " of buffer " +
                          quoted(b->name()) + ", which has " +
                          std::to_string(b->size()) + " bytes");
  if (view->offset() % elementBytes(view->type()))
    return invalidProgram("the view of " + where + " on buffer " +
                          quoted(b->name()) + " is not aligned to its type");
  if (range)
    *range = {b->offset() + view->offset(), b->offset() + end};
  return {};
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

Status ProgramVerifier::header() {
  if (program.threads() < 1 || program.threads() > kMaxThreads)
    return invalidProgram("it wants " + std::to_string(program.threads()) +
                          " threads; 1 to " + std::to_string(kMaxThreads) +
                          " are possible");
  if (!program.device() || program.device()->size() == 0 ||
      program.device()->size() > kMaxNameBytes)
    return invalidProgram("it names no device");
  if (!isAlignment(program.alignment()))
    return invalidProgram("its buffers are aligned to " +
                          std::to_string(program.alignment()) +
                          " bytes, which is not an alignment");
  if (program.arena_bytes() % program.alignment() ||
      program.arena_bytes() > kMaxArenaBytes)
    return invalidProgram(
        "an arena of " + std::to_string(program.arena_bytes()) +
        " bytes is not a multiple of " + std::to_string(program.alignment()) +
        " bytes up to 64 TiB");
  if (program.fixed_bytes() > program.arena_bytes())
    return invalidProgram("fixed memory of " +
                          std::to_string(program.fixed_bytes()) +
                          " bytes exceeds the arena of " +
                          std::to_string(program.arena_bytes()) + " bytes");
  return {};
}

Status disjointRanges(std::vector<Range> ranges, const std::string &what) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].begin < ranges[i - 1].end)
      return invalidProgram("two " + what + " share byte " +
                            std::to_string(ranges[i].begin) + " of the arena");
  return {};
}

Status ProgramVerifier::fixedBuffers() {
  if (!program.buffers())
    return {};
  std::vector<Range> ranges;
  for (const fb::Buffer *b : *program.buffers()) {
    REPRISE_RETURN_IF_ERROR(buffer(*b, 0, program.fixed_bytes()));
    ranges.push_back({b->offset(), b->offset() + b->size()});
  }
  return disjointRanges(std::move(ranges), "buffers of the program");
}

static bool isFloat(fb::ElementType type) {
  return type <= fb::ElementType::F64;
}

bool sameShape(const fb::View &a, const fb::View &b) {
  size_t rankA = a.shape() ? a.shape()->size() : 0;
  size_t rankB = b.shape() ? b.shape()->size() : 0;
  return rankA == rankB &&
         (!rankA ||
          std::equal(a.shape()->begin(), a.shape()->end(), b.shape()->begin()));
}

/// Checks that there is data exactly where the variable begins with data.
Status ProgramVerifier::initialData(const fb::Variable &v,
                                    const std::string &name) {
  uint64_t bytes = *viewBytes(*v.view());
  uint64_t given = v.init_data() ? v.init_data()->size() : 0;
  if (v.init() != fb::InitKind::Elements)
    return invalidProgram(name + " has " + std::to_string(given) +
                          " bytes of initial data, but does not begin with "
                          "data");
  if (v.role() == fb::Role::Seed)
    return invalidProgram(name + " is a seed, which a run sets, but has "
                                 "initial data");
  if (given != bytes)
    return invalidProgram(name + " takes " + std::to_string(bytes) +
                          " bytes, but its initial data have " +
                          std::to_string(given));
  if (v.view()->type() == fb::ElementType::I1)
    for (uint8_t byte : *v.init_data())
      if (byte > 1)
        return invalidProgram(name + " has initial data of I1 that are " +
                              std::to_string(byte));
  return {};
}

Status ProgramVerifier::initialValue(const fb::Variable &v) {
  std::string name = "variable " + quoted(v.name());
  if (v.role() > fb::Role::MAX || v.init() > fb::InitKind::MAX)
    return invalidProgram(name + " has an unknown role or initial value");
  if (!std::isfinite(v.init_value()) || v.init_value() < -1e18 ||
      v.init_value() > 1e18)
    return invalidProgram(name + " has an initial value out of range");
  if (v.init() == fb::InitKind::Elements ||
      (v.init_data() && v.init_data()->size()))
    return initialData(v, name);
  bool random = v.init() >= fb::InitKind::Normal;
  if (random && !isFloat(v.view()->type()))
    return invalidProgram(name + " is random but not a floating-point tensor");
  if (v.init() == fb::InitKind::KaimingNormal &&
      (!v.view()->shape() || v.view()->shape()->size() < 2))
    return invalidProgram(name + " has no fan-out for its initial value: its "
                                 "rank is below 2");
  return {};
}

/// Checks the shape of which a variable holds a shard.
Status ProgramVerifier::wholeShape(const fb::Variable &v,
                                   const std::string &name) {
  if (!v.whole_shape() || v.whole_shape()->size() == 0)
    return {};
  uint64_t elements = 1;
  bool isShape = v.whole_shape()->size() <= kMaxRank;
  for (int64_t extent : *v.whole_shape())
    isShape &= extent > 0 &&
               !__builtin_mul_overflow(elements, uint64_t(extent), &elements) &&
               elements < (uint64_t(1) << 48);
  const auto *shard = v.view()->shape();
  if (!isShape || !shard || shard->size() != 1 ||
      uint64_t(shard->Get(0)) > elements)
    return invalidProgram(name + " is not a shard of its whole shape");
  return {};
}

static bool isPermutation(const flatbuffers::Vector<int32_t> &permutation,
                          size_t rank) {
  uint32_t seen = 0;
  if (permutation.size() != rank)
    return false;
  for (int32_t i : permutation) {
    if (i < 0 || size_t(i) >= rank || (seen >> i & 1))
      return false;
    seen |= 1u << i;
  }
  return true;
}

Status ProgramVerifier::variables() {
  if (!program.variables())
    return {};
  std::set<std::string_view> names;
  std::vector<Range> ranges;
  for (const fb::Variable *v : *program.variables()) {
    REPRISE_RETURN_IF_ERROR(uniqueName(v->name(), "variable", names));
    std::string name = "variable " + quoted(v->name());
    Range range;
    REPRISE_RETURN_IF_ERROR(view(v->view(), nullptr, name, &range));
    if (!isDense(*v->view()))
      return invalidProgram(name + " is not dense");
    if (bufferOf(program, nullptr, *v->view())->kind() ==
        fb::BufferKind::Constant)
      return invalidProgram(name + " lies on a constant");
    REPRISE_RETURN_IF_ERROR(initialValue(*v));
    REPRISE_RETURN_IF_ERROR(wholeShape(*v, name));
    size_t rank = v->whole_shape() && v->whole_shape()->size()
                      ? v->whole_shape()->size()
                  : v->view()->shape() ? v->view()->shape()->size()
                                       : 0;
    if (v->file_permutation() && v->file_permutation()->size() &&
        !isPermutation(*v->file_permutation(), rank))
      return invalidProgram(name + " has a file permutation that is none of " +
                            std::to_string(rank) + " dimensions");
    ranges.push_back(range);
    variablesByName[v->name()->string_view()] = v;
  }
  return disjointRanges(std::move(ranges), "variables");
}

Status ProgramVerifier::constants() {
  if (!program.constants())
    return {};
  std::vector<Range> ranges;
  for (const fb::Constant *c : *program.constants()) {
    if (!program.buffers() || c->buffer() >= program.buffers()->size())
      return invalidProgram("a constant refers to buffer " +
                            std::to_string(c->buffer()) +
                            ", which does not exist");
    const fb::Buffer &b = *program.buffers()->Get(c->buffer());
    if (b.kind() != fb::BufferKind::Constant)
      return invalidProgram("constant " + quoted(b.name()) +
                            " is on a buffer of another kind, which steps "
                            "may write");
    if (!c->data() || c->data()->size() != b.size())
      return invalidProgram("constant " + quoted(b.name()) +
                            " has not the size of its buffer, " +
                            std::to_string(b.size()) + " bytes");
    ranges.push_back({b.offset(), b.offset() + b.size()});
  }
  return disjointRanges(std::move(ranges), "constants");
}

Status ProgramVerifier::code() {
  size_t kernels = program.kernels() ? program.kernels()->size() : 0;
  if (!kernels)
    return {};
  std::set<std::string_view> names;
  for (const flatbuffers::String *name : *program.kernels())
    REPRISE_RETURN_IF_ERROR(uniqueName(name, "kernel", names));
  if (!program.code() || program.code()->size() == 0)
    return invalidProgram("it has kernels but no code for them");
  return {};
}

Status ProgramVerifier::run() {
  REPRISE_RETURN_IF_ERROR(header());
  REPRISE_RETURN_IF_ERROR(fixedBuffers());
  REPRISE_RETURN_IF_ERROR(variables());
  REPRISE_RETURN_IF_ERROR(constants());
  REPRISE_RETURN_IF_ERROR(code());
  if (!program.entries())
    return {};
  for (const fb::Entry *e : *program.entries())
    highestPeak = std::max(highestPeak, e->peak_bytes());
  std::set<std::string_view> names;
  for (const fb::Entry *e : *program.entries()) {
    REPRISE_RETURN_IF_ERROR(uniqueName(e->name(), "entry", names));
    REPRISE_RETURN_IF_ERROR(entry(*e));
  }
  return {};
}

Status verifyProgram(const uint8_t *payload, size_t size) {
  // The FlatBuffers verifier asserts this, so it is checked first.
  if (size < 8 || size >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return invalidProgram("a payload of " + std::to_string(size) +
                          " bytes; 8 bytes to 2 GiB are possible");
  if (reinterpret_cast<uintptr_t>(payload) % kAlignment)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the payload is not aligned to 64 bytes in memory");
  flatbuffers::Verifier verifier(payload, size, 16, 10000000);
  if (!fb::VerifyProgramBuffer(verifier))
    return invalidProgram("its structure is damaged");
  return ProgramVerifier(*fb::GetProgram(payload)).run();
}

} // namespace reprise::rt
