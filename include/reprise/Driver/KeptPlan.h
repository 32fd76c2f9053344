//===- KeptPlan.h - Cache of plans ------------------------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_KEPTPLAN_H
#define REPRISE_DRIVER_KEPTPLAN_H

#include "reprise/Driver/ProgramCache.h"

namespace reprise::driver {

/// A file of the cache, with a title for people.
struct KeptFile {
  ProgramCache cache;
  std::string name, title;

  /// Returns what follows the title; removes a damaged file.
  std::optional<std::string> find() const;
  void keep(llvm::StringRef content) const;
  void drop() const { cache.drop(name, ProgramCache::Kind::Plan); }
};

/// The plan of a request in the cache: its program.
class KeptPlan {
public:
  /// Names the request's plan; `loaded` holds its model.
  static rt::Expected<KeptPlan> of(const ModelRequest &request,
                                   const Compiler &loaded);
  /// Lowers the model of `compiler` to the cached program. Returns false, and
  /// changes nothing, if the cache holds none that can be read.
  bool recall(Compiler &compiler, const CompileOptions &options) const;
  /// Adds the program that `compiler` holds.
  void keep(const Compiler &compiler) const;

private:
  explicit KeptPlan(KeptFile file) : file(std::move(file)) {}

  KeptFile file;
};

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
  explicit KeptAnswer(KeptFile file) : file(std::move(file)) {}

  KeptFile file;
};

/// Returns the title in a plan's file: its model and budget, for people to
/// read. Nothing if the file is damaged.
std::optional<std::string> titleOfPlan(const std::vector<uint8_t> &file);

/// Prints "WHAT is taken from the cache" in verbose runs.
void tellKept(const std::string &what);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_KEPTPLAN_H
