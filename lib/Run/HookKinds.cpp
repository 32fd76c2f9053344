//===- HookKinds.cpp - The kinds of hooks ---------------------------------===//

#include "reprise/Run/HookKind.h"

using namespace reprise::driver;

HookOptions::~HookOptions() = default;
HookKind::~HookKind() = default;

std::vector<std::unique_ptr<HookKind>> reprise::driver::makeHookKinds() {
  std::vector<std::unique_ptr<HookKind>> kinds;
#define HOOK(NAME) kinds.push_back(make##NAME##Kind());
#include "reprise/Run/Hooks.def"
#undef HOOK
  return kinds;
}
