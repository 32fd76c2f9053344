//===- KeptPlan.h - Cache of plans ------------------------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_KEPTPLAN_H
#define REPRISE_DRIVER_KEPTPLAN_H

#include "reprise/Driver/ProgramCache.h"

namespace reprise::driver {

/// Lowers the request that `compiler` has loaded to a program. With a budget,
/// which requires a search, takes the cache's if it has one, and otherwise adds
/// it to the cache. `options` are the request's, with an observer, which does
/// not see a cached plan.
rt::Status lowerToProgram(Compiler &compiler, const ModelRequest &request,
                          const CompileOptions &options);

/// A cached answer that takes many plans: text, by the request and the
/// question.
class KeptAnswer {
public:
  /// Loads the request's model. `question` is also shown to people: "sweep".
  static rt::Expected<KeptAnswer> of(const ModelRequest &request,
                                     const std::string &question);
  std::optional<std::string> find() const;
  void keep(const std::string &answer) const;

private:
  KeptAnswer(ProgramCache cache, std::string name, std::string title)
      : cache(std::move(cache)), name(std::move(name)),
        title(std::move(title)) {}

  ProgramCache cache;
  std::string name, title;
};

/// Returns the title in a plan's file: its model and budget, for people to
/// read. Nothing if the file is damaged.
std::optional<std::string> titleOfPlan(const std::vector<uint8_t> &file);

/// Prints "WHAT is taken from the cache" in verbose runs.
void tellKept(const std::string &what);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_KEPTPLAN_H
