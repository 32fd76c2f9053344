//===- Origin.cpp - Where an op came from ---------------------------------===//
//
// Input:   a location as sg-flatten leaves it: fused<#sg.phase<...>>[name].
// Output:  module path, phase, source file.
// Method:  one walk, outermost first; the first of each kind wins.
//
//===----------------------------------------------------------------------===//
#include "reprise/Analysis/Origin.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace reprise;

Origin reprise::findOrigin(Location loc) {
  Origin origin;
  loc->walk([&](Location at) {
    if (auto fused = dyn_cast<FusedLoc>(at)) {
      auto phase = dyn_cast_if_present<sg::PhaseAttr>(fused.getMetadata());
      if (phase && !origin.phase)
        origin.phase = phase.getValue();
    } else if (auto name = dyn_cast<NameLoc>(at)) {
      if (origin.module.empty())
        origin.module = name.getName().str();
    } else if (auto file = dyn_cast<FileLineColLoc>(at)) {
      if (origin.file.empty())
        origin.file =
            file.getFilename().str() + ":" + std::to_string(file.getLine());
    }
    return WalkResult::advance();
  });
  return origin;
}
