//===- TypeNotes.cpp - Missing features for element types -----------------===//
//
// Kernels support every element type everywhere. The differences are in the
// library, which has bf16 only with AVX-512 and no f16, and in the instructions
// that convert and round.
//
//===----------------------------------------------------------------------===//
#include "Host.h"

#include <initializer_list>

namespace reprise::rt {

/// Returns the missing ones of `features`, such as "avx512bw, avx512dq"; "" if
/// none is missing.
static std::string lacking(std::initializer_list<const char *> features) {
  std::string list;
  for (const char *feature : features)
    if (!hasFeature(feature))
      list += (list.empty() ? "" : ", ") + std::string(feature);
  return list;
}

static std::string describeBFloat16() {
  std::string lacks = lacking({"avx512bw", "avx512dq", "avx512f", "avx512vl"});
  if (!lacks.empty())
    return "library calls compute in f32 and kernels round by integer "
           "arithmetic: saves memory, not time (lacks " +
           lacks + ")";
  lacks = lacking({"avx512bf16"});
  if (!lacks.empty())
    return "library calls and kernels round by integer arithmetic: saves "
           "memory, little time (lacks " +
           lacks + ")";
  return "library calls and kernels have instructions for it";
}

static std::string describeHalf() {
  std::string text = "library calls compute in f32, kernels ";
  if (hasFeature("avx512fp16"))
    return text + "have instructions for it";
  if (hasFeature("f16c"))
    return text + "convert by instructions (lacks avx512fp16)";
  return text + "convert by functions of the C library: slow (lacks f16c)";
}

std::vector<DeviceSummary::TypeNote> describeTypes() {
  return {{"bf16", describeBFloat16()}, {"f16", describeHalf()}};
}

} // namespace reprise::rt
