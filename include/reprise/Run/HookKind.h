//===- HookKind.h - The options of a hook and what they make ----*- C++ -*-===//
//
// A hook that needs no code in RunHooks.cpp is a file of lib/Run/hooks, which
// defines a HookKind, and a line of Hooks.def.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUN_HOOKKIND_H
#define REPRISE_RUN_HOOKKIND_H

#include "reprise/Runtime/Trainer/Hooks.h"
#include <memory>
#include <string>
#include <vector>

namespace reprise::driver {

/// Takes the members that hold the values of options, which are lines of
/// Settings.def.
class HookOptions {
public:
  virtual ~HookOptions();
  virtual void add(const char *option, uint64_t &value) = 0;
  virtual void add(const char *option, double &value) = 0;
  virtual void add(const char *option, std::string &value) = 0;
};

class HookKind {
public:
  virtual ~HookKind();
  /// Adds the options. The first one requests the hook; the others need it.
  virtual void addOptions(HookOptions &options) = 0;
  /// Rejects invalid values; called only if the first option is given.
  virtual rt::Status check() const { return {}; }
  virtual bool isRequested() const = 0;
  /// Returns true if the hook evaluates.
  virtual bool evaluates() const { return false; }
  /// Creates the requested hook. `memory` has the bytes of the run's program
  /// and limit.
  virtual std::unique_ptr<rt::Hook>
  make(const rt::MemoryMonitorOptions &memory) const = 0;
};

/// Creates each line of Hooks.def.
std::vector<std::unique_ptr<HookKind>> makeHookKinds();

#define HOOK(NAME) std::unique_ptr<HookKind> make##NAME##Kind();
#include "reprise/Run/Hooks.def"
#undef HOOK

} // namespace reprise::driver

#endif // REPRISE_RUN_HOOKKIND_H
