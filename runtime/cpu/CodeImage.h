//===- CodeImage.h - The compiled kernels of a program ----------*- C++ -*-===//
//
// Only for code whose artifact passed its digest and whose target this
// processor has: loading runs code.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_CODEIMAGE_H
#define REPRISE_RUNTIME_CPU_CODEIMAGE_H

#include "reprise/Runtime/Status.h"
#include <cstddef>
#include <cstdint>

namespace reprise::rt {

using KernelFunction = void (*)(void *const *args, int64_t begin, int64_t end);

class CodeImage {
public:
  /// Loads an ELF shared object from memory.
  static Expected<CodeImage> load(const void *data, size_t bytes);
  CodeImage() = default;
  CodeImage(CodeImage &&other) noexcept;
  CodeImage &operator=(CodeImage &&other) noexcept;
  ~CodeImage();

  Expected<KernelFunction> find(const std::string &name) const;

private:
  void *handle = nullptr;
  int fd = -1;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_CODEIMAGE_H
