//===- ProgramTerms.h - Kinds that describe a program -----------*- C++ -*-===//
//
// The enums that the compiler, the artifact's readers and the runtime share,
// each with its names. Their numbers are those of runtime/schemas/program.fbs
// and of the C interface; runtime/core/ProgramTerms.cpp checks that. Depends on
// the C++ standard library only, so that every layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PROGRAMTERMS_H
#define REPRISE_PROGRAMTERMS_H

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace reprise {

/// The type of a tensor's elements; an i1 takes one byte in memory.
enum class ElementType : uint8_t { F32, BF16, F16, F64, I1, I8, I32, I64 };

/// The contents of a buffer.
enum class BufferKind : uint8_t {
  Parameter,
  OptimizerState,
  State,
  Constant,
  Input,
  Output,
  Activation, // computed by the forward pass
  Gradient,   // computed by the backward pass
  Recomputed,
  Workspace, // of one step
  Update     // a variable's next value before it is stored
};

/// The part of a training step to which an op belongs. An op of sg belongs to
/// one of the first three.
enum class Phase : uint8_t { Forward, Backward, Recompute, Update };

/// The action of a step of a program.
enum class StepAction : uint8_t {
  LibraryCall,
  Kernel,
  Copy,
  Offload, // a copy to host memory
  Fetch    // a copy from there
};

/// The reason that bytes are in memory. A value that outlives the forward pass
/// because a later op reads it is kept, for one of the last five reasons.
enum class Reason : uint8_t {
  Unknown,    // no reason is recorded
  Input,      // an input of the step, in memory from its start
  Result,     // a result of the step, in memory to its end
  Workspace,  // workspace of one op
  Passing,    // its readers come soon
  Again,      // it was recomputed
  RunsOnce,   // kept: its op changes state
  Asked,      // kept: the user requested it
  Free,       // kept: the budget does not require less memory
  Dear,       // kept: recomputing it takes more time than the bytes are worth
  SourceGone, // kept: an operand to recompute it from is no longer live
  Fetched     // copied back from host memory
};

/// The names of an enum's values, in the order of their numbers.
template <typename Enum> struct TermNames;

template <> struct TermNames<ElementType> {
  static constexpr const char *names[] = {"f32", "bf16", "f16", "f64",
                                          "i1",  "i8",   "i32", "i64"};
};
template <> struct TermNames<BufferKind> {
  static constexpr const char *names[] = {
      "parameter",  "optimizer_state", "state",      "constant",
      "input",      "output",          "activation", "gradient",
      "recomputed", "workspace",       "update"};
};
template <> struct TermNames<Phase> {
  static constexpr const char *names[] = {"forward", "backward", "recompute",
                                          "update"};
};
template <> struct TermNames<StepAction> {
  static constexpr const char *names[] = {"library", "kernel", "copy",
                                          "offload", "fetch"};
};
template <> struct TermNames<Reason> {
  static constexpr const char *names[] = {
      "",          "input", "result", "workspace", "passing",     "again",
      "runs_once", "asked", "free",   "dear",      "source_gone", "fetched"};
};

/// The number of an enum's values.
template <typename Enum>
inline constexpr size_t kCountOf = std::size(TermNames<Enum>::names);

template <typename Enum> constexpr const char *termName(Enum value) {
  return TermNames<Enum>::names[size_t(value)];
}

/// Returns the value of that name; none if `name` is empty or unknown.
template <typename Enum>
constexpr std::optional<Enum> termOf(std::string_view name) {
  for (size_t number = 0; number < kCountOf<Enum>; ++number)
    if (!name.empty() && name == TermNames<Enum>::names[number])
      return Enum(number);
  return std::nullopt;
}

} // namespace reprise

#endif // REPRISE_PROGRAMTERMS_H
