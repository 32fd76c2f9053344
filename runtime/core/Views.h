//===- Views.h - Arithmetic on the views of a program -----------*- C++ -*-===//
//
// Sizes and addresses of the views of an artifact. Everything here is safe on
// unverified input except where it says otherwise.
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

/// Bytes of one element; i1 is stored in a byte. 0 for an unknown type.
uint64_t elementBytes(fb::ElementType type);

/// True if the elements of `numbers` are where 64-bit loads may read them;
/// the FlatBuffers verifier checks the alignment of a vector's length only.
template <typename Number>
bool isAligned(const flatbuffers::Vector<Number> *numbers) {
  return !numbers ||
         reinterpret_cast<uintptr_t>(numbers->Data()) % alignof(Number) == 0;
}

/// Bytes from the first to behind the last element of `view`, or nothing if
/// its rank, a dimension, a stride or the product is out of range.
std::optional<uint64_t> viewBytes(const fb::View &view);

/// True if the elements lie in row-major order without gaps.
bool isDense(const fb::View &view);

/// The buffer that `view` of `entry` (null: of the program) lies on, or null.
const fb::Buffer *bufferOf(const fb::Program &program, const fb::Entry *entry,
                           const fb::View &view);

/// Offset in the arena of a view of a verified program.
uint64_t arenaOffset(const fb::Program &program, const fb::Entry *entry,
                     const fb::View &view);

/// The call as the library interface takes it. Operands must be present.
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
