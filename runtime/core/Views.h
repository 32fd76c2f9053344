//===- Views.h - Arithmetic on the views of a program -----------*- C++ -*-===//
//
// Sizes and addresses of the views of an artifact. Everything here is safe on
// unverified input unless stated otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_VIEWS_H
#define REPRISE_RUNTIME_CORE_VIEWS_H

#include "reprise/Limits.h"
#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/program_generated.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace reprise::rt {

constexpr size_t kMaxRank = 16;

/// Returns the bytes of one element; i1 is stored in a byte. 0 for an unknown
/// type.
uint64_t elementBytes(fb::ElementType type);

/// Returns true if the elements of `numbers` are aligned for 64-bit loads; the
/// FlatBuffers verifier checks only the alignment of a vector's length.
template <typename Number>
bool isAligned(const flatbuffers::Vector<Number> *numbers) {
  return !numbers ||
         reinterpret_cast<uintptr_t>(numbers->Data()) % alignof(Number) == 0;
}

/// Returns the bytes from the first element to the end of the last one, or
/// nothing if the view's rank, a dimension, a stride or the product is out of
/// range.
std::optional<uint64_t> viewBytes(const fb::View &view);

/// Returns true if the elements are in row-major order without gaps.
bool isDense(const fb::View &view);

/// Returns the buffer of `view` of `entry` (null: of the program), or null.
const fb::Buffer *bufferOf(const fb::Program &program, const fb::Entry *entry,
                           const fb::View &view);

/// Returns the offset in the arena of a view of a verified program.
uint64_t arenaOffset(const fb::Program &program, const fb::Entry *entry,
                     const fb::View &view);

/// Returns the bytes of host memory that the offloads of a verified program
/// need: those of the entry that needs the most.
uint64_t hostMemoryBytes(const fb::Program &program);

/// Returns the call in the form of the library interface. Operands must be
/// present.
LibraryCallDesc describe(const fb::LibraryCall &call);

/// Calls `visit` with every library call of a program.
template <typename Visit>
void forEachCall(const fb::Program &program, Visit visit) {
  for (uint32_t e = 0; program.entries() && e < program.entries()->size();
       ++e) {
    const fb::Entry &entry = *program.entries()->Get(e);
    for (uint32_t i = 0; entry.steps() && i < entry.steps()->size(); ++i)
      if (const fb::LibraryCall *call =
              entry.steps()->Get(i)->action_as_LibraryCall())
        visit(*call);
  }
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_VIEWS_H
