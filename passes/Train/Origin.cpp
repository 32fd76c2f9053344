//===- Origin.cpp - Where a flat op came from -----------------------------===//

#include "reprise/Passes/Origin.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// The first location within `loc`, outermost first, that `match` accepts.
template <typename LocTy>
static LocTy find(Location loc, llvm::function_ref<bool(LocTy)> match) {
  if (auto found = dyn_cast<LocTy>(loc))
    if (match(found))
      return found;
  if (auto name = dyn_cast<NameLoc>(loc))
    return find<LocTy>(name.getChildLoc(), match);
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return find<LocTy>(call.getCallee(), match);
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (LocTy found = find<LocTy>(part, match))
        return found;
  return LocTy();
}

static FusedLoc findPhase(Location loc) {
  return find<FusedLoc>(loc, [](FusedLoc fused) {
    return isa_and_nonnull<PhaseAttr>(fused.getMetadata());
  });
}

static NameLoc findName(Location loc) {
  return find<NameLoc>(loc, [](NameLoc) { return true; });
}

Location sg::withName(Location loc, StringRef name) {
  if (name.empty() || findName(loc))
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

Location sg::withOrigin(Location loc, StringRef path, Phase phase) {
  loc = withName(loc, path);
  if (findPhase(loc))
    return loc;
  MLIRContext *context = loc.getContext();
  return FusedLoc::get(context, {loc}, PhaseAttr::get(context, phase));
}

StringRef sg::originPath(Location loc) {
  NameLoc name = findName(loc);
  return name ? name.getName().getValue() : StringRef();
}

Phase sg::originPhase(Location loc) {
  FusedLoc fused = findPhase(loc);
  return fused ? cast<PhaseAttr>(fused.getMetadata()).getValue()
               : Phase::Forward;
}

std::string sg::originSource(Location loc) {
  auto file = find<FileLineColLoc>(loc, [](FileLineColLoc) { return true; });
  if (!file)
    return "";
  return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
}
