//===- KeptPlan.h - Plans that need no search again -------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_KEPTPLAN_H
#define REPRISE_TOOLS_KEPTPLAN_H

#include "ProgramCache.h"

namespace reprise::tools {

/// Lowers what `compiler` has loaded of a request to a program. With a budget,
/// for which schedules are searched, the cache's is taken where it has one, and
/// else kept there. `options` are the request's, with an observer, which sees
/// no plan that is taken.
rt::Status lowerToProgram(Compiler &compiler, const ModelRequest &request,
                          const CompileOptions &options);

/// An answer that takes many plans: text, under the request and the question.
class KeptAnswer {
public:
  /// Loads the request's model. `question` is for people too: "sweep".
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

/// The title before a plan in its file: its model and budget, for people to
/// read. Nothing if the file is damaged.
std::optional<std::string> titleOfPlan(const std::vector<uint8_t> &file);

/// "WHAT is taken from the cache", for who asked to be told more.
void tellKept(const std::string &what);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_KEPTPLAN_H
