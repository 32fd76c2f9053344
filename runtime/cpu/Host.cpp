//===- Host.cpp - What this processor and library are ---------------------===//
//
// Names are LLVM's, so that a list can be handed to its code generator.
//
//===----------------------------------------------------------------------===//
#include "Host.h"
#include "reprise/Runtime/Library.h"

#include <dnnl.hpp>
#include <set>
#include <sstream>

namespace reprise::rt {

// The builtin takes literals only, hence the macro; sorted by name.
static std::set<std::string> hostFeatures() {
  std::set<std::string> features;
#if defined(__x86_64__)
#define REPRISE_FEATURE(name)                                                  \
  if (__builtin_cpu_supports(name))                                            \
  features.insert(name)
  REPRISE_FEATURE("avx");
  REPRISE_FEATURE("avx2");
  REPRISE_FEATURE("avx512bf16");
  REPRISE_FEATURE("avx512bw");
  REPRISE_FEATURE("avx512cd");
  REPRISE_FEATURE("avx512dq");
  REPRISE_FEATURE("avx512f");
  REPRISE_FEATURE("avx512vl");
  REPRISE_FEATURE("avx512vnni");
  REPRISE_FEATURE("bmi");
  REPRISE_FEATURE("bmi2");
  REPRISE_FEATURE("f16c");
  REPRISE_FEATURE("fma");
  REPRISE_FEATURE("popcnt");
  REPRISE_FEATURE("sse4.2");
#undef REPRISE_FEATURE
#endif
  return features;
}

std::string hostTarget() {
  std::string list;
  for (const std::string &feature : hostFeatures())
    list += (list.empty() ? "" : ",") + feature;
  return list;
}

std::string libraryVersion() {
  const dnnl_version_t *v = dnnl::version();
  std::string name = "oneDNN " + std::to_string(v->major) + "." +
                     std::to_string(v->minor) + "." + std::to_string(v->patch);
  return name + (v->cpu_runtime == DNNL_RUNTIME_OMP ? " gomp" : " other");
}

Status checkTarget(const std::string &required) {
  std::set<std::string> have = hostFeatures();
  std::istringstream list(required);
  for (std::string feature; std::getline(list, feature, ',');)
    if (!feature.empty() && !have.count(feature))
      return Status::error(RP_INCOMPATIBLE,
                           "the artifact needs a processor with '" + feature +
                               "' (all of: " + required + "); this one has: " +
                               hostTarget() + "; compile the model again here");
  return {};
}

Status checkLibrary(const std::string &required) {
  std::string have = libraryVersion();
  if (required.empty() || required == have)
    return {};
  return Status::error(RP_INCOMPATIBLE, "the artifact was compiled for '" +
                                            required + "'; this machine has '" +
                                            have +
                                            "'; compile the model again here");
}

} // namespace reprise::rt
