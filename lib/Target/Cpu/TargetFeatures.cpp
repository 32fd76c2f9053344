//===- TargetFeatures.cpp - Processors that code is compiled for ----------===//
//
// LLVM knows the features of a processor and their dependences; the runtime
// knows which features it can detect when it loads code. Code uses the features
// that both know.
//
//===----------------------------------------------------------------------===//

#include "CpuTarget.h"
#include "MachineCode.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace reprise;

static constexpr llvm::StringLiteral kBaseline = "x86-64";

static std::unique_ptr<llvm::MCSubtargetInfo> describe(StringRef cpu,
                                                       StringRef changes) {
  initializeTargets();
  llvm::Triple triple(chooseProcessor("").triple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple, cpu, changes));
}

static bool has(const llvm::MCSubtargetInfo &processor, StringRef feature) {
  return processor.checkFeatures(("+" + feature).str());
}

/// Returns the 64-bit processors that LLVM knows.
static std::vector<std::string> knownProcessors() {
  std::vector<std::string> names;
  auto baseline = describe(kBaseline, "");
  for (const llvm::SubtargetSubTypeKV &known :
       baseline->getAllProcessorDescriptions())
    if (has(*describe(known.Key, ""), "64bit"))
      names.push_back(known.Key);
  return names;
}

static rt::Status refuse(StringRef text, const std::string &why) {
  return rt::Status::error(RP_INVALID_ARGUMENT,
                           "'cpu:" + text.str() + "' is not a target: " + why);
}

/// Checks names of features, "+avx" or "-avx".
static rt::Status checkChanges(StringRef text, ArrayRef<StringRef> changes) {
  std::vector<std::string> known = rt::knownFeatures();
  for (StringRef change : changes) {
    if (!change.starts_with("+") && !change.starts_with("-"))
      return refuse(text, "write features as +avx2 or -avx2, not '" +
                              change.str() + "'");
    if (!llvm::is_contained(known, change.drop_front()))
      return refuse(text, "no feature is named '" + change.drop_front().str() +
                              "' (features are " + llvm::join(known, ", ") +
                              ")");
  }
  return {};
}

static rt::Status checkProcessor(StringRef text, StringRef cpu) {
  std::vector<std::string> known = knownProcessors();
  if (llvm::is_contained(known, cpu))
    return {};
  return refuse(text, "no processor is named '" + cpu.str() +
                          "' (processors are native, " +
                          llvm::join(known, ", ") + ")");
}

rt::Expected<std::string> reprise::resolveFeatures(StringRef text) {
  REPRISE_RETURN_IF_ERROR(rt::checkHost());
  if (text.empty())
    return refuse(text, "write cpu:native for this machine, or as "
                        "cpu:x86-64-v3 which processors are meant");
  SmallVector<StringRef> words;
  text.split(words, ',');
  bool isNative = words.front() == "native";
  std::string cpu = kBaseline.str(), changes;
  if (isNative) {
    std::string host = rt::hostTarget();
    for (StringRef feature : llvm::split(host, ','))
      if (!feature.empty())
        changes += "+" + feature.str() + ",";
  } else if (!words.front().starts_with("+")) {
    cpu = words.front().str();
    if (rt::Status status = checkProcessor(text, cpu); !status.ok())
      return status;
  }
  ArrayRef<StringRef> changed(words);
  if (isNative || cpu == words.front())
    changed = changed.drop_front();
  if (rt::Status status = checkChanges(text, changed); !status.ok())
    return status;
  auto processor = describe(cpu, changes + llvm::join(changed, ","));
  std::vector<std::string> features;
  for (const std::string &feature : rt::knownFeatures())
    if (has(*processor, feature))
      features.push_back(feature);
  return llvm::join(features, ",");
}
