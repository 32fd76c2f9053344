//===- Host.cpp - Facts about this processor and library ------------------===//
//
// Names of features are LLVM's, so that a list can be passed to its code
// generator. A feature counts where the processor has it, the system saves the
// registers that it uses, and REPRISE_HIDE_FEATURES does not name it.
//
//===----------------------------------------------------------------------===//
#include "Host.h"
#include "reprise/Runtime/Cpu/Cpu.h"

#include <algorithm>
#include <cstdlib>
#include <dnnl.hpp>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace reprise::rt {

//===----------------------------------------------------------------------===//
// Processor
//===----------------------------------------------------------------------===//

namespace {
enum Register { EAX, EBX, ECX, EDX };

/// Registers that the system must save, as bits of XCR0.
enum Saved : uint64_t {
  kGeneral = 0,
  kYmm = 0x6,
  kZmm = 0xe6,
  kTiles = 0x60000
};

/// The cpuid bit of a feature.
struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  unsigned bit;
  Saved saved;
  /// Features that LLVM requires with it.
  const char *needs;
};
} // namespace

static constexpr char kHideFeatures[] = "REPRISE_HIDE_FEATURES";

/// Every feature that code may be compiled for, sorted by name. In addition,
/// every x86-64 has SSE2 and older features.
static constexpr Feature kFeatures[] = {
    {"amx-bf16", 7, 0, EDX, 22, kTiles, "amx-tile"},
    {"amx-int8", 7, 0, EDX, 25, kTiles, "amx-tile"},
    {"amx-tile", 7, 0, EDX, 24, kTiles, ""},
    {"avx", 1, 0, ECX, 28, kYmm, "sse4.2"},
    {"avx2", 7, 0, EBX, 5, kYmm, "avx"},
    {"avx512bf16", 7, 1, EAX, 5, kZmm, "avx512bw"},
    {"avx512bitalg", 7, 0, ECX, 12, kZmm, "avx512bw"},
    {"avx512bw", 7, 0, EBX, 30, kZmm, "avx512f"},
    {"avx512cd", 7, 0, EBX, 28, kZmm, "avx512f"},
    {"avx512dq", 7, 0, EBX, 17, kZmm, "avx512f"},
    {"avx512f", 7, 0, EBX, 16, kZmm, "avx2,f16c,fma"},
    {"avx512fp16", 7, 0, EDX, 23, kZmm, "avx512bw"},
    {"avx512ifma", 7, 0, EBX, 21, kZmm, "avx512f"},
    {"avx512vbmi", 7, 0, ECX, 1, kZmm, "avx512bw"},
    {"avx512vbmi2", 7, 0, ECX, 6, kZmm, "avx512bw"},
    {"avx512vl", 7, 0, EBX, 31, kZmm, "avx512f"},
    {"avx512vnni", 7, 0, ECX, 11, kZmm, "avx512f"},
    {"avx512vpopcntdq", 7, 0, ECX, 14, kZmm, "avx512f"},
    {"avxvnni", 7, 1, EAX, 4, kYmm, "avx2"},
    {"bmi", 7, 0, EBX, 3, kGeneral, ""},
    {"bmi2", 7, 0, EBX, 8, kGeneral, ""},
    {"cx16", 1, 0, ECX, 13, kGeneral, ""},
    {"f16c", 1, 0, ECX, 29, kYmm, "avx"},
    {"fma", 1, 0, ECX, 12, kYmm, "avx"},
    {"gfni", 7, 0, ECX, 8, kGeneral, ""},
    {"lzcnt", 0x80000001, 0, ECX, 5, kGeneral, ""},
    {"movbe", 1, 0, ECX, 22, kGeneral, ""},
    {"popcnt", 1, 0, ECX, 23, kGeneral, ""},
    {"sahf", 0x80000001, 0, ECX, 0, kGeneral, ""},
    {"sse3", 1, 0, ECX, 0, kGeneral, ""},
    {"sse4.1", 1, 0, ECX, 19, kGeneral, "ssse3"},
    {"sse4.2", 1, 0, ECX, 20, kGeneral, "sse4.1"},
    {"ssse3", 1, 0, ECX, 9, kGeneral, "sse3"},
};

#if defined(__x86_64__)
/// Returns XCR0: the registers of each thread that the system saves.
static uint64_t savedRegisters() {
  uint32_t words[4];
  constexpr uint32_t kOsxsave = 1u << 27;
  if (!__get_cpuid(1, &words[EAX], &words[EBX], &words[ECX], &words[EDX]) ||
      !(words[ECX] & kOsxsave))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

static bool isHere(const Feature &feature, uint64_t saved) {
  uint32_t words[4];
  return (saved & feature.saved) == feature.saved &&
         __get_cpuid_count(feature.leaf, feature.subleaf, &words[EAX],
                           &words[EBX], &words[ECX], &words[EDX]) &&
         (words[feature.where] >> feature.bit & 1);
}
#else
static uint64_t savedRegisters() { return 0; }
static bool isHere(const Feature &, uint64_t) { return false; }
#endif

static std::string join(const std::set<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ",") + name;
  return list;
}

static std::set<std::string> split(const std::string &list) {
  std::set<std::string> names;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');)
    if (!name.empty())
      names.insert(name);
  return names;
}

static std::set<std::string> missing(const std::set<std::string> &needed,
                                     const std::set<std::string> &have) {
  std::set<std::string> lacking;
  std::set_difference(needed.begin(), needed.end(), have.begin(), have.end(),
                      std::inserter(lacking, lacking.end()));
  return lacking;
}

std::vector<std::string> knownFeatures() {
  std::vector<std::string> names;
  for (const Feature &feature : kFeatures)
    names.push_back(feature.name);
  return names;
}

Expected<std::string> hideFeatures(const std::string &features,
                                   const std::string &hidden) {
  std::set<std::string> left = split(features), gone = split(hidden), known;
  for (const Feature &feature : kFeatures)
    known.insert(feature.name);
  if (std::set<std::string> others = missing(gone, known); !others.empty())
    return Status::error(RP_INVALID_ARGUMENT,
                         std::string(kHideFeatures) + " names '" +
                             join(others) + "', which is not a feature (" +
                             "features are " + join(known) + ")");
  for (size_t before = 0; before != gone.size();) {
    before = gone.size();
    for (const Feature &feature : kFeatures)
      for (const std::string &needed : split(feature.needs))
        if (gone.count(needed))
          gone.insert(feature.name);
  }
  return join(missing(left, gone));
}

/// The features of this processor without those that REPRISE_HIDE_FEATURES
/// names, or the error in the variable.
namespace {
struct HostFeatures {
  std::set<std::string> names;
  bool areHidden = false;
  Status status;
};
} // namespace

static HostFeatures readHostFeatures() {
  HostFeatures host;
  uint64_t saved = savedRegisters();
  for (const Feature &feature : kFeatures)
    if (isHere(feature, saved))
      host.names.insert(feature.name);
  const char *hidden = std::getenv(kHideFeatures);
  if (!hidden || !*hidden)
    return host;
  host.areHidden = true;
  Expected<std::string> left = hideFeatures(join(host.names), hidden);
  if (left.ok())
    host.names = split(*left);
  else
    host.status = left.status();
  return host;
}

static const HostFeatures &host() {
  static const HostFeatures features = readHostFeatures();
  return features;
}

static const std::set<std::string> &hostFeatures() { return host().names; }

Status checkHost() { return host().status; }

bool hasFeature(const std::string &name) {
  return hostFeatures().count(name) != 0;
}

std::string hostTarget() { return join(hostFeatures()); }

Status checkTarget(const std::string &required) {
  REPRISE_RETURN_IF_ERROR(checkHost());
  std::set<std::string> lacking = missing(split(required), hostFeatures());
  if (lacking.empty())
    return {};
  return Status::error(
      RP_INCOMPATIBLE,
      "the artifact needs a processor with '" + join(lacking) +
          "', which this one lacks (it has: " + hostTarget() +
          "); compile the model again here, or with --target for processors "
          "like this one");
}

//===----------------------------------------------------------------------===//
// Library
//===----------------------------------------------------------------------===//

namespace {
/// An instruction set that oneDNN can be limited to.
struct InstructionSet {
  dnnl_cpu_isa_t isa;
  const char *name;
  /// The features that its kernels use in addition to those of the ones above.
  const char *needs;
};
} // namespace

// Each contains the ones above it, except avx2_vnni.
static constexpr InstructionSet kInstructionSets[] = {
    {dnnl_cpu_isa_sse41, "sse41", "sse3,sse4.1,ssse3"},
    {dnnl_cpu_isa_avx, "avx", "avx,popcnt,sse4.2"},
    {dnnl_cpu_isa_avx2, "avx2", "avx2,bmi,bmi2,fma,lzcnt"},
    {dnnl_cpu_isa_avx512_core, "avx512_core",
     "avx512bw,avx512cd,avx512dq,avx512f,avx512vl"},
    {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni", "avx512vnni"},
    {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16", "avx512bf16"},
    {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx",
     "amx-bf16,amx-int8,amx-tile"},
};

/// Returns the instruction set that the library may use on a processor with
/// `features`; null if none.
static const InstructionSet *
instructionSetFor(const std::set<std::string> &features) {
  const InstructionSet *best = nullptr;
  for (const InstructionSet &set : kInstructionSets) {
    if (!missing(split(set.needs), features).empty())
      break;
    best = &set;
  }
  return best;
}

static std::string nameOf(dnnl_cpu_isa_t isa) {
  for (const InstructionSet &set : kInstructionSets)
    if (set.isa == isa)
      return set.name;
  switch (isa) {
  case dnnl_cpu_isa_avx2_vnni:
    return "avx2_vnni";
  case dnnl_cpu_isa_avx512_mic:
    return "avx512_mic";
  case dnnl_cpu_isa_avx512_mic_4ops:
    return "avx512_mic_4ops";
  default:
    return "none";
  }
}

/// Returns the set of that name, from all of oneDNN's.
static std::optional<dnnl_cpu_isa_t> isaNamed(const std::string &name) {
  for (dnnl_cpu_isa_t isa : {dnnl_cpu_isa_avx2_vnni, dnnl_cpu_isa_avx512_mic,
                             dnnl_cpu_isa_avx512_mic_4ops})
    if (nameOf(isa) == name)
      return isa;
  for (const InstructionSet &set : kInstructionSets)
    if (name == set.name)
      return set.isa;
  return std::nullopt;
}

/// Returns `isa`, or the best one below it whose features this processor has.
/// oneDNN does not know which features are hidden.
static dnnl_cpu_isa_t withinHost(dnnl_cpu_isa_t isa) {
  dnnl_cpu_isa_t best = dnnl_cpu_isa_sse41;
  for (const InstructionSet &set : kInstructionSets) {
    if (!missing(split(set.needs), hostFeatures()).empty())
      break;
    best = set.isa;
    if (best == isa)
      break;
  }
  return best;
}

/// Limits the library to `isa`, if its set can still be chosen. The
/// environment's setting no longer matters then.
static bool chooseInstructionSet(dnnl_cpu_isa_t isa) {
  // Hints change kernels under the same name.
  dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints);
  return dnnl_set_max_cpu_isa(host().areHidden ? withinHost(isa) : isa) ==
         dnnl_success;
}

void holdLibrary() {
  if (host().areHidden)
    chooseInstructionSet(dnnl_cpu_isa_all);
}

std::string libraryVersion() {
  holdLibrary();
  const dnnl_version_t *v = dnnl::version();
  std::string name = "oneDNN " + std::to_string(v->major) + "." +
                     std::to_string(v->minor) + "." + std::to_string(v->patch);
  return name + (v->cpu_runtime == DNNL_RUNTIME_OMP ? " gomp " : " other ") +
         nameOf(dnnl_get_effective_cpu_isa());
}

Status limitLibrary(const std::string &target) {
  REPRISE_RETURN_IF_ERROR(checkHost());
  if (target == hostTarget()) {
    holdLibrary();
    return {};
  }
  const InstructionSet *wanted = instructionSetFor(split(target));
  if (!wanted)
    return Status::error(RP_UNAVAILABLE,
                         "the library needs a processor with 'sse4.1' at "
                         "least; use --target cpu:x86-64-v2 or higher");
  bool isChosen = chooseInstructionSet(wanted->isa);
  dnnl_cpu_isa_t used = dnnl_get_effective_cpu_isa();
  if (used == wanted->isa)
    return {};
  std::string usedName = nameOf(used);
  if (isChosen)
    return Status::error(RP_UNAVAILABLE,
                         "the library plans its calls for the processor that "
                         "it runs on: '" +
                             std::string(wanted->name) +
                             "' is wanted, this one has '" + usedName +
                             "'; compile on a machine like the target");
  return Status::error(RP_UNAVAILABLE,
                       "the library of this process is used with '" + usedName +
                           "' already and cannot plan for '" + wanted->name +
                           "'; compile for another target in a process of its "
                           "own");
}

Status checkLibrary(const std::string &required) {
  if (required.empty())
    return {};
  std::string wanted = required.substr(required.rfind(' ') + 1);
  bool isChosen = false;
  if (std::optional<dnnl_cpu_isa_t> isa = isaNamed(wanted))
    isChosen = chooseInstructionSet(*isa);
  std::string have = libraryVersion();
  if (required == have)
    return {};
  bool isSameVersion = required.substr(0, required.rfind(' ')) ==
                       have.substr(0, have.rfind(' '));
  std::string message = "the artifact was compiled for '" + required + "'; ";
  if (isSameVersion && !isChosen)
    message += "this process uses '" + have +
               "' already; open the artifact in a process of its own";
  else
    message += "this machine has '" + have + "'; compile the model again here";
  return Status::error(RP_INCOMPATIBLE, message);
}

} // namespace reprise::rt
