//===- DescriptionTexts.h - Descriptions in the library ---------*- C++ -*-===//
//
// The files lib/Target/Cuda/devices/*.json, embedded in the library at build
// time.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_DESCRIPTIONTEXTS_H
#define REPRISE_RUNTIME_CUDA_DESCRIPTIONTEXTS_H

#include <cstddef>

namespace reprise::rt::cuda {

struct DescriptionText {
  const char *key, *json;
};
/// Sorted by key.
extern const DescriptionText kDescriptionTexts[];
extern const size_t kDescriptionTextCount;

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_DESCRIPTIONTEXTS_H
