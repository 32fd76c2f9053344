//===- Program.h - A verified program in memory -----------------*- C++ -*-===//
//
// Owns the bytes of an artifact; everything reachable from root() is checked.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_PROGRAM_H
#define REPRISE_RUNTIME_CORE_PROGRAM_H

#include "Views.h"
#include <memory>
#include <string_view>

namespace reprise::rt {

class Program {
public:
  static Expected<std::shared_ptr<const Program>> open(const std::string &path);
  static Expected<std::shared_ptr<const Program>> fromMemory(const void *data,
                                                             size_t size);
  const fb::Program &root() const { return *program; }
  /// Returns the digest in the artifact's header, in hexadecimal digits.
  std::string digest() const;
  /// Returns the number of the entry of that name, or -1.
  int findEntry(std::string_view name) const;
  /// The same, with an error if there is none.
  Expected<size_t> entryNumber(std::string_view name) const;
  const fb::Entry &entry(size_t number) const {
    return *program->entries()->Get(flatbuffers::uoffset_t(number));
  }

private:
  struct Free {
    void operator()(uint8_t *p) const;
  };
  using Bytes = std::unique_ptr<uint8_t[], Free>;
  static Bytes allocate(size_t size);
  static Expected<std::shared_ptr<const Program>> adopt(Bytes bytes,
                                                        size_t size);

  Bytes bytes;
  const fb::Program *program = nullptr;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_PROGRAM_H
