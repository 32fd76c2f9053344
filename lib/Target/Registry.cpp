//===- Registry.cpp - Targets by name -------------------------------------===//
#include "reprise/Target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include <map>
#include <mutex>

using namespace reprise;

namespace {
class Registry {
public:
  static Registry &get() {
    static Registry registry;
    return registry;
  }
  void add(llvm::StringRef name, TargetEntry entry) {
    std::lock_guard<std::mutex> lock(mutex);
    entries[name.str()] = std::move(entry);
  }
  std::vector<std::string> names() {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<std::string> result;
    for (const auto &[name, entry] : entries)
      result.push_back(name);
    return result;
  }
  std::optional<TargetEntry> find(llvm::StringRef name) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = entries.find(name.str());
    if (found == entries.end())
      return std::nullopt;
    return found->second;
  }

private:
  std::mutex mutex;
  std::map<std::string, TargetEntry> entries;
};
} // namespace

Target::~Target() = default;

std::vector<rp_element_type> Target::kernelElements() const {
  return {RP_F32, RP_BF16, RP_F16, RP_F64, RP_I1, RP_I8, RP_I32, RP_I64};
}

/// Returns the types that calls may have on some device; see
/// rt::verifyLibraryCall.
std::vector<rp_element_type> Target::callElements(LibraryOp) const {
  return {RP_F32, RP_BF16, RP_F16, RP_F64};
}

mlir::FailureOr<rt::LibraryCallInfo>
Target::reportAnswer(mlir::Operation *op,
                     const rt::Expected<rt::LibraryCallInfo> &answer) {
  if (!answer.ok())
    return op->emitOpError()
           << "is refused by the library: " << answer.status().message();
  return *answer;
}

void reprise::registerTarget(llvm::StringRef name, TargetEntry entry) {
  Registry::get().add(name, std::move(entry));
}

std::vector<std::string> reprise::targetNames() {
  return Registry::get().names();
}

TargetName TargetName::parse(llvm::StringRef text) {
  auto [device, description] = text.split(':');
  return {device.str(), description.str()};
}

std::string TargetName::text() const {
  return description.empty() ? device : device + ":" + description;
}

static rt::Status refuse(llvm::StringRef text, llvm::StringRef name) {
  std::vector<std::string> known = targetNames();
  return rt::Status::error(
      RP_INVALID_ARGUMENT,
      "'" + text.str() + "' is not a target: there is no device '" +
          name.str() +
          "' (a target begins with a device and a colon; devices are " +
          (known.empty() ? "none" : llvm::join(known, ", ")) + ")");
}

/// Rejects alignments that the planner cannot keep.
static rt::Expected<std::unique_ptr<Target>>
checked(rt::Expected<std::unique_ptr<Target>> target) {
  if (target.ok() && !isAlignment((*target)->alignment()))
    return rt::Status::error(
        RP_INVALID_ARGUMENT,
        "target '" + (*target)->device() + "' aligns buffers to " +
            std::to_string((*target)->alignment()) +
            " bytes; a power of two from " + std::to_string(kAlignment) +
            " to " + std::to_string(kMaxAlignment) + " is possible");
  return target;
}

rt::Expected<std::unique_ptr<Target>>
reprise::createTarget(const TargetName &name, unsigned threads) {
  std::optional<TargetEntry> entry = Registry::get().find(name.device);
  if (!entry)
    return refuse(name.text(), name.device);
  return checked(entry->fromText(name.description, threads));
}

mlir::FailureOr<std::unique_ptr<Target>>
reprise::createTargetFor(mlir::Operation *op, const TargetName &name,
                         unsigned threads) {
  rt::Expected<std::unique_ptr<Target>> target = createTarget(name, threads);
  if (!target.ok())
    return op->emitError() << target.status().message();
  return std::move(*target);
}

mlir::FailureOr<std::unique_ptr<Target>>
reprise::createTargetFor(mlir::Operation *op, llvm::StringRef text,
                         unsigned threads) {
  return createTargetFor(op, TargetName::parse(text), threads);
}

rt::Expected<std::unique_ptr<Target>>
reprise::createTargetOf(llvm::StringRef device, llvm::StringRef features,
                        unsigned threads) {
  std::optional<TargetEntry> entry = Registry::get().find(device);
  if (!entry)
    return refuse(device, device);
  return checked(entry->fromFeatures(features, threads));
}
