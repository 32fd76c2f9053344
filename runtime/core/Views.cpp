//===- Views.cpp - Arithmetic on the views of a program -------------------===//
//
// All products are formed with overflow checks, because the verifier calls this
// on unverified bytes.
//
//===----------------------------------------------------------------------===//
#include "Views.h"

namespace reprise::rt {

// The schema's enum may hold any byte of a file; the C interface's may not.
uint64_t elementBytes(fb::ElementType type) {
  switch (type) {
  case fb::ElementType::I1:
  case fb::ElementType::I8:
    return 1;
  case fb::ElementType::BF16:
  case fb::ElementType::F16:
    return 2;
  case fb::ElementType::F32:
  case fb::ElementType::I32:
    return 4;
  case fb::ElementType::F64:
  case fb::ElementType::I64:
    return 8;
  }
  return 0;
}

// The two enums have the same numbers.
uint64_t elementBytes(rp_element_type type) {
  return elementBytes(static_cast<fb::ElementType>(type));
}

static size_t rankOf(const fb::View &view) {
  return view.shape() ? view.shape()->size() : 0;
}

static bool hasStrides(const fb::View &view) {
  return view.strides() && view.strides()->size() != 0;
}

std::optional<uint64_t> viewBytes(const fb::View &view) {
  uint64_t element = elementBytes(view.type());
  size_t rank = rankOf(view);
  if (!element || rank > kMaxRank || !isAligned(view.shape()) ||
      !isAligned(view.strides()) ||
      (hasStrides(view) && view.strides()->size() != rank))
    return std::nullopt;
  // The index after the last element, in elements.
  uint64_t end = 1, dense = 1;
  for (size_t i = rank; i-- > 0;) {
    int64_t size = view.shape()->Get(flatbuffers::uoffset_t(i));
    int64_t stride = hasStrides(view)
                         ? view.strides()->Get(flatbuffers::uoffset_t(i))
                         : int64_t(dense);
    uint64_t reach;
    if (size < 1 || stride < 0 ||
        __builtin_mul_overflow(uint64_t(size - 1), uint64_t(stride), &reach) ||
        __builtin_add_overflow(end, reach, &end) ||
        __builtin_mul_overflow(dense, uint64_t(size), &dense) ||
        dense > uint64_t(INT64_MAX))
      return std::nullopt;
  }
  uint64_t bytes;
  if (__builtin_mul_overflow(end, element, &bytes))
    return std::nullopt;
  return bytes;
}

bool isDense(const fb::View &view) {
  if (!hasStrides(view))
    return true;
  uint64_t dense = 1;
  for (size_t i = rankOf(view); i-- > 0;) {
    int64_t size = view.shape()->Get(flatbuffers::uoffset_t(i));
    int64_t stride = view.strides()->Get(flatbuffers::uoffset_t(i));
    // The stride of a dimension of one is never used.
    if (size != 1 && uint64_t(stride) != dense)
      return false;
    dense *= uint64_t(size);
  }
  return true;
}

const fb::Buffer *bufferOf(const fb::Program &program, const fb::Entry *entry,
                           const fb::View &view) {
  uint32_t index = view.buffer();
  uint32_t fixed = program.buffers() ? program.buffers()->size() : 0;
  if (index < fixed)
    return program.buffers()->Get(index);
  index -= fixed;
  if (entry && entry->buffers() && index < entry->buffers()->size())
    return entry->buffers()->Get(index);
  return nullptr;
}

uint64_t arenaOffset(const fb::Program &program, const fb::Entry *entry,
                     const fb::View &view) {
  return bufferOf(program, entry, view)->offset() + view.offset();
}

uint64_t hostMemoryBytes(const fb::Program &program) {
  uint64_t most = 0;
  for (uint32_t e = 0; program.entries() && e < program.entries()->size();
       ++e) {
    const fb::Entry &entry = *program.entries()->Get(e);
    for (uint32_t i = 0; entry.steps() && i < entry.steps()->size(); ++i)
      if (const auto *offload = entry.steps()->Get(i)->action_as_Offload())
        most = std::max(most, offload->host() + *viewBytes(*offload->source()));
  }
  return most;
}

static TensorDesc describe(const fb::View &view) {
  TensorDesc tensor;
  tensor.type = rp_element_type(view.type());
  if (view.shape())
    tensor.shape.assign(view.shape()->begin(), view.shape()->end());
  if (hasStrides(view))
    tensor.strides.assign(view.strides()->begin(), view.strides()->end());
  return tensor;
}

LibraryCallDesc describe(const fb::LibraryCall &call) {
  LibraryCallDesc desc;
  desc.op = LibraryOp(call.op());
  for (const fb::View *view : *call.inputs())
    desc.inputs.push_back(describe(*view));
  for (const fb::View *view : *call.outputs())
    desc.outputs.push_back(describe(*view));
  if (call.ints())
    desc.ints.assign(call.ints()->begin(), call.ints()->end());
  if (call.floats())
    desc.floats.assign(call.floats()->begin(), call.floats()->end());
  for (uint32_t i = 0; call.epilogues() && i < call.epilogues()->size(); ++i)
    desc.epilogues.push_back(Epilogue(call.epilogues()->Get(i)));
  return desc;
}

} // namespace reprise::rt
