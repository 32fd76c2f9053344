//===- BoundPrimitive.h - A primitive with its operands ---------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CPU_BOUNDPRIMITIVE_H
#define REPRISE_RUNTIME_CPU_BOUNDPRIMITIVE_H

#include "reprise/Runtime/Status.h"
#include <dnnl.hpp>
#include <vector>

namespace reprise::rt {

dnnl::engine &cpuEngine();

/// A primitive whose run builds nothing.
struct BoundPrimitive {
  dnnl::primitive primitive;
  std::vector<dnnl::memory> memories = {};
  std::vector<dnnl_exec_arg_t> arguments = {};

  /// Binds argument `name` (DNNL_ARG_*) to `bytes`.
  void add(int name, const dnnl::memory::desc &desc, void *bytes) {
    memories.emplace_back(desc, cpuEngine(), bytes);
    arguments.push_back({name, memories.back().get()});
  }
  /// Binds a scratchpad if the operation takes one.
  void addScratchpad(const dnnl::memory::desc &desc, void *bytes) {
    if (desc.get_size())
      add(DNNL_ARG_SCRATCHPAD, desc, bytes);
  }
  dnnl_status_t execute(dnnl::stream &stream) const {
    return dnnl_primitive_execute(primitive.get(), stream.get(),
                                  int(arguments.size()), arguments.data());
  }
};

inline Status statusOf(dnnl_status_t status) {
  if (status == dnnl_success)
    return {};
  return Status::error(
      status == dnnl_out_of_memory ? RP_OUT_OF_MEMORY : RP_INTERNAL,
      "oneDNN failed with status " + std::to_string(int(status)));
}

/// Describes (count, rows, columns), stored row by row or, transposed, column
/// by column.
inline dnnl::memory::desc matrices(int64_t count, int64_t rows, int64_t columns,
                                   dnnl::memory::data_type type,
                                   bool transposed = false) {
  dnnl::memory::dims strides = {rows * columns, columns, 1};
  if (transposed)
    strides = {rows * columns, 1, rows};
  return dnnl::memory::desc({count, rows, columns}, type, strides);
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_BOUNDPRIMITIVE_H
