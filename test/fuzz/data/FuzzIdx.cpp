//===- FuzzIdx.cpp - Any bytes as IDX -------------------------------------===//
//
// Input:   a file, plain or gzipped, read as labels and as images.
// Holds:   no crash, no sanitizer report; an array has the bytes that its
//          shape says; what is refused has a message.
//
//===----------------------------------------------------------------------===//
#include "MemoryFile.h"
#include "reprise/Runtime/Trainer/Idx.h"

using namespace reprise::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile input(data, size);
  for (unsigned rank : {1u, 3u}) {
    auto array = readIdxFile(input.path, rank);
    if (!array.ok()) {
      if (array.status().message().empty())
        std::abort();
      continue;
    }
    uint64_t bytes = 1;
    for (uint32_t size : array->shape)
      bytes *= size;
    if (array->shape.size() != rank || array->data.size() != bytes)
      std::abort();
  }
  return 0;
}
