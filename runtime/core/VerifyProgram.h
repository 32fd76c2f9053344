//===- VerifyProgram.h - Checks shared by the verifier's parts --*- C++ -*-===//
//
// Private to Verify.cpp (the program), VerifyEntry.cpp (entries, steps) and
// VerifyBinding.cpp (inputs, outputs).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_VERIFYPROGRAM_H
#define REPRISE_RUNTIME_CORE_VERIFYPROGRAM_H

#include "Views.h"
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace reprise::rt {

/// Bytes [begin, end) of the arena.
struct Range {
  uint64_t begin = 0, end = 0;
};

Status invalidProgram(const std::string &what,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE());
std::string quoted(const flatbuffers::String *name);
bool sameShape(const fb::View &a, const fb::View &b);
Status disjointRanges(std::vector<Range> ranges, const std::string &what);

class ProgramVerifier {
public:
  explicit ProgramVerifier(const fb::Program &program) : program(program) {}
  Status run();

private:
  /// A step and its place, for messages.
  struct StepContext {
    const fb::Entry &entry;
    uint32_t index;
    std::string name;
  };
  using Views = flatbuffers::Vector<flatbuffers::Offset<fb::View>>;
  using Bindings = flatbuffers::Vector<flatbuffers::Offset<fb::Binding>>;
  enum class Access { Read, Write };
  enum class Direction { Input, Output };

  Status header();
  Status fixedBuffers();
  Status variables();
  Status wholeShape(const fb::Variable &variable, const std::string &name);
  Status initialValue(const fb::Variable &variable);
  Status initialData(const fb::Variable &variable, const std::string &name);
  Status constants();
  Status code();
  Status uniqueName(const flatbuffers::String *name, const char *what,
                    std::set<std::string_view> &seen);
  Status buffer(const fb::Buffer &buffer, uint64_t from, uint64_t to);
  Status view(const fb::View *view, const fb::Entry *entry,
              const std::string &where, Range *range);

  Status entry(const fb::Entry &entry);
  Status entryBuffers(const fb::Entry &entry);
  Status disjointLifetimes(const fb::Entry &entry);
  Status peak(const fb::Entry &entry);
  Status notes(const fb::Entry &entry);
  Status certificate(const fb::Entry &entry);
  Status bindings(const fb::Entry &entry, const Bindings *bindings,
                  Direction direction);
  Status role(const fb::Binding &binding, Direction direction,
              const std::string &where);
  Status gradient(const fb::Binding &binding, const std::string &where);
  Status step(const fb::Step &step, const StepContext &context);
  Status stepView(const fb::View *view, Access access,
                  const StepContext &context, Range *range = nullptr);
  Status libraryCall(const fb::LibraryCall &call, const StepContext &context);
  Status kernelLaunch(const fb::KernelLaunch &launch,
                      const StepContext &context);
  Status copy(const fb::Copy &copy, const StepContext &context);
  Status offload(const fb::Offload &offload, const StepContext &context);
  Status fetch(const fb::Fetch &fetch, const StepContext &context);

  const fb::Program &program;
  uint64_t highestPeak = 0; // claimed by an entry
  std::map<std::string_view, const fb::Variable *> variablesByName;
  /// The views that the steps of the current entry have copied to host memory
  /// so far, by their offset there.
  std::map<uint64_t, const fb::View *> offloaded;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_VERIFYPROGRAM_H
